import { type AwsProduct, getAwsProduct, putAwsProduct } from '@passport/contract/aws-products'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { EditCard } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { DimensionsEditor } from './DimensionsEditor.tsx'
import { ProductFields } from './ProductFields.tsx'
import { productLabels, toBody, toValues } from './product-form.ts'

const toSaved = (product: AwsProduct) => ({ values: toValues(product), version: product.version, record: product })

/** The form of a product's settings and dimensions. */
export function ProductForm({ product, onClose }: { product: AwsProduct; onClose: () => void }) {
  const params = { productId: product.id }
  const [error, setError] = useState<unknown>()
  const record = useRecordForm({
    saved: toSaved(product),
    labels: productLabels,
    fieldByCode: { 'product-code-taken': 'productCode' },
    save: async (values, options, product) => {
      try {
        return await call(putAwsProduct, { params, body: toBody(values, product) }, options)
      } catch (error) {
        setError(error)
        throw error
      }
    },
    reload: async () => toSaved(await call(getAwsProduct, { params })),
    onSaved: () => {
      void queryClient.invalidateQueries()
      reportSuccess('Saved')
      onClose()
    },
  })
  return (
    <EditCard record={record} recordLabel="this product" title="Edit product" onClose={onClose}>
      <ProductFields record={record} />
      <fieldset>
        <legend className="mb-2 font-[560]">{productLabels.dimensions}</legend>
        <DimensionsEditor record={record} error={error} />
      </fieldset>
    </EditCard>
  )
}
