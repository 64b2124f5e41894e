import { diffTexts, type LineChange } from './line-changes.ts'

const signs = { added: '+', removed: '−', same: ' ' }
const classes = { added: 'text-ok', removed: 'text-bad', same: 'text-ink2' }

/** A line diff of two texts. */
export function LineChanges({ from, to }: { from: string; to: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
    <section aria-label="Changed lines" tabIndex={0} className="mt-1.5 max-h-96 overflow-auto font-mono text-[12.5px]">
      {diffTexts(from, to).map((change, index) => (
        <Line key={index} change={change} />
      ))}
    </section>
  )
}

function Line({ change }: { change: LineChange }) {
  if (change.kind === 'skipped') return <p className="px-2 py-1 text-ink3">⋯ {change.skipped} unchanged lines</p>
  const { kind, text } = change
  const Mark = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span'
  return (
    <p className={`w-max min-w-full px-2 whitespace-pre ${classes[kind]}`}>
      <Mark className="no-underline">
        <span aria-hidden="true">{signs[kind]} </span>
        {text}
      </Mark>
    </p>
  )
}
