import { unlinkLogin } from '@passport/contract/accounts'
import { decideDeviceAuthorization } from '@passport/contract/device-authorization'
import { createPersonalToken } from '@passport/contract/personal-tokens'
import { unlinkUserLogin } from '@passport/contract/users'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { beforeAll, expect, test } from 'vitest'
import { issuePersonalToken } from '../personal-tokens/test-personal-token.ts'
import { demoPassword, startTestService, type TestService, type Visitor } from '../test-service.ts'
import { linkLogin } from './link-login.ts'
import * as accounts from './store.ts'

const callback = 'https://shop.example/callback'
let service: TestService
let shop: client.Configuration
let headset: client.Configuration

beforeAll(async () => {
  const clients = [
    { clientId: 'shop', clientName: 'Shop', redirectUris: [callback] },
    { clientId: 'headset', clientName: 'Headset', deviceFlow: true },
  ]
  service = await startTestService({ CLIENTS: JSON.stringify(clients) })
  const discover = (id: string) =>
    client.discovery(new URL(service.url), id, {}, client.None(), { execute: [client.allowInsecureRequests] })
  shop = await discover('shop')
  headset = await discover('headset')
})

/** Approves the consent page. */
function approveConsent(browser: TestBrowser, url: string, page: string): Promise<Response> {
  const [, action = ''] = /action="([^"]+\/consent)"/.exec(page) ?? []
  const [, question = ''] = /name="question" value="([^"]+)"/.exec(page) ?? []
  const body = new URLSearchParams({ question, answer: 'allow' }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) }
  return browser.send(new URL(action, url).href, { method: 'POST', body, headers })
}

/** Signs eve in with one of her logins in a new browser, grants offline access to an application and a device, and creates a personal token. */
async function signInWith(loginId: string) {
  const eve = await service.as('eve')
  const browser = createTestBrowser(service.url)
  await browser.submit(await browser.open('/login'), { name: 'eve', password: demoPassword })
  await service.sql`
    update sessions set login_id = ${loginId}
    where token_hash in (select token_hash from sessions where user_id = ${eve.id} order by created_at desc limit 2)`
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  let url = client.buildAuthorizationUrl(shop, {
    redirect_uri: callback,
    scope: 'openid offline_access',
    prompt: 'consent',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  }).href
  while (url.startsWith(service.url)) {
    let response = await browser.send(url)
    if (response.status === 200) response = await approveConsent(browser, url, await response.text())
    url = new URL(response.headers.get('location') ?? '', url).href
  }
  const tokens = await client.authorizationCodeGrant(shop, new URL(url), { pkceCodeVerifier })
  const started = await client.initiateDeviceAuthorization(headset, { scope: 'openid offline_access' })
  await eve.call(decideDeviceAuthorization, { body: { code: started.user_code, action: 'approve' } })
  const deviceTokens = await client.pollDeviceAuthorizationGrant(headset, { ...started, interval: 1 })
  const { value: personalToken } = await eve.call(createPersonalToken, {
    body: { name: 'Script', scopes: ['api_vertex_core'], expiresInDays: 1 },
  })
  let refreshTokens = { application: tokens.refresh_token ?? '', device: deviceTokens.refresh_token ?? '' }
  const refresh = async (configuration: client.Configuration, token: string) =>
    (await client.refreshTokenGrant(configuration, token).catch(() => undefined))?.refresh_token
  return {
    browser: eve,
    /** Returns which of eve's credentials still work. */
    async findWorking() {
      const application = await refresh(shop, refreshTokens.application)
      const device = await refresh(headset, refreshTokens.device)
      refreshTokens = { application: application ?? '', device: device ?? '' }
      const session = (await eve.fetch('/passport/apphelper/user')).status === 200
      const authorization = `Bearer ${personalToken}`
      const script = await fetch(`${service.url}/passport/apphelper/user`, { headers: { authorization } })
      return {
        session,
        application: application !== undefined,
        device: device !== undefined,
        personalToken: script.status === 200,
      }
    },
  }
}

const all = { session: true, application: true, device: true, personalToken: true }
const none = { session: false, application: false, device: false, personalToken: false }

const callers: [string, (userId: string, loginId: string, browser: Visitor) => Promise<unknown>][] = [
  ['its user', (_, id, browser) => browser.call(unlinkLogin, { params: { id } })],
  [
    'an administrator',
    async (userId, loginId) => (await service.as('ada')).call(unlinkUserLogin, { params: { userId, loginId } }),
  ],
]

test.for(callers)(
  'unlinking by %s ends the sessions and tokens that the login started, and no others',
  async ([, unlink]) => {
    const { id: userId } = await service.as('eve')
    const [firstLogin] = await accounts.listLogins(service.sql, userId)
    const identity = { providerId: 'harbour', issuer: 'urn:harbour', subject: crypto.randomUUID(), label: 'eve' }
    const secondLoginId = (await linkLogin(service.sql, userId, identity)) ?? ''
    const [here, there] = [await signInWith(firstLogin?.id ?? ''), await signInWith(secondLoginId)]
    expect([await here.findWorking(), await there.findWorking()]).toEqual([all, all])
    await unlink(userId, secondLoginId, here.browser)
    expect([await here.findWorking(), await there.findWorking()]).toEqual([all, none])
  },
)

test('unlinking a login also revokes the tokens of its ended sessions', async () => {
  const { id: userId } = await service.as('eve')
  const identity = { providerId: 'harbour', issuer: 'urn:harbour', subject: crypto.randomUUID(), label: 'eve' }
  const loginId = (await linkLogin(service.sql, userId, identity)) ?? ''
  const there = await signInWith(loginId)
  await service.sql`delete from sessions where login_id = ${loginId}`
  expect(await there.findWorking()).toEqual({ ...all, session: false })
  await (await service.as('ada')).call(unlinkUserLogin, { params: { userId, loginId } })
  expect(await there.findWorking()).toEqual(none)
})

test('unlinking the last login ends every credential of the account, also those of unknown sign-ins', async () => {
  const { id: userId } = await service.as('eve')
  const [login, ...others] = await accounts.listLogins(service.sql, userId)
  for (const { id } of others) await accounts.removeLogin(service.sql, id)
  const there = await signInWith(login?.id ?? '')
  const { value, start } = await issuePersonalToken(service, { id: userId })
  const send = () => fetch(`${service.url}/passport/apphelper/user`, { headers: { authorization: `Bearer ${value}` } })
  expect([await there.findWorking(), (await send()).status]).toEqual([all, 200])
  await (await service.as('ada')).call(unlinkUserLogin, { params: { userId, loginId: login?.id ?? '' } })
  expect([await there.findWorking(), (await send()).status]).toEqual([none, 401])
  const [event] = await service.sql`
    select before from audit_events where action = 'login.unlinked' order by at desc, id desc limit 1`
  expect(event?.['before']).toMatchObject({
    sessions: expect.any(Number),
    refreshTokens: expect.any(Number),
    personalTokens: expect.arrayContaining([start]),
  })
})
