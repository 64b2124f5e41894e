import * as api from '@passport/contract/permissions'
import { beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../test-service.ts'

/* Misuse of the tools by an application. */

const clientSecret = 'the secret of an application of its own'
const schema = `definition user {}
definition document {
  relation viewer: user
  permission view = viewer
}`

let service: TestService
let token: string
beforeAll(async () => {
  const application = {
    clientId: 'app',
    clientName: 'App',
    clientSecret,
    scopes: ['permissions.read', 'permissions.write'],
  }
  service = await startTestService({ CLIENTS: JSON.stringify([application]) })
  const response = await fetch(`${service.url}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`app:${encodeURIComponent(clientSecret)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'permissions.read permissions.write' }),
  })
  token = ((await response.json()) as { access_token: string }).access_token
  await send(api.putPermissionSchema, { text: schema })
  const updates = ['one', 'two', 'three'].map((id) => ({ operation: 'touch', relationship: createViewer(id) }))
  await send(api.writeRelationships, { updates })
})

/** Returns the CPU time of this process since `start`, in milliseconds, which is stable even on a busy machine. */
function measureCpuMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

const createViewer = (id: string) => ({
  resource: { type: 'document', id },
  relation: 'viewer',
  subject: { type: 'user', id: 'ann' },
})

async function send({ method, path }: { method: string; path: string }, body?: unknown, query = '') {
  const type = typeof body === 'string' ? 'text/plain' : 'application/json'
  const response = await fetch(service.url + path + query, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('a client is the actor of its changes in the history and in the audit log', async () => {
  const { body } = await send(api.listRelationshipHistory, undefined, '?resourceId=one&resourceType=document')
  expect(body['items']).toMatchObject([{ operation: 'added', by: { kind: 'client', id: 'app', name: 'App' } }])
  const events = await service.sql`
    select distinct actor_id from audit_events where action = 'permissions.relationships-changed'`
  expect(events).toMatchObject([{ actorId: 'client:app' }])
})

test('a future token is rejected without waiting', async () => {
  const { body } = await send(api.listRelationships, undefined, '?resourceType=document')
  const [epoch, rev] = Buffer.from(String(body['readAt']), 'base64url').toString().split('.')
  const future = Buffer.from(`${epoch}.${Number(rev) + 1000}`).toString('base64url')
  const start = performance.now()
  const rejected = await send(
    api.listRelationships,
    undefined,
    `?resourceType=document&consistency=atLeastAsFresh&token=${future}`,
  )
  expect(rejected).toMatchObject({ status: 503, body: { code: 'not-caught-up' } })
  // A token that may still be reached would wait for five seconds.
  expect(performance.now() - start).toBeLessThan(4500)
})

test('a watch from a future token is rejected', async () => {
  const { body } = await send(api.listRelationships, undefined, '?resourceType=document')
  const [epoch, rev] = Buffer.from(String(body['readAt']), 'base64url').toString().split('.')
  const future = Buffer.from(`${epoch}.${Number(rev) + 1000}`).toString('base64url')
  const rejected = await send({ method: 'GET', path: api.watchPath }, undefined, `?from=${future}`)
  expect(rejected).toMatchObject({ status: 410, body: { code: 'snapshot-gone' } })
})

test.for([
  {},
  { token: 5, after: 5 },
  { token: 'x', after: { resource: 1 } },
  { token: 'x', cursor: 7 },
  { rev: 'x', key: 'y' },
  { rev: 1.5, key: {} },
  'x',
  null,
])('a forged cursor of %j is rejected', async (place) => {
  const forge = (cursor: unknown) => {
    const [requestHash] = JSON.parse(Buffer.from(String(cursor), 'base64url').toString()) as [string]
    return Buffer.from(JSON.stringify([requestHash, place])).toString('base64url')
  }
  const mismatch = { status: 400, body: { code: 'cursor-mismatch' } }
  for (const listed of [api.listRelationships, api.listRelationshipHistory]) {
    const query = '?limit=1&resourceType=document'
    const { body } = await send(listed, undefined, query)
    expect(await send(listed, undefined, `${query}&cursor=${forge(body['cursor'])}`)).toMatchObject(mismatch)
  }
  const lookup = { resourceType: 'document', permission: 'view', subject: { type: 'user', id: 'ann' }, limit: 1 }
  const { body } = await send(api.lookUpResources, lookup)
  const request = { ...lookup, cursor: forge(body['cursor']) }
  expect(await send(api.lookUpResources, request)).toMatchObject(mismatch)
})

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]', ...[...'bcdef'].map(nest), 'schema: *f'].join('\n')
function nest(name: string, index: number) {
  const inner = `*${'abcde'[index]}`
  return `${name}: &${name} [${Array(10).fill(inner).join(', ')}]`
}

test.for([
  ['a context nested too deeply', `relationships: document:q#viewer@user:z[some:{"l":${nested(20_000)}}]`],
  [
    'an assertion whose context is nested too deeply',
    `assertions:\n  assertTrue:\n    - 'document:q#view@user:z with {"l":${nested(20_000)}}'`,
  ],
  ['nested aliases', bomb],
  ['too many values', `assertions:\n  assertTrue: [${'a,'.repeat(150_000)}]`],
  ['only invalid lines', `relationships: |-\n${'  x\n'.repeat(5000)}`],
])('a file with %s is rejected quickly', async ([, text]) => {
  const start = process.cpuUsage()
  const { status, body } = await send(api.importPermissions, text)
  expect({ status, code: body['code'] }).toEqual({ status: 400, code: 'file-invalid' })
  expect((body['errors'] as unknown[]).length).toBeLessThanOrEqual(100)
  expect(measureCpuMs(start)).toBeLessThan(4000)
})

test('an import cannot exceed the limit of assertions, and records the replaced ones', async () => {
  const file = (count: number) => {
    const lines = Array.from({ length: count }, (_, index) => `    - document:d${index}#view@user:ann`)
    return `assertions:\n  assertFalse:\n${lines.join('\n')}`
  }
  expect(await send(api.importPermissions, file(1001))).toMatchObject({ status: 400, body: { code: 'too-many' } })
  expect(await send(api.importPermissions, file(2))).toMatchObject({ status: 200 })
  expect(await send(api.importPermissions, file(1))).toMatchObject({ status: 200 })
  const [event] = await service.sql`
    select before -> 'assertions' as before, after -> 'assertions' as after from audit_events
    where action = 'permissions.imported' order by at desc, id desc limit 1`
  expect(event?.['before']).toHaveLength(2)
  expect(event?.['after']).toEqual(['assertFalse document:d0#view@user:ann'])
})

test('a malformed expected subject is compared quickly', async () => {
  const line = `${'['.repeat(30_000)}${'] '.repeat(30_000)}x`
  const text = `validation:\n  "document:one#view":\n    - "${line}"`
  expect(await send(api.importPermissions, text)).toMatchObject({ status: 200 })
  const start = process.cpuUsage()
  expect((await send(api.runAssertions)).status).toBe(200)
  expect(measureCpuMs(start)).toBeLessThan(1000)
})
