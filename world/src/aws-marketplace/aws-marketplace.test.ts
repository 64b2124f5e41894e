import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { serveApp } from '../serve-app.ts'
import { type AwsMarketplaceOptions, type RunningAwsMarketplace, startAwsMarketplace } from './aws-marketplace.ts'
import { findShapeErrors, serviceModels } from './check-shapes.ts'
import { errorOf, type Fault, faults, operations } from './faults.ts'
import { isInBounds } from './metering.ts'
import { stageProducts } from './stage-products.ts'

const [pro, hours, studio, trial] = stageProducts.map(({ code }) => code) as [string, string, string, string]
const licenceEvents = ['License Updated - Manufacturer', 'License Deprovisioned - Manufacturer']

/** The deliveries of EventBridge, and the statuses of the next responses of the seller. */
const received: { id: string; type: string; body: Record<string, unknown>; headers: Headers }[] = []
const statuses: number[] = []
const listTypes = () => received.map(({ type }) => type)

let eventsUrl: string
let marketplace: RunningAwsMarketplace

beforeAll(async () => {
  const destination = new Hono()
  destination.post('/events', async (c) => {
    const body = await c.req.json()
    received.push({ id: body.id, type: body['detail-type'], body, headers: c.req.raw.headers })
    return c.body(null, (statuses.shift() ?? 202) as 202)
  })
  const served = await serveApp(destination)
  eventsUrl = `http://127.0.0.1:${served.port}/events`
  marketplace = await start({ requestsPerSecond: Number.POSITIVE_INFINITY })
  return async () => {
    await marketplace.stop()
    await served.stop()
  }
})
afterEach(() => {
  received.length = 0
  statuses.length = 0
  marketplace.setDelivery('automatic')
})

const start = (options: Partial<AwsMarketplaceOptions> = {}) =>
  startAwsMarketplace({ fulfilmentUrl: 'http://seller.example/landing', eventsUrl, eventKey: 'event-key', ...options })

/** Sends a request as the SDK does, except that its signature is not computed. */
async function send(operation: string, input: unknown, headers: Record<string, string> = {}, target = marketplace) {
  const { targetPrefix = 'Unknown', jsonVersion = '1.1' } =
    serviceModels.find((service) => operation in service.operations) ?? {}
  const response = await fetch(target.url, {
    method: 'POST',
    headers: {
      'content-type': `application/x-amz-json-${jsonVersion}`,
      'x-amz-target': `${targetPrefix}.${operation}`,
      'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
      authorization: authorize(target.environment['AWS_ACCESS_KEY_ID']),
      ...headers,
    },
    body: typeof input === 'string' ? input : JSON.stringify(input),
  })
  // biome-ignore lint/suspicious/noExplicitAny: the response of any operation.
  return { status: response.status, body: (await response.json()) as any }
}
const authorize = (key = '', service = 'aws-marketplace', signed = 'content-type;host;x-amz-date;x-amz-target') =>
  `AWS4-HMAC-SHA256 Credential=${key}/20261124/us-east-1/${service}/aws4_request, SignedHeaders=${signed}, Signature=${'0'.repeat(64)}`

const failure = (name: string, status = 400) => ({ status, body: { __type: name } })
const listEntitlements = async (filter: object, more: object = {}, product = pro) => {
  const { body } = await send('GetEntitlements', { ProductCode: product, Filter: filter, ...more })
  return body.Entitlements.map(({ Dimension, Value }: { Dimension: string; Value: object }) => [
    Dimension,
    ...Object.values(Value),
  ])
}

