import { type Client, deleteClient, getClient, listClients, putClient, restoreClient } from '@passport/contract/clients'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { call } from '../app/api.ts'
import type { Column } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { toSorting, useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { loadAllRows, useList } from '../directory/use-list.ts'
import { useRecordBulk } from '../directory/use-record-bulk.tsx'
import { Badge } from '../ui/Badge.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { AdminBadge } from './AdminBadge.tsx'
import { ClientStatus } from './ClientStatus.tsx'
import { Consent } from './Consent.tsx'
import { describeType, hasUsers } from './client-form.ts'

/** All applications, for administrators. */
export function ApplicationsPage() {
  const state = useListState({ filters: {}, sorts: ['name', 'updated'] })
  const { sort, ...query } = state.query
  const list = useList(listClients, { query: { ...query, ...toSorting(sort) } })
  const { bulk, dialog } = useRecordBulk({
    noun: ['application', 'applications'],
    findAll: async () => {
      const { query: text } = query
      return (await loadAllRows(listClients, { query: text ? { query: text } : {} })).map(({ clientId }) => clientId)
    },
    setEnabled,
    remove: (clientId) => call(deleteClient, { params: { clientId } }),
    restore: (clientId) => call(restoreClient, { params: { clientId } }),
    consequence: 'Their users are signed out of them: their tokens and their consent are revoked.',
  })
  const hasOnlyBuiltIn =
    list.data?.items.every(({ source }) => source === 'built-in') && list.data.next === null && !query.query
  return (
    <>
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
        create={create}
        bulk={bulk}
        searchPlaceholder="Name or client ID"
      />
      {dialog}
      {/* Below the rows, which it would move when it appears. */}
      {hasOnlyBuiltIn && (
        <div className="mt-4 card">
          <Empty kind="nothing yet" title="None of your own yet">
            Register an app to let your users sign in to it. You get a client ID and a quick start for your language.
            <p className="mt-4">
              <Link to={create.to} className={buttonClass()}>
                <Plus size={16} />
                Create your first application
              </Link>
            </p>
          </Empty>
        </div>
      )}
    </>
  )
}

async function setEnabled(clientId: string, isEnabled: boolean): Promise<boolean> {
  const params = { clientId }
  const client = await call(getClient, { params })
  if (client.enabled === isEnabled) return false
  await call(putClient, { params, body: { ...client, enabled: isEnabled } }, { ifMatch: `"${client.version}"` })
  return true
}

const create = { to: '/admin/identity/clients/create', label: 'Create application' } as const
const sources = { configuration: 'Configuration', 'built-in': 'Built-in' } as const

const columns: Column<Client>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: (client) => (
      <RowName
        picture={<ObjectIcon kind="client" />}
        name={client.clientName}
        detail={
          <span className="inline-flex items-center gap-1.5">
            <span className="font-mono text-[12.5px]">{client.clientId}</span> <AdminBadge client={client} />
          </span>
        }
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
    id: 'type',
    header: 'Type',
    width: 'w-[190px]',
    minBreakpoint: 'md',
    cell: describeType,
  },
  {
    id: 'consent',
    header: 'Consent',
    width: 'w-[132px]',
    minBreakpoint: 'xl',
    isOptional: true,
    cell: (client) => (hasUsers(client) ? <Consent client={client} /> : <span className="text-ink3">–</span>),
  },
  {
    id: 'source',
    header: 'Source',
    width: 'w-[128px]',
    cell: ({ source }) => (source === 'console' ? 'Console' : <Badge>{sources[source]}</Badge>),
  },
  {
    id: 'used',
    header: 'Last used',
    width: 'w-[132px]',
    cell: ({ lastUsedAt }) =>
      lastUsedAt ? <RelativeTime at={lastUsedAt} /> : <span className="text-ink3">Never</span>,
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
