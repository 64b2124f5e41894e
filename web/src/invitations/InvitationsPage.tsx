import { invitationDays } from '@passport/contract/invitation-days'
import {
  type Invitation,
  type InvitationStatus,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from '@passport/contract/invitations'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { useList } from '../directory/use-list.ts'
import { Confirm } from '../ui/Dialog.tsx'
import type { MenuItem } from '../ui/Menu.tsx'
import { toast } from '../ui/toast.ts'
import { ConfirmClaimant } from './ConfirmClaimant.tsx'
import { columns, words } from './columns.tsx'
import { LinkDialog } from './LinkDialog.tsx'
import { MailNotice } from './MailNotice.tsx'

const statuses = Object.keys(words) as InvitationStatus[]

/** Who was invited, and what became of it. */
export function InvitationsPage() {
  const state = useListState({ filters: { status: statuses }, sorts: [] })
  const list = useList(listInvitations, { query: state.query })
  const [link, setLink] = useState<{ email: string; link: string }>()
  const [revoking, setRevoking] = useState<Invitation>()
  const [confirming, setConfirming] = useState<Invitation>()

  async function run(act: () => Promise<unknown>) {
    try {
      await act()
    } catch (error) {
      const { title, detail } = failureOf(error)
      void toast({ type: 'error', content: `${title}: ${detail}` })
    }
    await reload()
  }
  const resend = ({ id, email, version }: Invitation) =>
    run(async () => {
      const sent = await call(resendInvitation, { params: { invitationId: id } }, { ifMatch: `"${version}"` })
      if (sent.link) setLink({ email, link: sent.link })
      else void toast({ type: 'success', content: `A new invitation is on its way to ${email}` })
    })
  const revoke = ({ id, email }: Invitation) =>
    run(async () => {
      await call(revokeInvitation, { params: { invitationId: id } })
      void toast({ type: 'success', content: `Revoked the invitation of ${email}` })
    })

  function menuOf(invitation: Invitation): MenuItem[] {
    const { status } = invitation
    if (status === 'accepted' || status === 'revoked') return []
    const confirm = { label: 'Confirm who took it …', onSelect: () => setConfirming(invitation) }
    return [
      ...(status === 'awaiting-confirmation' ? [confirm] : []),
      { label: 'Send again', onSelect: () => void resend(invitation) },
      { label: 'Revoke …', isDanger: true, onSelect: () => setRevoking(invitation) },
    ]
  }

  return (
    <>
      <ListPage
        name="invitations"
        title="Invitations"
        noun={['invitation', 'invitations']}
        state={state}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ email }) => email}
        menuOf={menuOf}
        create={{ to: '/admin/users/invitations/create', label: 'Invite by e-mail' }}
        searchable="E-mail or name"
        filters={[
          { name: 'status', label: 'Status', options: statuses.map((value) => ({ value, label: words[value].label })) },
        ]}
        nothingYet={`An invitation makes an account beforehand, and its link is good for ${invitationDays} days.`}
      >
        {list.data && !list.data.isMailConfigured && <MailNotice />}
      </ListPage>
      <Confirm
        isOpen={revoking !== undefined}
        title="Revoke the invitation?"
        action="Revoke"
        onConfirm={() => {
          if (revoking) void revoke(revoking)
          setRevoking(undefined)
        }}
        onClose={() => setRevoking(undefined)}
      >
        The link that {revoking?.email} has is good for nothing any more, and the account that was made for it goes.
      </Confirm>
      <LinkDialog sent={link} onClose={() => setLink(undefined)} />
      {confirming?.claimant && (
        <ConfirmClaimant
          invitation={confirming}
          claimant={confirming.claimant}
          onClose={() => {
            setConfirming(undefined)
            void reload()
          }}
        />
      )}
    </>
  )
}

const reload = () => queryClient.invalidateQueries({ queryKey: [listInvitations.path] })
