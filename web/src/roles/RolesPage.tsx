import { listRoles, type Role } from '@passport/contract/roles'
import { Lock } from 'lucide-react'
import { type Column, numberColumn } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { toSorting, useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { formatTotal } from '../directory/total.ts'
import { useList } from '../directory/use-list.ts'
import { Badge } from '../ui/Badge.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'

/** All roles, for administrators. */
export function RolesPage() {
  const state = useListState({ filters: {}, sorts: ['name', 'members', 'updated'] })
  const { sort, ...query } = state.query
  const list = useList(listRoles, { query: { ...query, ...toSorting(sort) } })
  return (
    <ListPage
      name="roles"
      title="Roles"
      noun={['role', 'roles']}
      state={state}
      list={list}
      columns={columns}
      idOf={({ name }) => name}
      nameOf={({ name }) => name}
      linkTo={({ name }) => ({ to: '/admin/roles/$name', params: { name } })}
      create={{ to: '/admin/roles/create', label: 'Create role' }}
      searchPlaceholder="Name or description"
    />
  )
}

const columns: Column<Role>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ name, description }) => (
      <RowName
        picture={<ObjectIcon kind="role" />}
        name={<span className="font-mono text-[13px]">{name}</span>}
        detail={<span className="sm:hidden">{description}</span>}
      />
    ),
  },
  { id: 'description', header: 'Description', width: 'w-[40%]', cell: ({ description }) => description },
  {
    id: 'members',
    header: 'Members',
    sort: 'members',
    ...numberColumn('w-[120px]'),
    isOnCard: true,
    cell: ({ memberCount, memberCountIsExact }) => (
      <>
        {formatTotal(memberCount, memberCountIsExact)}
        <span className="sm:hidden"> {memberCount === 1 ? 'member' : 'members'}</span>
      </>
    ),
  },
  {
    id: 'kind',
    header: 'Kind',
    width: 'w-[104px]',
    cell: ({ builtIn }) =>
      builtIn ? (
        <Badge>
          <Lock size={12} aria-hidden="true" />
          Built-in
        </Badge>
      ) : (
        <span className="text-ink3">Custom</span>
      ),
  },
  {
    id: 'updated',
    header: 'Updated',
    sort: 'updated',
    width: 'w-[132px]',
    minBreakpoint: 'lg',
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
]
