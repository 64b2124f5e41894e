import { listRoles, type Role } from '@passport/contract/roles'
import { Lock } from 'lucide-react'
import type { Column } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { useList } from '../directory/use-list.ts'
import { memberCountOf } from './member-count.ts'

/** What people may be to the applications. */
export function RolesPage() {
  const state = useListState({ filters: {}, sorts: [] })
  const list = useList(listRoles, { query: state.query })
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
      searchable="Name or description"
    />
  )
}

const columns: Column<Role>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ name }) => <RowName name={<span className="font-mono text-[13px]">{name}</span>} />,
  },
  { id: 'description', head: 'Description', isOnCard: true, cell: ({ description }) => description },
  {
    id: 'members',
    head: 'Members',
    isOnCard: true,
    className: 'tabular-nums sm:whitespace-nowrap',
    cell: (role) => memberCountOf(role),
  },
  {
    id: 'kind',
    head: 'Kind',
    isOnCard: true,
    cell: ({ builtIn }) =>
      builtIn ? (
        <span className="inline-flex items-center gap-1.5 align-bottom whitespace-nowrap">
          <Lock size={13} aria-hidden="true" />
          Built in
        </span>
      ) : (
        'Custom'
      ),
  },
]
