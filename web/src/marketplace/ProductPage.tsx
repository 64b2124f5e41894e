import {
  type AwsProduct,
  deleteAwsProduct,
  getAwsProduct,
  putAwsProduct,
  restoreAwsProduct,
} from '@passport/contract/aws-products'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Ban, CircleCheck } from 'lucide-react'
import { Suspense } from 'react'
import { call, query } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { EditButton, useEditing } from '../directory/editing.tsx'
import { PageMenu } from '../directory/PageMenu.tsx'
import { RecordPage } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { useCopyAsConfig } from '../directory/use-copy-as-config.tsx'
import { useDeleteRecord } from '../directory/use-delete-record.tsx'
import { Card } from '../ui/Card.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { ConnectionCard } from './ConnectionCard.tsx'
import { EnabledStatus, EntitlementTag } from './ProductParts.tsx'
import { toBody, toValues } from './product-form.ts'
import { SubscriptionStatus } from './SubscriptionStatus.tsx'
import { dimensionKindNames, integrationNames, pricingModelNames, subscriptionStates } from './words.ts'

const ProductForm = lazyPart(async () => (await import('./forms.ts')).ProductForm)

const list = '/admin/awsproducts'
const back = { to: list, label: 'Products' } as const

/** A product: its connection with AWS, its dimensions and its subscriptions. */
export function ProductPage() {
  const { productId = '' } = useParams({ strict: false })
  const { isEditing, close } = useEditing()
  const product = useQuery(query(getAwsProduct, { params: { productId } }))
  return (
    <RecordQuery query={product} kind="product" back={back}>
      {(product) => (
        <RecordPage
          back={back}
          picture={<ObjectIcon kind="aws-product" size={60} />}
          name={product.name}
          id={product.id}
          status={<EnabledStatus isEnabled={product.enabled} />}
          facts={[
            pricingModelNames[product.pricingModel],
            <code key="code" className="font-mono text-[13px]">
              {product.productCode}
            </code>,
          ]}
          actions={<Actions product={product} />}
          details={[
            ['Product ID', product.productId ?? '–'],
            ['Identified by', integrationNames[product.integration]],
            ['Region', product.region],
            ['Support email', product.supportEmail],
            ['Created', <RelativeTime key="created" at={product.createdAt} />],
            ['Updated', <RelativeTime key="updated" at={product.updatedAt} />],
          ]}
          rail={<SubscriptionsCard product={product} />}
        >
          {isEditing && (
            <Suspense>
              <ProductForm key={product.id} product={product} onClose={close} />
            </Suspense>
          )}
          <ConnectionCard key={product.id} product={product} />
          <DimensionsCard product={product} />
        </RecordPage>
      )}
    </RecordQuery>
  )
}

function Actions({ product }: { product: AwsProduct }) {
  const { id, name, enabled, version } = product
  const params = { productId: id }
  const copyConfig = useCopyAsConfig({ product: toBody(toValues(product), product) })
  const { deleteItem, dialog } = useDeleteRecord()
  const toggle = useMutation({
    mutationFn: () =>
      call(
        putAwsProduct,
        { params, body: toBody(toValues(product), { ...product, enabled: !enabled }) },
        { ifMatch: `"${version}"` },
      ),
    onSuccess: () => reportSuccess(enabled ? 'Product disabled' : 'Product enabled'),
    onError: (error) => reportFailure(enabled ? 'disable the product' : 'enable the product', error),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: [getAwsProduct.path] }),
  })
  return (
    <>
      <EditButton />
      <PageMenu
        isOfRecord
        copyConfig={copyConfig}
        items={[
          {
            label: enabled ? 'Disable' : 'Enable',
            icon: enabled ? <Ban size={16} /> : <CircleCheck size={16} />,
            onSelect: () => toggle.mutate(),
          },
          deleteItem({
            kind: 'product',
            name,
            consequence: 'Buyers who come from AWS are refused.',
            list,
            affectsRoles: false,
            remove: () => call(deleteAwsProduct, { params }),
            restore: () => call(restoreAwsProduct, { params }),
          }),
        ]}
      />
      {dialog}
    </>
  )
}

/** The number of subscriptions in each state, with links to them. */
function SubscriptionsCard({ product: { id, subscriptionCounts } }: { product: AwsProduct }) {
  const states = subscriptionStates.filter((state) => subscriptionCounts[state] > 0)
  return (
    <Card title="Subscriptions">
      {states.length === 0 ? (
        <p className="px-4 pb-4 text-ink2 sm:px-[18px]">None yet. They appear when buyers subscribe at AWS.</p>
      ) : (
        <ul className="pb-1">
          {states.map((status) => (
            <li key={status} className="border-t border-hair first:border-0">
              <Link
                to="/admin/awssubscriptions"
                search={{ product: id, status } as never}
                className="flex min-h-11 items-center justify-between gap-3 px-4 -outline-offset-2 hover:bg-well sm:px-[18px]"
              >
                <SubscriptionStatus status={status} />
                <span className="font-[560]">{subscriptionCounts[status].toLocaleString('en')}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

/** The dimensions of the listing, with the entitlements that buyers get by them. */
function DimensionsCard({ product: { dimensions } }: { product: AwsProduct }) {
  return (
    <Card title="Dimensions">
      <ul className="pb-1">
        {dimensions.map(({ key, kind, entitlement, unit }) => (
          <li
            key={key}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 border-t border-hair px-4 py-2.5 first:border-0 sm:min-h-11.5 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_minmax(0,1fr)] sm:px-[18px]"
          >
            <code className="min-w-0 font-mono text-[13px] break-all">{key}</code>
            <span className="min-w-0">
              {entitlement ? (
                <EntitlementTag entitlement={entitlement} />
              ) : (
                <span className="text-ink3">No entitlement</span>
              )}
            </span>
            <span className="text-[13px] text-ink2 max-sm:col-span-2 sm:text-right">
              {dimensionKindNames[kind]}
              {unit && `, in ${unit}`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
