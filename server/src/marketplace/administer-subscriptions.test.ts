import { deleteAwsProduct, listAwsProducts, putAwsProduct, toAwsProductFields } from '@passport/contract/aws-products'
import * as api from '@passport/contract/aws-subscriptions'
import * as usage from '@passport/contract/aws-usage'
import { listOrgEntitlements } from '@passport/contract/entitlement-grants'
import { createOrg } from '@passport/contract/orgs'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { type AwsService, startAwsService, withShortTimeouts } from './test-aws.ts'

let aws: AwsService
beforeAll(async () => {
  aws = await startAwsService()
})

let serial = 0
const newOrg = () => aws.ada.call(createOrg, { body: { name: `Contoso ${++serial}` } })
async function findProduct(name: string) {
  const { items } = await aws.ada.call(listAwsProducts, { query: { query: name } as never })
  const [product] = items
  if (!product) throw new Error(`${name} is missing`)
  return product
}
const buy = async (name: string, quantities = {}) =>
  aws.marketplace.buy({ product: (await findProduct(name)).productCode, quantities })

const newLicense = () => `arn:aws:license-manager:us-east-1:123456789012:l-${String(++serial).padStart(8, '0')}`
async function create(fields: Record<string, unknown> = {}) {
  const body = {
    productId: (await findProduct('Stage Pro')).id,
    orgId: fields['orgId'] ?? (await newOrg()).id,
    customerAwsAccountId: '402177359982',
    licenseArn: newLicense(),
    ...fields,
  }
  return aws.ada.call(api.createAwsSubscription, { body: body as never })
}
const params = (subscriptionId: string) => ({ params: { subscriptionId } })
const find = (id: string) => aws.ada.call(api.getAwsSubscription, params(id))
const put = (id: string, body: object, options = {}) =>
  aws.ada.call(api.putAwsSubscription, { ...params(id), body: body as never }, options)
const assign = (id: string, orgId: string, options = {}) =>
  aws.ada.call(api.assignAwsSubscription, { ...params(id), query: {}, body: { orgId } }, options)
async function preview(id: string, orgId: string): Promise<api.AssignmentEffect> {
  const path = `/passport/admin/awssubscriptions/${id}/actions/assign?preview=true`
  const headers = { 'content-type': 'application/json' }
  const response = await aws.ada.fetch(path, { method: 'POST', headers, body: JSON.stringify({ orgId }) })
  return (await response.json()) as api.AssignmentEffect
}
const timeline = (id: string) => aws.ada.call(api.listAwsSubscriptionEvents, params(id))
const list = async (query: object) => (await aws.ada.call(api.listAwsSubscriptions, { query: query as never })).items
const entitlementsOf = async (orgId: string) =>
  Object.fromEntries(
    (await aws.ada.call(listOrgEntitlements, { params: { orgId }, query: {} })).map(({ key, value }) => [key, value]),
  )

/** Waits for a subscription in a state. */
async function waitFor(licenseArn: string, status: string): Promise<api.AwsSubscription> {
  await expect.poll(async () => (await list({ query: licenseArn }))[0]?.status).toBe(status)
  const [found] = await list({ query: licenseArn })
  if (!found) throw new Error('The subscription is missing')
  return found
}
const failure = (status: number, code: string, field?: string) => ({
  status,
  body: { code, ...(field && { errors: [expect.objectContaining({ field })] }) },
})

