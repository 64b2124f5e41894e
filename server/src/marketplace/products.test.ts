import * as api from '@passport/contract/aws-products'
import { createEntitlement, deleteEntitlement, listEntitlements } from '@passport/contract/entitlements'
import { listTrash } from '@passport/contract/trash'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { purgeTrash } from '../trash/purge.ts'

let service: TestService
let ada: Visitor

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  for (const body of [
    { key: 'stage.hours', name: 'Streaming hours', kind: 'quantity' },
    { key: 'stage.recording', name: 'Recording', kind: 'flag' },
  ])
    await ada.call(createEntitlement, { body: body as never })
})

let serial = 0
const fieldsOf = (fields: Record<string, unknown> = {}) => ({
  name: `Stage ${++serial}`,
  productCode: `code${serial}`,
  pricingModel: 'contract',
  dimensions: [{ key: 'seats', kind: 'entitled' }],
  supportEmail: 'help@stage.example',
  ...fields,
})
const create = (fields: Record<string, unknown> = {}) =>
  ada.call(api.createAwsProduct, { body: fieldsOf(fields) as never })
const put = (product: api.AwsProduct, fields: Record<string, unknown>, options = {}) => {
  const body = { ...api.toAwsProductFields(product), ...fields } as never
  return ada.call(api.putAwsProduct, { params: { productId: product.id }, body }, options)
}
const find = (productId: string) => ada.call(api.getAwsProduct, { params: { productId } })
const remove = (productId: string, options = {}) => ada.call(api.deleteAwsProduct, { params: { productId } }, options)
const list = async (query: object) => (await ada.call(api.listAwsProducts, { query: query as never })).items
const failure = (status: number, code: string, field?: string) => ({
  status,
  body: { code, ...(field && { errors: [expect.objectContaining({ field })] }) },
})

