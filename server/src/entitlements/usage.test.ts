import { listGrants, listOwnEntitlements } from '@passport/contract/entitlement-grants'
import { listUsage } from '@passport/contract/entitlement-usage'
import { createEntitlement, maxQuantity } from '@passport/contract/entitlements'
import { addOrgMembers, createOrg } from '@passport/contract/orgs'
import { beforeAll, describe, expect, test } from 'vitest'
import { transaction } from '../database/sql.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { applySubscriptionGrants } from './grants.ts'
import { closeHours } from './usage-store.ts'

const clientSecret = 'the secret of an application that meters'
let service: TestService
let ada: Visitor
let token: string
let orgId: string
let otherOrgId: string
let hours: string
beforeAll(async () => {
  const application = { clientId: 'meter', clientName: 'Meter', clientSecret, scopes: ['entitlements.write'] }
  service = await startTestService({ CLIENTS: JSON.stringify([application]) })
  ada = await service.as('ada')
  const response = await fetch(`${service.url}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`meter:${encodeURIComponent(clientSecret)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'entitlements.write' }),
  })
  token = ((await response.json()) as { access_token: string }).access_token
  orgId = (await ada.call(createOrg, { body: { name: 'Northwind' } })).id
  otherOrgId = (await ada.call(createOrg, { body: { name: 'Beacon' } })).id
  const grants = [{ orgId, quantity: 100 }]
  const fields = { key: 'stage.hours', name: 'Hours', kind: 'quantity', unit: 'hours', grants } as const
  hours = (await ada.call(createEntitlement, { body: fields })).id
  await ada.call(createEntitlement, { body: { key: 'stage.vr', name: 'VR', kind: 'flag' } })
})

