import type { UserSummary } from '@passport/contract/users'
import type { Column } from '../directory/columns.ts'
import { personDetail } from '../directory/person-about.ts'
import { RowName } from '../directory/RowName.tsx'
import { Avatar } from '../ui/Avatar.tsx'
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
        picture={<Avatar id={user.id} name={nameOf(user)} />}
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
    width: 'w-[116px]',
    isOnCard: true,
    cell: ({ status }) => <Status tone={statusTones[status]}>{statusNames[status]}</Status>,
  },
  {
    id: 'roles',
    header: 'Roles',
    minBreakpoint: 'md',
    width: 'w-[220px]',
    cell: ({ effectiveRoles }) => <Tags names={effectiveRoles} />,
  },
  {
    id: 'orgs',
    header: 'Organisations',
    minBreakpoint: 'xl',
    width: 'w-[190px]',
    cell: ({ orgs }) => <span className="text-ink2">{orgs.map(({ name }) => name).join(', ')}</span>,
  },
  {
    id: 'lastSignIn',
    header: 'Last sign-in',
    sort: 'lastSignIn',
    width: 'w-[132px]',
    minBreakpoint: 'lg',
    cell: ({ lastSignInAt }) =>
      lastSignInAt ? <RelativeTime at={lastSignInAt} /> : <span className="text-ink3">Never</span>,
  },
  {
    id: 'created',
    header: 'Created',
    sort: 'created',
    minBreakpoint: 'xl',
    width: 'w-[124px]',
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
/** How many characters of tags fit in the column. */
const maxCharacters = 22

/** At most two tags, one if they are long; the rest is a number. */
function Tags({ names }: { names: string[] }) {
  const shown = names.slice(0, names.slice(0, maxTags).join('').length > maxCharacters ? 1 : maxTags)
  const hidden = names.slice(shown.length)
  return (
    <span className="flex items-center gap-1">
      {shown.map((name) => (
        <Tag key={name}>{name}</Tag>
      ))}
      {hidden.length > 0 && (
        <span className="text-[13px] text-ink3" title={hidden.join(', ')}>
          +{hidden.length}
        </span>
      )}
    </span>
  )
}
