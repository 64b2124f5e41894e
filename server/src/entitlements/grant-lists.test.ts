import * as grantApi from '@passport/contract/entitlement-grants'
import * as api from '@passport/contract/entitlements'
import { addOrgMembers, createOrg, deleteOrg, restoreOrg } from '@passport/contract/orgs'
import { listTrash } from '@passport/contract/trash'
import { beforeAll, describe, expect, test } from 'vitest'
import { transaction } from '../database/sql.ts'
import { issueBearerToken } from '../test-bearer.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { purgeTrash } from '../trash/purge.ts'
import { applySubscriptionGrants } from './grants.ts'

const statements: string[] = []
let service: TestService
let ada: Visitor
let eve: Visitor
beforeAll(async () => {
  service = await startTestService({}, { onStatement: (text) => statements.push(text) })
  ada = await service.as('ada')
  eve = await service.as('eve')
})

let serial = 0
const addOrg = async (members: string[] = []) => {
  const { id } = await ada.call(createOrg, { body: { name: `Org ${++serial}` } })
  if (members.length > 0) await ada.call(addOrgMembers, { params: { orgId: id }, query: {}, body: { members } })
  return id
}
const addEntitlement = (kind: 'flag' | 'quantity' = 'quantity') =>
  ada.call(api.createEntitlement, { body: { key: `test.${++serial}`, name: `Test ${serial}`, kind } })
const dayMs = 24 * 60 * 60 * 1000
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString()
const grant = (entitlementId: string, body: Partial<api.NewGrant> & { orgId: string }) =>
  ada.call(grantApi.createGrant, { params: { entitlementId }, query: {}, body: { quantity: 10, ...body } })
const preview = (effect: unknown) => effect as api.GrantEffect

