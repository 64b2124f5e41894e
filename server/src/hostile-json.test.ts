import { endpoints } from '@passport/contract/api'
import { eventsPath, snsPath } from '@passport/contract/aws-events'
import { importApiScopes } from '@passport/contract/identity-apis'
import { importPermissions, putPermissionSchema } from '@passport/contract/permissions'
import { beforeAll, expect, test } from 'vitest'
import { type EntraService, startEntraService } from './entra/test-entra.ts'
import { createTestClient, newUser, type TestClient } from './scim/test-client.ts'

// Sends JSON that cannot be stored, or is nested too deep, to each place where JSON of others enters over HTTP. Messages
// of queues are in marketplace/inbox.test.ts, answers of providers in login/login.test.ts.

const eventKey = 'the-key-of-the-connection-in-EventBridge'
let entra: EntraService
let scim: TestClient
beforeAll(async () => {
  entra = await startEntraService({
    env: { AWS_MARKETPLACE_REGION: 'us-east-1', AWS_MARKETPLACE_EVENT_KEYS: eventKey },
  })
  scim = await createTestClient(entra, 'meridian.example')
})

const nest = (levels: number, open: string, close: string) => `${open.repeat(levels)}1${close.repeat(levels)}`
/** A value by its flaw. */
const flawed = {
  'a NUL': '"a\\u0000b"',
  'half a character': '"\\ud800"',
  'a NUL in a key': '{"\\u0000":1}',
  'a number beyond doubles': '[1e400]',
  '5,000 levels of objects': nest(5_000, '{"a":', '}'),
  '50,000 levels of lists': nest(50_000, '[', ']'),
}

const isNested = (name: string) => name.includes('levels')

const post = (path: string, body: string, headers: Record<string, string> = {}, method = 'POST') =>
  fetch(entra.service.url + path, { method, headers: { 'content-type': 'application/json', ...headers }, body })

async function countRows() {
  const [row] = await entra.service.sql`
    select (select count(*) from users)::integer as users, (select count(*) from scim_users)::integer as provisioned,
      (select count(*) from aws_events)::integer as events, (select count(*) from groups)::integer as groups`
  return row
}

test.for(Object.entries(flawed).filter(([name]) => !isNested(name)))(
  '%s in a value of a SCIM client is omitted, and the user and the group are created',
  async ([name, value]) => {
    const send = (method: string, path: string, body: string) =>
      post(
        `/passport/scim/v2/${scim.orgId}/${path}`,
        body,
        { authorization: `Bearer ${scim.token}`, 'content-type': 'application/scim+json' },
        method,
      )
    for (const [index, member] of [`"name":${value}`, `"title":${value}`, `"unknown":{"in":${value}}`].entries()) {
      const userName = `${name.replaceAll(' ', '-')}-${index}@meridian.example`
      const user = JSON.stringify(newUser(userName)).replace(/}$/, `,${member}}`)
      const created = await send('POST', 'Users', user)
      const text = await created.text()
      expect([created.status, text.isWellFormed(), text.includes('\\u0000')]).toEqual([201, true, false])
      const path = `Users/${(JSON.parse(text) as { id: string }).id}`
      const operation = `{"Operations":[{"op":"add","value":{${member}}}]}`
      const group = `{"displayName":"Group of ${userName}",${member}}`
      expect((await send('PUT', path, user)).status).toBe(200)
      expect((await send('PATCH', path, operation)).status).toBe(200)
      expect((await send('POST', 'Groups', group)).status).toBe(201)
      expect((await send('POST', 'Users/.search', `{${member}}`)).status).toBeLessThan(500)
    }
  },
)

