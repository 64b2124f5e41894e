import { getAwsUsageSummary, listAwsSubscriptionUsage, retryAwsUsage } from '@passport/contract/aws-usage'
import { isInBounds } from '@passport/world/aws-marketplace/metering'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import { billExcess, type TermUsage } from './billed-quantity.ts'
import { meterUsage } from './meter-usage.ts'
import { maxBytes, maxRecords, toBatches, toRecord } from './metering-batches.ts'
import { recordQuantities } from './record-quantities.ts'
import { type AwsService, startAwsService, withShortTimeouts } from './test-aws.ts'
import { addMeter, addUsage, hourAgo, type TestMeter } from './test-usage.ts'
import { earliestAccepted } from './usage-bounds.ts'
import type { ClaimedHour } from './usage-store.ts'

const [hours, studio, pro, old] = [
  'stagehours1a2b3c4d5e6f7g8',
  'stagestudio1a2b3c4d5e6f7g',
  'stagepro1a2b3c4d5e6f7g8h9',
  'stageold1a2b3c4d5e6f7g8h',
]

let aws: AwsService
beforeAll(async () => {
  aws = await startAwsService()
  const { sql } = aws.service
  const product = aws.marketplace.products.find(({ code }) => code === hours)
  if (product) aws.marketplace.products.push({ ...product, code: old, id: 'prod-old', name: 'Old', legacy: true })
  await sql`
    insert into aws_products (id, name, product_code, pricing_model, integration, support_email)
    values ('old', 'Old', ${old}, 'subscription', 'legacy', 'a@b.example')`
  await sql`
    insert into aws_product_dimensions (product_id, key, kind, entitlement_id, place)
    select 'old', 'streaming_hours', 'metered', id, 0 from entitlements where key = 'stage.hours'`
})

const add = (product: string, fields: object = {}) => addMeter(aws, product, fields)
const use = (meter: TestMeter, quantities: Record<number, number>, options = {}) =>
  addUsage(aws.service.sql, meter, quantities, options)
const meter = () => meterUsage(aws.service.services)
/** Makes postponed hours due, and sends them. */
async function meterAgain() {
  // The column rounds to milliseconds, half of the time up.
  await aws.service.sql`update aws_usage set due_at = now() - interval '1 second' where status in ('pending', 'sent')`
  return meter()
}
const rowsOf = ({ id }: TestMeter) =>
  aws.service.sql`
    select hour, used, quantity, status, error, over_metered, attempts, metering_record_id from aws_usage
    where subscription_id = ${id} order by hour`
const ledgerOf = ({ licenseArn }: TestMeter) =>
  aws.marketplace
    .usage()
    .filter((record) => record.licenseArn === licenseArn)
    .map(({ hour, quantity }) => [hour, quantity])
    .sort()
const calls = () => aws.marketplace.requests().filter(({ operation }) => operation === 'BatchMeterUsage')

