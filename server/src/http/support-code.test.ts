import { type RunningServer, runServer } from '@passport/world/process'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { testSecret } from '../test-database.ts'
import { createTestDatabase } from '../test-service.ts'

// The server runs as a process at the default log level, so that its log can be read.

let server: RunningServer

beforeAll(async () => {
  const sql = await createTestDatabase()
  const [row] = await sql<{ name: string }[]>`select current_database() as name`
  const host = encodeURIComponent(inject('socketDirectory'))
  server = await runServer({
    DATABASE_URL: `postgres://passport@localhost/${row?.name}?host=${host}`,
    PASSPORT_SECRET: testSecret,
    IDENTITY_PROVIDERS: JSON.stringify([
      { id: 'local', kind: 'local', name: 'Passport' },
      { id: 'gone', kind: 'oidc', name: 'Gone ID', issuer: 'http://localhost:1', clientId: 'x', clientSecret: 'y' },
    ]),
  })
})
afterAll(async () => {
  server.kill('SIGTERM')
  await server.exited
})

const form = new URLSearchParams({ answer: 'allow' })
const foreign = { 'sec-fetch-site': 'cross-site' }

test.for([
  ['an unknown client', '/connect/authorize?client_id=nobody', {}, 400, 'invalid_client'],
  ['an expired authorization request', '/connect/authorize/gone', {}, 400, 'invalid_request'],
  ['a protocol path with NUL', '/connect/authorize/%00', {}, 400, 'invalid-text'],
  ['an expired interaction', '/connect/interaction/x', {}, 400, 'interaction-expired'],
  ['an expired consent', '/connect/interaction/x/consent', { method: 'POST' }, 400, 'interaction-expired'],
  [
    'a form submitted by another site',
    '/connect/endsession/confirm',
    { method: 'POST', headers: foreign },
    403,
    'csrf',
  ],
  ['an expired directory sign-in', '/idp/login/x', {}, 400, 'directory-sign-in-expired'],
  ['a password for an expired directory sign-in', '/idp/login/x', { method: 'POST' }, 400, 'directory-sign-in-expired'],
  ['a callback with an unknown state', '/login/callback/local?state=x&code=y', {}, 400, 'state-unknown'],
  ['a callback of an unknown provider', '/login/callback/nobody?state=x&code=y', {}, 400, 'state-unknown'],
  ['a provider with NUL in its id', '/login/callback/%00', {}, 400, 'invalid-text'],
  ['an unreachable provider', '/login?idp=gone', {}, 502, 'provider-unreachable'],
  ['an unknown invitation', '/join/x', {}, 404, 'join-not-found'],
] as const)('%s shows a support code that appears in exactly one log line', async ([, path, init, status, code]) => {
  const response = await fetch(server.url + path, {
    redirect: 'manual',
    ...init,
    ...('method' in init && { body: form }),
    headers: {
      accept: 'text/html',
      'sec-fetch-site': 'same-origin',
      'sec-fetch-dest': 'document',
      ...('headers' in init && init.headers),
    },
  })
  const page = await response.text()
  expect([response.status, page]).toEqual([status, expect.stringContaining('Support code')])
  const supportCode = /Support code <code>([0-9A-F]{4}-[0-9A-F]{4})<\/code>/.exec(page)?.[1] ?? 'none'
  await server.waitForOutput(new RegExp(`"supportCode":"${supportCode}".*\n`))
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line.includes(supportCode))
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ code })])
  expect(lines[0]).not.toContain('code=y')
})

test.for([
  ['a feature that is not configured', '/passport/licensing/awsmarketplace/events', { method: 'POST' }, 503],
  ['an unreachable provider', '/login?idp=gone', { headers: { accept: 'text/html' } }, 502],
] as const)('a request that needs %s does not write to the error log', async ([, path, init, status]) => {
  const headers = { 'content-type': 'application/json', ...('headers' in init && init.headers) }
  const response = await fetch(server.url + path, { ...init, headers, redirect: 'manual' })
  await response.text()
  expect(response.status).toBe(status)
  const traceId = response.headers.get('x-trace-id') ?? 'none'
  await server.waitForOutput(new RegExp(`"traceId":"${traceId}".*\n`))
  const lines = server.output().split('\n')
  expect(lines.filter((line) => line.includes(traceId)).map((line) => JSON.parse(line).level)).toEqual([40])
})
