import { createGrant, listOrgEntitlements, listOwnEntitlements } from '@passport/contract/entitlement-grants'
import { createEntitlement } from '@passport/contract/entitlements'
import { addOrgMembers, createOrg } from '@passport/contract/orgs'
import { beforeAll, expect, test } from 'vitest'
import { transaction } from '../database/sql.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { entClaim } from './effective.ts'
import type { SubscriptionGrants } from './grant-store.ts'
import { applyAllSubscriptionGrants, applySubscriptionGrants } from './grants.ts'

let service: TestService
let orgId: string
let otherOrgId: string
let seats: string
let recording: string
beforeAll(async () => {
  service = await startTestService()
  const ada = await service.as('ada')
  orgId = (await ada.call(createOrg, { body: { name: 'Northwind' } })).id
  otherOrgId = (await ada.call(createOrg, { body: { name: 'Beacon' } })).id
  const create = async (key: string, kind: 'flag' | 'quantity') =>
    (await ada.call(createEntitlement, { body: { key, name: key, kind } })).id
  seats = await create('stage.seats', 'quantity')
  recording = await create('stage.recording', 'flag')
})

const startsAt = new Date('2026-01-01T00:00:00Z')
const endsAt = new Date('2099-01-01T00:00:00Z')
const now = () => new Date()

type Item = Partial<SubscriptionGrants> & { subscriptionId: string }
const apply = (item: Item) => {
  const full = { orgId, wanted: [], at: now(), actor: 'client:aws', ...item }
  return transaction(service.sql, (sql) => applySubscriptionGrants(sql, full))
}
const listOpen = (subscription: string) => service.sql`
  select org_id, entitlement_id, quantity, ends_at from entitlement_grants
  where subscription_id = ${subscription} and (ends_at is null or ends_at > now()) order by entitlement_id, quantity`
const listLedger = async (subscription: string) =>
  (
    await service.sql`
      select action, quantity, actor_id from entitlement_ledger where subscription_id = ${subscription} order by sequence`
  ).map(({ action, quantity, actorId }) => `${action} ${quantity} ${actorId}`)
const countEvents = async () => {
  const [row] =
    await service.sql`select count(*)::integer as count from audit_events where action like 'entitlement.grant%'`
  return row?.['count'] as number
}

test('adds, changes and closes the grants of a subscription, and writes nothing without a difference', async () => {
  const wanted = [
    { entitlementId: seats, quantity: 25, startsAt, endsAt },
    { entitlementId: recording, quantity: 1, startsAt, endsAt: null },
  ]
  await apply({ subscriptionId: 's1', wanted })
  expect(await listOpen('s1')).toEqual([
    { orgId, entitlementId: seats, quantity: 25, endsAt: endsAt.toISOString() },
    { orgId, entitlementId: recording, quantity: null, endsAt: null },
  ])
  const events = await countEvents()
  await apply({ subscriptionId: 's1', wanted: wanted.toReversed() })
  expect(await countEvents()).toBe(events)

  await apply({ subscriptionId: 's1', wanted: [{ entitlementId: seats, quantity: 30, startsAt, endsAt }] })
  expect(await listOpen('s1')).toMatchObject([{ quantity: 30 }])
  expect((await listLedger('s1')).toSorted()).toEqual([
    'changed 30 client:aws',
    'closed null client:aws',
    'granted 25 client:aws',
    'granted null client:aws',
  ])
  const [changed] = await service.sql`
    select before, after, target_id from audit_events where action = 'entitlement.grant-changed' order by at desc limit 1`
  expect(changed).toMatchObject({
    targetId: seats,
    before: { org: 'Northwind', subscription: 's1', quantity: 25 },
    after: { org: 'Northwind', subscription: 's1', quantity: 30 },
  })
})

test('a quantity without a limit is true for users, in tokens, and in previews', async () => {
  const ada = await service.as('ada')
  const org = await ada.call(createOrg, { body: { name: 'Metered' } })
  await ada.call(addOrgMembers, { params: { orgId: org.id }, query: {}, body: { members: [ada.id], role: 'member' } })
  const wanted = [
    { entitlementId: seats, quantity: null, startsAt, endsAt: null },
    { entitlementId: seats, quantity: 5, startsAt, endsAt: null },
  ]
  await apply({ subscriptionId: 'metered', wanted, orgId: org.id })
  expect(await ada.call(listOwnEntitlements, { query: {} })).toMatchObject([
    { key: 'stage.seats', value: true, orgs: [{ id: org.id, value: true }] },
  ])
  expect(await entClaim(service.sql, ada.id)).toEqual({ ent: { 'stage.seats': true } })
  const held = await ada.call(listOrgEntitlements, { params: { orgId: org.id }, query: {} })
  expect(held).toMatchObject([{ key: 'stage.seats', value: true }])
  const body = { orgId: org.id, quantity: 3 }
  const preview = { params: { entitlementId: seats }, query: { preview: 'true' }, body }
  await expect(ada.call(createGrant, preview)).resolves.toEqual({ gains: [], loses: [] })
  await apply({ subscriptionId: 'metered', wanted: [], orgId: org.id })
})

test('moves the grants to another organisation, and closes all without one', async () => {
  const wanted = [{ entitlementId: seats, quantity: 5, startsAt, endsAt: null }]
  await apply({ subscriptionId: 's2', wanted })
  await apply({ subscriptionId: 's2', wanted, orgId: otherOrgId })
  expect(await listOpen('s2')).toMatchObject([{ orgId: otherOrgId, quantity: 5 }])
  await apply({ subscriptionId: 's2', wanted, orgId: null })
  expect(await listOpen('s2')).toEqual([])
  const events = await countEvents()
  await apply({ subscriptionId: 's2', wanted, orgId: null })
  expect(await countEvents()).toBe(events)
})

test('keeps two grants of one entitlement apart, and ignores expired and unknown ones', async () => {
  const past = new Date('2026-02-01T00:00:00Z')
  const wanted = [
    { entitlementId: seats, quantity: 5, startsAt, endsAt },
    { entitlementId: seats, quantity: 7, startsAt, endsAt },
    { entitlementId: seats, quantity: 9, startsAt, endsAt: past },
    { entitlementId: 'none', quantity: 9, startsAt, endsAt },
  ]
  await apply({ subscriptionId: 's3', wanted })
  await apply({ subscriptionId: 's3', wanted })
  expect(await listOpen('s3')).toMatchObject([{ quantity: 5 }, { quantity: 7 }])
})

test('applies many subscriptions in two statements', async () => {
  const statements: string[] = []
  const counting = await startTestService({}, { onStatement: (text) => statements.push(text) })
  const ada = await counting.as('ada')
  const org = await ada.call(createOrg, { body: { name: 'Many' } })
  const { id } = await ada.call(createEntitlement, { body: { key: 'many', name: 'Many', kind: 'quantity' } })
  const items = Array.from({ length: 50 }, (_, index) => ({
    subscriptionId: `many-${index}`,
    orgId: org.id,
    wanted: [{ entitlementId: id, quantity: index, startsAt, endsAt: null }],
    at: now(),
  }))
  statements.length = 0
  await applyAllSubscriptionGrants(counting.sql, items, null)
  expect(statements).toHaveLength(2)
  await applyAllSubscriptionGrants(counting.sql, items, null)
  expect(statements).toHaveLength(3)
  await applyAllSubscriptionGrants(counting.sql, [], null)
  expect(statements).toHaveLength(3)
})
