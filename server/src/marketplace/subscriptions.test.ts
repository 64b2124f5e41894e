import { getAwsDrift, listAwsEvents, redriveAwsEvent } from '@passport/contract/aws-events'
import { createOrg } from '@passport/contract/orgs'
import type { DetailType } from '@passport/world/aws-marketplace/deliveries'
import { beforeAll, describe, expect, test } from 'vitest'
import { transaction } from '../database/sql.ts'
import { startTestService } from '../test-service.ts'
import { licenseKeyOf } from './aws.ts'
import { assignOrg, checkWithAws, findOrCreateSubscription } from './subscriptions.ts'
import { type AwsService, startAwsService } from './test-aws.ts'

let aws: AwsService
beforeAll(async () => {
  aws = await startAwsService()
})

const productOf = (name: string) => {
  const product = aws.marketplace.products.find((candidate) => candidate.name === name)
  if (!product) throw new Error(`${name} is not a product of the marketplace`)
  return product
}
const buy = (name: string, order: object = {}) => aws.marketplace.buy({ product: productOf(name).code, ...order })

interface Purchase {
  licenseArn: string
  accountId: string
  agreementId: string
}

/** Waits until the events are applied and AWS has been asked, but for later attempts; returns the subscription. */
async function settle({ licenseArn }: Purchase) {
  await expect
    .poll(async () => {
      const [row] = await aws.service.sql`
        select (select count(*)::integer from aws_events where status = 'received') as received,
          (select count(*)::integer from aws_subscriptions where check_attempts = 0 and check_at <= now() + interval '3 minutes') as checks`
      return row
    })
    .toEqual({ received: 0, checks: 0 })
  const [row] = await aws.service.sql`
    select * from aws_subscriptions where license_key = ${licenseKeyOf(licenseArn)}`
  return row ?? {}
}

/** Redeems a purchase for a new organisation, as the landing does. */
async function redeem(name: string, { licenseArn, accountId }: Purchase) {
  const { service, ada } = aws
  const org = await ada.call(createOrg, { body: { name: `Contoso ${licenseArn.slice(-6)}` } })
  const [product] = await service.sql<{ id: string }[]>`select id from aws_products where name = ${name}`
  const subscription = await transaction(service.sql, async (sql) => {
    const license = { licenseKey: licenseKeyOf(licenseArn), licenseArn, accountId, source: 'landing' as const }
    const found = await findOrCreateSubscription(sql, { product: { id: product?.id ?? '' }, ...license })
    return assignOrg(sql, found, { orgId: org.id, actor: ada.id })
  })
  return { org, subscription }
}

const grantsOf = (orgId: string) => aws.service.sql<{ key: string; quantity: number | null }[]>`
  select key, quantity from counted_grants where org_id = ${orgId} order by key`

const grantsOfPro = (seats: number) => [
  { key: 'stage.recording', quantity: null },
  { key: 'stage.seats', quantity: seats },
]