describe('requests and responses match the service models of AWS', () => {
  test.each(operations)('%s', async (operation) => {
    const { agreementId, token, licenseArn, accountId } = await marketplace.buy({ product: studio })
    const { agreementId: trialId } = await marketplace.buy({ product: trial })
    const record = { Timestamp: Math.floor(Date.now() / 1000), CustomerAWSAccountId: accountId, LicenseArn: licenseArn }
    const inputs = {
      ResolveCustomer: [{ RegistrationToken: token }, { RegistrationToken: 'unknown' }],
      BatchMeterUsage: [
        { UsageRecords: [{ ...record, Dimension: 'streaming_hours', Quantity: 3 }] },
        { UsageRecords: [{ ...record, Dimension: 'unknown' }] },
      ],
      GetEntitlements: [{ ProductCode: studio, MaxResults: 1 }, { ProductCode: 'unknown' }],
      DescribeAgreement: [{ agreementId }, { agreementId: trialId }, { agreementId: 'agmt-unknown' }],
      GetAgreementTerms: [{ agreementId }, { agreementId: trialId }, { agreementId: 'agmt-unknown' }],
    }[operation]
    for (const input of inputs) await send(operation, input)
    for (const fault of Object.keys(faults).filter((name) => errorOf(name as Fault, operation))) {
      marketplace.failNext(operation, fault as Fault)
      await send(operation, inputs[0])
    }
    const requests = marketplace.requests().filter((request) => request.operation === operation)
    expect(new Set(requests.map(({ status }) => status))).toContain(200)
    expect(requests.flatMap(findShapeErrors)).toEqual([])
  })

  test('which a change of a response would break', () => {
    const request = { operation: 'ResolveCustomer', input: { RegistrationToken: 'x' }, status: 200 }
    for (const output of [
      { LicenceArn: 'arn' },
      { LicenseArn: 'l-1' },
      { CustomerAWSAccountId: 123456789012 },
      { CustomerAWSAccountId: '1234-5678' },
    ])
      expect(findShapeErrors({ ...request, output })).toHaveLength(1)
    expect(findShapeErrors({ ...request, status: 400, output: { __type: 'InvalidToken' } })).toHaveLength(1)
    expect(findShapeErrors({ ...request, status: 500, output: { __type: 'InvalidTokenException' } })).toHaveLength(1)
  })
})

test.each([
  ['no signature', { authorization: '' }, 'MissingAuthenticationTokenException'],
  ['another scheme', { authorization: 'Bearer x' }, 'IncompleteSignatureException'],
  [
    'an unsigned target',
    { authorization: authorize('x', undefined, 'host;x-amz-date') },
    'IncompleteSignatureException',
  ],
  ['another service', { authorization: authorize('x', 'license-manager') }, 'InvalidSignatureException'],
  ['another key', { authorization: authorize('AKIAOTHER') }, 'UnrecognizedClientException'],
  ['an old date', { 'x-amz-date': '20260101T000000Z' }, 'InvalidSignatureException'],
  ['another type', { 'content-type': 'application/cbor' }, 'UnknownOperationException'],
  ['another protocol', { 'content-type': 'application/x-amz-json-1.0' }, 'UnknownOperationException'],
  ['an unknown operation', { 'x-amz-target': 'AWSMPMeteringService.MeterUsage' }, 'UnknownOperationException'],
])('a request with %s is rejected', async (_, headers, name) => {
  expect(await send('ResolveCustomer', { RegistrationToken: 'x' }, headers)).toMatchObject(failure(name))
})

test('a body must be a JSON object of less than 1 MiB', async () => {
  for (const body of ['', '{', '[1', '"x"', 'null'])
    expect(await send('ResolveCustomer', body)).toMatchObject(failure('SerializationException'))
  expect(await send('ResolveCustomer', { RegistrationToken: '' })).toMatchObject(failure('ValidationException'))
  const body = JSON.stringify({ RegistrationToken: 'x' })
  const pad = (bytes: number) => body.padEnd(bytes)
  expect(await send('ResolveCustomer', pad(2 ** 20 - 1))).toMatchObject(failure('InvalidTokenException'))
  expect(await send('ResolveCustomer', pad(2 ** 20))).toMatchObject(failure('RequestEntityTooLargeException', 413))
})

test('an operation takes 10 requests a second', async () => {
  const limited = await start()
  onTestFinished(limited.stop)
  const countThrottled = async () => {
    const sending = Array.from({ length: 12 }, () => send('GetEntitlements', { ProductCode: pro }, {}, limited))
    const throttled = (await Promise.all(sending)).filter(({ status }) => status !== 200)
    for (const response of throttled) expect(response).toMatchObject(failure('ThrottlingException'))
    return throttled.length
  }
  // On a busy machine the first requests may take longer than a second.
  await expect.poll(countThrottled).toBeGreaterThan(0)
})

