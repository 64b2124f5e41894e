import { Button } from './Button.tsx'

export interface Failed {
  id: string
  /** What it is called; its id where that is not known. */
  name?: string | undefined
  /** A sentence. */
  why: string
}

interface ResultReportProps {
  /** What was done, with its number: “23 people disabled”. */
  done: string
  failed: Failed[]
  onRetry?: (() => void) | undefined
  onClose: () => void
}

/** What became of a change of many: how many are done, which failed, and why each did. */
export function ResultReport({ done, failed, onRetry, onClose }: ResultReportProps) {
  return (
    <div role="alert" className="rounded-box border border-line border-l-3 border-l-warn bg-card px-5 py-4">
      <p className="font-[620]">
        {done}, <span className="text-bad">{failed.length.toLocaleString()} failed</span>
      </p>
      <ul className="mt-2 max-h-60 overflow-y-auto">
        {failed.map(({ id, name, why }) => (
          <li key={id} className="flex flex-wrap gap-x-3 border-t border-line py-1.5">
            {name ? <span className="font-[560]">{name}</span> : <code className="font-mono text-[12.5px]">{id}</code>}
            <span className="text-ink2">{why}</span>
          </li>
        ))}
      </ul>
      <div className="mt-3 flex gap-2">
        {onRetry && (
          <Button isSmall onClick={onRetry}>
            Try the failed again
          </Button>
        )}
        <Button isSmall look="ghost" onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  )
}