describe('a subscription', () => {
  test('becomes active by its events, and gives its grants once an organisation redeems it', async () => {
    const purchase = await buy('Stage Pro', { quantities: { seats: 25 } })
    expect(await settle(purchase)).toMatchObject({
      status: 'active',
      source: 'event',
      agreementId: purchase.agreementId,
      agreementStatus: 'ACTIVE',
      orgId: null,
      checkError: null,
    })
    const { org, subscription } = await redeem('Stage Pro', purchase)
    expect(subscription).toMatchObject({ status: 'active', orgId: org.id, source: 'event' })
    expect(await grantsOf(org.id)).toEqual(grantsOfPro(25))
  })

  test('that is pending gives nothing, until AWS confirms it', async () => {
    aws.marketplace.setDelivery('held')
    const purchase = await buy('Stage Pro', { quantities: { seats: 5 } })
    const { org, subscription } = await redeem('Stage Pro', purchase)
    expect(subscription).toMatchObject({ status: 'pending', source: 'landing' })
    expect(await grantsOf(org.id)).toEqual([])
    aws.marketplace.setDelivery('automatic')
    expect(await checkWithAws(aws.service.services, subscription.id)).toMatchObject({ status: 'active' })
    expect(await grantsOf(org.id)).toEqual(grantsOfPro(5))
    await aws.marketplace.deliverHeld('newest-first')
    expect(await settle(purchase)).toMatchObject({ status: 'active', agreementId: purchase.agreementId })
  })

  test.for([
    ['Stage Pro', 'contract'],
    ['Stage Hours', 'subscription'],
    ['Stage Studio', 'contract-with-consumption'],
  ])('to %s follows its amendment, its end and the end of its final hour', async ([name = '']) => {
    const purchase = await buy(name)
    await settle(purchase)
    const { org } = await redeem(name, purchase)
    const isMetered = name === 'Stage Hours'
    if (!isMetered) {
      await aws.marketplace.amend(purchase.agreementId, { seats: 40 })
      await settle(purchase)
      expect(await grantsOf(org.id)).toContainEqual({ key: 'stage.seats', quantity: 40 })
    }
    const before = await grantsOf(org.id)
    expect(before.length).toBeGreaterThan(0)
    await aws.marketplace.cancel(purchase.agreementId)
    expect(await settle(purchase)).toMatchObject({ status: 'ending', finalMeteringUntil: expect.any(String) })
    expect(await grantsOf(org.id)).toEqual(before)
    await aws.marketplace.deprovision(purchase.agreementId)
    expect(await settle(purchase)).toMatchObject({ status: 'ended' })
    expect(await grantsOf(org.id)).toEqual([])
    const ledger = await aws.service.sql`
      select 1 from entitlement_ledger l join aws_subscriptions s on s.id = l.subscription_id
      where s.license_key = ${licenseKeyOf(purchase.licenseArn)} and l.action = 'closed'`
    expect(ledger).toHaveLength(before.length)
  })

  test('in a free trial says when that ends', async () => {
    const purchase = await buy('Stage Trial')
    expect(await settle(purchase)).toMatchObject({ status: 'active', trial: true, trialEndsAt: expect.any(String) })
    await aws.marketplace.convertTrial(purchase.agreementId)
    expect(await settle(purchase)).toMatchObject({ status: 'active', trial: false, trialEndsAt: null })
  })

  test('to another licence of the same account adds up', async () => {
    const [first, second] = [await buy('Stage Pro'), await buy('Stage Pro')]
    await settle(first)
    const { org } = await redeem('Stage Pro', first)
    await settle(second)
    const { service } = aws
    const [row] = await service.sql<{ id: string }[]>`
      select id from aws_subscriptions where license_key = ${licenseKeyOf(second.licenseArn)}`
    await transaction(service.sql, (sql) => assignOrg(sql, { id: row?.id ?? '' }, { orgId: org.id, actor: null }))
    expect((await grantsOf(org.id)).filter(({ key }) => key === 'stage.seats')).toHaveLength(2)
  })
})

