import * as z from 'zod/mini'
import { Email } from './email.ts'
import { endpoint, json } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant } from './instant.ts'
import { PageQuery, page, sortedBy } from './page.ts'
import { entity, withDefaults } from './request-body.ts'
import { Line } from './text-fields.ts'

export const maxProductName = 100
export const maxDimensions = 100
export const maxUnit = 32
export const maxTopics = 5

const rule = (error: string, code: FieldCode) => ({ error, params: { code } })

/** A product code of AWS Marketplace (`ProductCode` of the metering service). */
export const AwsProductCode = z.string().check(
  z.trim(),
  z.refine(
    (code) => /^[-a-zA-Z0-9/=:_.@]{1,255}$/.test(code),
    rule('Must be 1 to 255 letters, digits and characters of - / = : _ . @ without spaces.', 'product-code-invalid'),
  ),
)

/** The id of a product in the AWS Marketplace catalog. */
export const AwsProductId = z.string().check(
  z.trim(),
  z.refine(
    (id) => /^prod-[a-zA-Z0-9]{1,250}$/.test(id),
    rule('Must begin with prod- and continue with letters and digits.', 'product-id-invalid'),
  ),
)

/** A region of AWS. */
export const AwsRegion = z.string().check(
  z.trim(),
  z.refine(
    (region) => /^[a-z]{2}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/.test(region),
    rule('Must be a region of AWS, such as us-east-1.', 'region-invalid'),
  ),
)

/** The ARN of an SNS topic, which has no wildcards. */
export const SnsTopicArn = z.string().check(
  z.trim(),
  z.refine(
    (arn) =>
      /^arn:aws(?:-[a-z]{1,10}){0,3}:sns:[a-z]{2}(?:-[a-z]{2,12}){1,3}-\d{1,2}:\d{12}:[a-zA-Z0-9_-]{1,256}$/.test(arn),
    rule('Must be the ARN of an SNS topic, such as arn:aws:sns:us-east-1:123456789012:topic.', 'topic-arn-invalid'),
  ),
)

/** The key of a dimension, by which AWS reports entitlements and takes usage. */
export const DimensionKey = z.string().check(
  z.trim(),
  z.refine(
    (key) => /^[a-zA-Z0-9_.-]{1,255}$/.test(key),
    rule('Must be 1 to 255 letters, digits, underscores, dots and hyphens.', 'dimension-key-invalid'),
  ),
)

/** How buyers pay: for a term, for a term with usage above it, for usage, or nothing. */
export const pricingModels = ['contract', 'contract-with-consumption', 'subscription', 'free'] as const
export const PricingModel = z.enum(pricingModels)
export type PricingModel = z.infer<typeof PricingModel>

/** What AWS does with a dimension: entitles buyers to a quantity, takes metered usage, or both. */
export const dimensionKinds = ['entitled', 'metered', 'both'] as const
export const DimensionKind = z.enum(dimensionKinds)
export type DimensionKind = z.infer<typeof DimensionKind>

/** The kinds of dimensions that a pricing model has: a contract meters nothing, and pay-as-you-go entitles to nothing. */
export const kindsOfPricingModel: Record<PricingModel, readonly DimensionKind[]> = {
  contract: ['entitled'],
  'contract-with-consumption': dimensionKinds,
  subscription: ['metered'],
  free: dimensionKinds,
}

/** A dimension of a product as an administrator writes it. */
const dimensionFields = {
  key: DimensionKey,
  kind: DimensionKind,
  /** The key of the entitlement that buyers get by it; null for none. A metered dimension needs one of kind `quantity`. */
  entitlementKey: z.nullable(z.string().check(z.maxLength(64))),
  unit: z.nullable(Line(maxUnit, 'unit-invalid')),
}
const DimensionFields = z.object(dimensionFields)
export type DimensionFields = z.infer<typeof DimensionFields>
const NewDimension = z.object(withDefaults(dimensionFields, { entitlementKey: null, unit: null }))

const dimensionsOf = <T extends z.core.$ZodType<DimensionFields, unknown>>(dimension: T) =>
  z.array(dimension).check(z.minLength(1), z.maxLength(maxDimensions))

