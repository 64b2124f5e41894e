import { TextArea } from '../ui/TextArea.tsx'
import { parseContext } from './check-search.ts'

interface ContextFieldProps {
  label?: string
  hint?: string
  error?: string | undefined
  value: string
  onChange: (value: string) => void
}

/** A text area for caveat values, as a JSON object. */
export function ContextField({ error, value, onChange, ...rest }: ContextFieldProps) {
  return (
    <TextArea
      label="Context"
      hint="Caveat values as a JSON object"
      {...rest}
      error={parseContext(value) === undefined ? 'Must be a JSON object.' : error}
      placeholder='{"hour": 10}'
      spellCheck={false}
      className="font-mono text-[13px]"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
