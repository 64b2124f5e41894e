import { type Client, listClients } from '@passport/contract/clients'
import type { Column } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { toSorting, useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { useList } from '../directory/use-list.ts'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { ClientStatus } from './ClientStatus.tsx'

/** All applications, for administrators. */
export function ApplicationsPage() {
  const state = useListState({ filters: {}, sorts: ['name', 'updated'] })
  const { sort, ...query } = state.query
  const list = useList(listClients, { query: { ...query, ...toSorting(sort) } })
  return (
    <ListPage
      name="applications"
      title="Applications"
      noun={['application', 'applications']}
      state={state}
      list={list}
      columns={columns}
      idOf={({ clientId }) => clientId}
      nameOf={({ clientName }) => clientName}
      linkTo={({ clientId }) => ({ to: '/admin/identity/clients/$clientId', params: { clientId } })}
      create={{ to: '/admin/identity/clients/create', label: 'Create application' }}
      searchPlaceholder="Name or client ID"
    />
  )
}

const sources = { console: 'Console', configuration: 'Configuration', 'built-in': 'Built-in' } as const

const columns: Column<Client>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ clientName, clientId }) => (
      <RowName
        picture={<ObjectIcon kind="client" />}
        name={clientName}
        detail={<span className="font-mono text-[12.5px]">{clientId}</span>}
      />
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 'w-[116px]',
    isOnCard: true,
    cell: (client) => <ClientStatus client={client} />,
  },
  {
    id: 'consent',
    header: 'Consent',
    width: 'w-[132px]',
    minBreakpoint: 'lg',
    cell: ({ consent }) => ({ skip: 'Never asked', once: 'Once', always: 'Every time' })[consent],
  },
  {
    id: 'source',
    header: 'Source',
    width: 'w-[128px]',
    cell: ({ source }) => <span className={source === 'console' ? '' : 'text-ink3'}>{sources[source]}</span>,
  },
  {
    id: 'used',
    header: 'Last used',
    width: 'w-[132px]',
    cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime at={lastUsedAt} /> : '–'),
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