describe('a product', () => {
  test('keeps every field that is written, and each change raises the version', async () => {
    const fields = fieldsOf({
      productId: 'prod-abc123',
      pricingModel: 'contract-with-consumption',
      integration: 'legacy',
      region: 'eu-central-1',
      snsTopicArns: ['arn:aws:sns:us-east-1:287250355862:aws-mp-subscription-notification-abc'],
      dimensions: [
        { key: 'streaming_hours', kind: 'both', entitlementKey: 'stage.hours', unit: 'hours' },
        { key: 'Seats.v2', kind: 'entitled', entitlementKey: null, unit: null },
        { key: 'recording', kind: 'entitled', entitlementKey: 'stage.recording', unit: null },
      ],
      enabled: false,
    })
    const created = await create(fields)
    expect(api.toAwsProductFields(created)).toEqual({ ...fields })
    expect(await find(created.id)).toEqual(created)
    expect(created.dimensions[0]?.entitlement).toEqual({
      id: expect.any(String),
      key: 'stage.hours',
      name: 'Streaming hours',
      kind: 'quantity',
    })
    expect(created).toMatchObject({
      subscriptionCounts: { pending: 0, active: 0, ending: 0, ended: 0, failed: 0 },
      version: 1,
    })
    const other = fieldsOf({
      productId: null,
      pricingModel: 'subscription',
      integration: 'license-arn',
      region: 'us-east-1',
      snsTopicArns: [],
      dimensions: [{ key: 'streaming_hours', kind: 'metered', entitlementKey: null, unit: null }],
      enabled: true,
    })
    const changed = await put(created, other)
    expect(api.toAwsProductFields(changed)).toEqual(other)
    expect(changed.version).toBe(2)
    expect((await put(changed, other)).version).toBe(2)
  })

  test('is in region us-east-1, identified by licenses and enabled by default', async () => {
    expect(await create()).toMatchObject({
      region: 'us-east-1',
      integration: 'license-arn',
      productId: null,
      snsTopicArns: [],
      enabled: true,
    })
  })

  test('has the URLs to enter at AWS, which calls only https', async () => {
    const base = `${service.url}/passport/licensing/awsmarketplace`
    expect((await create()).urls).toEqual({
      fulfilment: `${base}/landing`,
      events: `${base}/events`,
      isHttps: false,
    })
  })

  test('is not changed or deleted over the change of another administrator', async () => {
    const created = await create()
    await put(created, { name: 'First' }, { ifMatch: '"1"' })
    await expect(put(created, { name: 'Second' }, { ifMatch: '"1"' })).rejects.toMatchObject({ status: 412 })
    await expect(remove(created.id, { ifMatch: '"1"' })).rejects.toMatchObject({ status: 412 })
    const [event] = await service.sql`
      select actor_id, before, after from audit_events where action = 'aws-product.changed' and target_id = ${created.id}`
    expect(event).toMatchObject({ actorId: ada.id, before: { name: created.name }, after: { name: 'First' } })
  })

  test('is gone once it is deleted, and its code is free', async () => {
    const created = await create()
    await remove(created.id)
    for (const call of [() => find(created.id), () => put(created, { name: 'Other' }), () => remove(created.id)])
      await expect(call()).rejects.toMatchObject(failure(404, 'aws-product-not-found'))
    expect(await create({ productCode: created.productCode })).toMatchObject({ productCode: created.productCode })
  })

  test('is restored from the trash, unless its code is taken, without the entitlements that are deleted now', async () => {
    const created = await create({ productId: 'prod-restored' })
    const dimensions = (product: api.AwsProduct) =>
      product.dimensions.map(({ entitlement }) => entitlement?.key ?? null)
    const { id: entitlementId } = await ada.call(createEntitlement, {
      body: { key: 'stage.gone', name: 'Gone', kind: 'flag' },
    })
    const mapped = [
      { key: 'a', kind: 'entitled', entitlementKey: 'stage.gone', unit: null },
      { key: 'b', kind: 'entitled', entitlementKey: 'stage.recording', unit: null },
    ]
    const before = await put(created, { pricingModel: 'contract', dimensions: mapped })
    expect(dimensions(before)).toEqual(['stage.gone', 'stage.recording'])
    const sold = await ada.call(listEntitlements, { query: { productId: created.id } })
    expect(sold.items.map(({ key }) => key)).toEqual(['stage.gone', 'stage.recording'])
    const deleteMapped = () => ada.call(deleteEntitlement, { params: { entitlementId }, query: {} })
    await expect(deleteMapped()).rejects.toMatchObject(failure(409, 'entitlement-mapped'))
    await remove(created.id)
    await deleteMapped()
    const trash = await ada.call(listTrash, { query: { kind: 'aws-product', query: created.productCode } })
    expect(trash.items).toMatchObject([{ id: created.id, name: created.name, detail: created.productCode }])
    const restore = () => ada.call(api.restoreAwsProduct, { params: { productId: created.id } })
    const other = await create({ productCode: created.productCode })
    await expect(restore()).rejects.toMatchObject(failure(409, 'product-code-taken', 'productCode'))
    await remove(other.id)
    const restored = await restore()
    expect(restored).toMatchObject({ id: created.id, productCode: created.productCode, productId: 'prod-restored' })
    expect(dimensions(restored)).toEqual([null, 'stage.recording'])
    await expect(restore()).rejects.toMatchObject(failure(404, 'aws-product-not-found'))
    await service.sql`update aws_products set deleted_at = now() - interval '31 days' where id = ${other.id}`
    await service.sql`update entitlements set deleted_at = now() - interval '31 days' where id = ${entitlementId}`
    await purgeTrash(service.sql)
    expect(await service.sql`select from aws_products where id = ${other.id}`).toHaveLength(0)
    const late = await create()
    await remove(late.id)
    await service.sql`
      insert into aws_subscriptions (id, product_id, customer_aws_account_id, status, source)
      values ('late', ${late.id}, '402177359982', 'pending', 'landing')`
    await service.sql`update aws_products set deleted_at = now() - interval '31 days' where id = ${late.id}`
    await purgeTrash(service.sql)
    expect(await ada.call(api.restoreAwsProduct, { params: { productId: late.id } })).toMatchObject({ id: late.id })
    expect(await service.sql`select from entitlements where id = ${entitlementId}`).toHaveLength(0)
  })

  test('has a product code and a product id of its own', async () => {
    const first = await create({ productId: 'prod-own' })
    const second = await create()
    const codeTaken = failure(409, 'product-code-taken', 'productCode')
    const idTaken = failure(409, 'product-id-taken', 'productId')
    await expect(create({ productCode: first.productCode })).rejects.toMatchObject(codeTaken)
    await expect(put(second, { productCode: first.productCode })).rejects.toMatchObject(codeTaken)
    await expect(create({ productId: 'prod-own' })).rejects.toMatchObject(idTaken)
    await expect(put(second, { productId: 'prod-own' })).rejects.toMatchObject(idTaken)
  })
})