let serial = 0
async function report(body: object, { key = 'stage.hours', idempotencyKey = `key ${++serial}` } = {}) {
  const response = await fetch(`${service.url}/passport/entitlements/${key}/usage`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify({ orgId, ...body }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const agoMs = (ms: number) => new Date(Date.now() - ms).toISOString()
const hourMs = 60 * 60 * 1000
/** The first open hour; the test must not depend on the minute of the hour in which it runs. */
const firstOpenHour = () => new Date(Math.floor((Date.now() - 15 * 60_000) / hourMs) * hourMs).toISOString()

describe('a report of usage', () => {
  test('adds to its hour once for each key', async () => {
    const at = new Date().toISOString()
    expect(await report({ quantity: 5, at }, { idempotencyKey: 'once' })).toMatchObject({
      status: 201,
      body: { orgId, quantity: 5, subscriptionId: null },
    })
    expect((await report({ quantity: 5, at }, { idempotencyKey: 'once' })).body).toMatchObject({ quantity: 5 })
    expect(await report({ quantity: 6, at }, { idempotencyKey: 'once' })).toMatchObject({
      status: 409,
      body: { code: 'idempotency-mismatch' },
    })
    expect((await report({ quantity: 2, at })).body).toMatchObject({ quantity: 7 })
    expect((await report({ quantity: 0, at })).body).toMatchObject({ quantity: 7 })
    const { items } = await ada.call(listGrants, { params: { entitlementId: hours }, query: {} })
    expect(items).toMatchObject([{ quantity: 100, used: 7 }])
    const [event] = await service.sql`
      select actor_id, before, after from audit_events where action = 'entitlement.usage-reported' order by at desc limit 1`
    expect(event).toMatchObject({ actorId: 'client:meter', before: { quantity: 7 }, after: { org: 'Northwind' } })
  })

  test.for([
    [{ quantity: 1 }, { idempotencyKey: '' }, 400, 'Idempotency-Key', 'invalid-request'],
    [{ quantity: -1 }, {}, 400, 'quantity', 'quantity-invalid'],
    [{ quantity: 0.5 }, {}, 400, 'quantity', 'quantity-invalid'],
    [{ quantity: maxQuantity + 1 }, {}, 400, 'quantity', 'quantity-invalid'],
    [{ quantity: 1, at: agoMs(24 * hourMs + 60_000) }, {}, 400, 'at', 'usage-too-old'],
    [{ quantity: 1, at: agoMs(-hourMs) }, {}, 400, 'at', 'invalid-request'],
    [{ quantity: 1, orgId: 'none' }, {}, 400, 'orgId', 'unknown-org'],
    [{ quantity: 1 }, { key: 'stage.vr' }, 400, 'quantity', 'quantity-invalid'],
    [{ quantity: 1 }, { key: 'stage.none' }, 404, undefined, 'entitlement-not-found'],
  ] as const)('of %j with %j is rejected with %i at %s', async ([body, options, status, field, code]) => {
    const rejected = await report(body, options)
    expect(rejected).toMatchObject({ status, body: { code, ...(field && { errors: [{ field }] }) } })
  })

  test('counts the largest quantity of an hour, and no more', async () => {
    const large = { orgId: otherOrgId, at: new Date().toISOString() }
    expect((await report({ ...large, quantity: maxQuantity })).status).toBe(201)
    expect((await report({ ...large, quantity: 1 })).body).toMatchObject({ code: 'quantity-invalid' })
  })

  test('of a closed hour counts in the first open hour', async () => {
    const late = await report({ quantity: 3, at: agoMs(23 * hourMs) })
    expect(late.body['hour']).toBe(firstOpenHour())
    // Closed while the call was on its way.
    await service.sql`update entitlement_usage set closed_at = now() where hour = ${String(late.body['hour'])}`
    const next = await report({ quantity: 3, at: agoMs(23 * hourMs) })
    expect(Date.parse(String(next.body['hour']))).toBe(Date.parse(String(late.body['hour'])) + hourMs)
    await service.sql`update entitlement_usage set closed_at = null`
  })
})

test('an hour is closed 15 minutes after its end, once', async () => {
  await report({ quantity: 1 })
  await service.sql`
    insert into entitlement_usage (id, entitlement_id, org_id, hour, quantity)
    values ('ended', ${hours}, ${orgId}, ${new Date(Date.parse(firstOpenHour()) - hourMs).toISOString()}, 4)`
  expect(await closeHours(service.sql, 10)).toBe(1)
  expect(await closeHours(service.sql, 10)).toBe(0)
  const query = { orgId, to: firstOpenHour() }
  const { items } = await ada.call(listUsage, { params: { entitlementId: hours }, query })
  expect(items).toMatchObject([{ id: 'ended', orgName: 'Northwind', closedAt: expect.any(String), reports: 1 }])
})

test('usage is for the oldest subscription that is billed for it, and a later one does not take it', async () => {
  await service.sql`
    insert into aws_products (id, name, product_code, pricing_model, support_email)
    values ('p1', 'Stage Hours', 'code-of-hours', 'subscription', 'a@b.example')`
  await service.sql`
    insert into aws_product_dimensions (product_id, key, kind, entitlement_id, place)
    values ('p1', 'streaming_hours', 'metered', ${hours}, 0)`
  const subscribe = (id: string, startsAt: string, status: string) => service.sql`
    insert into aws_subscriptions (id, product_id, customer_aws_account_id, org_id, status, source, starts_at)
    values (${id}, 'p1', '123456789012', ${orgId}, ${status}, 'manual', ${startsAt})`
  await subscribe('ended', agoMs(9 * hourMs), 'ended')
  await subscribe('second', agoMs(2 * hourMs), 'active')
  const { body } = await report({ quantity: 4 })
  expect(body).toMatchObject({ subscriptionId: 'second', quantity: 4 })
  await subscribe('first', agoMs(8 * hourMs), 'ending')
  expect((await report({ quantity: 5 })).body).toMatchObject({ subscriptionId: 'first', quantity: 5 })
  const list = (billing: 'billed' | 'unbilled') =>
    ada.call(listUsage, { params: { entitlementId: hours }, query: { billing, orgId, from: agoMs(2 * hourMs) } })
  const billed = (await list('billed')).items
  expect(
    billed.map(({ subscriptionId, productName, quantity }) => [subscriptionId, productName, quantity]).sort(),
  ).toEqual([
    ['first', 'Stage Hours', 5],
    ['second', 'Stage Hours', 4],
  ])
  expect((await list('unbilled')).items.every(({ subscriptionId }) => subscriptionId === null)).toBe(true)
  const first = await ada.call(listUsage, { params: { entitlementId: hours }, query: { limit: 1 } })
  expect(await (await ada.fetch(String(first.next))).json()).toMatchObject({ limit: 1, items: [{}] })

  // The grants of a cancelled subscription say so.
  const wanted = [{ entitlementId: hours, quantity: 8, startsAt: new Date(), endsAt: new Date('2099-01-01') }]
  await transaction(service.sql, (sql) =>
    applySubscriptionGrants(sql, { subscriptionId: 'first', orgId, wanted, at: new Date(), actor: null }),
  )
  const { items } = await ada.call(listGrants, { params: { entitlementId: hours }, query: { source: 'aws' } })
  expect(items).toMatchObject([{ productName: 'Stage Hours', ending: true, subscriptionId: 'first' }])
  await ada.call(addOrgMembers, { params: { orgId }, query: {}, body: { members: [ada.id] } })
  expect(await ada.call(listOwnEntitlements, { query: {} })).toMatchObject([
    { key: 'stage.hours', value: 108, orgs: [{ value: 108, ending: true, endsAt: '2099-01-01T00:00:00.000Z' }] },
  ])
})
