import { enrolmentHours } from '@passport/contract/enrolment-hours'
import { invitationDays } from '@passport/contract/invitation-days'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { useCopy } from '../ui/use-copy.ts'

interface LinkDialogProps {
  /** The link, and the name or the email of its user. */
  created: { name: string; link: string } | undefined
  onClose: () => void
}

/** Shows a link once, for the administrator to hand over to its user. */
export function LinkDialog({ created, onClose }: LinkDialogProps) {
  return (
    <Dialog isOpen={created !== undefined} onClose={onClose} title="Hand over this link" className="w-[520px]">
      {created && <LinkContent {...created} onClose={onClose} />}
    </Dialog>
  )
}

function LinkContent({ name, link, onClose }: { name: string; link: string; onClose: () => void }) {
  const { isCopied, copy } = useCopy(link)
  return (
    <>
      <p className="mt-1.5 text-ink2">{describeLink(link, name)} It is shown only once.</p>
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

/** Says what a link does: an enrolment link, or one by which an existing user accepts an invitation. */
const describeLink = (link: string, name: string) =>
  new URL(link).hash === ''
    ? `${name} signs in by this link to accept. It is valid for ${invitationDays} days.`
    : `Give this link to ${name} alone: the first person who opens it sets a password and is in. It works in one browser for ${enrolmentHours} hours.`
