import type { UserSummary } from '@passport/contract/users'
import type { Column } from '../directory/columns.ts'
import { RowName } from '../directory/RowName.tsx'
import { TagList } from '../directory/TagList.tsx'
import { formatUserDetail, nameOf, statusNames, statusTones } from '../directory/user-names.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'
import { Tag } from '../ui/Tag.tsx'

const none = <span className="text-ink3">–</span>

export type FoundUser = UserSummary & { isExact?: true | undefined }

/** The columns of the user list. */
export const userColumns: Column<FoundUser>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: (user) => (
      <RowName
        picture={<Avatar id={user.id} name={nameOf(user)} picture={user.avatarPngUrl} />}
        name={nameOf(user)}
        tag={user.isExact && <Tag>Exact match</Tag>}
        detail={formatUserDetail(user)}
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
    cell: ({ effectiveRoles }) => <TagList names={effectiveRoles} />,
  },
  {
    id: 'orgs',
    header: 'Organisation',
    minBreakpoint: 'xl',
    width: 'w-[210px]',
    cell: ({ orgs: [first, ...others] }) =>
      first ? (
        <span className="flex items-baseline gap-1.5">
          <span className="truncate">{first.name}</span>
          {others.length > 0 && (
            <span className="text-[13px] text-ink3" title={others.map(({ name }) => name).join(', ')}>
              +{others.length}
            </span>
          )}
        </span>
      ) : (
        none
      ),
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
    isOptional: true,
    minBreakpoint: 'lg',
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
