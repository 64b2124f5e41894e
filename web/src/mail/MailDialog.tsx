import { type Mail, mailDays } from '@passport/contract/mail'
import type { ReactNode } from 'react'
import { Button } from '../ui/Button.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'
import { describeResponse, nameKind, states } from './words.ts'

interface MailDialogProps {
  mail: Mail | undefined
  onClose: () => void
  onResend: (mail: Mail) => void
}

/** What became of an email. Its content is not shown, because its links work. */
export function MailDialog({ mail, onClose, onResend }: MailDialogProps) {
  return (
    <Dialog isOpen={mail !== undefined} title={mail ? nameKind(mail.kind) : ''} className="w-[560px]" onClose={onClose}>
      {mail && (
        <>
          <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1.5">
            <Line term="Recipient">{mail.recipient}</Line>
            <Line term="State">
              <Status tone={states[mail.state].tone}>{states[mail.state].label}</Status>
            </Line>
            <Line term="Created">
              <RelativeTime at={mail.createdAt} />
            </Line>
            {mail.endedAt && (
              <Line term={mail.state === 'failed' ? 'Given up' : 'Sent'}>
                <RelativeTime at={mail.endedAt} />
              </Line>
            )}
            {mail.dueAt && (
              <Line term="Next attempt">
                <RelativeTime at={mail.dueAt} />
              </Line>
            )}
            <Line term="Attempts">{mail.attempts}</Line>
            {mail.resendUntil && (
              <Line term="Can be resent until">
                <RelativeTime at={mail.resendUntil} />
              </Line>
            )}
          </dl>
          {mail.response && (
            <div className="mt-4">
              <p className="mb-1 text-[13px] font-[560]">Response of the mail server</p>
              <CodeBlock label="the response" text={describeResponse(mail)} isWrapped />
            </div>
          )}
          <p className="mt-4 text-[13px] text-ink3">
            The content is not shown, because its links work. The entry is kept for {mailDays} days.
          </p>
          <div className="mt-4 flex justify-end gap-2">
            {mail.resendUntil && <Button onClick={() => onResend(mail)}>Resend</Button>}
            <Button variant="primary" onClick={onClose}>
              Close
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}

const Line = ({ term, children }: { term: string; children: ReactNode }) => (
  <>
    <dt className="text-ink3">{term}</dt>
    <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
  </>
)
