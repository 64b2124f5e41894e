import { CircleAlert } from 'lucide-react'
import { Button } from './Button.tsx'

/** A failed operation, its reason, and the support code that the server log and the audit log also have. */
export interface Failure {
  title: string
  detail: string
  supportCode?: string | undefined
}

/** Shows a failure in place of the content, with a retry button. Within a card it has no border of its own. */
export function ErrorCard({ failure, onRetry }: { failure: Failure; onRetry?: () => void }) {
  const { title, detail, supportCode } = failure
  return (
    <div role="alert" className="flex gap-3 rounded-box border border-line bg-card px-5 py-4 in-[.card]:border-0">
      <CircleAlert size={18} className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0">
        <p className="font-[620]">{title}</p>
        <p className="text-ink2 break-words">{detail}</p>
        {(onRetry || supportCode) && (
          <p className="mt-2.5 flex flex-wrap items-center gap-x-4 gap-y-2 text-[13px] text-ink3">
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
    </div>
  )
}