describe('closed usage', () => {
  test('of pay as you go is sent whole, once, and with nothing but the licence', async () => {
    const one = await add(hours)
    await use(one, { 3: 5, 2: 0 })
    await use(one, { 0: 7 }, { isOpen: true })
    expect(await meter()).toBe(2)
    expect(await rowsOf(one)).toMatchObject([
      { used: 5, quantity: 5, status: 'success', attempts: 1, error: null, meteringRecordId: expect.any(String) },
      { used: 0, quantity: 0, status: 'success' },
    ])
    expect(ledgerOf(one)).toEqual([
      [hourAgo(3), 5],
      [hourAgo(2), 0],
    ])
    expect(calls().at(-1)?.input).not.toHaveProperty('ProductCode')
    expect(await meter()).toBe(0)
  })

  test('of a contract with consumption is sent above what the term entitles to', async () => {
    const one = await add(studio)
    const { sql } = aws.service
    const entitle = (value: number, expiresAt: string, at: string, lastEventAt: string | null = null) =>
      recordQuantities(
        sql,
        { id: one.id, startsAt: hourAgo(48), lastEventAt },
        [{ dimension: 'streaming_hours', value, expiresAt }],
        at,
      )
    await entitle(10, '2099-01-01T00:00:00.000Z', hourAgo(20))
    await use(one, { 12: 6, 11: 7, 10: 2 })
    await meter()
    expect(ledgerOf(one)).toEqual([
      [hourAgo(11), 3],
      [hourAgo(10), 2],
    ])
    expect((await rowsOf(one)).map(({ status }) => status)).toEqual(['included', 'success', 'success'])
    // More was bought before the last of these hours, which AWS reports late: what was sent stays.
    await entitle(14, '2099-01-01T00:00:00.000Z', hourAgo(1), hourAgo(11))
    expect((await rowsOf(one)).map(({ quantity, overMetered }) => [quantity, overMetered])).toEqual([
      [0, 0],
      [3, 3],
      [2, 1],
    ])
    await use(one, { 8: 4 })
    await meter()
    expect((await rowsOf(one)).at(-1)).toMatchObject({ used: 4, quantity: 4 })
    // A renewal begins a new term.
    await entitle(5, '2100-01-01T00:00:00.000Z', hourAgo(6))
    await use(one, { 5: 4, 4: 4 })
    await meter()
    expect((await rowsOf(one)).slice(-2)).toMatchObject([{ status: 'included' }, { quantity: 3, status: 'success' }])
    // Frozen and never sent: the new quantity counts.
    const held = await add(studio)
    const known = (value: number, at: string) =>
      recordQuantities(
        sql,
        { id: held.id, startsAt: hourAgo(48), lastEventAt: null },
        [{ dimension: 'streaming_hours', value, expiresAt: null }],
        at,
      )
    await known(1, hourAgo(9))
    aws.marketplace.failNext('BatchMeterUsage', 'denied')
    await use(held, { 7: 4 })
    await sql`update aws_usage set due_at = now() + interval '1 day' where status = 'pending'`
    await meter()
    await sql`update aws_usage set attempts = 0 where subscription_id = ${held.id}`
    await known(2, hourAgo(8))
    expect(await rowsOf(held)).toMatchObject([{ quantity: 2, status: 'pending', overMetered: 0 }])
    await known(4, hourAgo(8).replace('00:00.000', '30:00.000'))
    expect(await rowsOf(held)).toMatchObject([{ quantity: 0, status: 'included' }])
  })

  test('of a contract is not sent', async () => {
    const one = await add(pro)
    await use(one, { 3: 5 })
    await meter()
    expect(await rowsOf(one)).toEqual([])
  })

  test('of an older listing is sent with product code and customer', async () => {
    const one = await add(old)
    const two = await add(old, { customerIdentifier: null })
    const unknown = await add(old, { customerIdentifier: 'unknown' })
    await use(one, { 3: 5 })
    await use(two, { 3: 6 })
    await use(unknown, { 3: 7 })
    await meter()
    expect(ledgerOf(one)).toEqual([[hourAgo(3), 5]])
    expect(ledgerOf(two)).toEqual([[hourAgo(3), 6]])
    expect(await rowsOf(unknown)).toMatchObject([{ status: 'rejected', error: 'InvalidCustomerIdentifierException' }])
    expect(calls().at(-1)?.input).toMatchObject({ ProductCode: old })
    expect(JSON.stringify(calls().at(-1)?.input)).not.toContain('LicenseArn')
  })

  test('that arrives for a counted hour counts in the next closed hour', async () => {
    const one = await add(hours)
    await use(one, { 5: 5 })
    await meter()
    const other = await add(hours)
    await use(one, { 5: 2 }, { usageOrgId: other.orgId })
    await meter()
    const rows = await rowsOf(one)
    expect(rows.map(({ quantity }) => quantity)).toEqual([5, 2])
    expect(rows[1]?.['hour'] > hourAgo(4)).toBe(true)
  })
})

