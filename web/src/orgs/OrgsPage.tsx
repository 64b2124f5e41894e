import { listOrgs, type OrgSummary } from '@passport/contract/orgs'
import { type Column, numberColumn } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { formatTotal } from '../directory/total.ts'
import { useList } from '../directory/use-list.ts'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'

const columns: Column<OrgSummary>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ name, slug }) => <RowName picture={<ObjectIcon kind="org" />} name={name} detail={slug} />,
  },
  {
    id: 'domains',
    header: 'Verified domains',
    minBreakpoint: 'md',
    width: 'w-[260px]',
    cell: ({ domains }) => domains.join(', ') || '–',
  },
  {
    id: 'members',
    header: 'Members',
    sort: 'members',
    ...numberColumn('w-[120px]'),
    isOnCard: true,
    cell: ({ memberCount }) => (
      <>
        {formatTotal(memberCount, undefined)}
        <span className="sm:hidden"> {memberCount === 1 ? 'member' : 'members'}</span>
      </>
    ),
  },
  {
    id: 'created',
    header: 'Created',
    sort: 'created',
    width: 'w-[132px]',
    minBreakpoint: 'md',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    id: 'id',
    header: 'ID',
    minBreakpoint: 'xl',
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
      searchPlaceholder="Name, slug or ID"
      emptyHint="Create an organisation to group users by customer and verified domain."
    />
  )
}