describe('GetEntitlements', () => {
  test('unites the values of a filter, and intersects filters', async () => {
    const first = await marketplace.buy({ product: pro, quantities: { seats: 3, recording: false } })
    const second = await marketplace.buy({ product: pro, quantities: { seats: 5 } })
    const accounts = { CUSTOMER_AWS_ACCOUNT_ID: [first.accountId, second.accountId] }
    expect(await listEntitlements(accounts)).toEqual([
      ['seats', 3],
      ['seats', 5],
      ['recording', true],
    ])
    expect(await listEntitlements({ ...accounts, DIMENSION: ['seats'] }, { MaxResults: 1 })).toEqual([['seats', 3]])
    expect(
      await listEntitlements({ ...accounts, LICENSE_ARN: [second.licenseArn], DIMENSION: ['seats', 'x'] }),
    ).toEqual([['seats', 5]])
    expect(await listEntitlements({ ...accounts, LICENSE_ARN: ['arn:aws:other:us-east-1:1:l-1'] })).toEqual([])
  })

  test.each([
    [{ MaxResults: 0 }],
    [{ MaxResults: 26 }],
    [{ NextToken: 'x' }],
    [{ Filter: { LICENSE_ARN: [] } }],
    [{ Filter: { OFFER: ['x'] } }],
    [{ Filter: { CUSTOMER_IDENTIFIER: ['x'], CUSTOMER_AWS_ACCOUNT_ID: ['1'] } }],
  ])('rejects %j', async (input) => {
    expect(await send('GetEntitlements', { ProductCode: pro, ...input })).toMatchObject(
      failure('InvalidParameterException'),
    )
  })

  test('follows changes of a purchase until its licence is gone', async () => {
    const { agreementId, licenseArn } = await marketplace.buy({ product: studio, quantities: { seats: 2 } })
    const list = () => listEntitlements({ LICENSE_ARN: [licenseArn] }, {}, studio)
    expect(await list()).toEqual([
      ['seats', 2],
      ['streaming_hours', 1],
    ])
    await marketplace.amend(agreementId, { seats: 7, streaming_hours: 0 })
    expect(await list()).toEqual([['seats', 7]])
    await marketplace.cancel(agreementId)
    expect(await list()).toEqual([['seats', 7]])
    await marketplace.deprovision(agreementId)
    expect(await list()).toEqual([])
    await expect(marketplace.amend(agreementId, { seats: 1.5 })).rejects.toThrow('seats')
    await expect(marketplace.amend(agreementId, { chairs: 1 })).rejects.toThrow('chairs')
  })
})