describe('a failing AWS', () => {
  test.for([
    'timeout',
    'close',
    'lost-response',
    'cut-response',
    'partial',
    'unprocessed',
    'fail',
    'throttle',
    'denied',
    'garbage',
  ] as const)('with the fault %s bills every hour once', async (fault) => {
    const meters = await Promise.all(Array.from({ length: 2 }, () => add(hours)))
    for (const one of meters)
      await use(one, Object.fromEntries(Array.from({ length: 15 }, (_, index) => [index + 2, index])))
    aws.marketplace.failNext('BatchMeterUsage', fault, 2)
    await withShortTimeouts(meter)
    aws.marketplace.clearFaults()
    await meterAgain()
    for (const one of meters) {
      expect((await rowsOf(one)).map(({ status }) => status)).toEqual(Array(15).fill('success'))
      expect(ledgerOf(one).map(([, quantity]) => quantity)).toEqual(
        Array.from({ length: 15 }, (_, index) => 14 - index),
      )
    }
  })

  test('that rejects one record accepts the others of the call', async () => {
    const bad = await add(hours)
    const good = await Promise.all(Array.from({ length: 7 }, () => add(hours)))
    await aws.service.sql`
      update aws_subscriptions set license_arn = license_arn || 'f' where id = ${bad.id}`
    await use(bad, { 2: 9 })
    for (const one of good) await use(one, { 2: 1 })
    const before = calls().length
    await meter()
    expect(await rowsOf(bad)).toMatchObject([{ status: 'rejected', error: 'InvalidLicenseException', quantity: 9 }])
    for (const one of good) expect(ledgerOf(one)).toEqual([[hourAgo(2), 1]])
    expect(calls().length - before).toBeLessThanOrEqual(1 + 2 * 3)
  })

  test('that has another quantity already is recorded, and not asked again', async () => {
    const one = await add(hours)
    const [known] = aws.marketplace.usage()
    if (!known) throw new Error('Nothing was metered before')
    aws.marketplace.usage().push({ ...known, licenseArn: one.licenseArn, hour: hourAgo(2), quantity: 1 })
    await use(one, { 2: 9 })
    await meter()
    expect(await rowsOf(one)).toMatchObject([{ status: 'duplicate', error: 'DuplicateRecord', quantity: 9 }])
    expect(await meterAgain()).toBe(0)
    expect(ledgerOf(one)).toEqual([[hourAgo(2), 1]])
  })

  test('accepts no hours that are too old', async () => {
    const one = await add(hours)
    await use(one, { 25: 9, 2: 1 })
    await meter()
    expect(await rowsOf(one)).toMatchObject([{ status: 'expired', attempts: 0 }, { status: 'success' }])
  })

  test('is throttled: the call is repeated within the run', async () => {
    const one = await add(hours)
    await use(one, { 2: 9 })
    aws.marketplace.failNext('BatchMeterUsage', 'throttle', 2)
    await meter()
    expect(await rowsOf(one)).toMatchObject([{ status: 'success', attempts: 1 }])
  })
})

test('the job meters in the background', async () => {
  const one = await add(hours)
  await use(one, { 2: 4 })
  await aws.service.jobs.find(({ name }) => name === 'aws-metering')?.run()
  await expect.poll(() => ledgerOf(one)).toEqual([[hourAgo(2), 4]])
})

test('two processes send nothing twice', async () => {
  const second = await startTestService({ AWS_MARKETPLACE_REGION: 'us-east-1' }, { sharedWith: aws.service })
  const meters = await Promise.all(Array.from({ length: 20 }, () => add(hours)))
  for (const one of meters) await use(one, { 3: 1, 2: 2 })
  const before = calls().length
  await Promise.all([meter(), meterUsage(second.services), meter(), meterUsage(second.services)])
  const sent = calls()
    .slice(before)
    .flatMap(({ input }) => (input as { UsageRecords: { LicenseArn: string; Timestamp: number }[] }).UsageRecords)
    .map(({ LicenseArn, Timestamp }) => `${LicenseArn} ${Timestamp}`)
  expect(sent).toHaveLength(40)
  expect(new Set(sent).size).toBe(40)
})

