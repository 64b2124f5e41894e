import { listRoles, type Role } from '@passport/contract/roles'
import { Lock } from 'lucide-react'
import { Count } from '../directory/Count.tsx'
import type { Column } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { toSorting, useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { useList } from '../directory/use-list.ts'
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
    width: 'w-[120px]',
    isOnCard: true,
    isNumber: true,
    cell: (role) => <Count total={role.memberCount} noun={['member', 'members']} isExact={role.memberCountIsExact} />,
  },
  {
    id: 'kind',
    header: 'Kind',
    width: 'w-[104px]',
    cell: ({ builtIn }) =>
      builtIn ? (
        <span className="inline-flex items-center gap-1.5 align-bottom whitespace-nowrap">
          <Lock size={13} aria-hidden="true" />
          Built-in
        </span>
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