describe('a grant', () => {
  test('is created, read, changed with its version, and ended', async () => {
    const { id: entitlementId } = await addEntitlement()
    const orgId = await addOrg()
    const created = await grant(entitlementId, { orgId, quantity: 25, endsAt: inDays(9), note: 'Pilot' })
    expect(created).toMatchObject({
      org: { id: orgId },
      quantity: 25,
      source: 'manual',
      status: 'active',
      note: 'Pilot',
    })
    const params = { entitlementId, grantId: created.id }
    expect(await ada.call(grantApi.getGrant, { params })).toEqual(created)

    const body = { ...created, quantity: 30, endsAt: null, note: '' }
    const changed = await ada.call(grantApi.putGrant, { params, query: {}, body }, { ifMatch: '"1"' })
    expect(changed).toMatchObject({ quantity: 30, endsAt: null, note: '', startsAt: created.startsAt, version: 2 })
    await expect(ada.call(grantApi.putGrant, { params, query: {}, body }, { ifMatch: '"1"' })).rejects.toMatchObject({
      status: 412,
    })
    await ada.call(grantApi.closeGrant, { params, query: {} }, { ifMatch: '"2"' })
    expect(await ada.call(grantApi.getGrant, { params })).toMatchObject({ status: 'ended', version: 3 })
    const list = (query: object) => ada.call(grantApi.listGrants, { params: { entitlementId }, query })
    expect((await list({})).items).toEqual([])
    expect((await list({ status: 'ended' })).items).toMatchObject([{ id: created.id }])
    await ada.call(grantApi.closeGrant, { params, query: {} })
    expect(await ada.call(grantApi.getGrant, { params })).toMatchObject({ version: 3 })

    const { items } = await ada.call(grantApi.listLedger, { params: { entitlementId }, query: {} })
    expect(items.map(({ action }) => action)).toEqual(['closed', 'changed', 'granted', 'created'])
    expect(items[1]).toMatchObject({
      quantity: 30,
      before: { quantity: 25 },
      actor: { id: ada.id },
      org: { id: orgId },
    })
    const page = await ada.call(grantApi.listLedger, { params: { entitlementId }, query: { limit: 2, orgId } })
    expect(await (await ada.fetch(String(page.next))).json()).toMatchObject({
      items: [{ action: 'granted' }],
      next: null,
    })
  })

  test.for([
    [{ quantity: 0 }, 'quantity-invalid'],
    [{ quantity: null }, 'quantity-invalid'],
    [{ endsAt: inDays(-400) }, 'period-invalid'],
  ] as const)('is not changed to %j', async ([change, code]) => {
    const { id: entitlementId } = await addEntitlement()
    const { id: grantId, ...granted } = await grant(entitlementId, { orgId: await addOrg() })
    const body = { ...granted, quantity: 1, ...change }
    const changing = ada.call(grantApi.putGrant, { params: { entitlementId, grantId }, query: {}, body })
    await expect(changing).rejects.toMatchObject({ status: 400, body: { code } })
  })

  test('of a subscription is neither changed nor ended by hand', async () => {
    const { id: entitlementId } = await addEntitlement()
    const orgId = await addOrg()
    const wanted = [{ entitlementId, quantity: 3, startsAt: new Date(), endsAt: null }]
    await transaction(service.sql, (sql) =>
      applySubscriptionGrants(sql, { subscriptionId: 's', orgId, wanted, at: new Date(), actor: null }),
    )
    const { items } = await ada.call(grantApi.listGrants, { params: { entitlementId }, query: { source: 'aws' } })
    const params = { entitlementId, grantId: items[0]?.id ?? '' }
    const rejection = { status: 409, body: { code: 'grant-from-aws' } }
    const body = { quantity: 1, startsAt: inDays(0), endsAt: null, note: '' }
    const changing = ada.call(grantApi.putGrant, { params, query: {}, body })
    await expect(changing).rejects.toMatchObject(rejection)
    await expect(ada.call(grantApi.closeGrant, { params, query: {} })).rejects.toMatchObject(rejection)
  })

  test('of an unknown entitlement or organisation is rejected', async () => {
    const { id: entitlementId } = await addEntitlement()
    await expect(grant('none', { orgId: 'none' })).rejects.toMatchObject({ body: { code: 'entitlement-not-found' } })
    await expect(grant(entitlementId, { orgId: 'none' })).rejects.toMatchObject({ body: { code: 'unknown-org' } })
    const params = { entitlementId, grantId: 'none' }
    const notFound = { status: 404, body: { code: 'entitlement-grant-not-found' } }
    await expect(ada.call(grantApi.getGrant, { params })).rejects.toMatchObject(notFound)
    await expect(ada.call(grantApi.closeGrant, { params, query: {} })).rejects.toMatchObject(notFound)
  })

  test('counts nothing while its organisation is in the trash', async () => {
    const { id: entitlementId } = await addEntitlement()
    const orgId = await addOrg()
    await grant(entitlementId, { orgId })
    const readTotal = async () => (await ada.call(api.getEntitlement, { params: { entitlementId }, query: {} })).total
    await ada.call(deleteOrg, { params: { orgId }, query: {} })
    expect(await readTotal()).toBe(0)
    await ada.call(restoreOrg, { params: { orgId }, query: {}, body: {} })
    expect(await readTotal()).toBe(10)
    const { items } = await ada.call(grantApi.listLedger, { params: { entitlementId }, query: {} })
    expect(items.map(({ action }) => action)).toEqual(['org-restored', 'org-deleted', 'granted', 'created'])
  })
})

