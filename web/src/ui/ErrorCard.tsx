import { Button } from './Button.tsx'

/** A failure: the status with its text, the detail from the server, and the trace id for the log. */
export interface Failure {
  title: string
  detail: string
  traceId?: string | undefined
}

/** Shows a failure in place of the content, with a retry button. */
export function ErrorCard({ failure, onRetry }: { failure: Failure; onRetry?: () => void }) {
  const { title, detail, traceId } = failure
  return (
    <div role="alert" className="rounded-box border border-line border-l-3 border-l-bad bg-card px-5 py-4">
      <p className="font-[620] text-bad">{title}</p>
      <p className="mt-1 text-ink2">{detail}</p>
      {traceId && (
        <p className="mt-2 text-[13px] text-ink3">
          Trace <code className="font-mono break-all">{traceId}</code>
        </p>
      )}
      {onRetry && (
        <Button className="mt-3" isSmall onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}
