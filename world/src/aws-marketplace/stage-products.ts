import type { SellerProduct } from './market.ts'

/** The products of the demo world, one for each kind of purchase; `addToPassport` creates the same in Passport. */
export const stageProducts: SellerProduct[] = [
  {
    code: 'stagepro1a2b3c4d5e6f7g8h9',
    id: 'prod-stagepro4x7yq',
    name: 'Stage Pro',
    pricingModel: 'contract',
    dimensions: [
      { key: 'seats', name: 'Seats', kind: 'entitled' },
      { key: 'recording', name: 'Recording', kind: 'entitled', entitled: 'flag' },
    ],
  },
  {
    code: 'stagehours1a2b3c4d5e6f7g8',
    id: 'prod-stagehours4x7',
    name: 'Stage Hours',
    pricingModel: 'subscription',
    dimensions: [{ key: 'streaming_hours', name: 'Streaming hours', kind: 'metered' }],
  },
  {
    code: 'stagestudio1a2b3c4d5e6f7g',
    id: 'prod-stagestudio4x',
    name: 'Stage Studio',
    pricingModel: 'contract-with-consumption',
    dimensions: [
      { key: 'seats', name: 'Seats', kind: 'entitled' },
      { key: 'streaming_hours', name: 'Streaming hours', kind: 'both' },
    ],
  },
  {
    code: 'stagetrial1a2b3c4d5e6f7g8',
    id: 'prod-stagetrial4x7',
    name: 'Stage Trial',
    pricingModel: 'contract',
    trialDays: 14,
    dimensions: [
      { key: 'seats', name: 'Seats', kind: 'entitled' },
      { key: 'recording', name: 'Recording', kind: 'entitled', entitled: 'flag' },
    ],
  },
]

const entitlements = [
  { key: 'stage.seats', name: 'Seats', kind: 'quantity', unit: 'seats' },
  { key: 'stage.recording', name: 'Recording', kind: 'flag', unit: null },
  { key: 'stage.hours', name: 'Streaming hours', kind: 'quantity', unit: 'hours' },
]

/** The entitlement and the unit that a dimension maps to. */
const mappings: Record<string, { entitlementKey: string; unit: string | null }> = {
  seats: { entitlementKey: 'stage.seats', unit: 'seats' },
  recording: { entitlementKey: 'stage.recording', unit: null },
  streaming_hours: { entitlementKey: 'stage.hours', unit: 'hours' },
}

/** Sends a request as an administrator, and returns the response. */
export type Post = (path: string, body: object) => Promise<Pick<Response, 'status' | 'text'>>

/** Creates the products and their entitlements in Passport, except those that it has. */
export async function addToPassport(post: Post): Promise<void> {
  for (const entitlement of entitlements) await create(post, '/passport/admin/entitlements', entitlement)
  for (const { code, id, name, pricingModel, dimensions } of stageProducts)
    await create(post, '/passport/admin/awsproducts', {
      name,
      productCode: code,
      productId: id,
      pricingModel,
      dimensions: dimensions.map(({ key, kind }) => ({ key, kind, ...mappings[key] })),
      supportEmail: 'help@stage.example',
    })
}

async function create(post: Post, path: string, body: object) {
  const response = await post(path, body)
  if (response.status !== 201 && response.status !== 409)
    throw new Error(`${path} returned ${response.status}: ${await response.text()}`)
}