/** The fields that an administrator edits. */
export const awsProductFields = {
  name: Line(maxProductName, 'product-name-invalid'),
  /** Identifies the product in every call to AWS. */
  productCode: AwsProductCode,
  productId: z.nullable(AwsProductId),
  pricingModel: PricingModel,
  /** How AWS identifies buyers: by the ARN of their license, or in older listings by a customer identifier. */
  integration: z.enum(['license-arn', 'legacy']),
  region: AwsRegion,
  snsTopicArns: z.array(SnsTopicArn).check(
    z.maxLength(maxTopics),
    z.overwrite((arns) => [...new Set(arns)]),
  ),
  dimensions: dimensionsOf(DimensionFields),
  /** Shown to buyers, as AWS requires. */
  supportEmail: Email,
  /** A disabled product takes no new subscriptions. */
  enabled: z.boolean(),
}

/** Reports each dimension whose key is taken by an earlier one, or whose kind the pricing model does not have. */
export const consistentDimensions = z.check<{ pricingModel: PricingModel; dimensions: DimensionFields[] }>(
  ({ value: { pricingModel, dimensions }, issues }) => {
    const seen = new Set<string>()
    dimensions.forEach(({ key, kind }, index) => {
      const report = (field: 'key' | 'kind', message: string) =>
        issues.push({ code: 'custom', input: dimensions[index]?.[field], path: ['dimensions', index, field], message })
      if (seen.has(key)) report('key', 'Must be different from the keys above.')
      seen.add(key)
      const allowed = kindsOfPricingModel[pricingModel]
      if (!allowed.includes(kind)) report('kind', `Must be ${allowed.join(' or ')} with this pricing model.`)
    })
  },
)

export const AwsProductFields = z.object(awsProductFields).check(consistentDimensions)
export type AwsProductFields = z.infer<typeof AwsProductFields>

/** A new product, where all that most listings share has a default. */
const NewAwsProduct = z
  .object({
    ...withDefaults(awsProductFields, {
      productId: null,
      integration: 'license-arn',
      region: 'us-east-1',
      snsTopicArns: [],
      enabled: true,
    }),
    dimensions: dimensionsOf(NewDimension),
  })
  .check(consistentDimensions)

export const subscriptionStates = ['pending', 'active', 'ending', 'ended', 'failed'] as const
export const SubscriptionState = z.enum(subscriptionStates)
export type SubscriptionState = z.infer<typeof SubscriptionState>

/** A dimension of a product, with the entitlement that buyers get by it. */
export const Dimension = z
  .object({
    key: z.string(),
    kind: DimensionKind,
    entitlement: z.nullable(
      z.object({ id: z.string(), key: z.string(), name: z.string(), kind: z.enum(['flag', 'quantity']) }),
    ),
    unit: z.nullable(z.string()),
  })
  .check(z.meta({ id: 'AwsDimension' }))
export type Dimension = z.infer<typeof Dimension>

/** A SaaS product in AWS Marketplace. */
export const AwsProduct = z
  .object({
    id: z.string(),
    name: z.string(),
    productCode: z.string(),
    productId: z.nullable(z.string()),
    pricingModel: PricingModel,
    integration: z.enum(['license-arn', 'legacy']),
    region: z.string(),
    snsTopicArns: z.array(z.string()),
    dimensions: z.array(Dimension),
    supportEmail: z.string(),
    enabled: z.boolean(),
    subscriptionCounts: z.object({
      pending: z.int(),
      active: z.int(),
      ending: z.int(),
      ended: z.int(),
      failed: z.int(),
    }),
    /** The URLs to enter at AWS, which calls only https; `isHttps` is false where it cannot. */
    urls: z.object({ fulfilment: z.string(), events: z.string(), isHttps: z.boolean() }),
    createdAt: Instant,
    updatedAt: Instant,
    version: z.int(),
  })
  .check(z.meta({ id: 'AwsProduct' }))
export type AwsProduct = z.infer<typeof AwsProduct>

