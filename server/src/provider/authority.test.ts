import * as accounts from '@passport/contract/accounts'
import { discover } from '@passport/contract/discovery'
import { createTestBrowser } from '@passport/world/browser'
import { type RunningProvider, startOidcProvider } from '@passport/world/oidc-provider/provider'
import { freePort } from '@passport/world/port'
import { beforeAll, expect, test } from 'vitest'
import { atTheEnd } from '../test-endings.ts'
import { startTestService, type TestService } from '../test-service.ts'

let harbour: RunningProvider
let service: TestService
const scope = 'openid api_vertex_core'

beforeAll(async () => {
  const port = await freePort()
  const client = { clientId: 'passport', clientSecret: 'a secret that Harbour gave us' }
  harbour = await startOidcProvider({ ...client, redirectUri: `http://localhost:${port}/login/callback/harbour` })
  atTheEnd(harbour.stop)
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
const ask = async (token: string, path = '/passport/apphelper/user') =>
  fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } })

test('the tokens of the issuer that is named open the API, with the roles of Passport and not its own', async () => {
  const token = await harbour.issueFor('Nora Lind', { audience: audience(), scope, roles: ['Passport.Admin'] })
  const answer = await ask(token)
  expect(await answer.json()).toMatchObject({ claims: { name: 'Nora Lind', idp: 'harbour' }, roles: [] })
  expect((await ask(token, accounts.listSessions.path)).status).toBe(403)
})

test.for([
  ['for another API', 'Nora Lind', { audience: 'https://other.example', scope }],
  ['without the scope', 'Nora Lind', { scope: 'openid' }],
  ['of somebody who never signed in here', 'Nobody At All', { scope }],
  ['bound to a key, without it', 'Nora Lind', { scope, cnf: { jkt: 'x'.repeat(43) } }],
] as const)('a token %s does not', async ([, name, claims]) => {
  const token = await harbour.issueFor(name, { audience: audience(), ...claims })
  expect((await ask(token)).status).toBe(401)
})

test('nor does one that somebody else signed, or who is disabled here', async () => {
  const other = await startOidcProvider({ clientId: 'x', clientSecret: 'y', redirectUri: 'http://localhost/' })
  expect((await ask(await other.issueFor('Nora Lind', { audience: audience(), scope }))).status).toBe(401)
  await other.stop()
  const token = await harbour.issueFor('Nora Lind', { audience: audience(), scope })
  await service.sql`update users set disabled_at = now() where username = 'nora.lind'`
  expect((await ask(token)).status).toBe(401)
  await service.sql`update users set disabled_at = null where username = 'nora.lind'`
})

test('Passport issues none itself, and says who does', async () => {
  for (const path of ['/.well-known/openid-configuration', '/connect/authorize', '/connect/token'])
    expect((await fetch(service.url + path)).status).toBe(404)
  const stranger = await service.as(undefined)
  expect(await stranger.call(discover, { query: {} })).toMatchObject({
    authority: harbour.issuer,
    features: { deviceFlow: false, devTokens: false },
  })
})
