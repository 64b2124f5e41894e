/** A state of a period; null without a result. */
export type StripState = 'ok' | 'slow' | 'down' | null

interface StatusStripProps {
  /** The conclusion as a sentence, for users who do not see the strip. */
  label: string
  /** Oldest first. `title` is a tooltip, such as the time of the period. */
  cells: { key: string; state: StripState; title: string }[]
}

const height = 24
/** A worse state is higher, so that the strip does not depend on its colours. */
const marks: Record<'ok' | 'slow' | 'down', { height: number; fill: string; opacity: number }> = {
  ok: { height: 14, fill: 'var(--ok)', opacity: 0.55 },
  slow: { height: 19, fill: 'var(--warn)', opacity: 1 },
  down: { height, fill: 'var(--bad)', opacity: 1 },
}
const missing = { height: 2, fill: 'var(--edge)', opacity: 1 }

/** A mark for each period of the last hours: the history of a state. */
export function StatusStrip({ label, cells }: StatusStripProps) {
  const step = 100 / cells.length
  return (
    <svg role="img" aria-label={label} width="100%" height={height} className="block">
      {cells.map(({ key, state, title }, index) => {
        const mark = state === null ? missing : marks[state]
        return (
          <g key={key}>
            <title>{title}</title>
            <rect x={`${index * step}%`} width={`${step}%`} height={height} fill="transparent" />
            <rect
              x={`${index * step}%`}
              width={`${step * 0.75}%`}
              y={height - mark.height}
              height={mark.height}
              rx="1"
              fill={mark.fill}
              opacity={mark.opacity}
            />
          </g>
        )
      })}
    </svg>
  )
}
