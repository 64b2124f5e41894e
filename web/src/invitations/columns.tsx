import type { Invitation, InvitationStatus } from '@passport/contract/invitations'
import type { Column } from '../directory/columns.ts'
import { RowName } from '../directory/RowName.tsx'
import { TagList } from '../directory/TagList.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status, type Tone } from '../ui/Status.tsx'

/** The label and tone of each status. */
export const statusLabels: Record<InvitationStatus, { label: string; tone: Tone }> = {
  sent: { label: 'Sent', tone: 'waiting' },
  opened: { label: 'Opened', tone: 'warn' },
  'awaiting-confirmation': { label: 'Awaiting confirmation', tone: 'warn' },
  accepted: { label: 'Accepted', tone: 'ok' },
  expired: { label: 'Expired', tone: 'off' },
  revoked: { label: 'Revoked', tone: 'off' },
}

export const columns: Column<Invitation>[] = [
  {
    id: 'email',
    header: 'Recipient',
    sort: 'name',
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
    width: 'w-[180px]',
    cell: (invitation) => <StatusCell {...invitation} />,
  },
  {
    id: 'gives',
    header: 'Access',
    minBreakpoint: 'lg',
    width: 'w-[190px]',
    cell: (invitation) => <AccessCell {...invitation} />,
  },
  {
    id: 'sent',
    header: 'Sent',
    sort: 'sent',
    width: 'w-[142px]',
    minBreakpoint: 'md',
    cell: ({ sentAt }) => <RelativeTime at={sentAt} />,
  },
  {
    id: 'inviter',
    header: 'Sent by',
    width: 'w-[144px]',
    minBreakpoint: 'lg',
    cell: ({ inviter }) => <span title={inviter.name}>{inviter.name}</span>,
  },
  {
    id: 'expires',
    header: 'Expires',
    sort: 'expires',
    width: 'w-[136px]',
    minBreakpoint: 'xl',
    cell: ({ status, expiresAt }) => (isOpen(status) ? <RelativeTime at={expiresAt} /> : '–'),
  },
]

const isOpen = (status: InvitationStatus) => status === 'sent' || status === 'opened'

/** The status with notes on the email, the claimant and access that was not granted; the tooltip has them in full. */
function StatusCell(invitation: Invitation) {
  const { status, mail } = invitation
  const { label, tone } = (status === 'sent' && unsentLabels[mail]) || statusLabels[status]
  const note = listNotes(invitation).join('. ')
  return (
    <span className="flex items-baseline gap-2 max-sm:flex-wrap" title={note || undefined}>
      <Status tone={tone}>{label}</Status>
      {note && <span className="min-w-0 truncate text-[13px] text-ink3">{note}</span>}
    </span>
  )
}

/** The labels that replace “Sent” if no email reached the recipient, by the delivery state of the email. */
const unsentLabels: Partial<Record<Invitation['mail'], { label: string; tone: Tone }>> = {
  failed: { label: 'Email not delivered', tone: 'bad' },
  off: { label: 'Not emailed', tone: 'warn' },
}

function listNotes({ status, mail, displayname, claimant, acceptedBy, leftOut }: Invitation): string[] {
  const notes = [
    status === 'sent' && mail === 'off' && 'Share the link',
    status === 'sent' && mail === 'queued' && 'Sending email',
    claimant && `Claimed by ${claimant.name}`,
    acceptedBy && acceptedBy.name !== displayname && `Accepted by ${acceptedBy.name}`,
    leftOut.length > 0 && `Not granted: ${leftOut.map(formatLeftOut).join(', ')}`,
  ]
  return notes.filter((note) => typeof note === 'string')
}

const formatLeftOut = (part: string) => (part === 'org' ? 'the organisation' : part)

function AccessCell({ roles, org }: Invitation) {
  if (roles.length === 0 && !org) return <span className="text-ink3">–</span>
  return (
    <span className="flex items-center gap-2">
      {roles.length > 0 && <TagList names={roles} />}
      {org && (
        <span className="min-w-0 truncate" title={`${org.name} (${org.role})`}>
          {org.name}
          {org.role !== 'member' && ` (${org.role})`}
        </span>
      )}
    </span>
  )
}