describe('the end of a subscription', () => {
  test('closes and sends its open hours at once, and what follows before the final hour ends', async () => {
    const endsAt = new Date(Date.now() - 60_000).toISOString()
    const one = await add(hours)
    await use(one, { 0: 3 }, { isOpen: true })
    await meter()
    expect(await rowsOf(one)).toEqual([])
    await aws.service.sql`
      update aws_subscriptions set status = 'ending', ends_at = ${endsAt},
        final_metering_until = ${new Date(Date.parse(endsAt) + 3_600_000).toISOString()}
      where id = ${one.id}`
    await meter()
    expect(ledgerOf(one)).toEqual([[hourAgo(0), 3]])
    await use(one, { 1: 2 }, { isOpen: true })
    await meter()
    expect(await rowsOf(one)).toHaveLength(1)
    await aws.service.sql`
      update aws_subscriptions set final_metering_until = now() + interval '4 minutes' where id = ${one.id}`
    await meter()
    expect(ledgerOf(one)).toEqual([
      [hourAgo(1), 2],
      [hourAgo(0), 3],
    ])
  })

  test('is confirmed by CustomerNotSubscribed, and AWS is asked about one that is active', async () => {
    const ended = await add(hours, {
      status: 'ending',
      endsAt: hourAgo(3),
      finalMeteringUntil: hourAgo(2),
    })
    const active = await add(hours)
    for (const one of [ended, active]) {
      await aws.marketplace.cancel(one.agreementId)
      await aws.marketplace.deprovision(one.agreementId)
      await use(one, { 4: 1 })
    }
    await aws.service.sql`delete from aws_events`
    await aws.service.sql`update aws_subscriptions set check_at = null where id = ${active.id}`
    // The server may be busy with an event of a subscription, whose hours then wait for the next time.
    for (const one of [ended, active])
      await expect
        .poll(async () => {
          await meter()
          return rowsOf(one)
        })
        .toMatchObject([{ status: 'not_subscribed', error: 'CustomerNotSubscribed' }])
    const [row] = await aws.service.sql`select not_subscribed_at from aws_subscription_facts where id = ${ended.id}`
    expect(row?.['notSubscribedAt']).toEqual(expect.any(String))
  })
})

describe('an administrator', () => {
  const read = (id: string, query: object = {}) =>
    aws.ada.call(listAwsSubscriptionUsage, { params: { subscriptionId: id }, query: query as never })
  const summarise = (id: string, days: '1' | '7' = '1') =>
    aws.ada.call(getAwsUsageSummary, { params: { subscriptionId: id }, query: { days } })

  test('lists hours by state, dimension and time, page by page', async () => {
    const one = await add(hours)
    await use(one, { 5: 1, 4: 2, 3: 3 })
    await meter()
    const query = { limit: 1, state: 'billed', dimension: 'streaming_hours', from: hourAgo(4), to: hourAgo(2) }
    const page = await read(one.id, query)
    expect(page.items).toMatchObject([{ hour: hourAgo(3), quantity: 3, used: 3, status: 'success', error: null }])
    expect(await (await aws.ada.fetch(String(page.next))).json()).toMatchObject({
      items: [{ quantity: 2 }],
      next: null,
    })
    expect((await read(one.id, { state: 'refused' })).items).toEqual([])
  })

  test('sees the sums by hour and day, the term, and what is still open', async () => {
    const one = await add(studio)
    await recordQuantities(
      aws.service.sql,
      { id: one.id, startsAt: hourAgo(48), lastEventAt: null },
      [{ dimension: 'streaming_hours', value: 10, expiresAt: '2099-01-01T00:00:00.000Z' }],
      hourAgo(47),
    )
    await use(one, { 4: 8, 3: 6 })
    await use(one, { 0: 2 }, { isOpen: true })
    await meter()
    const { dimensions, refusals, step } = await summarise(one.id)
    expect({ step, refusals }).toEqual({ step: 'hour', refusals: [] })
    expect(dimensions).toMatchObject([
      {
        dimension: 'streaming_hours',
        entitlement: { key: 'stage.hours' },
        used: 14,
        billed: 4,
        included: 10,
        waiting: 0,
        open: 2,
        term: { quantity: 10, used: 14, endsAt: '2099-01-01T00:00:00.000Z' },
      },
    ])
    expect(dimensions[0]?.buckets).toHaveLength(24)
    const week = await summarise(one.id, '7')
    expect(week.dimensions[0]?.buckets).toHaveLength(7)
    expect(week.dimensions[0]?.used).toBe(14)
  })

  test('sends refused hours again once the cause is gone, as far as AWS accepts them', async () => {
    const one = await add(hours)
    await use(one, { 26: 1, 2: 5 })
    const { sql } = aws.service
    await sql`update aws_subscriptions set license_arn = license_arn || 'f' where id = ${one.id}`
    await meter()
    expect((await summarise(one.id, '7')).refusals).toEqual(
      expect.arrayContaining([
        { status: 'expired', error: 'TimestampOutOfBoundsException', hours: 1, retryable: 0 },
        { status: 'rejected', error: 'InvalidLicenseException', hours: 1, retryable: 1 },
      ]),
    )
    await sql`update aws_subscriptions set license_arn = ${one.licenseArn} where id = ${one.id}`
    const retry = () => aws.ada.call(retryAwsUsage, { params: { subscriptionId: one.id } })
    expect(await retry()).toEqual({ hours: 1 })
    expect((await read(one.id, { state: 'waiting' })).items).toMatchObject([{ nextAttemptAt: expect.any(String) }])
    await meter()
    expect(ledgerOf(one)).toEqual([[hourAgo(2), 5]])
    expect(await retry()).toEqual({ hours: 0 })
    const [event] =
      await sql`select after from audit_events where action = 'aws-subscription.usage-retried' order by at limit 1`
    expect(event).toMatchObject({ after: { waitingHours: 1 } })
  })
})

