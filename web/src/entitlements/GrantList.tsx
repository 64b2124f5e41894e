import { type Grant, listGrants } from '@passport/contract/entitlement-grants'
import type { Entitlement } from '@passport/contract/entitlements'
import { Link, useNavigate } from '@tanstack/react-router'
import { Building2, CircleX, Package, Pencil } from 'lucide-react'
import { useState } from 'react'
import { type Column, numberColumn } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { useList } from '../directory/use-list.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import type { MenuItem } from '../ui/Menu.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { CloseGrantDialog } from './CloseGrantDialog.tsx'
import { formatPeriod, type Moment } from './days.ts'
import { GrantStatus, Meter } from './GrantCells.tsx'
import { GrantDialog } from './GrantDialog.tsx'
import { formatQuantity, sourceNames } from './words.ts'

const statuses = ['active', 'scheduled', 'ended'] as const
const sources = ['manual', 'aws'] as const

interface GrantListProps {
  entitlement: Entitlement
  /** The moment that the grants are shown at; undefined for now. Those of another moment cannot be changed. */
  moment: Moment | undefined
}

/** The grants of a definition: the active and scheduled ones, unless the filter asks for others. */
export function GrantList({ entitlement, moment }: GrantListProps) {
  const navigate = useNavigate()
  const [edited, setEdited] = useState<Grant>()
  const [closed, setClosed] = useState<Grant>()
  const state = useListState({ filters: { status: statuses, source: sources }, sorts: [] })
  const { sort, ...filter } = state.query
  const list = useList(listGrants, {
    params: { entitlementId: entitlement.id },
    query: { ...filter, ...(moment && { at: moment.instant.toISOString() }) },
  })

  const hasUsage = list.data?.items.some(({ used }) => used !== null) ?? false

  const listItems = (grant: Grant): MenuItem[] => {
    const { org, source, status, subscriptionId } = grant
    const canChange = source === 'manual' && status !== 'ended' && !moment
    return [
      ...(canChange ? [{ label: 'Edit', icon: <Pencil size={16} />, onSelect: () => setEdited(grant) }] : []),
      ...(subscriptionId === null
        ? []
        : [
            {
              label: 'View subscription',
              icon: <Package size={16} />,
              onSelect: () => void navigate({ to: toSubscription(subscriptionId) as never }),
            },
          ]),
      {
        label: 'View organisation',
        icon: <Building2 size={16} />,
        onSelect: () => void navigate({ to: '/admin/orgs/$orgId/entitlements', params: { orgId: org.id } }),
      },
      ...(canChange
        ? [{ label: 'Close', icon: <CircleX size={16} />, isDanger: true, onSelect: () => setClosed(grant) }]
        : []),
    ]
  }

  return (
    <>
      <ListPage
        isEmbedded
        name="grants"
        title="Grants"
        noun={['grant', 'grants']}
        state={state}
        list={list}
        columns={buildColumns(entitlement, moment, hasUsage)}
        idOf={({ id }) => id}
        nameOf={({ org }) => org.name}
        linkTo={({ org }) => ({ to: '/admin/orgs/$orgId', params: { orgId: org.id } })}
        rowMenu={listItems}
        searchPlaceholder="Organisation"
        filters={[
          {
            name: 'status',
            label: 'State',
            options: [
              { value: 'active', label: 'Active' },
              { value: 'scheduled', label: 'Scheduled' },
              { value: 'ended', label: 'Ended' },
            ],
          },
          {
            name: 'source',
            label: 'Source',
            options: sources.map((value) => ({ value, label: sourceNames[value] })),
          },
        ]}
        emptyHint={
          <>
            {moment
              ? `None were recorded at ${moment.label}.`
              : `Add a grant to give ${entitlement.name} to an organisation.`}
            <p className="mt-3">
              <Button isSmall onClick={() => state.filter('status', 'ended')}>
                Show ended grants
              </Button>
            </p>
          </>
        }
      />
      {edited && <GrantDialog entitlement={entitlement} grant={edited} onClose={() => setEdited(undefined)} />}
      {closed && <CloseGrantDialog entitlement={entitlement} grant={closed} onClose={() => setClosed(undefined)} />}
    </>
  )
}

function buildColumns({ kind, unit }: Entitlement, moment: Moment | undefined, hasUsage: boolean): Column<Grant>[] {
  const used: Column<Grant>[] = [
    {
      id: 'used',
      header: 'Used',
      width: 'w-[20%]',
      minBreakpoint: 'lg',
      cell: ({ org, used, quantity }) =>
        used === null ? (
          <span className="text-ink3">–</span>
        ) : (
          <Meter label={`${org.name}, ${unit ?? 'quantity'} used`} used={used} total={quantity} />
        ),
    },
  ]
  const quantity: Column<Grant>[] = [
    ...(hasUsage ? used : []),
    {
      id: 'quantity',
      header: 'Quantity',
      ...numberColumn('w-[112px]'),
      isOnCard: true,
      cell: ({ quantity, used }) => (
        <>
          {formatQuantity(quantity, null)}
          <span className="sm:hidden">
            {quantity !== null && ` ${unit ?? ''}`}
            {used !== null && `, ${used.toLocaleString('en')} used`}
          </span>
        </>
      ),
    },
  ]
  return [
    {
      id: 'org',
      header: 'Organisation',
      className: 'max-sm:basis-full!',
      cell: ({ org, note }) => <RowName picture={<ObjectIcon kind="org" />} name={org.name} detail={note} />,
    },
    {
      id: 'status',
      header: 'State',
      width: 'w-[164px]',
      isOnCard: true,
      cell: (grant) => <GrantStatus grant={grant} at={moment?.instant} />,
    },
    {
      id: 'source',
      header: 'Source',
      width: 'w-[104px]',
      isOnCard: true,
      cell: (grant) => <Source grant={grant} />,
    },
    {
      id: 'period',
      header: 'Period',
      width: 'w-[216px]',
      minBreakpoint: 'lg',
      cell: ({ startsAt, endsAt }) => <span className="text-ink2">{formatPeriod(startsAt, endsAt)}</span>,
    },
    ...(kind === 'quantity' ? quantity : []),
  ]
}

/** The source of a grant; one of AWS leads to its subscription, which alone can change it. */
function Source({ grant: { source, subscriptionId, productName } }: { grant: Grant }) {
  const badge = <Badge>{sourceNames[source]}</Badge>
  if (subscriptionId === null) return badge
  return (
    <Link
      to={toSubscription(subscriptionId) as never}
      aria-label={`${sourceNames[source]}: subscription${productName ? ` to ${productName}` : ''}`}
      title={productName ?? undefined}
      className="relative z-10 rounded-md hover:[&>span]:border-stamp hover:[&>span]:text-stamp"
    >
      {badge}
    </Link>
  )
}

const toSubscription = (subscriptionId: string) => `/admin/awssubscriptions/${encodeURIComponent(subscriptionId)}`