describe('BatchMeterUsage', () => {
  const now = () => Math.floor(Date.now() / 1000)
  const createRecord = async (product = hours) => {
    const { agreementId, accountId, licenseArn } = await marketplace.buy({ product })
    const record = {
      Timestamp: now(),
      CustomerAWSAccountId: accountId,
      LicenseArn: licenseArn,
      Dimension: 'streaming_hours',
      Quantity: 4,
    }
    return { agreementId, record }
  }
  const meter = (...records: object[]) => send('BatchMeterUsage', { UsageRecords: records })
  const statusesOf = ({ body }: { body: { Results: { Status: string }[] } }) => body.Results.map(({ Status }) => Status)

  test('bills the first quantity of an hour', async () => {
    const { record } = await createRecord()
    const first = await meter(record)
    expect(first.body).toEqual({
      Results: [{ UsageRecord: record, Status: 'Success', MeteringRecordId: expect.any(String) }],
      UnprocessedRecords: [],
    })
    expect(await meter(record)).toEqual(first)
    expect(statusesOf(await meter({ ...record, Quantity: 5 }))).toEqual(['DuplicateRecord'])
    expect(marketplace.usage().filter(({ licenseArn }) => licenseArn === record.LicenseArn)).toEqual([
      expect.objectContaining({ dimension: 'streaming_hours', quantity: 4 }),
    ])
  })

  test('takes an ended subscription for an hour, unless its licence is gone', async () => {
    const { agreementId, record } = await createRecord()
    await marketplace.cancel(agreementId)
    expect(statusesOf(await meter(record))).toEqual(['Success'])
    await marketplace.deprovision(agreementId)
    expect(statusesOf(await meter(record))).toEqual(['CustomerNotSubscribed'])
  })

  test('may leave records unprocessed', async () => {
    const { record } = await createRecord()
    marketplace.failNext('BatchMeterUsage', 'unprocessed')
    expect((await meter(record)).body).toEqual({ Results: [], UnprocessedRecords: [record] })
    expect(statusesOf(await meter(record))).toEqual(['Success'])
    marketplace.failNext('ResolveCustomer', 'unprocessed')
    expect(await send('ResolveCustomer', { RegistrationToken: 'x' })).toMatchObject(failure('InvalidTokenException'))
  })

  test('takes 25 records', async () => {
    const { record } = await createRecord()
    expect(await meter(...Array.from({ length: 25 }, () => record))).toMatchObject({ status: 200 })
    expect(await meter(...Array.from({ length: 26 }, () => record))).toMatchObject(failure('ValidationException'))
  })

  test.each([
    [{ Dimension: 'seats' }, 'InvalidUsageDimensionException'],
    [{ Timestamp: now() - 24 * 3600 - 60 }, 'TimestampOutOfBoundsException'],
    [{ Timestamp: now() + 3600 }, 'TimestampOutOfBoundsException'],
    [{ Timestamp: undefined }, 'ValidationException'],
    [{ Quantity: -1 }, 'ValidationException'],
    [{ Quantity: 1.5 }, 'ValidationException'],
    [{ Quantity: 2 ** 31 }, 'ValidationException'],
    [{ LicenseArn: 'arn:aws:license-manager:us-east-1:1:l-1' }, 'InvalidLicenseException'],
    [{ CustomerAWSAccountId: '1' }, 'InvalidCustomerIdentifierException'],
    [{ CustomerIdentifier: 'x' }, 'InvalidCustomerIdentifierException'],
    [{ UsageAllocations: [] }, 'ValidationException'],
    [{ UsageAllocations: Array.from({ length: 2501 }, () => ({ AllocatedUsageQuantity: 0 })) }, 'ValidationException'],
    [{ UsageAllocations: [{ AllocatedUsageQuantity: 3 }] }, 'InvalidUsageAllocationsException'],
    [
      { UsageAllocations: [{ AllocatedUsageQuantity: 2 }, { AllocatedUsageQuantity: 2 }] },
      'InvalidUsageAllocationsException',
    ],
    [
      {
        UsageAllocations: [
          { AllocatedUsageQuantity: 4, Tags: [1, 2, 3, 4, 5, 6].map((key) => ({ Key: `k${key}`, Value: 'v' })) },
        ],
      },
      'InvalidTagException',
    ],
  ])('rejects the whole batch for %j', async (fields, name) => {
    const { record } = await createRecord()
    expect(await meter(record, { ...record, ...fields })).toMatchObject(failure(name))
    expect(marketplace.usage().some(({ licenseArn }) => licenseArn === record.LicenseArn)).toBe(false)
  })

  test('takes one product, and no product code with a licence', async () => {
    const { record } = await createRecord()
    const { record: other } = await createRecord(studio)
    expect(await meter(record, other)).toMatchObject(failure('InvalidLicenseException'))
    expect(await send('BatchMeterUsage', { UsageRecords: [record], ProductCode: hours })).toMatchObject(
      failure('InvalidProductCodeException'),
    )
    const { LicenseArn: _, ...legacy } = record
    expect(await send('BatchMeterUsage', { UsageRecords: [legacy], ProductCode: hours })).toMatchObject({ status: 200 })
  })

  test.each([
    ['2026-11-24T12:00:00Z', '2026-11-23T12:00:00Z', true],
    ['2026-11-24T12:00:00Z', '2026-11-23T11:59:59Z', false],
    ['2026-11-24T12:00:00Z', '2026-11-24T12:00:01Z', false],
    ['2026-12-01T05:59:59Z', '2026-11-30T23:59:59Z', true],
    ['2026-12-01T06:00:00Z', '2026-11-30T23:59:59Z', false],
    ['2026-12-01T06:00:00Z', '2026-12-01T00:00:00Z', true],
  ])('at %s a record of %s is in bounds: %s', (at, timestamp, expected) => {
    expect(isInBounds(Date.parse(timestamp), Date.parse(at))).toBe(expected)
  })
})