describe('a preview', () => {
  test('names the organisation, its people, and the values, and writes nothing', async () => {
    const { id: entitlementId } = await addEntitlement()
    const orgId = await addOrg([eve.id, ada.id])
    const name = `Org ${serial}`
    const params = { entitlementId }
    const body = { orgId, quantity: 10 }
    const added = preview(await ada.call(grantApi.createGrant, { params, query: { preview: 'true' }, body }))
    expect(added).toEqual({
      gains: [{ org: { id: orgId, name }, people: 2, from: 0, to: 10, at: expect.any(String) }],
      loses: [],
    })
    expect((await ada.call(grantApi.listGrants, { params, query: {} })).items).toEqual([])

    const { id: grantId, ...granted } = await grant(entitlementId, body)
    const endsAt = inDays(5)
    const change = (change: object) =>
      ada.call(grantApi.putGrant, {
        params: { entitlementId, grantId },
        query: { preview: 'true' },
        body: { ...granted, ...change },
      })
    expect(preview(await change({ quantity: 4 }))).toMatchObject({ gains: [], loses: [{ from: 10, to: 4 }] })
    expect(preview(await change({ endsAt }))).toMatchObject({ gains: [], loses: [{ from: 10, to: 0, at: endsAt }] })
    expect(preview(await change({}))).toEqual({ gains: [], loses: [] })
    const ended = await ada.call(grantApi.closeGrant, {
      params: { entitlementId, grantId },
      query: { preview: 'true' },
    })
    expect(ended).toMatchObject({ loses: [{ from: 10, to: 0 }] })
    const fields = { name: 'Test', description: '', unit: null, enabled: false }
    const disabled = await ada.call(api.putEntitlement, { params, query: { preview: 'true' }, body: fields })
    expect(disabled).toMatchObject({ loses: [{ people: 2 }] })
    const deleted = await ada.call(api.deleteEntitlement, { params, query: { preview: 'true' } })
    expect(deleted).toMatchObject({ loses: [{ people: 2 }] })
    expect(await ada.call(api.getEntitlement, { params, query: {} })).toMatchObject({ version: 1, total: 10 })
  })
})

describe('an entitlement', () => {
  test('is changed, disabled, deleted and restored', async () => {
    const { id: entitlementId, key } = await addEntitlement()
    await grant(entitlementId, { orgId: await addOrg() })
    const params = { entitlementId }
    const body = { name: 'Other', description: 'Described', unit: 'hours', enabled: false }
    const changed = await ada.call(api.putEntitlement, { params, query: {}, body }, { ifMatch: '"1"' })
    expect(changed).toMatchObject({ ...body, key, version: 2, total: 0 })
    const stale = ada.call(api.putEntitlement, { params, query: {}, body }, { ifMatch: '"1"' })
    await expect(stale).rejects.toMatchObject({ status: 412 })
    await ada.call(api.deleteEntitlement, { params, query: {} })
    const reading = ada.call(api.getEntitlement, { params, query: {} })
    await expect(reading).rejects.toMatchObject({ status: 404, body: { code: 'entitlement-not-found' } })
    const again = ada.call(api.createEntitlement, { body: { key, name: 'Again', kind: 'flag' } })
    await expect(again).rejects.toMatchObject({ status: 409, body: { code: 'key-taken' } })
    expect(await ada.call(api.restoreEntitlement, { params })).toMatchObject({ ...body, version: 4 })
    await ada.call(api.putEntitlement, { params, query: {}, body: { ...body, enabled: true } })
    const { items } = await ada.call(grantApi.listLedger, { params, query: {} })
    expect(items.map(({ action, counts }) => `${action} ${counts}`)).toEqual([
      'enabled true',
      'restored false',
      'deleted false',
      'disabled false',
      'granted true',
      'created true',
    ])
  })

  test('that is a flag has no unit, and keeps its key and its kind', async () => {
    const { id: entitlementId, key, ...flag } = await addEntitlement('flag')
    const change = (body: object) =>
      ada.call(api.putEntitlement, { params: { entitlementId }, query: {}, body: { ...flag, name: 'X', ...body } })
    await expect(change({ unit: 'seats' })).rejects.toMatchObject({ body: { code: 'unit-invalid' } })
    expect(await change({ key: 'other', kind: 'quantity', grants: [] })).toMatchObject({ key, kind: 'flag', name: 'X' })
  })

  test('that a product is sold as is not deleted', async () => {
    const { id: entitlementId } = await addEntitlement()
    await service.sql`
      insert into aws_products (id, name, product_code, pricing_model, support_email)
      values ('p1', 'Stage Pro', 'code-of-pro', 'contract', 'a@b.example')`
    await service.sql`
      insert into aws_product_dimensions (product_id, key, kind, entitlement_id, place)
      values ('p1', 'seats', 'entitled', ${entitlementId}, 0)`
    const params = { entitlementId }
    await expect(ada.call(api.deleteEntitlement, { params, query: {} })).rejects.toMatchObject({
      status: 409,
      body: { code: 'entitlement-mapped' },
    })
    expect(await ada.call(api.getEntitlement, { params, query: {} })).toMatchObject({
      mappings: [{ productId: 'p1', productName: 'Stage Pro', dimension: 'seats' }],
    })
  })
})

