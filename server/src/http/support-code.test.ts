import { type RunningServer, runServer } from '@passport/world/process'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { testSecret } from '../test-database.ts'
import { createTestDatabase } from '../test-service.ts'

/** What support is told is in the log of the server as it is started by hand, at the level that it has by default. */

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
  await server.ended
})

const form = new URLSearchParams({ answer: 'allow' })
const foreign = { 'sec-fetch-site': 'cross-site' }

test.for([
  ['an application that nobody knows', '/connect/authorize?client_id=nobody', {}, 400, 'invalid_client'],
  ['an authorization request that waits no more', '/connect/authorize/gone', {}, 400, 'invalid_request'],
  ['a path of the protocol with NUL', '/connect/authorize/%00', {}, 400, 'invalid-text'],
  ['an interaction that is over', '/connect/interaction/x', {}, 400, 'interaction-expired'],
  ['a consent that is over', '/connect/interaction/x/consent', { method: 'POST' }, 400, 'interaction-expired'],
  ['a form of another site', '/connect/endsession/confirm', { method: 'POST', headers: foreign }, 403, 'csrf'],
  ['a sign-in of the directory that is over', '/idp/login/x', {}, 400, 'directory-sign-in-expired'],
  ['a password that comes too late', '/idp/login/x', { method: 'POST' }, 400, 'directory-sign-in-expired'],
  ['an answer with another state', '/login/callback/local?state=x&code=y', {}, 400, 'state-unknown'],
  ['an answer of nobody', '/login/callback/nobody?state=x&code=y', {}, 400, 'state-unknown'],
  ['a provider with NUL in its name', '/login/callback/%00', {}, 400, 'invalid-text'],
  ['a provider that does not answer', '/login?idp=gone', {}, 502, 'provider-unreachable'],
  ['an invitation that is not there', '/join/x', {}, 404, 'join-not-found'],
] as const)('%s is told with a code that one line of the log has', async ([, path, init, status, code]) => {
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
  await server.says(new RegExp(`"supportCode":"${supportCode}".*\n`))
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line.includes(supportCode))
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ code })])
  expect(lines[0]).not.toContain('code=y')
})