describe('events', () => {
  test('are those of AWS: a licence without the prefix of its ARN, and agreements without a product', async () => {
    const { agreementId, accountId, licenseArn } = await marketplace.buy({ product: pro })
    await marketplace.amend(agreementId, { seats: 2 })
    await marketplace.cancel(agreementId)
    await marketplace.deprovision(agreementId)
    const common = {
      version: '0',
      source: 'aws.agreement-marketplace',
      account: '123456789012',
      region: 'us-east-1',
      resources: [`arn:aws:aws-marketplace::aws:agreement:${agreementId}`],
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      id: expect.any(String),
    }
    const detail = {
      requestId: expect.any(String),
      catalog: 'AWSMarketplace',
      acceptor: { accountId },
      proposer: { accountId: '123456789012' },
      offer: { id: expect.stringMatching(/^offer-/) },
    }
    const licence = {
      ...detail,
      agreement: { id: agreementId },
      product: { code: pro, id: 'prod-stagepro4x7yq' },
      license: { arn: licenseArn.replace(/^arn:/, '') },
    }
    const terms = { startTime: expect.any(String), endTime: expect.any(String), acceptanceTime: expect.any(String) }
    const changed = (intent: string) => ({
      ...detail,
      agreement: { id: agreementId, intent, status: 'ACTIVE', ...terms },
      resaleAuthorization: { id: null },
    })
    expect(received.map(({ body }) => body)).toEqual([
      { ...common, 'detail-type': 'Purchase Agreement Created - Proposer', detail: changed('NEW') },
      { ...common, 'detail-type': 'License Updated - Manufacturer', detail: licence },
      { ...common, 'detail-type': 'Purchase Agreement Amended - Proposer', detail: changed('AMEND') },
      { ...common, 'detail-type': 'License Updated - Manufacturer', detail: licence },
      {
        ...common,
        'detail-type': 'Purchase Agreement Ended - Proposer',
        detail: {
          ...detail,
          agreement: { id: agreementId, status: 'CANCELLED' },
          resaleAuthorization: { id: null },
        },
      },
      { ...common, 'detail-type': 'License Deprovisioned - Manufacturer', detail: licence },
    ])
    const times = received.map(({ body }) => Date.parse(String(body['time'])))
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
    expect(times.at(-1)).toBeLessThanOrEqual(Date.now())
    expect(received[0]?.headers.get('x-passport-webhook-key')).toBe('event-key')
  })

  test('are held, delivered in reverse and twice, or dropped', async () => {
    marketplace.setDelivery('held')
    const { agreementId } = await marketplace.buy({ product: hours })
    await marketplace.cancel(agreementId)
    const [created, updated, ended] = marketplace.events().filter((event) => event.agreementId === agreementId)
    if (!created || !updated || !ended) throw new Error('an event is missing')
    expect(received).toEqual([])
    marketplace.drop(created.id)
    await marketplace.deliverHeld('newest-first')
    expect(received.map(({ id }) => id)).toEqual([ended.id, updated.id])
    expect(await marketplace.deliver(updated.id, { times: 2 })).toEqual([202, 202])
    expect(received).toHaveLength(4)
    expect([created, updated, ended].map(({ status }) => status)).toEqual(['dropped', 'delivered', 'delivered'])
  })

  test('are retried after 503, but not after 400', async () => {
    statuses.push(503, 400)
    const { agreementId } = await marketplace.buy({ product: hours })
    const [created, updated] = marketplace.events().filter((event) => event.agreementId === agreementId)
    await expect.poll(() => created).toMatchObject({ status: 'delivered', attempts: [503, 202] })
    expect(updated).toMatchObject({ status: 'failed', attempts: [400] })
  })

  test('of a free product do not update a licence', async () => {
    const product = { ...stageProducts[0], code: 'free1', pricingModel: 'free' as const }
    const free = await start({ products: [product as (typeof stageProducts)[0]] })
    onTestFinished(free.stop)
    await free.buy({ product: 'free1' })
    expect(listTypes()).toEqual(['Purchase Agreement Created - Proposer'])
  })
})

test('a trial has an end and a form of its own, and is converted or expires', async () => {
  const { agreementId, landingForm } = await marketplace.buy({ product: trial })
  expect(landingForm).toEqual({
    action: 'http://seller.example/landing',
    fields: {
      'x-amzn-marketplace-token': expect.any(String),
      'x-amzn-marketplace-offer-type': 'free-trial',
    },
  })
  const describeTrial = async (id: string) => (await send('DescribeAgreement', { agreementId: id })).body
  const { startTime, endTime, freeTrialSummary } = await describeTrial(agreementId)
  expect(endTime - startTime).toBeCloseTo(14 * 86_400, 0)
  expect(freeTrialSummary).toEqual({ trialEndTime: endTime })
  await marketplace.convertTrial(agreementId)
  expect((await describeTrial(agreementId)).endTime - startTime).toBeGreaterThan(364 * 86_400)
  expect(marketplace.newToken(agreementId).landingForm.fields).not.toHaveProperty('x-amzn-marketplace-offer-type')
  await expect(marketplace.expireTrial(agreementId)).rejects.toThrow('no free trial')

  const other = await marketplace.buy({ product: trial })
  received.length = 0
  await marketplace.expireTrial(other.agreementId)
  expect(listTypes()).toEqual(['Purchase Agreement Ended - Proposer'])
  expect(await describeTrial(other.agreementId)).toMatchObject({ status: 'EXPIRED' })
})

