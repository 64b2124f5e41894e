import { Button } from './Button.tsx'

export interface Failed {
  id: string
  /** The display name; the id is shown if unknown. */
  name?: string | undefined
  /** The reason, as a sentence. */
  reason: string
}

interface ResultReportProps {
  /** The completed part, with its count: “23 users disabled”. */
  doneText: string
  failed: Failed[]
  onRetry?: (() => void) | undefined
  onClose: () => void
}

/** Reports a bulk operation: how many succeeded, which failed, and why. */
export function ResultReport({ doneText, failed, onRetry, onClose }: ResultReportProps) {
  return (
    <div role="alert" className="rounded-box border border-line border-l-3 border-l-warn bg-card px-5 py-4">
      <p className="font-[620]">
        {doneText}, <span className="text-bad">{failed.length.toLocaleString()} failed</span>
      </p>
      <ul className="mt-2 max-h-60 overflow-y-auto">
        {failed.map(({ id, name, reason }) => (
          <li key={id} className="flex flex-wrap gap-x-3 border-t border-line py-1.5">
            {name ? <span className="font-[560]">{name}</span> : <code className="font-mono text-[12.5px]">{id}</code>}
            <span className="text-ink2">{reason}</span>
          </li>
        ))}
      </ul>
      <div className="mt-3 flex gap-2">
        {onRetry && (
          <Button isSmall onClick={onRetry}>
            Retry failed
          </Button>
        )}
        <Button isSmall variant="ghost" onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  )
}