test('a deleted entitlement is in the trash, and its ledger outlives its purge', async () => {
  const { id: entitlementId, name, key } = await addEntitlement()
  await grant(entitlementId, { orgId: await addOrg() })
  await ada.call(api.deleteEntitlement, { params: { entitlementId }, query: {} })
  const { items } = await ada.call(listTrash, { query: { kind: 'entitlement' } })
  expect(items).toMatchObject([{ id: entitlementId, name, detail: key, deletedBy: { id: ada.id } }])
  await service.sql`update entitlements set deleted_at = now() - interval '31 days' where id = ${entitlementId}`
  await purgeTrash(service.sql)
  expect((await ada.call(listTrash, { query: { kind: 'entitlement' } })).items).toEqual([])
  const ledger = await service.sql`
    select action from entitlement_ledger where entitlement_id = ${entitlementId} order by sequence`
  expect(ledger.map(({ action }) => action)).toEqual(['created', 'granted', 'deleted'])
})

describe('the entitlements of a user', () => {
  test('come from all their organisations, in one statement', async () => {
    const dev = await service.as('dev')
    const [seats, vr] = [await addEntitlement(), await addEntitlement('flag')]
    const [first, second] = [await addOrg([dev.id]), await addOrg([dev.id])]
    const endsAt = inDays(5)
    await grant(seats.id, { orgId: first, quantity: 3 })
    await grant(seats.id, { orgId: second, quantity: 4, endsAt })
    await grant(seats.id, { orgId: await addOrg(), quantity: 5 })
    await grant(vr.id, { orgId: second, quantity: null })
    const token = await issueBearerToken(service, 'dev')
    const read = async (query = '') => {
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(`${service.url}/passport/entitlements/me${query}`, { headers })
      return (await response.json()) as grantApi.EffectiveEntitlement[]
    }
    await read()
    statements.length = 0
    const own = await read()
    expect(statements.filter((text) => text.includes('valid_grants'))).toHaveLength(1)
    expect(
      own.map(({ key, value, orgs }) => ({ key, value, orgs: orgs.map(({ value, endsAt }) => [value, endsAt]) })),
    ).toEqual([
      {
        key: seats.key,
        value: 7,
        orgs: [
          [3, null],
          [4, endsAt],
        ],
      },
      { key: vr.key, value: true, orgs: [[true, null]] },
    ])
    expect(await read(`?at=${inDays(6)}`)).toMatchObject([{ value: 3 }, { value: true }])
    expect(await read(`?at=${inDays(-6)}`)).toEqual([])

    const ofOrg = await ada.call(grantApi.listOrgEntitlements, { params: { orgId: second }, query: {} })
    expect(ofOrg).toMatchObject([
      { id: seats.id, value: 4, grants: [{ quantity: 4, endsAt }] },
      { id: vr.id, value: true, grants: [{ quantity: null }] },
    ])
    const missing = ada.call(grantApi.listOrgEntitlements, { params: { orgId: 'none' }, query: {} })
    await expect(missing).rejects.toMatchObject({ status: 404 })
  })
})

test('the ledger is append-only', async () => {
  await addEntitlement()
  await expect(service.sql`update entitlement_ledger set quantity = 1`).rejects.toThrow('append-only')
  await expect(service.sql`delete from entitlement_ledger`).rejects.toThrow('append-only')
  await expect(service.sql`truncate entitlement_ledger`).rejects.toThrow('append-only')
})