describe('a subscription that an administrator creates', () => {
  test('waits for AWS, and gives nothing', async () => {
    const org = await newOrg()
    const fields = { contactEmail: 'it@contoso.com', note: 'By phone', agreementId: 'agmt-1', orgId: org.id }
    const created = await create(fields)
    expect(created).toMatchObject({
      product: { name: 'Stage Pro', pricingModel: 'contract' },
      org: { id: org.id, name: org.name },
      status: 'pending',
      source: 'manual',
      customerAwsAccountId: '402177359982',
      entitlements: [],
      contactEmail: 'it@contoso.com',
      note: 'By phone',
      agreementId: 'agmt-1',
    })
    expect(await entitlementsOf(org.id)).toEqual({})
    expect((await findProduct('Stage Pro')).subscriptionCounts.pending).toBeGreaterThan(0)
    expect(await timeline(created.id)).toMatchObject([
      { kind: 'change', name: 'aws-subscription.created', actor: { id: aws.ada.id }, after: { note: 'By phone' } },
    ])
  })

  test('becomes active once AWS confirms it', async () => {
    aws.marketplace.setDelivery('held')
    const purchase = await buy('Stage Pro', { seats: 7 })
    aws.marketplace.setDelivery('automatic')
    const org = await newOrg()
    await create({ orgId: org.id, licenseArn: purchase.licenseArn.slice('arn:'.length) })
    const found = await waitFor(purchase.licenseArn, 'active')
    expect(found.entitlements).toMatchObject([
      { dimension: 'recording', value: true, entitlement: { key: 'stage.recording' } },
      { dimension: 'seats', value: 7, entitlement: { key: 'stage.seats' } },
    ])
    expect(await entitlementsOf(org.id)).toEqual({ 'stage.recording': true, 'stage.seats': 7 })
  })

  test('is rejected if its licence has one, which is named', async () => {
    const { id, licenseArn } = await create()
    const again = create({ licenseArn: licenseArn?.replace('us-east-1', 'eu-west-1') })
    await expect(again).rejects.toMatchObject({
      status: 409,
      body: { code: 'license-exists', subscriptionId: id, errors: [expect.objectContaining({ field: 'licenseArn' })] },
    })
  })

  test('is created once by concurrent calls', async () => {
    const org = await newOrg()
    const licenseArn = newLicense()
    const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => create({ licenseArn, orgId: org.id })))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await list({ query: licenseArn })).toHaveLength(1)
  })

  test.for<[string, Record<string, unknown>, string, string]>([
    ['an unknown product', { productId: 'none' }, 'unknown-aws-product', 'productId'],
    ['an unknown organisation', { orgId: 'none' }, 'unknown-org', 'orgId'],
    ['an account of 11 digits', { customerAwsAccountId: '12345678901' }, 'account-id-invalid', 'customerAwsAccountId'],
    [
      'an account of 13 digits',
      { customerAwsAccountId: '1234567890123' },
      'account-id-invalid',
      'customerAwsAccountId',
    ],
    [
      'an account with a letter',
      { customerAwsAccountId: '12345678901x' },
      'account-id-invalid',
      'customerAwsAccountId',
    ],
    ['the ARN of something else', { licenseArn: 'arn:aws:s3:::bucket' }, 'license-arn-invalid', 'licenseArn'],
    ['an agreement that is none', { agreementId: 'none' }, 'agreement-id-invalid', 'agreementId'],
    ['a contact without a host', { contactEmail: 'it' }, 'email-invalid', 'contactEmail'],
    ['a note of 301 characters', { note: 'x'.repeat(301) }, 'description-invalid', 'note'],
  ])('is rejected with %s', async ([, fields, code, field]) => {
    await expect(create(fields)).rejects.toMatchObject(failure(400, code, field))
  })

  test('is rejected for a disabled product', async () => {
    const product = await findProduct('Stage Trial')
    const write = (enabled: boolean) =>
      aws.ada.call(putAwsProduct, {
        params: { productId: product.id },
        body: { ...toAwsProductFields(product), enabled },
      })
    await write(false)
    await expect(create({ productId: product.id })).rejects.toMatchObject(
      failure(400, 'aws-product-disabled', 'productId'),
    )
    await write(true)
    expect(await create({ productId: product.id, note: 'x'.repeat(300) })).toMatchObject({ status: 'pending' })
  })
})

test('agreement, contact and note change, unless another administrator was faster', async () => {
  const { id, version } = await create()
  // The first answer of AWS changes the version too.
  await expect.poll(async () => (await find(id)).lastCheckedAt).not.toBeNull()
  const fields = { agreementId: 'agmt-2', contactEmail: 'new@contoso.com', note: 'New' }
  expect(await put(id, fields, { ifMatch: `"${(await find(id)).version}"` })).toMatchObject(fields)
  await expect(put(id, { ...fields, note: 'Late' }, { ifMatch: `"${version}"` })).rejects.toMatchObject({ status: 412 })
  const [entry] = await timeline(id)
  expect(entry).toMatchObject({ name: 'aws-subscription.changed', before: { note: '' }, after: { note: 'New' } })
})