describe('events', () => {
  const eventsOf = ({ agreementId }: Purchase, type: DetailType) =>
    aws.marketplace.events().find((event) => event.agreementId === agreementId && event.detailType === type)?.id ?? ''

  test('of an agreement wait for the licence that names it, and are listed until then', async () => {
    aws.marketplace.setDelivery('held')
    const purchase = await buy('Stage Hours')
    const createdEvent = eventsOf(purchase, 'Purchase Agreement Created - Proposer')
    expect(await aws.marketplace.deliver(createdEvent)).toEqual([202])
    await settle(purchase)
    const { ada } = aws
    const unmatched = await ada.call(listAwsEvents, { query: { status: 'unmatched' } })
    const waiting = unmatched.items.find(({ eventId }) => eventId === createdEvent)
    expect(waiting).toMatchObject({ agreementId: purchase.agreementId, subscriptionId: null, attempts: 1 })
    // Nothing has changed, so that it waits again.
    await ada.call(redriveAwsEvent, { params: { eventId: waiting?.id ?? '' } })
    await expect
      .poll(async () => (await ada.call(listAwsEvents, { query: { status: 'unmatched' } })).items)
      .toContainEqual(expect.objectContaining({ eventId: createdEvent, attempts: 2 }))
    await aws.marketplace.deliver(eventsOf(purchase, 'License Updated - Manufacturer'), { times: 2 })
    expect(await settle(purchase)).toMatchObject({ status: 'active', agreementId: purchase.agreementId })
    expect((await ada.call(listAwsEvents, { query: {} })).items.map(({ eventId }) => eventId)).not.toContain(
      createdEvent,
    )
    const again = await ada.fetch(`/passport/admin/awsevents/${waiting?.id}/redrive`, { method: 'POST' })
    expect([again.status, await again.json()]).toEqual([409, expect.objectContaining({ code: 'aws-event-applied' })])
    const missing = await ada.fetch('/passport/admin/awsevents/x/redrive', { method: 'POST' })
    expect(missing.status).toBe(404)
    aws.marketplace.setDelivery('automatic')
  })

  test('of a product that is unknown wait for an administrator', async () => {
    const { service, ada } = aws
    await service.sql`update aws_products set product_code = 'renamed', product_id = null where name = 'Stage Hours'`
    const purchase = await buy('Stage Hours')
    expect(await settle(purchase)).toEqual({})
    const { code, id } = productOf('Stage Hours')
    await service.sql`update aws_products set product_code = ${code}, product_id = ${id} where product_code = 'renamed'`
    const { items } = await ada.call(listAwsEvents, { query: {} })
    const event = items.find(({ licenseKey }) => licenseKey === licenseKeyOf(purchase.licenseArn))
    await ada.call(redriveAwsEvent, { params: { eventId: event?.id ?? '' } })
    expect(await settle(purchase)).toMatchObject({ status: 'active' })
  })

  test('that AWS gives no answer about are failed, say why, and are applied once it does', async () => {
    const { ada, marketplace, service } = aws
    marketplace.failNext('GetEntitlements', 'fail', 2)
    marketplace.setDelivery('held')
    const purchase = await buy('Stage Pro')
    await marketplace.deliver(eventsOf(purchase, 'License Updated - Manufacturer'))
    const license = licenseKeyOf(purchase.licenseArn)
    const list = async () =>
      (await ada.call(listAwsEvents, { query: { status: 'failed' } })).items.filter(
        ({ licenseKey }) => licenseKey === license,
      )
    await expect.poll(list).toHaveLength(1)
    const [failed] = await list()
    expect(failed).toMatchObject({ error: expect.stringMatching(/^awsmp-unavailable: AWS Marketplace/) })
    const [row] = await service.sql`select * from aws_subscriptions where license_key = ${license}`
    expect(row).toMatchObject({ status: 'pending', checkAttempts: 1, checkError: failed?.error })
    expect(Date.parse(row?.['checkAt']) - Date.now()).toBeGreaterThan(20_000)
    await ada.call(redriveAwsEvent, { params: { eventId: failed?.id ?? '' } })
    expect(await settle(purchase)).toMatchObject({ status: 'active', checkError: null, checkAttempts: 0 })
    expect(await list()).toEqual([])
    marketplace.setDelivery('automatic')
  })

  test('ask AWS at once again if the last attempt has failed', async () => {
    const { marketplace } = aws
    marketplace.setDelivery('held')
    const purchase = await buy('Stage Pro')
    marketplace.failNext('GetEntitlements', 'fail', 2)
    await marketplace.deliver(eventsOf(purchase, 'License Updated - Manufacturer'))
    await expect.poll(() => settle(purchase)).toMatchObject({ status: 'pending', checkAttempts: 1 })
    await marketplace.deliver(eventsOf(purchase, 'Purchase Agreement Created - Proposer'))
    await expect
      .poll(() => settle(purchase))
      .toMatchObject({ status: 'active', checkError: null, checkAttempts: 0, agreementStatus: 'ACTIVE' })
    marketplace.setDelivery('automatic')
  })

  test('that arrive while their subscription is created are applied to it', async () => {
    const { service, marketplace } = aws
    marketplace.setDelivery('held')
    const purchase = await buy('Stage Hours')
    const agreementEvent = eventsOf(purchase, 'Purchase Agreement Created - Proposer')
    const statusOf = async () => {
      const [event] = await service.sql`
        select status, (select count(*)::integer from pg_locks where not granted) as waiting
        from aws_events where event_id = ${agreementEvent}`
      return event
    }
    const [product] = await service.sql<{ id: string }[]>`select id from aws_products where name = 'Stage Hours'`
    await transaction(service.sql, async (sql) => {
      const { licenseArn, accountId, agreementId } = purchase
      const license = { licenseKey: licenseKeyOf(licenseArn), licenseArn, accountId, agreementId }
      await findOrCreateSubscription(sql, { product: { id: product?.id ?? '' }, ...license, source: 'landing' })
      await marketplace.deliver(agreementEvent)
      await expect.poll(statusOf).not.toEqual({ status: 'received', waiting: 0 })
    })
    await expect.poll(statusOf).toEqual({ status: 'applied', waiting: 0 })
    await marketplace.deliver(eventsOf(purchase, 'License Updated - Manufacturer'))
    expect(await settle(purchase)).toMatchObject({ status: 'active', source: 'landing' })
    marketplace.setDelivery('automatic')
  })

  test('that are lost are repaired by the nightly comparison, which the drift shows before', async () => {
    const { ada, marketplace, service } = aws
    const purchase = await buy('Stage Pro', { quantities: { seats: 3 } })
    await settle(purchase)
    const { org, subscription } = await redeem('Stage Pro', purchase)
    marketplace.setDelivery('held')
    await marketplace.amend(purchase.agreementId, { seats: 7 })
    for (const { id } of marketplace.events().filter(({ status }) => status === 'held')) marketplace.drop(id)
    marketplace.setDelivery('automatic')
    await service.sql`update aws_subscriptions set last_checked_at = null where id = ${subscription.id}`
    const drift = await ada.call(getAwsDrift, {})
    expect(drift).toMatchObject({ failed: 0 })
    expect(drift.differences.filter(({ subscriptionId }) => subscriptionId === subscription.id)).toEqual([
      {
        subscriptionId: subscription.id,
        field: 'entitlements.seats',
        passport: expect.stringMatching(/^3 until /),
        aws: expect.stringMatching(/^7 until /),
        since: null,
        takesAccess: false,
      },
    ])
    await service.jobs.find(({ name }) => name === 'aws-comparison')?.run()
    expect(await grantsOf(org.id)).toEqual(grantsOfPro(7))
    await service.jobs.find(({ name }) => name === 'aws-marketplace')?.run()
  })

  test('are applied once by two servers on one database', async () => {
    const { service, marketplace } = aws
    const second = await startTestService(
      { AWS_MARKETPLACE_REGION: 'us-east-1', AWS_MARKETPLACE_EVENT_KEYS: aws.eventKey },
      { sharedWith: service },
    )
    expect(second.services.config.awsMarketplace?.eventKeys).toEqual([aws.eventKey])
    const purchases = await Promise.all(Array.from({ length: 8 }, () => buy('Stage Hours')))
    const redeemed = []
    for (const purchase of purchases) {
      await settle(purchase)
      redeemed.push(await redeem('Stage Hours', purchase))
    }
    const ids = marketplace.events().map(({ id }) => id)
    await Promise.all(ids.slice(-16).map((id) => marketplace.deliver(id, { times: 3 })))
    for (const purchase of purchases) expect(await settle(purchase)).toMatchObject({ status: 'active' })
    for (const { subscription } of redeemed) {
      const ledger = await service.sql`select action from entitlement_ledger where subscription_id = ${subscription.id}`
      expect(ledger).toEqual([{ action: 'granted' }])
    }
  })

  test('that are received when a batch fails are applied one by one', async () => {
    const { service } = aws
    const [good, bad] = [await buy('Stage Hours'), await buy('Stage Hours')]
    await settle(good)
    await settle(bad)
    await service.sql.unsafe(`
      create function break_one() returns trigger language plpgsql as $$ begin
        if new.license_key = '${licenseKeyOf(bad.licenseArn)}' then raise exception 'broken'; end if; return new; end $$;
      create trigger broken before update on aws_subscriptions for each row execute function break_one()`)
    aws.marketplace.setDelivery('held')
    await aws.marketplace.deprovision(good.agreementId)
    await aws.marketplace.deprovision(bad.agreementId)
    await aws.marketplace.deliverHeld()
    aws.marketplace.setDelivery('automatic')
    expect(await settle(good)).toMatchObject({ status: 'ended' })
    expect(await settle(bad)).toMatchObject({ status: 'active' })
    const { items } = await aws.ada.call(listAwsEvents, { query: { status: 'failed' } })
    const failed = items.find(({ licenseKey }) => licenseKey === licenseKeyOf(bad.licenseArn))
    expect(failed).toMatchObject({ error: expect.stringContaining('could not be applied') })
    await service.sql.unsafe('drop trigger broken on aws_subscriptions')
    await aws.ada.call(redriveAwsEvent, { params: { eventId: failed?.id ?? '' } })
    expect(await settle(bad)).toMatchObject({ status: 'ended' })
  })
})
