import { listAwsProducts } from '@passport/contract/aws-products'
import { type AwsSubscription, listAwsSubscriptions } from '@passport/contract/aws-subscriptions'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { query as toQuery } from '../app/api.ts'
import type { Column } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { toSorting, useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { useList } from '../directory/use-list.ts'
import { useOrgFilter } from '../directory/use-org-filter.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { DriftView } from './DriftView.tsx'
import { NotConfigured } from './NotConfigured.tsx'
import { ParkedEvents } from './ParkedEvents.tsx'
import { SubscriptionStatus } from './SubscriptionStatus.tsx'
import { SubscriptionViews } from './SubscriptionViews.tsx'
import { endOf, formatAccount, sourceNames, statusOptions, subscriptionStates } from './words.ts'

const SimulatorView = lazyPart(async () => (await import('./SimulatorView.tsx')).SimulatorView)

/** The subscriptions of all products, the events that belong to none, and the differences from AWS. */
export function SubscriptionsPage() {
  const { view } = useSearch({ strict: false }) as { view?: unknown }
  if (view === 'events') return <ParkedEvents />
  if (view === 'aws') return <DriftView />
  if (view === 'simulator')
    return (
      <Suspense>
        <SimulatorView />
      </Suspense>
    )
  return <Subscriptions />
}

function Subscriptions() {
  const state = useListState({
    filters: { product: true, org: true, status: subscriptionStates },
    sorts: ['created', 'updated'],
  })
  const { sort, product: productId, org: orgId, ...query } = state.query
  const list = useList(listAwsSubscriptions, {
    query: { ...query, ...toSorting(sort), ...(productId && { productId }), ...(orgId && { orgId }) },
  })
  const products = useQuery({ ...toQuery(listAwsProducts, { query: { limit: 200 } }), staleTime: 60_000 })
  const orgFilter = useOrgFilter(orgId, (picked) => state.filter('org', picked))
  return (
    <ListPage
      name="awssubscriptions"
      title="Subscriptions"
      noun={['subscription', 'subscriptions']}
      state={state}
      list={list}
      columns={columns}
      views={
        <>
          <SubscriptionViews />
          <NotConfigured />
        </>
      }
      idOf={({ id }) => id}
      nameOf={({ product, customerAwsAccountId }) => `${product.name}, ${customerAwsAccountId ?? 'unknown account'}`}
      linkTo={({ id }) => ({ to: '/admin/awssubscriptions/$subscriptionId', params: { subscriptionId: id } })}
      create={{ to: '/admin/awssubscriptions/create', label: 'Create subscription' }}
      searchPlaceholder="Account, licence or agreement"
      filters={[
        {
          name: 'product',
          label: 'Product',
          options: products.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? [],
        },
        orgFilter,
        { name: 'status', label: 'Status', options: statusOptions },
      ]}
      emptyHint={<FirstStep hasProducts={products.data === undefined || products.data.total > 0} />}
    />
  )
}

/** What brings the first subscription. */
function FirstStep({ hasProducts }: { hasProducts: boolean }) {
  return hasProducts ? (
    <>
      They appear when buyers subscribe at AWS. Copy the fulfilment URL of{' '}
      <Link to="/admin/awsproducts" className="link">
        your product
      </Link>{' '}
      into its listing.
    </>
  ) : (
    <>
      Buyers subscribe to a product. Create yours first.
      <p>
        <Link to="/admin/awsproducts/create" className={`${buttonClass()} mt-3`}>
          Create product
        </Link>
      </p>
    </>
  )
}

const columns: Column<AwsSubscription>[] = [
  {
    id: 'product',
    header: 'Product',
    cell: ({ product, customerAwsAccountId }) => (
      <RowName
        picture={<ObjectIcon kind="aws-subscription" />}
        name={product.name}
        detail={customerAwsAccountId && formatAccount(customerAwsAccountId)}
      />
    ),
  },
  {
    id: 'org',
    header: 'Organisation',
    width: 'w-[24%]',
    isOnCard: true,
    cell: ({ org }) => org?.name ?? <span className="text-ink3">Not assigned</span>,
  },
  {
    id: 'status',
    header: 'Status',
    width: 'w-[140px]',
    isOnCard: true,
    cell: ({ status }) => <SubscriptionStatus status={status} />,
  },
  {
    id: 'ends',
    header: 'Ends',
    width: 'w-[164px]',
    minBreakpoint: 'lg',
    cell: (subscription) => {
      const endsAt = endOf(subscription.endsAt)
      return endsAt ? <RelativeTime at={endsAt} /> : <span className="text-ink3">–</span>
    },
  },
  {
    id: 'source',
    header: 'Created by',
    width: 'w-[124px]',
    minBreakpoint: 'xl',
    cell: ({ source }) => sourceNames[source],
  },
  {
    id: 'created',
    header: 'Created',
    sort: 'created',
    width: 'w-[124px]',
    minBreakpoint: 'md',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
]
