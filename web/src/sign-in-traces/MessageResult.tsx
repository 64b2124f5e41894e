import type { SignInMessage } from '@passport/contract/sign-in-messages'
import { MonitorX } from 'lucide-react'
import { Explanation } from './Explanation.tsx'
import { FailedRequests } from './FailedRequests.tsx'

/** The explanation of a message that only the browser shows, with the requests that may be behind it. */
export function MessageResult({ message: { message, title, cause, fix, reasons } }: { message: SignInMessage }) {
  return (
    <>
      <Explanation
        title={title}
        cause={cause}
        fix={fix}
        picture={
          <span className="grid size-9 shrink-0 place-items-center rounded-lg bg-well text-bad">
            <MonitorX size={18} strokeWidth={1.75} aria-hidden="true" />
          </span>
        }
      >
        <p className="mt-3 text-[13px] text-ink3">
          Message of the sign-in client: <code className="font-mono [overflow-wrap:anywhere]">{message}</code>
        </p>
      </Explanation>
      {reasons.length > 0 ? (
        <FailedRequests title="Requests that may be behind it" reasons={reasons} />
      ) : (
        <p className="text-ink2">Only the browser knows of this failure: no request to Passport failed.</p>
      )}
    </>
  )
}
