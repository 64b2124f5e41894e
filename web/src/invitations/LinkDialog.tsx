import { invitationDays } from '@passport/contract/invitation-days'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { useCopy } from '../ui/use-copy.ts'

interface LinkDialogProps {
  sent: { email: string; link: string } | undefined
  onClose: () => void
}

/** The link of an invitation that no mail brings: shown this once, to be passed on by hand. */
export function LinkDialog({ sent, onClose }: LinkDialogProps) {
  return (
    <Dialog isOpen={sent !== undefined} onClose={onClose} title="Pass this link on" className="w-[520px]">
      {sent && <Link {...sent} onClose={onClose} />}
    </Dialog>
  )
}

function Link({ email, link, onClose }: { email: string; link: string; onClose: () => void }) {
  const { isCopied, copy } = useCopy(link)
  return (
    <>
      <p className="mt-1.5 text-ink2">
        Nothing was mailed to {email}. The link is shown this once; it is for one person, and good for {invitationDays}{' '}
        days.
      </p>
      <p className="mt-3 rounded-ctl border border-line bg-well p-3 font-mono text-[12.5px] break-all select-all">
        {link}
      </p>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Done</Button>
        <Button look="primary" onClick={copy}>
          <span aria-live="polite">{isCopied ? 'Copied' : 'Copy link'}</span>
        </Button>
      </div>
    </>
  )
}
