import { listOrgs, type OrgSummary } from '@passport/contract/orgs'
import { Building2 } from 'lucide-react'
import { type Column, numberColumn } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { formatTotal } from '../directory/total.ts'
import { useList } from '../directory/use-list.ts'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'

const columns: Column<OrgSummary>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ name, slug }) => <RowName picture={<ObjectIcon kind="org" />} name={name} detail={slug} />,
  },
  {
    id: 'sign-in',
    header: 'Sign-in',
    width: 'w-[190px]',
    isOnCard: true,
    cell: ({ entra }) => (entra ? <EntraStatus {...entra} /> : <span className="max-sm:hidden">–</span>),
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

const columnsWithoutTenants = columns.filter(({ id }) => id !== 'sign-in')

/** How far the tenant of an organisation is set up. */
function EntraStatus({ consent, signInEnabled }: NonNullable<OrgSummary['entra']>) {
  if (consent === 'revoked') return <Status tone="bad">Consent revoked</Status>
  if (consent !== 'granted') return <Status tone="warn">Waiting for consent</Status>
  return <Status tone={signInEnabled ? 'ok' : 'off'}>{signInEnabled ? 'Microsoft Entra' : 'Entra, disabled'}</Status>
}

/** All organisations, for administrators. */
export function OrgsPage() {
  const state = useListState({ filters: {}, sorts: ['name', 'members', 'created'] })
  const list = useList(listOrgs, { query: state.query })
  const hasTenants = list.data?.items.some(({ entra }) => entra) ?? false
  return (
    <ListPage
      name="orgs"
      title="Organisations"
      noun={['organisation', 'organisations']}
      state={state}
      list={list}
      columns={hasTenants ? columns : columnsWithoutTenants}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      linkTo={({ id }) => ({ to: '/admin/orgs/$orgId', params: { orgId: id } })}
      create={{ to: '/admin/orgs/create', label: 'Create organisation' }}
      secondary={{
        to: '/admin/orgs/createentra',
        label: 'Create Entra organisation',
        icon: <Building2 size={16} aria-hidden="true" />,
      }}
      searchPlaceholder="Name, slug or ID"
      emptyHint="Create an organisation to group users by customer and verified domain."
    />
  )
}
