import { Button } from './Button.tsx'

/** A failure: the status with its text, the detail from the server, and the support code for the log and the audit. */
export interface Failure {
  title: string
  detail: string
  supportCode?: string | undefined
}

/** Shows a failure in place of the content, with a retry button. Within a box it has no border of its own. */
export function ErrorCard({ failure, onRetry }: { failure: Failure; onRetry?: () => void }) {
  const { title, detail, supportCode } = failure
  return (
    <div
      role="alert"
      className="rounded-box border border-line border-l-3 border-l-bad bg-card px-5 py-4 in-[.rounded-box]:border-0"
    >
      <p className="font-[620] text-bad">{title}</p>
      <p className="mt-1 text-ink2">{detail}</p>
      {(onRetry || supportCode) && (
        <p className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 text-[13px] text-ink3">
          {onRetry && (
            <Button isSmall onClick={onRetry}>
              Try again
            </Button>
          )}
          {supportCode && (
            <span>
              Support code <code className="font-mono">{supportCode}</code>
            </span>
          )}
        </p>
      )}
    </div>
  )
}
