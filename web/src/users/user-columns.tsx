import type { UserSummary } from '@passport/contract/users'
import type { Column } from '../directory/columns.ts'
import { personDetail } from '../directory/person-about.ts'
import { RowName } from '../directory/RowName.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'
import { Tag } from '../ui/Tag.tsx'
import { nameOf, statusNames, statusTones } from './names.ts'

export type FoundUser = UserSummary & { isExact?: true | undefined }

/** The columns of the user list. */
export const userColumns: Column<FoundUser>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: (user) => (
      <RowName
        seed={user.id}
        name={
          <>
            {nameOf(user)} {user.isExact && <Tag>Exact match</Tag>}
          </>
        }
        detail={personDetail(user)}
      />
    ),
  },
  {
    id: 'status',
    header: 'Status',
    isOnCard: true,
    cell: ({ status }) => <Status tone={statusTones[status]}>{statusNames[status]}</Status>,
  },
  { id: 'roles', header: 'Roles', minBreakpoint: 'md', cell: ({ effectiveRoles }) => <Tags names={effectiveRoles} /> },
  {
    id: 'orgs',
    header: 'Organisations',
    minBreakpoint: 'xl',
    cell: ({ orgs }) => <span className="text-ink2">{orgs.map(({ name }) => name).join(', ')}</span>,
  },
  {
    id: 'lastSignIn',
    header: 'Last sign-in',
    sort: 'lastSignIn',
    minBreakpoint: 'lg',
    cell: ({ lastSignInAt }) =>
      lastSignInAt ? <RelativeTime at={lastSignInAt} /> : <span className="text-ink3">Never</span>,
  },
  {
    id: 'created',
    header: 'Created',
    sort: 'created',
    minBreakpoint: 'lg',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  { id: 'username', header: 'Username', isOptional: true, cell: ({ username }) => username },
  {
    id: 'id',
    header: 'ID',
    isOptional: true,
    cell: ({ id }) => <code className="font-mono text-[12.5px] break-all">{id}</code>,
  },
]

const maxTags = 2

function Tags({ names }: { names: string[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {names.slice(0, maxTags).map((name) => (
        <Tag key={name}>{name}</Tag>
      ))}
      {names.length > maxTags && (
        <span className="text-[13px] text-ink3" title={names.slice(maxTags).join(', ')}>
          +{names.length - maxTags}
        </span>
      )}
    </span>
  )
}