describe('the control page', () => {
  const post = (path: string, fields: Record<string, string> = {}, referer = '/') =>
    fetch(marketplace.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { referer: marketplace.url + referer },
      body: new URLSearchParams(fields),
    })
  const read = async (path: string) => (await fetch(marketplace.url + path)).text()

  test('sells a product, and leads to the seller with a token', async () => {
    const bought = await post(`/products/${pro}`, { seats: '12', recording: 'on', account: '111122223333' })
    const path = bought.headers.get('location') ?? ''
    const page = await read(path)
    expect(page).toContain('action="http://seller.example/landing"')
    const [, token = ''] = /name="x-amzn-marketplace-token" value="([^"]+)"/.exec(page) ?? []
    const { body } = await send('ResolveCustomer', { RegistrationToken: token })
    expect(body).toMatchObject({ ProductCode: pro, CustomerAWSAccountId: '111122223333' })
    const list = () => listEntitlements({ LICENSE_ARN: [body.LicenseArn] })
    expect(await list()).toEqual([
      ['seats', 12],
      ['recording', true],
    ])
    const changed = await post(`/control${path}/amend`, { seats: '20' }, path)
    expect(changed.headers.get('location')).toBe(path)
    expect(await list()).toEqual([['seats', 20]])
    await post(`/control${path}/cancel`)
    await post(`/control${path}/deprovision`)
    expect(await list()).toEqual([])
    expect(await read('/')).toContain('Licence removed')
  })

  test('chooses deliveries and faults', async () => {
    await post('/control/delivery', { mode: 'held' })
    await post(`/products/${hours}`)
    expect(received).toEqual([])
    expect(await read('/')).toContain('Deliver held events in order')
    await post('/control/deliver-held', { order: 'newest-first' })
    expect(listTypes()).toEqual([licenceEvents[0], 'Purchase Agreement Created - Proposer'])
    const [{ id = '' } = {}] = received
    await post(`/control/events/${id}/twice`)
    expect(received.map((event) => event.id).filter((other) => other === id)).toHaveLength(3)
    await post('/control/fault', { operation: 'ResolveCustomer', fault: 'throttle', times: '2' })
    expect(await read('/')).toContain('ResolveCustomer throttles, 2×')
    expect(await send('ResolveCustomer', { RegistrationToken: 'x' })).toMatchObject(failure('ThrottlingException'))
    await post('/control/no-faults')
    expect(await send('ResolveCustomer', { RegistrationToken: 'x' })).toMatchObject(failure('InvalidTokenException'))
  })

  test('sends events to the queue', async () => {
    await post('/control/delivery', { mode: 'automatic', target: 'queue' })
    onTestFinished(async () => void (await post('/control/delivery', { mode: 'automatic', target: 'api-destination' })))
    await post(`/products/${hours}`)
    expect(received).toEqual([])
    expect(await read('/')).toContain('The queue has 2 messages that Passport has not read.')
    const bodies = marketplace
      .queue('marketplace-events')
      .messages()
      .map(({ body }) => JSON.parse(body))
    expect(bodies.map((body) => body['detail-type'])).toEqual([
      'Purchase Agreement Created - Proposer',
      licenceEvents[0],
    ])
    expect(marketplace.events().slice(-2)).toMatchObject(bodies.map(({ id }) => ({ id, status: 'delivered' })))
  })

  test.each([
    ['/products/unknown', {}],
    ['/control/agreements/unknown/cancel', {}],
    ['/control/events/unknown/drop', {}],
    ['/control/fault', { operation: 'x', fault: 'throttle' }],
    [`/products/${pro}`, { seats: 'many' }],
  ])('rejects %s with %j', async (path, fields) => {
    expect((await post(path, fields)).status).toBe(400)
  })
})

test('purchases and events outlast a restart', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'aws-marketplace-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const stateFile = join(directory, 'state', 'aws.json')
  const first = await start({ stateFile })
  const { token, agreementId } = await first.buy({ product: hours })
  await first.stop()
  const second = await start({ stateFile })
  onTestFinished(second.stop)
  expect(await send('ResolveCustomer', { RegistrationToken: token }, {}, second)).toMatchObject({ status: 200 })
  expect(second.events()).toHaveLength(2)
  await second.cancel(agreementId)
  expect(listTypes().at(-1)).toBe('Purchase Agreement Ended - Proposer')
})
