import { confirmInvitation, type Invitation } from '@passport/contract/invitations'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'

interface ConfirmClaimantProps {
  invitation: Invitation
  claimant: NonNullable<Invitation['claimant']>
  onClose: () => void
}

/** Confirms the claimant of an invitation, after a preview of the access that they gain. */
export function ConfirmClaimant({ invitation, claimant, onClose }: ConfirmClaimantProps) {
  const { change, dialog } = usePreview()
  const [isBusy, setBusy] = useState(false)

  async function confirm() {
    setBusy(true)
    try {
      const request = { params: { invitationId: invitation.id }, body: { userId: claimant.id } }
      const result = await change((query) => call(confirmInvitation, { ...request, query }), {
        title: `Confirm ${claimant.name}?`,
        action: 'Confirm',
      })
      if (result) {
        reportSuccess(`${claimant.name} confirmed`)
        onClose()
      }
    } catch (error) {
      reportFailure('confirm the invitation', error)
      onClose()
    }
    setBusy(false)
  }

  return (
    <>
      <Dialog isOpen onClose={onClose} title="Review claim" className="w-[480px]">
        <p className="mt-1.5 text-ink2">
          The invitation was sent to <strong className="font-[620] text-ink">{invitation.email}</strong>, but was
          claimed by a user with a different or unverified email.
        </p>
        <dl className="mt-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
          <dt className="text-ink3">Name</dt>
          <dd>
            <Link to="/admin/users/$userId" params={{ userId: claimant.id }} className="link">
              {claimant.name}
            </Link>
          </dd>
          <dt className="text-ink3">Email</dt>
          <dd className="[overflow-wrap:anywhere]">
            {claimant.email ?? 'None'}
            {claimant.email && (claimant.emailVerified ? ' (verified)' : ' (not verified)')}
          </dd>
        </dl>
        <p className="mt-4 text-ink2">
          If you don't know them, resend the invitation. The old link then stops working.
        </p>
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" isBusy={isBusy} onClick={() => void confirm()}>
            Confirm {claimant.name}
          </Button>
        </div>
      </Dialog>
      {dialog}
    </>
  )
}
