import { CopyButton } from '../ui/CopyButton.tsx'
import { formatJson } from './format-json.ts'

/** The whole value of a preference; JSON has a line per value. */
export function PreferenceValue({ value }: { value: string }) {
  const pretty = formatJson(value)
  return (
    <div className="flex items-start gap-1 rounded-ctl bg-well">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long value scrolls with the keyboard
        tabIndex={0}
        className={`max-h-72 min-w-0 flex-1 overflow-auto px-3 py-2 text-[13px] break-words whitespace-pre-wrap ${pretty ? 'font-mono' : 'font-sans'}`}
      >
        {pretty ?? value}
      </pre>
      <CopyButton text={value} label="Copy the value" />
    </div>
  )
}
