import type { UserSummary } from '@passport/contract/users'
import type { Column } from '../directory/columns.ts'
import { RowName } from '../directory/RowName.tsx'
import { Moment } from '../ui/Moment.tsx'
import { Status } from '../ui/Status.tsx'
import { Tag } from '../ui/Tag.tsx'
import { nameOf, statusNames, statusTones } from './names.ts'

export type FoundUser = UserSummary & { isExact?: true | undefined }

/** The columns of the list of people. */
export const userColumns: Column<FoundUser>[] = [
  {
    id: 'name',
    head: 'Name',
    sort: 'name',
    cell: (user) => (
      <RowName
        seed={user.id}
        name={
          <>
            {nameOf(user)} {user.isExact && <Tag>exact</Tag>}
          </>
        }
        about={user.email}
      />
    ),
  },
  {
    id: 'status',
    head: 'Status',
    isOnCard: true,
    cell: ({ status }) => <Status tone={statusTones[status]}>{statusNames[status]}</Status>,
  },
  { id: 'roles', head: 'Roles', from: 'md', cell: ({ effectiveRoles }) => <Tags names={effectiveRoles} /> },
  {
    id: 'orgs',
    head: 'Organisations',
    from: 'xl',
    cell: ({ orgs }) => <span className="text-ink2">{orgs.map(({ name }) => name).join(', ')}</span>,
  },
  {
    id: 'lastSignIn',
    head: 'Last sign-in',
    sort: 'lastSignIn',
    from: 'lg',
    cell: ({ lastSignInAt }) =>
      lastSignInAt ? <Moment at={lastSignInAt} /> : <span className="text-ink3">never</span>,
  },
  { id: 'created', head: 'Created', sort: 'created', from: 'lg', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { id: 'username', head: 'Username', isOptional: true, cell: ({ username }) => username },
  {
    id: 'id',
    head: 'Id',
    isOptional: true,
    cell: ({ id }) => <code className="font-mono text-[12.5px] break-all">{id}</code>,
  },
]

const shownTags = 2

function Tags({ names }: { names: string[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {names.slice(0, shownTags).map((name) => (
        <Tag key={name}>{name}</Tag>
      ))}
      {names.length > shownTags && (
        <span className="text-[13px] text-ink3" title={names.slice(shownTags).join(', ')}>
          +{names.length - shownTags}
        </span>
      )}
    </span>
  )
}
