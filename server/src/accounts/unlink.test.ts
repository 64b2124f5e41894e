import { unlinkLogin } from '@passport/contract/accounts'
import { decideDeviceAuthorization } from '@passport/contract/device-authorization'
import { unlinkUserLogin } from '@passport/contract/users'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { beforeAll, expect, test } from 'vitest'
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

/** Signs eve in with one of her logins in a new browser, and grants offline access to an application and a device. */
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
      return { session, application: application !== undefined, device: device !== undefined }
    },
  }
}

const all = { session: true, application: true, device: true }
const none = { session: false, application: false, device: false }

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
