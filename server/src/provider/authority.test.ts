import * as accounts from '@passport/contract/accounts'
import { discover } from '@passport/contract/discovery'
import { createTestBrowser } from '@passport/world/browser'
import { type RunningProvider, startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { beforeAll, expect, test } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService } from '../test-service.ts'

let harbour: RunningProvider
let service: TestService
const scope = 'openid api_vertex_core'

beforeAll(async () => {
  const port = await findFreePort()
  const client = { clientId: 'passport', clientSecret: 'a secret that Harbour gave us' }
  harbour = await startOidcProvider({ ...client, redirectUri: `http://localhost:${port}/login/callback/harbour` })
  onFileEnd(harbour.stop)
  const provider = {
    ...client,
    id: 'harbour',
    name: 'Harbour ID',
    kind: 'oidc',
    issuer: harbour.issuer,
    signUp: 'open',
  }
  service = await startTestService({
    PORT: String(port),
    AUTHORITY: harbour.issuer,
    IDENTITY_PROVIDERS: JSON.stringify([provider]),
  })
  const nora = createTestBrowser(service.url)
  await nora.submit(await nora.open('/login'), { name: 'Nora Lind' })
})

const audience = () => `${service.url}/passport`
const send = async (token: string, path = '/passport/apphelper/user') =>
  fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } })

test('a token of the configured issuer is accepted, with the roles in Passport instead of those in the token', async () => {
  const token = await harbour.issueToken('Nora Lind', { audience: audience(), scope, roles: ['Passport.Admin'] })
  const response = await send(token)
  expect(await response.json()).toMatchObject({ claims: { name: 'Nora Lind', idp: 'harbour' }, roles: [] })
  expect((await send(token, accounts.listSessions.path)).status).toBe(403)
})

test.for([
  ['for another API', 'Nora Lind', { audience: 'https://other.example', scope }],
  ['without the scope', 'Nora Lind', { scope: 'openid' }],
  ['of a user without an account', 'Nobody At All', { scope }],
  ['with a subject that cannot be stored', 'Nora Lind', { scope, sub: 'a\0b' }],
  ['with a key but without a proof', 'Nora Lind', { scope, cnf: { jkt: 'x'.repeat(43) } }],
] as const)('a token %s is rejected', async ([, name, claims]) => {
  const token = await harbour.issueToken(name, { audience: audience(), ...claims })
  expect((await send(token)).status).toBe(401)
})

test('a token that is signed with a new key of the issuer is accepted at once', async () => {
  const issue = () => harbour.issueToken('Nora Lind', { audience: audience(), scope })
  expect((await send(await issue())).status).toBe(200)
  await harbour.rotateKey()
  expect((await send(await issue())).status).toBe(200)
})

test('a token of another issuer and a token of a disabled user are rejected', async () => {
  const otherProvider = await startOidcProvider({ clientId: 'x', clientSecret: 'y', redirectUri: 'http://localhost/' })
  expect((await send(await otherProvider.issueToken('Nora Lind', { audience: audience(), scope }))).status).toBe(401)
  await otherProvider.stop()
  const token = await harbour.issueToken('Nora Lind', { audience: audience(), scope })
  await service.sql`update users set disabled_at = now() where username = 'nora.lind'`
  expect((await send(token)).status).toBe(401)
  await service.sql`update users set disabled_at = null where username = 'nora.lind'`
})

test('Passport issues no tokens, and discovery names the configured issuer', async () => {
  for (const path of ['/.well-known/openid-configuration', '/connect/authorize', '/connect/token'])
    expect((await fetch(service.url + path)).status).toBe(404)
  const anonymous = await service.as(undefined)
  expect(await anonymous.call(discover, { query: {} })).toMatchObject({
    authority: harbour.issuer,
    features: { deviceFlow: false, devTokens: false },
  })
})
