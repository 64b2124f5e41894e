import * as api from '@passport/contract/permissions'
import { parseRelationship } from '@passport/permissions/relationship-text'
import { beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { findMisses } from './closest-miss.ts'
import { effectOfDeleting } from './deletion-effect.ts'
import { runAssertions } from './run-assertions.ts'

/** What one caller can take of everyone's time and memory. */

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
    for (let other = 0; other < 250; other++) lines.push(`group:g${group}#member@group:g${other}#member`)
  await service.services.permissions.load?.({ schema, relationships: lines.map(parseRelationship) })
})

const send = async ({ method, path }: { method: string; path: string }, body: unknown, type = 'application/json') => {
  const answer = await ada.fetch(path, {
    method,
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const about = (id: string) => ({
  resource: { type: 'document', id },
  permission: 'view',
  subject: { type: 'user', id: 'ann' },
})

test('a question that leads over too much is told so', async () => {
  const { status, body } = await send(api.checkPermission, about('plan'))
  expect(status).toBe(409)
  expect(body).toMatchObject({ code: 'too-much-work' })
})

test('in bulk it spoils no other', async () => {
  const { status, body } = await send(api.checkPermissionsInBulk, {
    items: [about('note'), about('plan'), about('note')],
  })
  expect(status).toBe(200)
  const found = { permissionship: 'hasPermission', partialCaveatMissing: [] }
  expect(body['items']).toEqual([found, { error: expect.objectContaining({ code: 'too-much-work' }) }, found])
})

test('a schema has a length, wherever it comes from', async () => {
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

test('what a schema would change is told sixty times in a minute', async () => {
  const statuses = []
  for (let asked = 0; asked < 61; asked++)
    statuses.push((await send(api.diffPermissionSchema, { text: schema })).status)
  expect(statuses.slice(0, 50)).toEqual(Array(50).fill(200))
  expect(statuses.at(-1)).toBe(429)
})

test('assertions that are left when the time is over are told as not tried', async () => {
  const saved = ['note', 'note'].map((id, at) => ({
    id: String(at),
    assertion: { kind: 'assertTrue' as const, question: about(id) },
    createdAt: new Date().toISOString(),
  }))
  let asked = 0
  const { items, failed } = await runAssertions(service.services.permissions, saved, () => asked++ > 0)
  expect(items.map(({ holds }) => holds)).toEqual([true, false])
  expect(items[1]).toMatchObject({ error: { code: 'too-much-work' } })
  expect(failed).toBe(1)
})

test('the effect of a deletion and the closest miss end where their time is over', async () => {
  const { permissions: engine } = service.services
  const filter = { resourceType: 'document', resourceId: 'note' }
  expect(await effectOfDeleting(engine, filter)).toMatchObject({ isComplete: true, losses: [{ count: 1 }] })
  expect(await effectOfDeleting(engine, filter, () => true)).toMatchObject({ isComplete: false, losses: [] })
  const { resource, permission } = about('note')
  const question = { resource, permission, subject: { type: 'user', id: 'eve' } }
  expect((await findMisses(engine, question)).misses).toHaveLength(1)
  expect((await findMisses(engine, question, () => true)).misses).toEqual([])
})
