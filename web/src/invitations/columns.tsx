import type { Invitation, InvitationStatus } from '@passport/contract/invitations'
import type { Column } from '../directory/columns.ts'
import { RowName } from '../directory/RowName.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status, type Tone } from '../ui/Status.tsx'
import { Tag } from '../ui/Tag.tsx'

/** The label and tone of each status. */
export const statusLabels: Record<InvitationStatus, { label: string; tone: Tone }> = {
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
    header: 'Recipient',
    cell: ({ id, email, displayname }) => (
      <RowName
        picture={<Avatar id={id} name={displayname ?? email} />}
        name={displayname ?? email}
        detail={displayname && email}
      />
    ),
  },
  {
    id: 'status',
    header: 'Status',
    isOnCard: true,
    width: 'w-[220px]',
    cell: (invitation) => <StatusCell {...invitation} />,
  },
  {
    id: 'gives',
    header: 'Access',
    minBreakpoint: 'lg',
    width: 'w-[260px]',
    cell: (invitation) => <Grants {...invitation} />,
  },
  {
    id: 'inviter',
    header: 'Sent',
    width: 'w-[210px]',
    minBreakpoint: 'md',
    isOnCard: true,
    cell: ({ inviter, sentAt }) => (
      <>
        <RelativeTime at={sentAt} /> by {inviter.name}
      </>
    ),
  },
  {
    id: 'expires',
    header: 'Expires',
    width: 'w-[150px]',
    minBreakpoint: 'xl',
    cell: ({ status, expiresAt }) => (isOpen(status) ? <RelativeTime at={expiresAt} /> : '–'),
  },
]

const isOpen = (status: InvitationStatus) => status === 'sent' || status === 'opened'

/** The status with notes on mail, claimant and omitted parts. */
function StatusCell({ status, mail, claimant, acceptedBy, leftOut }: Invitation) {
  const { label, tone } = statusLabels[status]
  const isUndelivered = isOpen(status) && mail === 'failed'
  return (
    <span className="grid gap-0.5">
      <Status tone={isUndelivered ? 'bad' : tone}>{isUndelivered ? 'Email not delivered' : label}</Status>
      {isOpen(status) && mail === 'queued' && <Note>Sending email</Note>}
      {isOpen(status) && mail === 'off' && <Note>No email: share the link</Note>}
      {claimant && <Note>Claimed by {claimant.name}</Note>}
      {acceptedBy && <Note>Accepted by {acceptedBy.name}</Note>}
      {leftOut.length > 0 && <Note>Not granted: {leftOut.map(formatLeftOut).join(', ')}</Note>}
    </span>
  )
}

const Note = ({ children }: { children: React.ReactNode }) => (
  <span className="text-[13px] [overflow-wrap:anywhere] text-ink3">{children}</span>
)

const formatLeftOut = (part: string) => (part === 'org' ? 'the organisation' : part)

function Grants({ roles, org }: Invitation) {
  if (roles.length === 0 && !org) return <span className="text-ink3">Account only</span>
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
