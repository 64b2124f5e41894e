import {
  type AwsProduct,
  type DimensionKind,
  kindsOfPricingModel,
  type PricingModel,
} from '@passport/contract/aws-products'

/** A dimension in the form: texts are empty where the product has null. */
export interface DimensionValues {
  key: string
  kind: DimensionKind
  entitlementKey: string
  unit: string
}

export interface ProductValues {
  name: string
  productCode: string
  productId: string
  pricingModel: PricingModel
  integration: AwsProduct['integration']
  region: string
  supportEmail: string
  dimensions: DimensionValues[]
}

export const productLabels: { [Name in keyof ProductValues]: string } = {
  name: 'Name',
  productCode: 'Product code',
  productId: 'Product ID',
  pricingModel: 'Pricing model',
  integration: 'Buyers are identified by',
  region: 'Region',
  supportEmail: 'Support email',
  dimensions: 'Dimensions',
}

export const toValues = (product: AwsProduct): ProductValues => ({
  name: product.name,
  productCode: product.productCode,
  productId: product.productId ?? '',
  pricingModel: product.pricingModel,
  integration: product.integration,
  region: product.region,
  supportEmail: product.supportEmail,
  dimensions: product.dimensions.map(({ key, kind, entitlement, unit }) => ({
    key,
    kind,
    entitlementKey: entitlement?.key ?? '',
    unit: unit ?? '',
  })),
})

/** Returns the body of a call: a product with the values of its form, or a new one. */
export const toBody = <Base extends object>({ dimensions, productId, ...values }: ProductValues, base: Base) => ({
  ...base,
  ...values,
  productId: productId.trim() || null,
  dimensions: dimensions.map(({ key, kind, entitlementKey, unit }) => ({
    key,
    kind,
    entitlementKey: entitlementKey || null,
    unit: unit.trim() || null,
  })),
})

/** Returns a new row for a pricing model. */
export const newDimension = (model: PricingModel): DimensionValues => ({
  key: '',
  kind: kindsOfPricingModel[model][0] ?? 'entitled',
  entitlementKey: '',
  unit: '',
})

/** Returns the dimensions with the kinds that another pricing model has. */
export const fitDimensions = (dimensions: DimensionValues[], model: PricingModel): DimensionValues[] =>
  dimensions.map((dimension) =>
    kindsOfPricingModel[model].includes(dimension.kind)
      ? dimension
      : { ...dimension, kind: kindsOfPricingModel[model][0] ?? dimension.kind },
  )
