import { invitationDays } from '@passport/contract/invitation-days'
import {
  type Invitation,
  type InvitationStatus,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from '@passport/contract/invitations'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { editRows, updateOptimistically } from '../app/optimistic-update.ts'
import { queryClient } from '../app/query-client.ts'
import { LinkDialog } from '../directory/LinkDialog.tsx'
import { ListPage } from '../directory/ListPage.tsx'
import { toSorting, useListState } from '../directory/list-state.ts'
import { UserViews, useOpenInvitations } from '../directory/UserViews.tsx'
import { useList } from '../directory/use-list.ts'
import { Confirm } from '../ui/Dialog.tsx'
import type { MenuItem } from '../ui/Menu.tsx'
import { Panel } from '../ui/Panel.tsx'
import { ConfirmClaimant } from './ConfirmClaimant.tsx'
import { columns, statusLabels } from './columns.tsx'
import { MailHelp } from './MailNotice.tsx'

const statuses = Object.keys(statusLabels) as InvitationStatus[]
const statusOptions = [
  { value: 'open', label: 'Open' },
  ...statuses.map((value) => ({ value, label: statusLabels[value].label })),
]

/** All invitations, for administrators. */
export function InvitationsPage() {
  const state = useListState({ filters: { status: ['open', ...statuses] }, sorts: ['name', 'sent', 'expires'] })
  const { sort, ...query } = state.query
  const list = useList(listInvitations, { query: { ...query, ...toSorting(sort) } })
  const [link, setLink] = useState<{ name: string; link: string }>()
  const [revoking, setRevoking] = useState<Invitation>()
  const [confirming, setConfirming] = useState<Invitation>()

  /** `operation` completes “Couldn't …”. */
  async function run(operation: string, action: () => Promise<unknown>) {
    try {
      await action()
    } catch (error) {
      reportFailure(operation, error)
    }
    await reload()
  }
  const resend = ({ id, email, mail, version }: Invitation) =>
    run('resend the invitation', async () => {
      const resent = await call(
        resendInvitation,
        { params: { invitationId: id }, body: mail === 'off' ? { delivery: 'link' } : {} },
        { ifMatch: `"${version}"` },
      )
      if (resent.link) setLink({ name: email, link: resent.link })
      else reportSuccess(`Invitation resent to ${email}`)
    })
  const revoke = ({ id, email }: Invitation) =>
    run('revoke the invitation', async () => {
      const edit = editRows(listInvitations, {}, (row) =>
        row.id === id ? { ...row, status: 'revoked' as const } : row,
      )
      await updateOptimistically([edit], () => call(revokeInvitation, { params: { invitationId: id } }))
      reportSuccess(`Invitation to ${email} revoked`)
    })

  function rowMenu(invitation: Invitation): MenuItem[] {
    const { status } = invitation
    if (status === 'accepted' || status === 'revoked') return []
    const confirm = { label: 'Review claim…', onSelect: () => setConfirming(invitation) }
    return [
      ...(status === 'awaiting-confirmation' ? [confirm] : []),
      { label: invitation.mail === 'off' ? 'New link' : 'Resend', onSelect: () => void resend(invitation) },
      { label: 'Revoke…', isDanger: true, onSelect: () => setRevoking(invitation) },
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
        rowMenu={rowMenu}
        create={{ to: '/admin/users/invitations/create', label: 'Invite by email' }}
        searchPlaceholder="Email or name"
        filters={[{ name: 'status', label: 'Status', options: statusOptions }]}
        views={<UserViews />}
        note={<Note isFiltered={state.isFiltered} hasMail={list.data?.isMailConfigured ?? true} />}
        emptyHint={`An invitation creates an account and sends a link that is valid for ${invitationDays} days.`}
      />
      <Confirm
        isOpen={revoking !== undefined}
        title="Revoke invitation?"
        action="Revoke invitation"
        onConfirm={() => {
          if (revoking) void revoke(revoking)
          setRevoking(undefined)
        }}
        onClose={() => setRevoking(undefined)}
      >
        The link for {revoking?.email} stops working, and the account created for it is deleted.
      </Confirm>
      <LinkDialog created={link} onClose={() => setLink(undefined)} />
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

/** The open ones of all invitations and, if none is sent by email, why: in the line of the number, where nothing moves. */
function Note({ isFiltered, hasMail }: { isFiltered: boolean; hasMail: boolean }) {
  const open = useOpenInvitations()
  return (
    <>
      {!isFiltered && open !== undefined && <span>· {open.toLocaleString('en')} open</span>}
      {!hasMail && (
        <Panel
          label="Email isn't configured"
          className="flex items-center gap-1.5 text-warn underline underline-offset-2 sm:ml-3"
          trigger={
            <>
              <TriangleAlert size={15} aria-hidden="true" />
              Email isn't configured
            </>
          }
        >
          <MailHelp />
        </Panel>
      )}
    </>
  )
}

const reload = () => queryClient.invalidateQueries({ queryKey: [listInvitations.path] })
