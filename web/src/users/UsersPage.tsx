import { discover } from '@passport/contract/discovery'
import { listRoles } from '@passport/contract/roles'
import { listUsers, type UserFilter, type UserSort } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Mail, Upload } from 'lucide-react'
import { query } from '../app/api.ts'
import { DownloadLink } from '../app/DownloadLink.tsx'
import { ListPage } from '../directory/ListPage.tsx'
import type { ListFilter } from '../directory/list-page.ts'
import { useListState } from '../directory/list-state.ts'
import { useList } from '../directory/use-list.ts'
import { buttonClass } from '../ui/Button.tsx'
import { nameOf, statusNames } from './names.ts'
import { useOrgFilter } from './use-org-filter.tsx'
import { useUserBulk } from './use-user-bulk.tsx'
import { type FoundUser, userColumns } from './user-columns.tsx'

const statuses = ['active', 'invited', 'disabled'] as const
const sorts = ['name', 'created', 'lastSignIn'] as const
const lastSeenLabels = {
  never: 'Never',
  '30': 'Not seen in 30 days',
  '90': 'Not seen in 90 days',
  '365': 'Not seen in a year',
}

/** All users, with search, filters and bulk actions. */
export function UsersPage() {
  const state = useListState({
    filters: { status: statuses, role: true, org: true, provider: true, lastSeen: Object.keys(lastSeenLabels) },
    sorts,
  })
  const { limit, page, after, sort, query: word, ...narrowed } = state.query
  const filter: UserFilter = { ...(word && { query: word }), ...narrowed }
  const order = toSort(sort)
  const list = useList(listUsers, { query: { limit, page, ...(after && { after }), ...filter, ...order } })
  const { actions, dialogs } = useUserBulk(filter)
  const org = useOrgFilter(state.filters.org, (id) => state.filter('org', id))
  const filters = [...useFilters(state.filters.role), org]
  const exportQuery = new URLSearchParams({ ...filter, ...order } as Record<string, string>)

  return (
    <>
      <ListPage<FoundUser>
        name="users"
        title="Users"
        noun={['user', 'users']}
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
              Invite by email
            </Link>
            <Link to="/admin/users/import" className={buttonClass()}>
              <Upload size={16} />
              Import
            </Link>
            <DownloadLink href={`/passport/admin/users/export?${exportQuery}`}>Export</DownloadLink>
          </>
        }
        searchPlaceholder="Name, email, username or ID"
        filters={filters}
        bulk={actions}
        emptyHint="Create a user, invite one by email, or import a CSV."
      />
      {dialogs}
    </>
  )
}

const toSort = (sort: `${'' | '-'}${UserSort['sort']}` | undefined): Partial<UserSort> =>
  sort === undefined
    ? {}
    : { sort: sort.replace('-', '') as UserSort['sort'], direction: sort.startsWith('-') ? 'desc' : 'asc' }

function useFilters(role: string | undefined): ListFilter[] {
  const { data } = useQuery({ ...query(discover, { query: {} }), staleTime: 5 * 60_000 })
  const rolesQuery = useQuery({ ...query(listRoles, { query: { limit: 200 } }), staleTime: 60_000 })
  const roles = new Set([...(rolesQuery.data?.items ?? []).map(({ name }) => name), ...(role ? [role] : [])])
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
      options: Object.entries(lastSeenLabels).map(([value, label]) => ({ value, label })),
    },
  ]
}
