import { invitationDays } from '@passport/contract/invitation-days'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { useCopy } from '../ui/use-copy.ts'

interface LinkDialogProps {
  created: { email: string; link: string } | undefined
  onClose: () => void
}

/** Shows the link of an invitation that was not emailed, once, to be shared by the administrator. */
export function LinkDialog({ created, onClose }: LinkDialogProps) {
  return (
    <Dialog isOpen={created !== undefined} onClose={onClose} title="Share this link" className="w-[520px]">
      {created && <LinkContent {...created} onClose={onClose} />}
    </Dialog>
  )
}

function LinkContent({ email, link, onClose }: { email: string; link: string; onClose: () => void }) {
  const { isCopied, copy } = useCopy(link)
  return (
    <>
      <p className="mt-1.5 text-ink2">
        No email was sent to {email}. The link is shown only once, works for one user and is valid for {invitationDays}{' '}
        days.
      </p>
      <p className="mt-3 rounded-ctl border border-line bg-well p-3 font-mono text-[12.5px] break-all select-all">
        {link}
      </p>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Done</Button>
        <Button variant="primary" onClick={copy}>
          <span aria-live="polite">{isCopied ? 'Copied' : 'Copy link'}</span>
        </Button>
      </div>
    </>
  )
}