describe('a call', () => {
  const arbitraryHour = fc.record<ClaimedHour>({
    subscriptionId: fc.uuid(),
    dimension: fc.string({ minLength: 1, maxLength: 255 }),
    hour: fc.constantFrom(hourAgo(1), hourAgo(2)),
    quantity: fc.nat(),
    attempts: fc.nat(),
    productId: fc.constantFrom('a', 'b', 'c'),
    productCode: fc.constant('code'),
    licenseArn: fc.option(fc.string({ maxLength: 60_000 })),
    customerAwsAccountId: fc.constant('123456789012'),
    customerIdentifier: fc.option(fc.constant('customer')),
    startsAt: fc.option(fc.constantFrom(hourAgo(3), hourAgo(2).replace('00:00.000', '20:00.000'))),
  })

  test('has one product, at most 25 records and less than 1 MB, and none is left out', () => {
    fc.assert(
      fc.property(fc.array(arbitraryHour, { maxLength: 80 }), (claimed) => {
        const batches = toBatches(claimed)
        expect(batches.flatMap(({ hours }) => hours).length).toBe(claimed.length)
        for (const { hours, productCode } of batches) {
          expect(hours.length).toBeLessThanOrEqual(maxRecords)
          expect(new Set(hours.map(({ productId }) => productId)).size).toBe(1)
          expect(hours.every(({ licenseArn }) => (licenseArn === null) === (productCode !== undefined))).toBe(true)
          expect(JSON.stringify(hours.map(toRecord)).length).toBeLessThan(maxBytes + maxRecords + 60_000)
          for (const hour of hours)
            expect(toRecord(hour).timestamp.toISOString().slice(0, 13)).toBe(hour.hour.slice(0, 13))
        }
      }),
    )
  })

  test('has times that AWS accepts, at any moment of a month', () => {
    const start = Date.parse('2026-10-30T00:00:00Z')
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5 * 86_400_000 }), fc.integer({ min: 0, max: 50 }), (after, ago) => {
        const now = start + after
        const hour = (Math.floor(now / 3_600_000) - ago) * 3_600_000
        expect(new Date(hour).toISOString() >= earliestAccepted(now)).toBe(isInBounds(hour, now))
      }),
    )
    expect(earliestAccepted(Date.parse('2026-11-01T05:59:59Z'))).toBe('2026-10-31T05:59:59.000Z')
    expect(earliestAccepted(Date.parse('2026-11-01T06:00:00Z'))).toBe('2026-11-01T00:00:00.000Z')
  })
})

test('the billed hours of a term add up to its use above the quantity, whatever their order of size', () => {
  const since = '2026-01-01T00:00:00.000Z'
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 100 }), { maxLength: 40 }), fc.nat({ max: 500 }), (used, quantity) => {
      let before: TermUsage | undefined
      let billed = 0
      for (const [index, of] of used.entries()) {
        const hour = new Date(Date.parse(since) + index * 3_600_000).toISOString()
        const counted = billExcess({ hour, used: of }, before, [{ since, quantity, termStartsAt: since }])
        expect(counted.quantity).toBeLessThanOrEqual(of)
        billed += counted.quantity
        before = counted
      }
      expect(billed).toBe(Math.max(0, used.reduce((sum, one) => sum + one, 0) - quantity))
    }),
  )
})