test('concurrent creations with one code create one product', async () => {
  const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => create({ productCode: 'raced' })))
  const failures = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason.body.code] : []))
  expect(failures).toEqual(Array.from({ length: 7 }, () => 'product-code-taken'))
})

describe('the list', () => {
  test('finds a part of the name, the code or the id, and filters and sorts', async () => {
    const names = ['Zebra', 'ähnlich', 'Mid'].map((name) => `Listed ${name}`)
    for (const name of names) await create({ name, enabled: !name.endsWith('Mid') })
    await create({ productCode: 'coded-1', pricingModel: 'free', productId: 'prod-coded1' })
    const namesOf = async (query: object) => (await list(query)).map(({ name }) => name)
    expect(await namesOf({ query: 'listed' })).toEqual(['Listed ähnlich', 'Listed Mid', 'Listed Zebra'])
    expect(await namesOf({ query: 'listed', sort: 'updated' })).toEqual(names)
    expect(await namesOf({ query: 'listed', direction: 'desc' })).toEqual([
      'Listed Zebra',
      'Listed Mid',
      'Listed ähnlich',
    ])
    expect(await namesOf({ query: 'listed', status: 'disabled' })).toEqual(['Listed Mid'])
    for (const query of ['coded-1', 'prod-coded1'])
      expect(await list({ query, pricingModel: 'free' })).toMatchObject([{ productCode: 'coded-1' }])
    expect(await list({ query: 'coded-1', pricingModel: 'contract' })).toEqual([])
  })

  test('pages by number and by cursor', async () => {
    for (const name of ['Paged 1', 'Paged 2', 'Paged 3']) await create({ name })
    const query = { query: 'paged', limit: 2 }
    const first = await ada.call(api.listAwsProducts, { query: query as never })
    expect(first).toMatchObject({ total: 3, items: [{ name: 'Paged 1' }, { name: 'Paged 2' }] })
    const next = (await (await ada.fetch(String(first.next))).json()) as typeof first
    expect(next).toMatchObject({ items: [{ name: 'Paged 3' }], next: null })
    expect(await list({ ...query, page: 2 })).toMatchObject([{ name: 'Paged 3' }])
  })
})

describe('invalid fields', () => {
  const dimension = (key: string, kind = 'entitled') => ({ key, kind })
  const many = (count: number) => Array.from({ length: count }, (_, index) => dimension(`d${index}`))
  test.for<[string, Record<string, unknown>, string]>([
    ['a code with a space', { productCode: 'a b' }, 'product-code-invalid'],
    ['an empty code', { productCode: ' ' }, 'product-code-invalid'],
    ['a code of 256 characters', { productCode: 'x'.repeat(256) }, 'product-code-invalid'],
    ['a product id without prod-', { productId: 'abc' }, 'product-id-invalid'],
    ['a product id that is only prod-', { productId: 'prod-' }, 'product-id-invalid'],
    ['an empty name', { name: ' ' }, 'product-name-invalid'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'product-name-invalid'],
    ['a region that is none', { region: 'europe' }, 'region-invalid'],
    ['a topic that is a queue', { snsTopicArns: ['arn:aws:sqs:us-east-1:123456789012:q'] }, 'topic-arn-invalid'],
    ['a support address that is none', { supportEmail: 'help' }, 'email-invalid'],
    ['a dimension key with a space', { dimensions: [dimension('a b')] }, 'dimension-key-invalid'],
    ['a dimension key of 256 characters', { dimensions: [dimension('x'.repeat(256))] }, 'dimension-key-invalid'],
    ['an empty unit', { dimensions: [{ ...dimension('a'), unit: '' }] }, 'unit-invalid'],
  ])('rejects %s', async ([, fields, code]) => {
    await expect(create(fields)).rejects.toMatchObject(failure(400, code))
  })

  test.for<[string, Record<string, unknown>, string]>([
    ['no dimensions', { dimensions: [] }, 'dimensions'],
    ['101 dimensions', { dimensions: many(101) }, 'dimensions'],
    [
      'two dimensions of one key',
      { dimensions: [dimension('a'), dimension('b'), dimension('a')] },
      'dimensions[2].key',
    ],
    ['a metered dimension of a contract', { dimensions: [dimension('a', 'metered')] }, 'dimensions[0].kind'],
    [
      'an entitled dimension of pay-as-you-go',
      { pricingModel: 'subscription', dimensions: [dimension('a', 'metered'), dimension('b')] },
      'dimensions[1].kind',
    ],
    ['an unknown pricing model', { pricingModel: 'rent' }, 'pricingModel'],
    [
      'six topics',
      { snsTopicArns: many(6).map(({ key }) => `arn:aws:sns:us-east-1:123456789012:${key}`) },
      'snsTopicArns',
    ],
  ])('rejects %s', async ([, fields, field]) => {
    await expect(create(fields)).rejects.toMatchObject({
      status: 400,
      body: { errors: [expect.objectContaining({ field })] },
    })
  })

  test('accepts values at the limits', async () => {
    const fields = { productCode: `${serial}${'x'.repeat(250)}`, name: 'x'.repeat(100), dimensions: many(100) }
    expect((await create(fields)).dimensions).toHaveLength(100)
    expect(await create({ productCode: 'a-Z0/=:_.@', dimensions: [dimension('x'.repeat(255))] })).toBeDefined()
  })

  test('names the entitlements that do not exist, and flags for what is metered', async () => {
    const pricingModel = 'contract-with-consumption'
    for (const [kind, entitlementKey, code] of [
      ['entitled', 'no.such', 'not-found'],
      ['metered', 'stage.recording', 'kind-mismatch'],
      ['both', 'stage.recording', 'kind-mismatch'],
    ]) {
      const dimensions = [dimension('a'), { ...dimension('b', kind), entitlementKey }]
      await expect(create({ pricingModel, dimensions })).rejects.toMatchObject({
        status: 400,
        body: {
          code: 'dimension-entitlement-invalid',
          errors: [expect.objectContaining({ field: 'dimensions[1].entitlementKey', code })],
        },
      })
    }
  })
})