test.for(Object.entries(flawed))('%s is refused at each entry, and nothing is stored', async ([name, value]) => {
  const { service, ada } = entra
  const scimUrl = `/passport/scim/v2/${scim.orgId}`
  const authorized = { authorization: `Bearer ${scim.token}`, 'content-type': 'application/scim+json' }
  const user = (member: string) => JSON.stringify(newUser('flawed@meridian.example')).replace(/}$/, `,${member}}`)
  const event = (detail: string) =>
    `{"id":"e","detail-type":"x","source":"x","time":"2026-01-01T00:00:00Z","detail":${detail}}`
  const before = await countRows()

  for (const member of isNested(name) ? [`"name":${value}`, `"title":${value}`, `"unknown":{"in":${value}}`] : [])
    for (const [method, path, body] of [
      ['POST', 'Users', user(member)],
      ['POST', 'Groups', `{"displayName":"Flawed",${member}}`],
      ['POST', 'Users/.search', `{"filter":"userName eq \\"a\\"",${member}}`],
      ['PUT', 'Users/none', user(member)],
      ['PATCH', 'Groups/none', `{"Operations":[{"op":"add","value":{${member}}}]}`],
    ] as const) {
      const response = await post(`${scimUrl}/${path}`, body, authorized, method)
      const answer = { status: response.status, type: response.headers.get('content-type') }
      expect({ path, ...answer }).toEqual({ path, status: 400, type: 'application/scim+json; charset=utf-8' })
      expect(((await response.json()) as { scimType: string }).scimType).toMatch(/^invalid(?:Syntax|Value)$/)
    }
  const keyed = { 'x-passport-webhook-key': eventKey }
  expect((await post(eventsPath, event(`{"in":${value}}`), keyed)).status).toBe(400)
  const notification = { Type: 'Notification', MessageId: 'm', TopicArn: 't', Timestamp: 'now', Message: '' }
  const sns = JSON.stringify(notification).replace(/}$/, `,"Subject":${value}}`)
  expect((await post(snsPath, sns, { 'content-type': 'text/plain' })).status).toBe(400)
  for (const path of ['/passport/admin/users', '/passport/groups', '/passport/admin/audit'])
    for (const cursor of [`[${value},"a"]`, value]) {
      const after = Buffer.from(cursor).toString('base64url')
      const { status } = await ada.fetch(`${path}?after=${after}`)
      // The address of a long cursor is longer than the server reads.
      expect([path, after.length > 8_000 || [400, 404].includes(status)]).toEqual([path, true])
    }
  await ada.call(putPermissionSchema, {
    body: {
      text: 'definition user {}\ncaveat only(a string) { a == "x" }\ndefinition doc { relation viewer: user with only; }',
    },
  } as never)
  const file = `relationships: |\n  doc:a#viewer@user:b[only:{"a":${value}}]\n`
  const imported = await ada.fetch(`${importPermissions.path}?dryRun=false`, {
    method: 'POST',
    headers: { 'content-type': 'application/yaml' },
    body: file,
  })
  expect([name, imported.status < 500]).toEqual([name, true])
  const document = `{"openapi":"3.0.0","x":${value},"components":{"securitySchemes":{"o":{"type":"oauth2","flows":{"f":{"scopes":{"a":${value}}}}}}}}`
  const { items } = (await (await ada.fetch('/passport/admin/identity/apis')).json()) as { items: { id: string }[] }
  const scopes = await ada.fetch(importApiScopes.path.replace('{apiId}', items[0]?.id ?? ''), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ document }),
  })
  expect([name, scopes.status < 500]).toEqual([name, true])

  expect(await countRows()).toEqual(before)
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
})

test('every call with JSON refuses each of them, and keeps the prototypes of objects', async () => {
  const calls = [...endpoints.values()].filter(({ body }) => body?.type === 'application/json')
  const values = [
    ...Object.values(flawed),
    '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}',
  ]
  expect(calls.length).toBeGreaterThan(80)
  for (const [index, { method, path }] of calls.entries()) {
    const response = await entra.ada.fetch(path.replaceAll(/\{\w+(\.\.\.)?\}/g, 'x'), {
      method,
      headers: { 'content-type': 'application/json' },
      body: values[index % values.length] ?? '',
    })
    const { code } = (await response.json()) as { code?: string }
    expect([path, response.status, response.status < 500 || code === 'awsmp-not-configured']).toEqual([
      path,
      response.status,
      true,
    ])
  }
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
})