describe('an assignment', () => {
  test('is previewed, and moves the entitlements from one organisation to another', async () => {
    const purchase = await buy('Stage Pro', { seats: 25 })
    const { id, org: none } = await waitFor(purchase.licenseArn, 'active')
    expect(none).toBeNull()
    const [first, second] = [await newOrg(), await newOrg()]
    const seats = { key: 'stage.seats', name: expect.any(String), id: expect.any(String) }
    expect(await preview(id, first.id)).toEqual({
      gains: expect.arrayContaining([
        { entitlement: seats, org: { id: first.id, name: first.name }, people: expect.any(Number), from: 0, to: 25 },
        expect.objectContaining({
          entitlement: expect.objectContaining({ key: 'stage.recording' }),
          from: false,
          to: true,
        }),
      ]),
      loses: [],
    })
    expect((await find(id)).org).toBeNull()
    expect(await assign(id, first.id)).toMatchObject({ org: { id: first.id } })
    expect(await entitlementsOf(first.id)).toEqual({ 'stage.recording': true, 'stage.seats': 25 })

    const moved = await preview(id, second.id)
    expect(moved.loses.map(({ org, from, to }) => [org.id, from, to])).toEqual(
      expect.arrayContaining([
        [first.id, 25, 0],
        [first.id, true, false],
      ]),
    )
    expect(moved.gains.map(({ org }) => org.id)).toEqual([second.id, second.id])
    expect(await entitlementsOf(first.id)).toEqual({ 'stage.recording': true, 'stage.seats': 25 })
    await assign(id, second.id)
    expect([await entitlementsOf(first.id), await entitlementsOf(second.id)]).toEqual([
      {},
      { 'stage.recording': true, 'stage.seats': 25 },
    ])
    const entries = await timeline(id)
    expect(entries.filter(({ name }) => name === 'aws-subscription.assigned')).toMatchObject([
      { before: { org: first.name }, after: { org: second.name } },
      { before: { org: null }, after: { org: first.name } },
    ])
    expect(entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'event', name: 'license-updated', status: 'applied' }),
        expect.objectContaining({
          kind: 'grant',
          name: 'granted',
          entitlement: seats,
          after: expect.objectContaining({ quantity: 25 }),
        }),
      ]),
    )
    expect(entries.map(({ at }) => at)).toEqual(
      entries
        .map(({ at }) => at)
        .toSorted()
        .reverse(),
    )
  })

  test('fails for an unknown organisation or subscription, or with a version that is not current', async () => {
    const { id } = await create()
    const org = await newOrg()
    await expect(assign(id, 'none')).rejects.toMatchObject(failure(400, 'unknown-org', 'orgId'))
    await expect(assign('none', org.id)).rejects.toMatchObject(failure(404, 'aws-subscription-not-found'))
    await expect(assign(id, org.id, { ifMatch: '"0"' })).rejects.toMatchObject({ status: 412 })
  })
})

describe('a refresh', () => {
  test('reads what AWS says now, without an event', async () => {
    const purchase = await buy('Stage Pro', { seats: 2 })
    const { id } = await waitFor(purchase.licenseArn, 'active')
    const org = await newOrg()
    await assign(id, org.id)
    aws.marketplace.setDelivery('held')
    await aws.marketplace.amend(purchase.agreementId, { seats: 9 })
    const { entitlements } = await aws.ada.call(api.refreshAwsSubscription, params(id))
    aws.marketplace.setDelivery('automatic')
    expect(entitlements).toContainEqual(expect.objectContaining({ dimension: 'seats', value: 9 }))
    expect(await entitlementsOf(org.id)).toMatchObject({ 'stage.seats': 9 })
    const entries = await timeline(id)
    expect(entries).toContainEqual(
      expect.objectContaining({ name: 'aws-subscription.refreshed', actor: expect.anything() }),
    )
    expect(entries).toContainEqual(
      expect.objectContaining({
        kind: 'grant',
        before: expect.objectContaining({ quantity: 2 }),
        after: expect.objectContaining({ quantity: 9 }),
      }),
    )
  })

  test.for([
    ['fail', 502, 'awsmp-unavailable'],
    ['throttle', 429, 'awsmp-throttled'],
    ['denied', 503, 'awsmp-not-configured'],
    ['timeout', 502, 'awsmp-unavailable'],
  ] as const)('of an AWS that fails by `%s` keeps what was known', async ([fault, status, code]) => {
    const purchase = await buy('Stage Pro', { seats: 3 })
    const before = await waitFor(purchase.licenseArn, 'active')
    aws.marketplace.failNext('GetEntitlements', fault, 2)
    const refresh = () => aws.ada.call(api.refreshAwsSubscription, params(before.id))
    const refreshed = fault === 'timeout' ? withShortTimeouts(refresh) : refresh()
    await expect(refreshed).rejects.toMatchObject({ status, body: { code } })
    aws.marketplace.clearFaults()
    expect(await find(before.id)).toMatchObject({ status: 'active', entitlements: before.entitlements })
  })
})

