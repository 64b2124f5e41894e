import { listOrgEntitlements, listOwnEntitlements } from '@passport/contract/entitlement-grants'
import { createIdentityApi } from '@passport/contract/identity-apis'
import { redeemAwsRegistration } from '@passport/contract/marketplace'
import { addOrgMembers, createOrg } from '@passport/contract/orgs'
import { startAwsMarketplace } from '@passport/world/aws-marketplace/aws-marketplace'
import { addToPassport } from '@passport/world/aws-marketplace/stage-products'
import { findFreePort } from '@passport/world/port'
import fc from 'fast-check'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { startShop } from '../provider/test-shop.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { setAwsVariables } from './test-aws.ts'
import { BuyerBrowser } from './test-landing.ts'

// What a buyer has follows their subscriptions: administrators, the buyer and new tokens get the same answer.

const port = await findFreePort()
const eventKey = 'the-key-of-the-connection-in-EventBridge'
const base = `http://localhost:${port}/passport/licensing/awsmarketplace`
const marketplace = await startAwsMarketplace({
  fulfilmentUrl: `${base}/landing`,
  eventsUrl: `${base}/events`,
  eventKey,
  requestsPerSecond: Number.POSITIVE_INFINITY,
})
onFileEnd(marketplace.stop)
setAwsVariables(marketplace.environment)
const { service, signIn, signInToShop } = await startShop(
  {},
  { PORT: String(port), AWS_MARKETPLACE_REGION: 'us-east-1', AWS_MARKETPLACE_EVENT_KEYS: eventKey },
)
const [ada, eve] = [await service.as('ada'), await service.as('eve')]
await addToPassport((path, body) =>
  ada.fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
)
await ada.call(createIdentityApi, {
  body: { name: 'stage', displayName: 'Stage', audience: 'https://stage.example', scopes: [] },
})
const shopper = await signIn('eve')
let serial = 0

interface Bought {
  agreementId: string
  /** Zero once AWS has taken the licence away. */
  seats: number
}

async function buy(product: string, seats: number, orgId: string): Promise<Bought> {
  const { code = '' } = marketplace.products.find(({ name }) => name === product) ?? {}
  const quantities = product === 'Stage Hours' ? {} : { seats }
  const { agreementId, landingForm } = await marketplace.buy({ product: code, quantities })
  const browser = new BuyerBrowser(service)
  await browser.land(landingForm.fields)
  const body = { orgId, contactEmail: 'it@contoso.example' }
  await browser.signIn(eve).call(redeemAwsRegistration, { body: body as never })
  return { agreementId, seats: product === 'Stage Hours' ? 0 : seats }
}

/** Waits until every event is applied and AWS has been asked. */
const settle = () =>
  expect
    .poll(async () => {
      const [row] = await service.sql`
        select (select count(*)::integer from aws_events where status = 'received') as received,
          (select count(*)::integer from aws_subscriptions where check_at <= now() + interval '3 minutes') as checks`
      return row
    })
    .toEqual({ received: 0, checks: 0 })

type Values = Record<string, number | boolean>
const toValues = (items: { key: string; value: number | boolean }[]): Values =>
  Object.fromEntries(items.map(({ key, value }) => [key, value]))

async function readAnswers(orgId: string) {
  const { access_token: token } = await signInToShop(shopper, { scope: 'openid entitlements stage' })
  return {
    administrator: toValues(await ada.call(listOrgEntitlements, { params: { orgId }, query: {} })),
    buyer: toValues(await eve.call(listOwnEntitlements, { query: {} })),
    token: (decodeJwt(token)['ent'] ?? {}) as Values,
  }
}

const seats = fc.integer({ min: 1, max: 40 })
const step = fc.oneof(
  fc.record({
    do: fc.constant('buy' as const),
    product: fc.constantFrom('Stage Pro', 'Stage Studio', 'Stage Hours'),
    seats,
  }),
  fc.record({ do: fc.constant('amend' as const), of: fc.nat(9), seats }),
  fc.record({ do: fc.constantFrom('cancel' as const, 'deprovision' as const), of: fc.nat(9) }),
)

test('at each step of the life of subscriptions, administrators, the buyer and a new token agree', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      // A landing is allowed 20 times a minute.
      await service.sql`delete from rate_limits`
      const org = await ada.call(createOrg, { body: { name: `Contoso ${++serial}` } })
      const members = { members: [eve.id], role: 'owner' as const }
      await ada.call(addOrgMembers, { params: { orgId: org.id }, query: {}, body: members })
      const bought = [await buy('Stage Pro', 5, org.id)]
      for (const [index, one] of [undefined, ...steps].entries()) {
        const target = one && one.do !== 'buy' ? bought[one.of % bought.length] : undefined
        if (one?.do === 'buy') bought.push(await buy(one.product, one.seats, org.id))
        if (target && target.seats > 0 && one?.do === 'amend') {
          await marketplace.amend(target.agreementId, { seats: one.seats })
          target.seats = one.seats
        }
        if (target && target.seats > 0 && one?.do === 'cancel') await marketplace.cancel(target.agreementId)
        if (target && target.seats > 0 && one?.do === 'deprovision') {
          await marketplace.deprovision(target.agreementId)
          target.seats = 0
        }
        await settle()
        const { administrator, buyer, token } = await readAnswers(org.id)
        expect([index, buyer, token]).toEqual([index, administrator, administrator])
        const total = bought.reduce((sum, { seats }) => sum + seats, 0)
        expect([index, administrator['stage.seats'] ?? 0]).toEqual([index, total])
      }
      for (const { agreementId } of bought) await marketplace.deprovision(agreementId)
      await settle()
      expect(await readAnswers(org.id)).toEqual({ administrator: {}, buyer: {}, token: {} })
    }),
    { numRuns: 4, examples: [[[{ do: 'buy', product: 'Stage Hours', seats: 1 }]]] },
  )
}, 120_000)
