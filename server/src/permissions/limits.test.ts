import * as api from '@passport/contract/permissions'
import { parseRelationship } from '@passport/permissions'
import { beforeAll, expect, test, vi } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { findMisses } from './closest-miss.ts'
import { computeDeletionEffect } from './deletion-effect.ts'
import { runAssertions } from './run-assertions.ts'

/* Limits on the shared time and memory that one caller can use. */

const schema = `definition user {}

definition group {
  relation member: user | group#member
}

definition document {
  relation viewer: user | group#member
  permission view = viewer
}`

let service: TestService
let ada: Visitor
beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  const lines = ['document:plan#viewer@group:g0#member', 'document:note#viewer@user:ann']
  for (let group = 0; group < 250; group++)
    for (let otherGroup = 0; otherGroup < 250; otherGroup++)
      lines.push(`group:g${group}#member@group:g${otherGroup}#member`)
  await service.services.permissions.load?.({ schema, relationships: lines.map(parseRelationship) })
  // The default consistency uses the replica, which lags a little behind the load.
  await vi.waitFor(
    async () => expect(await send(api.checkPermission, createRequest('note'))).toMatchObject({ status: 200 }),
    60_000,
  )
}, 120_000)

const send = async ({ method, path }: { method: string; path: string }, body: unknown, type = 'application/json') => {
  const response = await ada.fetch(path, {
    method,
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const createRequest = (id: string) => ({
  resource: { type: 'document', id },
  permission: 'view',
  subject: { type: 'user', id: 'ann' },
})

test('a check over its budget fails with too-much-work', async () => {
  const { status, body } = await send(api.checkPermission, createRequest('plan'))
  expect(status).toBe(409)
  expect(body).toMatchObject({ code: 'too-much-work' })
})

test('a check over its budget does not affect the others of a bulk check', async () => {
  const { status, body } = await send(api.checkPermissionsInBulk, {
    items: [createRequest('note'), createRequest('plan'), createRequest('note')],
  })
  expect(status).toBe(200)
  const granted = { permissionship: 'hasPermission', partialCaveatMissing: [] }
  expect(body['items']).toEqual([granted, { error: expect.objectContaining({ code: 'too-much-work' }) }, granted])
})

test('the length of a schema is limited for every endpoint', async () => {
  const text = `${schema}\n${'// a comment that goes on and on\n'.repeat(5000)}`
  for (const endpoint of [api.putPermissionSchema, api.diffPermissionSchema]) {
    const { status, body } = await send(endpoint, { text })
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain(String(api.maxSchemaLength))
  }
  const file = `schema: |-\n${text.replace(/^/gm, '  ')}\nrelationships: ""\n`
  for (const query of ['', '?dryRun=true']) {
    const { path, method } = api.importPermissions
    const { status, body } = await send({ method, path: path + query }, file, 'text/plain')
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'schema-invalid' })
  }
})

test('schema diffs are limited to sixty a minute', async () => {
  const statuses = []
  for (let checked = 0; checked < 61; checked++)
    statuses.push((await send(api.diffPermissionSchema, { text: schema })).status)
  expect(statuses.slice(0, 50)).toEqual(Array(50).fill(200))
  expect(statuses.at(-1)).toBe(429)
})

test('assertions left after the time limit fail with too-much-work', async () => {
  const saved = ['note', 'note'].map((id, index) => ({
    id: String(index),
    assertion: { kind: 'assertTrue' as const, question: createRequest(id) },
    createdAt: new Date().toISOString(),
  }))
  let checked = 0
  const { items, failed } = await runAssertions(service.services.permissions, saved, () => checked++ > 0)
  expect(items.map(({ holds }) => holds)).toEqual([true, false])
  expect(items[1]).toMatchObject({ error: { code: 'too-much-work' } })
  expect(failed).toBe(1)
})

test('the deletion preview and the search for closest misses stop at their time limit', async () => {
  const { permissions: engine } = service.services
  const filter = { resourceType: 'document', resourceId: 'note' }
  expect(await computeDeletionEffect(engine, filter)).toMatchObject({ isComplete: true, losses: [{ count: 1 }] })
  expect(await computeDeletionEffect(engine, filter, () => true)).toMatchObject({ isComplete: false, losses: [] })
  const { resource, permission } = createRequest('note')
  const request = { resource, permission, subject: { type: 'user', id: 'eve' } }
  expect((await findMisses(engine, request)).misses).toHaveLength(1)
  expect((await findMisses(engine, request, () => true)).misses).toEqual([])
})
