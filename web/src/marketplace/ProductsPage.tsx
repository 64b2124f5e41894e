import { type AwsProduct, listAwsProducts, pricingModels } from '@passport/contract/aws-products'
import { type Column, numberColumn } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { toSorting, useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { useList } from '../directory/use-list.ts'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { EnabledStatus } from './ProductParts.tsx'
import { formatCounts, integrationNames, pricingModelNames } from './words.ts'

/** The products of AWS Marketplace, for administrators. */
export function ProductsPage() {
  const state = useListState({
    filters: { pricingModel: pricingModels, status: ['enabled', 'disabled'] },
    sorts: ['name', 'updated'],
  })
  const { sort, ...query } = state.query
  const list = useList(listAwsProducts, { query: { ...query, ...toSorting(sort) } })
  return (
    <ListPage
      name="awsproducts"
      title="Products"
      noun={['product', 'products']}
      state={state}
      list={list}
      columns={columns}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      linkTo={({ id }) => ({ to: '/admin/awsproducts/$productId', params: { productId: id } })}
      create={{ to: '/admin/awsproducts/create', label: 'Create product' }}
      searchPlaceholder="Name, product code or ID"
      filters={[
        {
          name: 'pricingModel',
          label: 'Pricing model',
          options: pricingModels.map((value) => ({ value, label: pricingModelNames[value] })),
        },
        {
          name: 'status',
          label: 'Status',
          options: [
            { value: 'enabled', label: 'Active' },
            { value: 'disabled', label: 'Disabled' },
          ],
        },
      ]}
      emptyHint={
        <>
          A product is your listing in AWS Marketplace.{' '}
          <a className="link" href="/docs/aws-marketplace">
            Read the guide
          </a>
        </>
      }
    />
  )
}

const columns: Column<AwsProduct>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ name, productCode }) => (
      <RowName
        picture={<ObjectIcon kind="aws-product" />}
        name={name}
        detail={<span className="font-mono text-[12.5px]">{productCode}</span>}
      />
    ),
  },
  {
    id: 'pricing',
    header: 'Pricing model',
    width: 'w-[192px]',
    minBreakpoint: 'md',
    cell: ({ pricingModel }) => pricingModelNames[pricingModel],
  },
  {
    id: 'integration',
    header: 'Integration',
    width: 'w-[116px]',
    minBreakpoint: 'xl',
    cell: ({ integration }) => integrationNames[integration],
  },
  {
    id: 'dimensions',
    header: 'Dimensions',
    ...numberColumn('w-[116px]'),
    minBreakpoint: 'lg',
    cell: ({ dimensions }) => dimensions.length,
  },
  {
    id: 'subscriptions',
    header: 'Subscriptions',
    width: 'w-[18%]',
    cell: ({ subscriptionCounts }) => formatCounts(subscriptionCounts) || <span className="text-ink3">None</span>,
  },
  {
    id: 'status',
    header: 'Status',
    width: 'w-[112px]',
    isOnCard: true,
    cell: ({ enabled }) => <EnabledStatus isEnabled={enabled} />,
  },
  {
    id: 'updated',
    header: 'Updated',
    sort: 'updated',
    width: 'w-[124px]',
    isOptional: true,
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
]