/** Returns only what an administrator edits of a product. */
export const toAwsProductFields = (product: Pick<AwsProduct, keyof AwsProductFields>): AwsProductFields => ({
  name: product.name,
  productCode: product.productCode,
  productId: product.productId,
  pricingModel: product.pricingModel,
  integration: product.integration,
  region: product.region,
  snsTopicArns: product.snsTopicArns,
  dimensions: product.dimensions.map(({ key, kind, entitlement, unit }) => ({
    key,
    kind,
    entitlementKey: entitlement?.key ?? null,
    unit,
  })),
  supportEmail: product.supportEmail,
  enabled: product.enabled,
})

/** What AWS says about a product. It reveals nothing about dimensions except to metered usage, which is billed. */
export const AwsProductValidation = z
  .object({
    result: z.enum(['ok', 'access-denied', 'invalid-product-code', 'not-configured', 'unavailable']),
    /** Unknown if AWS did not get to check them. */
    credentials: z.enum(['ok', 'invalid', 'unknown']),
    productCode: z.enum(['ok', 'invalid', 'unknown']),
    dimensions: z.literal('unknown'),
    /** The name of the error of AWS, such as `AccessDeniedException`. */
    awsError: z.nullable(z.string()),
    checkedAt: Instant,
  })
  .check(z.meta({ id: 'AwsProductValidation' }))
export type AwsProductValidation = z.infer<typeof AwsProductValidation>

const productParams = z.object({ productId: z.string() })

export const listAwsProducts = endpoint('GET', '/passport/admin/awsproducts', {
  summary: 'List AWS products',
  description: '`query` matches a part of the name, the product code or the product id.',
  access: 'admin',
  query: z.extend(PageQuery, {
    query: z.optional(z.string().check(z.trim(), z.maxLength(100))),
    status: z.optional(z.enum(['enabled', 'disabled'])),
    pricingModel: z.optional(PricingModel),
    ...sortedBy(['name', 'updated']),
  }),
  returns: json(page(AwsProduct)),
})
export const createAwsProduct = endpoint('POST', '/passport/admin/awsproducts', {
  summary: 'Create an AWS product',
  access: 'admin',
  body: entity(NewAwsProduct),
  returns: json(AwsProduct),
  creates: true,
  fails: [409],
})
export const getAwsProduct = endpoint('GET', '/passport/admin/awsproducts/{productId}', {
  summary: 'Get an AWS product',
  access: 'admin',
  params: productParams,
  returns: json(AwsProduct),
  conditional: true,
  fails: [404],
})
export const putAwsProduct = endpoint('PUT', '/passport/admin/awsproducts/{productId}', {
  summary: 'Replace the settings and dimensions of an AWS product',
  access: 'admin',
  params: productParams,
  body: entity(AwsProductFields),
  returns: json(AwsProduct),
  conditional: true,
  fails: [404, 409],
})
export const deleteAwsProduct = endpoint('DELETE', '/passport/admin/awsproducts/{productId}', {
  summary: 'Delete an AWS product',
  description:
    'It can be restored for 30 days; its product code is free at once. 409 `product-has-subscriptions` if it has subscriptions, ended ones too. Disable it instead.',
  access: 'admin',
  params: productParams,
  conditional: true,
  fails: [404, 409],
})
export const restoreAwsProduct = endpoint('POST', '/passport/admin/awsproducts/{productId}/restore', {
  summary: 'Restore an AWS product',
  description:
    'Dimensions whose entitlements were deleted since then give none. 409 `product-code-taken` or `product-id-taken` if another product has them now.',
  access: 'admin',
  params: productParams,
  returns: json(AwsProduct),
  conditional: true,
  fails: [404, 409],
})
export const validateAwsProduct = endpoint('POST', '/passport/admin/awsproducts/{productId}/actions/validate', {
  summary: 'Check the product code and the credentials with AWS',
  description: 'Reads the entitlements of an account that does not exist. Changes nothing, here or at AWS.',
  access: 'admin',
  params: productParams,
  returns: json(AwsProductValidation),
  fails: [404],
  waitsForOthers: true,
})
