import type { Invitation, InvitationStatus } from '@passport/contract/invitations'
import type { Column } from '../directory/columns.ts'
import { RowName } from '../directory/RowName.tsx'
import { Moment } from '../ui/Moment.tsx'
import { Status, type Tone } from '../ui/Status.tsx'
import { Tag } from '../ui/Tag.tsx'

/** What each state is called, and how it looks. */
export const words: Record<InvitationStatus, { label: string; tone: Tone }> = {
  sent: { label: 'Sent', tone: 'ok' },
  opened: { label: 'Opened', tone: 'ok' },
  'awaiting-confirmation': { label: 'Awaiting confirmation', tone: 'warn' },
  accepted: { label: 'Accepted', tone: 'ok' },
  expired: { label: 'Expired', tone: 'off' },
  revoked: { label: 'Revoked', tone: 'off' },
}

export const columns: Column<Invitation>[] = [
  {
    id: 'email',
    head: 'Invited',
    cell: ({ id, email, displayname }) => (
      <RowName seed={id} name={displayname ?? email} about={displayname && email} />
    ),
  },
  { id: 'status', head: 'Status', isOnCard: true, cell: (invitation) => <StatusCell {...invitation} /> },
  { id: 'gives', head: 'Gives', from: 'lg', cell: (invitation) => <Gives {...invitation} /> },
  {
    id: 'inviter',
    head: 'Sent',
    from: 'md',
    isOnCard: true,
    cell: ({ inviter, sentAt }) => (
      <>
        <Moment at={sentAt} /> by {inviter.name}
      </>
    ),
  },
  {
    id: 'expires',
    head: 'Good until',
    from: 'xl',
    cell: ({ status, expiresAt }) => (isOpen(status) ? <Moment at={expiresAt} /> : '–'),
  },
]

const isOpen = (status: InvitationStatus) => status === 'sent' || status === 'opened'

/** The state, with what someone has to know beside it. */
function StatusCell({ status, mail, claimant, acceptedBy, leftOut }: Invitation) {
  const { label, tone } = words[status]
  const isUndelivered = isOpen(status) && mail === 'failed'
  return (
    <span className="grid gap-0.5">
      <Status tone={isUndelivered ? 'bad' : tone}>{isUndelivered ? 'Mail not delivered' : label}</Status>
      {isOpen(status) && mail === 'queued' && <Note>The mail is on its way</Note>}
      {isOpen(status) && mail === 'off' && <Note>No mail: pass the link on</Note>}
      {claimant && <Note>Taken by {claimant.name}</Note>}
      {acceptedBy && <Note>By {acceptedBy.name}</Note>}
      {leftOut.length > 0 && <Note>Left out: {leftOut.map(toldLeftOut).join(', ')}</Note>}
    </span>
  )
}

const Note = ({ children }: { children: React.ReactNode }) => (
  <span className="text-[13px] [overflow-wrap:anywhere] text-ink3">{children}</span>
)

const toldLeftOut = (what: string) => (what === 'org' ? 'the organisation' : what)

function Gives({ roles, org }: Invitation) {
  if (roles.length === 0 && !org) return <span className="text-ink3">An account</span>
  return (
    <span className="flex flex-wrap items-center gap-1">
      {roles.map((role) => (
        <Tag key={role}>{role}</Tag>
      ))}
      {org && (
        <span>
          {org.name} ({org.role})
        </span>
      )}
    </span>
  )
}
