import { discover } from '@passport/contract/discovery'
import { listRoles } from '@passport/contract/roles'
import { listUsers, type UserFilter, type UserSort } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download, Mail, Upload } from 'lucide-react'
import { query } from '../app/api.ts'
import { type ListFilter, ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { useList } from '../directory/use-list.ts'
import { buttonClass } from '../ui/Button.tsx'
import { nameOf, statusNames } from './names.ts'
import { useOrgFilter } from './use-org-filter.tsx'
import { useUserBulk } from './use-user-bulk.tsx'
import { type FoundUser, userColumns } from './user-columns.tsx'

const statuses = ['active', 'invited', 'disabled'] as const
const sorts = ['name', 'created', 'lastSignIn'] as const
const away = { never: 'Never', '30': 'Not for 30 days', '90': 'Not for 90 days', '365': 'Not for a year' }

/** Everyone, to be searched, narrowed and changed. */
export function UsersPage() {
  const state = useListState({
    filters: { status: statuses, role: true, org: true, provider: true, lastSeen: Object.keys(away) },
    sorts,
  })
  const { limit, page, after, sort, query: word, ...narrowed } = state.query
  const filter: UserFilter = { ...(word && { query: word }), ...narrowed }
  const order = orderOf(sort)
  const list = useList(listUsers, { query: { limit, page, ...(after && { after }), ...filter, ...order } })
  const { actions, dialogs } = useUserBulk(filter)
  const org = useOrgFilter(state.filters.org, (id) => state.filter('org', id))
  const filters = [...useFilters(state.filters.role), org]
  const file = new URLSearchParams({ ...filter, ...order } as Record<string, string>)

  return (
    <>
      <ListPage<FoundUser>
        name="users"
        title="Users"
        noun={['person', 'people']}
        state={state}
        list={list}
        columns={userColumns}
        idOf={({ id }) => id}
        nameOf={nameOf}
        linkTo={({ id }) => ({ to: '/admin/users/$userId', params: { userId: id } })}
        create={{ to: '/admin/users/create', label: 'Create user' }}
        actions={
          <>
            <Link to="/admin/users/invitations" className={buttonClass()}>
              Invitations
            </Link>
            <Link to="/admin/users/invitations/create" className={buttonClass()}>
              <Mail size={16} />
              Invite by e-mail
            </Link>
            <Link to="/admin/users/import" className={buttonClass()}>
              <Upload size={16} />
              Import
            </Link>
            <a href={`/passport/admin/users/export?${file}`} download className={buttonClass()}>
              <Download size={16} />
              Export
            </a>
          </>
        }
        searchable="Name, e-mail, username or id"
        filters={filters}
        bulk={actions}
        nothingYet="Create the first person, invite them by e-mail, or import a file of them."
      />
      {dialogs}
    </>
  )
}

const orderOf = (sort: `${'' | '-'}${UserSort['sort']}` | undefined): Partial<UserSort> =>
  sort === undefined
    ? {}
    : { sort: sort.replace('-', '') as UserSort['sort'], direction: sort.startsWith('-') ? 'desc' : 'asc' }

function useFilters(role: string | undefined): ListFilter[] {
  const { data } = useQuery({ ...query(discover, { query: {} }), staleTime: 5 * 60_000 })
  const known = useQuery({ ...query(listRoles, { query: { limit: 200 } }), staleTime: 60_000 })
  const roles = new Set([...(known.data?.items ?? []).map(({ name }) => name), ...(role ? [role] : [])])
  return [
    { name: 'status', label: 'Status', options: statuses.map((value) => ({ value, label: statusNames[value] })) },
    { name: 'role', label: 'Role', options: [...roles].map((value) => ({ value, label: value })) },
    {
      name: 'provider',
      label: 'Provider',
      options: (data?.identityProviders ?? []).map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      name: 'lastSeen',
      label: 'Last seen',
      options: Object.entries(away).map(([value, label]) => ({ value, label })),
    },
  ]
}
