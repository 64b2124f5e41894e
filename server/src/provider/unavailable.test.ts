import { createTestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startTestProxy } from '../database/test-proxy.ts'
import { ageTokensByAnHour, startShop } from './test-shop.ts'

const proxy = await startTestProxy()
const { service, shop, signIn, signInToShop, followAuthorization, buildAuthorizationRequest } = await startShop({
  proxy,
})

const scope = 'openid api_vertex_core'
const refresh = (token: string) => client.refreshTokenGrant(shop, token)

test('the protocol endpoints respond 503 with Retry-After while the database is unavailable', async () => {
  const browser = await signIn('ada')
  const { refresh_token: token = '' } = await signInToShop(browser, { scope })
  const { url: authorizationUrl } = await buildAuthorizationRequest({ scope })
  await proxy.cut()
  const basic = `Basic ${Buffer.from('shop:the secret of the confidential client').toString('base64')}`
  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(service.url + path, { method: 'POST', body: new URLSearchParams(form), headers })
  const game = { client_id: 'game' }
  const responses = {
    token: await post('/connect/token', { ...game, grant_type: 'refresh_token', refresh_token: token }),
    tokenWithSecret: await post(
      '/connect/token',
      { grant_type: 'refresh_token', refresh_token: token },
      { authorization: basic },
    ),
    introspect: await post('/connect/introspect', { ...game, token }),
    revocation: await post('/connect/revocation', { ...game, token }),
    device: await post('/connect/deviceauthorization', { client_id: 'passport-device-test', scope: 'openid' }),
    userinfo: await fetch(`${service.url}/connect/userinfo`, { headers: { authorization: `Bearer ${token}` } }),
  }
  for (const [name, response] of Object.entries(responses)) {
    expect([name, response.status, response.headers.get('retry-after')]).toEqual([name, 503, '5'])
    expect(await response.text()).not.toContain('oops')
  }
  expect(
    await followAuthorization(browser, authorizationUrl).then(({ searchParams }) => searchParams.get('error')),
  ).toBe('temporarily_unavailable')
  const page = await createTestBrowser(service.url).open(`${service.url}/connect/authorize?client_id=unknown`)
  expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5'])
  for (const { text } of [page, await browser.open(`${service.url}/connect/endsession`)]) {
    expect(text).toContain('<h1>Not available at the moment</h1>')
    expect(text).toContain('503 Service Unavailable')
    expect(text).toContain('<a class="button" href="">Try again</a>')
  }
  await proxy.restore()
  await expect.poll(() => refresh(token).then(() => 'refreshed', String)).toBe('refreshed')
})

test('a refresh token whose response was lost stays valid through two long outages', async () => {
  const { refresh_token: first = '' } = await signInToShop(await signIn('ada'), { scope })
  const { refresh_token: second } = await refresh(first)
  for (const outage of ['first', 'second']) {
    await proxy.cut()
    await expect(refresh(first)).rejects.toThrow('unexpected HTTP response')
    await proxy.restore()
    await ageTokensByAnHour(service.sql)
    expect([outage, (await refresh(first)).refresh_token]).toEqual([outage, second])
  }
})

test('the discovery document and the keys are served for a day while the database is unavailable', async () => {
  const hour = 60 * 60_000
  const startedAt = Date.now()
  const setHours = (hours: number) => vi.useFakeTimers({ toFake: ['Date'], now: startedAt + hours * hour })
  onTestFinished(async () => {
    vi.useRealTimers()
    await proxy.restore()
  })
  const paths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/connect/jwks']
  const readAll = (method?: string) =>
    Promise.all(
      paths.map(async (path) => {
        const response = await fetch(service.url + path, method ? { method } : {})
        return [response.status, response.headers.get('etag')]
      }),
    )
  const copies = await readAll()
  expect(copies.map(([status]) => status)).toEqual([200, 200, 200])
  await proxy.cut()
  setHours(23)
  // Neither what answers from memory nor the library needs the database.
  for (const method of [undefined, 'HEAD', undefined]) expect(await readAll(method)).toEqual(copies)
  const token = await fetch(`${service.url}/connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'game', grant_type: 'refresh_token', refresh_token: 'unknown' }),
  })
  expect([token.status, await token.json()]).toMatchObject([503, { error: 'temporarily_unavailable' }])
  setHours(25)
  expect((await readAll()).map(([status]) => status)).toEqual([503, 503, 503])
  await proxy.restore()
  await expect.poll(() => readAll()).toEqual(copies)
})
