import { confirmInvitation, type Invitation } from '@passport/contract/invitations'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { toast } from '../ui/toast.ts'

interface ConfirmClaimantProps {
  invitation: Invitation
  claimant: NonNullable<Invitation['claimant']>
  onClose: () => void
}

/** Asks whether the one who took an invitation is the one who was meant, and shows what that gives them. */
export function ConfirmClaimant({ invitation, claimant, onClose }: ConfirmClaimantProps) {
  const { change, dialog } = usePreview()
  const [isBusy, setBusy] = useState(false)

  async function confirm() {
    setBusy(true)
    try {
      const sent = { params: { invitationId: invitation.id }, body: { userId: claimant.id } }
      const done = await change((query) => call(confirmInvitation, { ...sent, query }), {
        title: `Give it to ${claimant.name}?`,
        action: 'Confirm',
      })
      if (done) {
        void toast({ type: 'success', content: `${claimant.name} has accepted the invitation` })
        onClose()
      }
    } catch (error) {
      const { title, detail } = failureOf(error)
      void toast({ type: 'error', content: `${title}: ${detail}` })
      onClose()
    }
    setBusy(false)
  }

  return (
    <>
      <Dialog isOpen onClose={onClose} title="Is this who you invited?" className="w-[480px]">
        <p className="mt-1.5 text-ink2">
          The invitation was for <strong className="font-[620] text-ink">{invitation.email}</strong>. It was taken by
          someone whose address is another, or not verified.
        </p>
        <dl className="mt-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
          <dt className="text-ink3">Name</dt>
          <dd>
            <Link to="/admin/users/$userId" params={{ userId: claimant.id }} className="link">
              {claimant.name}
            </Link>
          </dd>
          <dt className="text-ink3">E-mail</dt>
          <dd className="[overflow-wrap:anywhere]">
            {claimant.email ?? 'none'}
            {claimant.email && (claimant.emailVerified ? ' (verified)' : ' (not verified)')}
          </dd>
        </dl>
        <p className="mt-4 text-ink2">If you do not know them, send the invitation again: the old link is dead then.</p>
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" isBusy={isBusy} onClick={() => void confirm()}>
            Confirm {claimant.name}
          </Button>
        </div>
      </Dialog>
      {dialog}
    </>
  )
}
