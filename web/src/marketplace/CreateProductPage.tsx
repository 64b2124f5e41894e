import { createAwsProduct } from '@passport/contract/aws-products'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { CreatePage } from '../directory/CreatePage.tsx'
import { WhatFollows } from '../directory/WhatFollows.tsx'
import { Card } from '../ui/Card.tsx'
import { DimensionsEditor } from './DimensionsEditor.tsx'
import { ProductFields } from './ProductFields.tsx'
import { newDimension, type ProductValues, productLabels, toBody } from './product-form.ts'

const initialValues: ProductValues = {
  name: '',
  productCode: '',
  productId: '',
  pricingModel: 'contract',
  integration: 'license-arn',
  region: 'us-east-1',
  supportEmail: '',
  dimensions: [newDimension('contract')],
}

/** Creates a product: the listing at AWS, and what its buyers get here. */
export function CreateProductPage() {
  const [error, setError] = useState<unknown>()
  async function create(values: ProductValues) {
    try {
      return await call(createAwsProduct, { body: toBody(values, {}) })
    } catch (error) {
      setError(error)
      throw error
    }
  }
  return (
    <CreatePage
      kind="product"
      list={{ to: '/admin/awsproducts', label: 'Products' }}
      initialValues={initialValues}
      labels={productLabels}
      fieldByCode={{ 'product-code-taken': 'productCode' }}
      create={create}
      pageOf={({ id }) => ({ to: '/admin/awsproducts/$productId', params: { productId: id } })}
      rail={
        <WhatFollows
          steps={[
            ['Connect your listing', 'Copy the fulfilment URL into it, and send its events to Passport.'],
            ['Validate', 'Passport asks AWS whether the product code and the credentials are right.'],
            ['Buyers arrive', 'Each purchase becomes a subscription. Its dimensions become entitlements.'],
          ]}
        />
      }
    >
      {(record) => (
        <>
          <section className="grid gap-4 px-4 py-[18px] sm:px-[18px]">
            <ProductFields record={record} />
          </section>
          <Card title="Dimensions" description="As in your listing, each with the entitlement that buyers get.">
            <div className="px-4 pb-[18px] sm:px-[18px]">
              <DimensionsEditor record={record} error={error} />
            </div>
          </Card>
        </>
      )}
    </CreatePage>
  )
}
