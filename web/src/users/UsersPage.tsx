import { discover } from '@passport/contract/discovery'
import { listRoles } from '@passport/contract/roles'
import { listUsers, type UserFilter } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Download, ExternalLink, Link as LinkIcon, Mail, Upload } from 'lucide-react'
import { query } from '../app/api.ts'
import { ListPage } from '../directory/ListPage.tsx'
import type { ListFilter } from '../directory/list-page.ts'
import { toSorting, useListState } from '../directory/list-state.ts'
import { copyLink } from '../directory/PageMenu.tsx'
import { UserViews } from '../directory/UserViews.tsx'
import { useList } from '../directory/use-list.ts'
import { useOrgFilter } from '../directory/use-org-filter.tsx'
import { nameOf, statusNames } from '../directory/user-names.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { useUserTools } from './use-user-tools.tsx'
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
  const { limit, page, after, sort: order, query: searchText, ...filters } = state.query
  const filter: UserFilter = { ...(searchText && { query: searchText }), ...filters }
  const sorting = toSorting(order)
  const list = useList(listUsers, { query: { limit, page, ...(after && { after }), ...filter, ...sorting } })
  const { bulk, itemsFor, dialogs } = useUserTools(filter)
  const navigate = useNavigate()
  const org = useOrgFilter(state.filters.org, (id) => state.filter('org', id))
  const listFilters = [...useFilters(state.filters.role), org]
  const exportQuery = new URLSearchParams({ ...filter, ...sorting } as Record<string, string>)

  const buildMenu = (user: FoundUser): MenuItem[] => [
    {
      label: 'View',
      icon: <ExternalLink size={16} />,
      onSelect: () => void navigate({ to: '/admin/users/$userId', params: { userId: user.id } }),
    },
    {
      label: 'Copy link',
      icon: <LinkIcon size={16} />,
      onSelect: () => void copyLink(`${location.origin}/app/admin/users/${user.id}`),
    },
    ...itemsFor(user),
  ]

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
        secondary={{
          to: '/admin/users/invitations/create',
          label: 'Invite by email',
          icon: <Mail size={16} />,
          fits: (words) => words.includes('@'),
        }}
        menu={[
          {
            label: 'Import users',
            icon: <Upload size={16} />,
            onSelect: () => void navigate({ to: '/admin/users/import' }),
          },
          {
            label: 'Export CSV',
            icon: <Download size={16} />,
            onSelect: () => void downloadUsers(exportQuery),
          },
        ]}
        views={<UserViews />}
        rowMenu={buildMenu}
        searchPlaceholder="Name, email, username or ID"
        filters={listFilters}
        bulk={bulk}
        emptyHint="Create a user, invite one by email, or import a CSV."
      />
      {dialogs}
    </>
  )
}

async function downloadUsers(query: URLSearchParams) {
  const { download } = await import('../app/DownloadLink.tsx')
  await download(`/passport/admin/users/export?${query}`)
}

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
