import * as api from '@passport/contract/entitlements'
import { createOrg } from '@passport/contract/orgs'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

let service: TestService
let ada: Visitor
let northwind: string
let beacon: string
beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  const [first, second] = [await addOrg('Northwind Theatre'), await addOrg('Beacon Marine')]
  northwind = first
  beacon = second
})

const addOrg = async (name: string) => (await ada.call(createOrg, { body: { name } })).id
const dayMs = 24 * 60 * 60 * 1000
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString()

const seats = { key: 'stage.seats', name: 'Seats', kind: 'quantity', unit: 'seats' } as const

describe('an entitlement', () => {
  test('is created with its grants, and counts those of the moment', async () => {
    const created = await ada.call(api.createEntitlement, {
      body: {
        ...seats,
        description: 'Places at a show',
        grants: [
          { orgId: northwind, quantity: 40 },
          { orgId: northwind, quantity: 2, startsAt: inDays(-2), endsAt: inDays(-1) },
          { orgId: beacon, quantity: 200, startsAt: inDays(-30), endsAt: inDays(30), note: 'A pilot' },
          { orgId: beacon, quantity: 5, startsAt: inDays(10) },
        ],
      },
    })
    expect(created).toEqual({
      ...seats,
      description: 'Places at a show',
      id: expect.any(String),
      enabled: true,
      orgCount: 2,
      total: 240,
      sources: ['manual'],
      mappings: [],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      version: 1,
    })
    const params = { entitlementId: created.id }
    expect(await ada.call(api.getEntitlement, { params, query: {} })).toEqual(created)
    expect(await ada.call(api.getEntitlement, { params, query: { at: inDays(20) } })).toMatchObject({ total: 245 })
    expect(await ada.call(api.getEntitlement, { params, query: { at: inDays(40) } })).toMatchObject({ total: 45 })
    expect(await ada.call(api.getEntitlement, { params, query: { at: inDays(-1) } })).toMatchObject({
      total: 0,
      orgCount: 0,
    })
  })

  test.for<[field: string | undefined, change: { grants?: object[]; [field: string]: unknown }, code: string]>([
    ['key', { key: 'Stage.Seats' }, 'entitlement-key-invalid'],
    ['key', { key: `a.${'b'.repeat(63)}` }, 'entitlement-key-invalid'],
    ['key', { key: 'stage.seats' }, 'key-taken'],
    ['name', { name: ' ' }, 'entitlement-name-invalid'],
    ['unit', { kind: 'flag' }, 'unit-invalid'],
    ['grants[0].quantity', { grants: [{}] }, 'quantity-invalid'],
    ['grants[0].quantity', { grants: [{ quantity: 0 }] }, 'quantity-invalid'],
    ['grants[0].quantity', { grants: [{ quantity: 1.5 }] }, 'quantity-invalid'],
    ['grants[0].quantity', { grants: [{ quantity: api.maxQuantity + 1 }] }, 'quantity-invalid'],
    ['grants[0].quantity', { kind: 'flag', unit: null, grants: [{ quantity: 1 }] }, 'quantity-invalid'],
    ['grants[0].endsAt', { grants: [{ quantity: 1, endsAt: inDays(-1) }] }, 'period-invalid'],
    ['grants[0].endsAt', { grants: [{ quantity: 1, startsAt: inDays(1), endsAt: inDays(1) }] }, 'period-invalid'],
    ['grants[0].orgId', { grants: [{ quantity: 1, orgId: 'none' }] }, 'unknown-org'],
    [undefined, { grants: [{ quantity: 1, source: 'aws' }] }, 'grant-from-aws'],
  ])('with an invalid %s is rejected: %j', async ([field, { grants, ...change }, code]) => {
    const granted = grants?.map((grant) => ({ orgId: northwind, ...grant }))
    const parts = { body: { ...seats, key: 'stage.rejected', ...change, ...(granted && { grants: granted }) } }
    await expect(ada.call(api.createEntitlement, parts as never)).rejects.toMatchObject({
      body: { code, ...(field && { errors: [{ field }] }) },
    })
  })

  test('with the largest quantity and the longest key is accepted', async () => {
    const grants = [
      { orgId: northwind, quantity: api.maxQuantity },
      { orgId: beacon, quantity: api.maxQuantity },
    ]
    const created = await ada.call(api.createEntitlement, { body: { ...seats, key: `a.${'b'.repeat(62)}`, grants } })
    expect(created.total).toBe(2 * api.maxQuantity)
  })
})

describe('the list of entitlements', () => {
  test('filters and sorts', async () => {
    await ada.call(api.createEntitlement, {
      body: { key: 'list.vr', name: 'Headsets', kind: 'flag', grants: [{ orgId: beacon }] },
    })
    await ada.call(api.createEntitlement, { body: { ...seats, key: 'list.hours', name: 'Áhours', enabled: false } })
    const list = async (query: object) =>
      (await ada.call(api.listEntitlements, { query: { query: 'list.', ...query } })).items.map(({ key }) => key)
    expect(await list({})).toEqual(['list.hours', 'list.vr'])
    expect(await list({ sort: 'orgs', direction: 'desc' })).toEqual(['list.vr', 'list.hours'])
    expect(await list({ sort: 'key', limit: 1 })).toEqual(['list.hours'])
    expect(await list({ sort: 'updated' })).toEqual(['list.vr', 'list.hours'])
    expect(await list({ query: 'ahours' })).toEqual(['list.hours'])
    expect(await list({ kind: 'flag' })).toEqual(['list.vr'])
    expect(await list({ source: 'manual' })).toEqual(['list.vr'])
    expect(await list({ source: 'aws' })).toEqual([])
    expect(await list({ status: 'disabled' })).toEqual(['list.hours'])
    expect(await list({ orgId: beacon })).toEqual(['list.vr'])
    expect(await list({ orgId: northwind })).toEqual([])
    expect(await list({ orgId: beacon, at: inDays(-1) })).toEqual([])
    const first = await ada.call(api.listEntitlements, { query: { query: 'list.', limit: 1, sort: 'orgs' } })
    expect(first).toMatchObject({ total: 2, items: [{ key: 'list.hours' }] })
    const next = await ada.fetch(String(first.next))
    expect(await next.json()).toMatchObject({ items: [{ key: 'list.vr' }], next: null })
  })
})
