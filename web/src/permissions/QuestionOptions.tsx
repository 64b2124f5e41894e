import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { type CheckSearch, consistencies, needsToken, parseContext } from './check-search.ts'

interface QuestionOptionsProps {
  search: CheckSearch
  onChange: (search: CheckSearch) => void
  contextError: string | undefined
  tokenError: string | undefined
}

/** The optional parts of a question: context values and consistency. */
export function QuestionOptions({ search, onChange, contextError, tokenError }: QuestionOptionsProps) {
  const { context = '', consistency = '', token = '' } = search
  const isInvalid = parseContext(context) === undefined
  return (
    <details className="mt-3" open={search.context || search.consistency ? true : undefined}>
      <summary className="w-fit cursor-pointer py-1 text-ink2 hover:text-ink">Context and consistency</summary>
      <div className="mt-2 grid gap-4 sm:grid-cols-2">
        <TextArea
          label="Context"
          hint="Caveat values as a JSON object. Values stored with a relationship take precedence."
          error={isInvalid ? 'Must be a JSON object.' : contextError}
          placeholder='{"hour": 10}'
          spellCheck={false}
          className="font-mono text-[13px]"
          value={context}
          onChange={({ target }) => onChange({ ...search, context: target.value })}
        />
        <div className="grid content-start gap-4">
          <Select
            label="Consistency"
            options={consistencies}
            value={consistency}
            onChange={({ target }) => onChange({ ...search, consistency: target.value })}
          />
          {needsToken(consistency) && (
            <Field
              label="Revision"
              hint="Token of an earlier answer or write"
              error={tokenError}
              className="font-mono text-[13px]"
              value={token}
              onChange={({ target }) => onChange({ ...search, token: target.value })}
            />
          )}
        </div>
      </div>
    </details>
  )
}