describe('a product with subscriptions', () => {
  test('is not deleted', async () => {
    await create()
    const { id } = await findProduct('Stage Pro')
    const removal = aws.ada.call(deleteAwsProduct, { params: { productId: id } })
    await expect(removal).rejects.toMatchObject(failure(409, 'product-has-subscriptions'))
  })

  test('changes what its subscribers have with its dimensions', async () => {
    const { licenseArn } = await buy('Stage Studio', { seats: 4 })
    const { id } = await waitFor(licenseArn, 'active')
    const org = await newOrg()
    await assign(id, org.id)
    expect(await entitlementsOf(org.id)).toMatchObject({ 'stage.seats': 4 })
    const product = await findProduct('Stage Studio')
    const fields = toAwsProductFields(product)
    const dimensions = fields.dimensions.map((one) => (one.key === 'seats' ? { ...one, entitlementKey: null } : one))
    await aws.ada.call(putAwsProduct, { params: { productId: product.id }, body: { ...fields, dimensions } })
    expect(await entitlementsOf(org.id)).not.toHaveProperty(['stage.seats'])
    await aws.ada.call(putAwsProduct, { params: { productId: product.id }, body: fields })
    expect(await entitlementsOf(org.id)).toMatchObject({ 'stage.seats': 4 })
  })
})

describe('the list', () => {
  test('finds by account, licence, agreement, organisation and note, and filters', async () => {
    const org = await newOrg()
    const { id, product } = await create({
      orgId: org.id,
      customerAwsAccountId: '998877665544',
      agreementId: 'agmt-listed',
      note: 'Listed by note',
    })
    const idsOf = async (query: object) => (await list(query)).map((row) => row.id)
    for (const query of ['99887766', 'agmt-listed', 'by note']) expect(await idsOf({ query })).toEqual([id])
    expect(await idsOf({ orgId: org.id, status: 'pending', productId: product.id })).toEqual([id])
    expect(await idsOf({ orgId: org.id, status: 'active' })).toEqual([])
    expect(await idsOf({ orgId: org.id, productId: 'none' })).toEqual([])
    const other = await create({ orgId: org.id })
    expect(await idsOf({ orgId: org.id })).toEqual([other.id, id])
    // A job can still change them.
    const changes = (await list({ orgId: org.id, direction: 'asc', sort: 'updated' })).map(({ updatedAt }) => updatedAt)
    expect(changes).toHaveLength(2)
    expect(changes).toEqual(changes.toSorted())
    const page = await aws.ada.call(api.listAwsSubscriptions, { query: { orgId: org.id, limit: 1 } as never })
    expect(page).toMatchObject({ total: 2, items: [{ id: other.id }] })
    expect(await (await aws.ada.fetch(String(page.next))).json()).toMatchObject({ items: [{ id }], next: null })
  })
})

test('no call finds a subscription that does not exist', async () => {
  const calls = [
    () => find('none'),
    () => put('none', { agreementId: null, contactEmail: null, note: '' }),
    () => timeline('none'),
    () => aws.ada.call(api.refreshAwsSubscription, params('none')),
    () => aws.ada.call(usage.listAwsSubscriptionUsage, { ...params('none'), query: {} as never }),
    () => aws.ada.call(usage.getAwsUsageSummary, { ...params('none'), query: {} as never }),
    () => aws.ada.call(usage.retryAwsUsage, params('none')),
  ]
  for (const call of calls) await expect(call()).rejects.toMatchObject(failure(404, 'aws-subscription-not-found'))
})

test('a licence is valid exactly if it ends in an id after the ARN of the licence manager, and gets its prefix', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 12 })
  const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 1, maxLength: 64 })
  const region = fc.constantFrom('', 'us-east-1', 'us-gov-west-1')
  const partition = fc.constantFrom('aws', 'aws-cn', 'aws-us-gov')
  fc.assert(
    fc.property(partition, region, digits, hex, fc.boolean(), (partition, region, account, id, isResource) => {
      const arn = `${partition}:license-manager:${region}:${account}:${isResource ? 'license:' : ''}l-${id}`
      for (const text of [arn, `arn:${arn}`, ` arn:${arn}\n`])
        expect(z.safeParse(api.LicenseArn, text)).toEqual({ success: true, data: `arn:${arn}` })
      for (const text of [
        `arn:arn:${arn}`,
        `${arn}:`,
        `${arn}/x`,
        arn.replace('l-', 'k-'),
        arn.replace('license', 'licence'),
      ])
        expect(z.safeParse(api.LicenseArn, text).success).toBe(false)
    }),
  )
})
