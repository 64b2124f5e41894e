import { listOrgs, type OrgSummary } from '@passport/contract/orgs'
import type { Column } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { useList } from '../directory/use-list.ts'
import { Moment } from '../ui/Moment.tsx'

const columns: Column<OrgSummary>[] = [
  {
    id: 'name',
    head: 'Name',
    sort: 'name',
    cell: ({ id, name, slug }) => <RowName seed={id} name={name} about={slug} />,
  },
  { id: 'domains', head: 'Proved domains', from: 'md', cell: ({ domains }) => domains.join(', ') || '–' },
  {
    id: 'members',
    head: 'People',
    sort: 'members',
    isOnCard: true,
    cell: ({ memberCount }) => `${memberCount.toLocaleString('en')}${memberCount === 1 ? ' person' : ' people'}`,
  },
  {
    id: 'created',
    head: 'Created',
    sort: 'created',
    from: 'md',
    isOnCard: true,
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
  {
    id: 'id',
    head: 'Id',
    from: 'xl',
    isOptional: true,
    cell: ({ id }) => <code className="font-mono text-[12px] break-all">{id}</code>,
  },
]

/** All organisations, for administrators. */
export function OrgsPage() {
  const state = useListState({ filters: {}, sorts: ['name', 'members', 'created'] })
  const list = useList(listOrgs, { query: state.query })
  return (
    <ListPage
      name="orgs"
      title="Organisations"
      noun={['organisation', 'organisations']}
      state={state}
      list={list}
      columns={columns}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      linkTo={({ id }) => ({ to: '/admin/orgs/$orgId', params: { orgId: id } })}
      create={{ to: '/admin/orgs/create', label: 'Create organisation' }}
      searchable="Name, slug or id"
      nothingYet="An organisation is a customer: it has people, and domains that it proves."
    />
  )
}
