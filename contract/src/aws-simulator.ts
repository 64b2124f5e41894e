import * as z from 'zod/mini'
import { PricingModel } from './aws-products.ts'
import { AwsSubscription } from './aws-subscriptions.ts'
import { endpoint, json } from './endpoint.ts'
import { action } from './request-body.ts'

const Quantities = z.record(z.string(), z.union([z.number(), z.boolean()]))

/** A purchase in a simulated AWS Marketplace. */
const SimulatedPurchase = z.object({
  agreementId: z.string(),
  licenseKey: z.string(),
  productCode: z.string(),
  customerAwsAccountId: z.string(),
  status: z.enum(['ACTIVE', 'CANCELLED', 'EXPIRED', 'RENEWED']),
  /** AWS has taken the licence away. */
  deprovisioned: z.boolean(),
  isTrial: z.boolean(),
  quantities: Quantities,
  endsAt: z.string(),
  /** What Passport has made of it; null while it knows nothing. */
  subscription: z.nullable(AwsSubscription),
})
export type SimulatedPurchase = z.infer<typeof SimulatedPurchase>

const SimulatedEvent = z.object({
  id: z.string(),
  agreementId: z.string(),
  detailType: z.string(),
  time: z.string(),
  status: z.enum(['held', 'delivering', 'delivered', 'failed', 'dropped']),
  /** The number of deliveries. */
  deliveries: z.int(),
})
export type SimulatedEvent = z.infer<typeof SimulatedEvent>

const SimulatedProduct = z.object({
  code: z.string(),
  name: z.string(),
  pricingModel: PricingModel,
  trialDays: z.nullable(z.int()),
  dimensions: z.array(
    z.object({ key: z.string(), name: z.string(), kind: z.enum(['entitled', 'metered', 'both']), isFlag: z.boolean() }),
  ),
})
export type SimulatedProduct = z.infer<typeof SimulatedProduct>

export const AwsSimulator = z
  .object({
    /** False where Passport is connected to the real AWS; everything else is empty then. */
    isAvailable: z.boolean(),
    /** Whether new events are delivered at once. */
    mode: z.enum(['automatic', 'held']),
    products: z.array(SimulatedProduct),
    /** The newest first. */
    purchases: z.array(SimulatedPurchase),
    /** The oldest first. */
    events: z.array(SimulatedEvent),
    /** What AWS bills. */
    billed: z.array(z.object({ licenseKey: z.string(), dimension: z.string(), hour: z.string(), quantity: z.int() })),
    /** The purchase that the last action was about. */
    agreementId: z.nullable(z.string()),
  })
  .check(z.meta({ id: 'AwsSimulator' }))
export type AwsSimulator = z.infer<typeof AwsSimulator>

/** What an administrator can let happen at a simulated AWS; `use` and `bill` happen in Passport. */
export const simulatorActions = [
  'buy',
  'amend',
  'renew',
  'cancel',
  'expire',
  'expire-trial',
  'convert-trial',
  'deprovision',
  'deliver',
  'deliver-twice',
  'drop',
  'deliver-all',
  'deliver-reversed',
  'hold',
  'release',
  'use',
  'bill',
] as const
export type SimulatorAction = (typeof simulatorActions)[number]

export const getAwsSimulator = endpoint('GET', '/passport/admin/awssimulator', {
  summary: 'Get the purchases and events of a simulated AWS Marketplace',
  description: 'Available only if the endpoints of AWS are replaced by a simulation, as in `npm run world`.',
  access: 'admin',
  returns: json(AwsSimulator),
  fails: [502],
})
export const playAwsSimulator = endpoint('POST', '/passport/admin/awssimulator/actions', {
  summary: 'Let something happen at a simulated AWS Marketplace',
  description:
    'Available only if the endpoints of AWS are replaced by a simulation. 409 `simulator-refused` has the reason.',
  access: 'admin',
  body: action(
    z.object({
      action: z.enum(simulatorActions),
      productCode: z.optional(z.string().check(z.maxLength(255))),
      agreementId: z.optional(z.string().check(z.maxLength(255))),
      eventId: z.optional(z.string().check(z.maxLength(255))),
      quantities: z.optional(Quantities),
      isTrial: z.optional(z.boolean()),
      /** What is used, with `use`. */
      quantity: z.optional(z.int().check(z.minimum(0), z.maximum(1_000_000))),
    }),
  ),
  returns: json(AwsSimulator),
  fails: [404, 409, 502],
  waitsForOthers: true,
})
