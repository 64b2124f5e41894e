import type { AwsSimulator, SimulatorAction } from '@passport/contract/aws-simulator'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { reportUsage } from '../entitlements/usage.ts'
import * as reported from '../entitlements/usage-store.ts'
import type { Services } from '../feature.ts'
import { parseForeignJson } from '../http/foreign-json.ts'
import { licenseKeyOf } from './aws.ts'
import { meterUsage } from './meter-usage.ts'
import * as problems from './problems.ts'
import * as products from './product-store.ts'
import * as subscriptions from './subscription-list-store.ts'
import { find as findSubscription } from './subscription-store.ts'

/** The state of the simulated AWS Marketplace, as `world/aws-marketplace/control.ts` serves it. */
interface ControlState {
  mode: AwsSimulator['mode']
  products: {
    code: string
    name: string
    pricingModel: AwsSimulator['products'][number]['pricingModel']
    trialDays?: number
    dimensions: { key: string; name: string; kind: 'entitled' | 'metered' | 'both'; entitled?: 'quantity' | 'flag' }[]
  }[]
  agreements: {
    id: string
    productCode: string
    accountId: string
    licenseArn: string
    quantities: Record<string, number | boolean>
    status: AwsSimulator['purchases'][number]['status']
    endTime: string
    trialDays: number | null
    deprovisioned: boolean
  }[]
  events: {
    id: string
    agreementId: string
    detailType: string
    time: string
    status: AwsSimulator['events'][number]['status']
    attempts: number[]
  }[]
  usage: { licenseArn: string; dimension: string; hour: string; quantity: number }[]
  agreementId?: string
}

interface Play {
  action: SimulatorAction
  productCode?: string | undefined
  agreementId?: string | undefined
  eventId?: string | undefined
  quantities?: Record<string, number | boolean> | undefined
  isTrial?: boolean | undefined
  quantity?: number | undefined
}

const nothing: AwsSimulator = {
  isAvailable: false,
  mode: 'automatic',
  products: [],
  purchases: [],
  events: [],
  billed: [],
  agreementId: null,
}

/** Reads what happened at a simulated AWS. It is not available where the endpoint is that of AWS, or of a proxy to it. */
export async function readSimulator(services: Services): Promise<AwsSimulator> {
  const url = services.config.awsMarketplace?.endpointUrl
  if (!url) return nothing
  const state = await control(services, '/control/state').catch(() => undefined)
  return state ? toSimulator(services, state) : nothing
}

/**
 * Lets something happen at the simulated AWS, or usage in Passport. Throws 404 `simulator-off`, and 409 `simulator-refused`
 * with the reason.
 */
export async function playSimulator(services: Services, play: Play, context: ChangeContext): Promise<AwsSimulator> {
  const { sql, config } = services
  if (!config.awsMarketplace?.endpointUrl) throw problems.simulatorOff()
  const state =
    play.action === 'use' || play.action === 'bill'
      ? await playUsage(services, play, context)
      : await control(services, '/control/play', play)
  await audit.record(sql, {
    action: 'aws-event.simulated',
    ...toActorFields(context),
    target: { kind: 'aws-event', id: play.eventId ?? state.agreementId ?? play.agreementId ?? play.action },
    before: { mode: state.mode },
    after: Object.fromEntries(Object.entries(play).filter(([, value]) => value !== undefined)) as audit.JsonObject,
  })
  return toSimulator(services, state)
}

/** Reports usage for the organisation of a purchase, or bills it now instead of 15 minutes after the hour. */
async function playUsage(services: Services, play: Play, context: ChangeContext): Promise<ControlState> {
  const { sql } = services
  const state = await control(services, '/control/state')
  const agreement = state.agreements.find(({ id }) => id === play.agreementId)
  const licenseKey = agreement && licenseKeyOf(agreement.licenseArn)
  const listed = licenseKey ? await subscriptions.findByLicense(sql, licenseKey) : undefined
  const row = listed && (await findSubscription(sql, listed.id))
  if (!row) throw problems.simulatorRefused('Passport does not know the purchase yet.')
  if (!row.orgId) throw problems.simulatorRefused('The subscription belongs to no organisation yet.')
  const product = await products.find(sql, row.productId)
  const key = product?.dimensions.find(({ kind, entitlement }) => kind !== 'entitled' && entitlement)?.entitlement?.key
  if (!key) throw problems.simulatorRefused('The product has no metered dimension.')
  if (play.action === 'use') {
    await reportUsage(sql, { key, orgId: row.orgId, quantity: play.quantity ?? 1 }, context)
  } else {
    await reported.closeHoursOf(sql, [row.id])
    await meterUsage(services)
  }
  return { ...(await control(services, '/control/state')), agreementId: agreement?.id ?? '' }
}

async function control({ config, httpClient }: Services, path: string, body?: object): Promise<ControlState> {
  const url = new URL(path, config.awsMarketplace?.endpointUrl)
  const response = await httpClient
    .fetch(url, {
      ...(body && { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    .catch((cause) => {
      throw problems.unavailable(cause)
    })
  const text = await response.text()
  if (response.status === 400) throw problems.simulatorRefused(text)
  try {
    const state = parseForeignJson(text) as ControlState
    if (response.ok && Array.isArray(state.agreements)) return state
  } catch {}
  throw problems.simulatorOff()
}

async function toSimulator({ sql }: Services, state: ControlState): Promise<AwsSimulator> {
  const purchases = await Promise.all(
    state.agreements.toReversed().map(async (agreement) => {
      const licenseKey = licenseKeyOf(agreement.licenseArn) ?? ''
      return {
        agreementId: agreement.id,
        licenseKey,
        productCode: agreement.productCode,
        customerAwsAccountId: agreement.accountId,
        status: agreement.status,
        deprovisioned: agreement.deprovisioned,
        isTrial: agreement.trialDays !== null,
        quantities: agreement.quantities,
        endsAt: agreement.endTime,
        subscription: (await subscriptions.findByLicense(sql, licenseKey)) ?? null,
      }
    }),
  )
  return {
    isAvailable: true,
    mode: state.mode,
    products: state.products.map(({ code, name, pricingModel, trialDays = null, dimensions }) => ({
      code,
      name,
      pricingModel,
      trialDays,
      dimensions: dimensions.map(({ key, name, kind, entitled }) => ({ key, name, kind, isFlag: entitled === 'flag' })),
    })),
    purchases,
    events: state.events.map(({ attempts, ...event }) => ({
      ...event,
      deliveries: attempts.filter((status) => status >= 200 && status < 300).length,
    })),
    billed: state.usage.map(({ licenseArn, dimension, hour, quantity }) => ({
      licenseKey: licenseKeyOf(licenseArn) ?? '',
      dimension,
      hour,
      quantity,
    })),
    agreementId: state.agreementId || null,
  }
}