describe('properties of the fields', () => {
  const isValid = (schema: Parameters<typeof z.safeParse>[0], value: unknown) => z.safeParse(schema, value).success

  test('a product code is valid exactly if AWS accepts it', () => {
    const alphabet = '-aZ09/=:_.@ ,#é\n'
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 8 }), (text) => {
        const isAccepted = text.trim() !== '' && [...text.trim()].every((letter) => '-aZ09/=:_.@'.includes(letter))
        expect(isValid(api.AwsProductCode, text)).toBe(isAccepted)
      }),
    )
  })

  test('the topics, regions and ids that AWS builds are valid, and no extension by another character', () => {
    const region = fc.constantFrom('us-east-1', 'eu-central-2', 'us-gov-west-1', 'ap-southeast-12', 'cn-north-1')
    const account = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 12, maxLength: 12 })
    const name = fc.string({ unit: fc.constantFrom(...'aZ09_-'), minLength: 1, maxLength: 30 })
    const bad = fc.constantFrom(' x', '*', '/', ':', '\n.', 'é')
    fc.assert(
      fc.property(region, account, name, bad, (region, account, name, bad) => {
        const arn = `arn:aws:sns:${region}:${account}:${name}`
        expect([isValid(api.AwsRegion, region), isValid(api.SnsTopicArn, arn)]).toEqual([true, true])
        expect([isValid(api.AwsRegion, region + bad), isValid(api.SnsTopicArn, arn + bad)]).toEqual([false, false])
        expect(isValid(api.SnsTopicArn, `arn:aws:sns:${region}:${account.slice(1)}:${name}`)).toBe(false)
        expect(isValid(api.AwsProductId, `prod-${account}`)).toBe(true)
        expect(isValid(api.AwsProductId, `prod-${account}${bad}`)).toBe(false)
      }),
    )
  })

  test('dimensions are valid exactly if their keys differ and their kinds fit the pricing model', () => {
    const dimension = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      kind: fc.constantFrom(...api.dimensionKinds),
    })
    fc.assert(
      fc.property(
        fc.constantFrom(...api.pricingModels),
        fc.array(dimension, { minLength: 1, maxLength: 5 }),
        (pricingModel, dimensions) => {
          const isConsistent =
            new Set(dimensions.map(({ key }) => key)).size === dimensions.length &&
            dimensions.every(({ kind }) => api.kindsOfPricingModel[pricingModel].includes(kind))
          expect(isValid(api.createAwsProduct.body.schema, fieldsOf({ pricingModel, dimensions }))).toBe(isConsistent)
        },
      ),
    )
  })
})
