import * as accounts from '@passport/contract/accounts'
import type { ApiError } from '@passport/contract/call'
import { getCurrentUser } from '@passport/contract/current-user'
import { getDeveloperTokensClient } from '@passport/contract/developer-tokens'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { castPassword, startTestService, type TestService } from '../test-service.ts'

const callback = 'https://partner.example/callback'
let service: TestService
let partner: client.Configuration

beforeAll(async () => {
  const clients = [{ clientId: 'partner', clientName: 'Partner & Co', redirectUris: [callback], consent: 'once' }]
  service = await startTestService({ CLIENTS: JSON.stringify(clients) })
  partner = await configurationOf('partner')
})

const configurationOf = (id: string) =>
  client.discovery(new URL(service.url), id, {}, client.None(), { execute: [client.allowInsecureRequests] })

async function signedIn(name: string): Promise<TestBrowser> {
  const browser = createTestBrowser(service.url)
  await browser.submit(await browser.open('/login'), { name, password: castPassword })
  return browser
}

async function requestOf(configuration: client.Configuration, more: Record<string, string> = {}) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const address = client.buildAuthorizationUrl(configuration, {
    redirect_uri: callback,
    scope: 'openid profile api_vertex_core',
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...more,
  })
  return { address: address.href, checks: { pkceCodeVerifier, expectedState } }
}

/** Follows redirects within the service: to the page it stops at, or to the address at the client, which is not asked. */
async function follow(browser: TestBrowser, response: Response, at: string): Promise<{ page: string; at: URL }> {
  const location = response.headers.get('location')
  if (!location) return { page: await response.text(), at: new URL(at) }
  const next = new URL(location, at)
  if (next.origin !== service.url) return { page: '', at: next }
  return follow(browser, await browser.send(next.href), next.href)
}

const open = async (browser: TestBrowser, address: string) => follow(browser, await browser.send(address), address)

/** Presses a button of the page that asks. */
async function answer(browser: TestBrowser, { page, at }: { page: string; at: URL }, value: 'allow' | 'deny') {
  const action = /action="([^"]+\/consent)"/.exec(page)?.[1] ?? ''
  const question = /name="question" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const body = new URLSearchParams({ question, answer: value }).toString()
  const target = new URL(action, at).href
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) }
  return follow(browser, await browser.send(target, { method: 'POST', body, headers }), target)
}

/** The calls of the account, from the browser in which someone is signed in. */
async function consentsOf(name: 'ada' | 'eve' | 'dev') {
  const visitor = await service.as(name)
  return { list: () => visitor.call(accounts.listConsents, {}), visitor }
}

describe('an application that must ask', () => {
  test('asks in words, gets what was allowed, and asks no more in any browser of theirs', async () => {
    const ada = await signedIn('ada')
    const { address, checks } = await requestOf(partner)
    const asked = await open(ada, address)
    expect(asked.page).toContain('Allow Partner &amp; Co?')
    expect(asked.page).toContain('Know who you are <code>openid</code>')
    expect(asked.page).toContain('Use Vertex as you <code>api_vertex_core</code>')
    expect(asked.page).not.toContain('<script')
    expect(asked.page).toContain('Ada Lovelace')
    const answered = await answer(ada, asked, 'allow')
    expect(answered.at.href).toContain(callback)
    const tokens = await client.authorizationCodeGrant(partner, answered.at, checks)
    expect(tokens.scope?.split(' ').sort()).toEqual(['api_vertex_core', 'openid', 'profile'])

    const elsewhere = await signedIn('ada')
    const again = await requestOf(partner)
    expect((await open(elsewhere, again.address)).at.searchParams.get('code')).toBeTruthy()
    const more = await requestOf(partner, { scope: 'openid profile email api_vertex_core' })
    expect((await open(elsewhere, more.address)).page).toContain('See your e-mail address')
  })

  test('hears that the person said no', async () => {
    const eve = await signedIn('eve')
    const { address } = await requestOf(partner)
    const { at } = await answer(eve, await open(eve, address), 'deny')
    expect(at.searchParams.get('error')).toBe('access_denied')
    expect(await (await consentsOf('eve')).list()).toEqual([])
    const [refused] = await service.sql`select after from audit_events where action = 'client.refused'`
    expect(refused?.['after']).toEqual({ client: 'partner', scopes: 'openid profile api_vertex_core' })
  })

  test('hears silently that it must ask', async () => {
    const eve = await signedIn('eve')
    const { address } = await requestOf(partner, { prompt: 'none' })
    expect((await open(eve, address)).at.searchParams.get('error')).toBe('consent_required')
  })

  test('gets no answer from somebody else than was asked, nor from another page', async () => {
    const dev = await signedIn('dev')
    const { address } = await requestOf(partner)
    const asked = await open(dev, address)
    const forged = { ...asked, page: asked.page.replace(/value="[^"]+"/, 'value="forged"') }
    expect((await answer(dev, forged, 'allow')).page).toContain('does not belong to the question')
    const eve = await signedIn('eve')
    expect((await answer(eve, asked, 'allow')).page).toContain('This sign-in has expired')
    expect(await (await consentsOf('dev')).list()).toEqual([])
  })

  test('loses everything when the person takes it back', async () => {
    const dev = await signedIn('dev')
    const { address, checks } = await requestOf(partner)
    const { at } = await answer(dev, await open(dev, address), 'allow')
    const tokens = await client.authorizationCodeGrant(partner, at, checks)
    const authorization = `Bearer ${tokens.access_token}`
    const asks = () => fetch(`${service.url}/passport/apphelper/user`, { headers: { authorization } })
    expect((await asks()).status).toBe(200)

    const { list, visitor } = await consentsOf('dev')
    const [consent] = await list()
    expect(consent).toMatchObject({
      client: { id: 'partner', name: 'Partner & Co' },
      scopes: [{ name: 'openid' }, { name: 'profile' }, { name: 'api_vertex_core' }],
    })
    const params = { id: consent?.id ?? '' }
    const theft = (await consentsOf('eve')).visitor.call(accounts.revokeConsent, { params })
    await expect(theft).rejects.toMatchObject({ status: 404, body: { code: 'consent-not-found' } })
    await visitor.call(accounts.revokeConsent, { params })
    expect(await list()).toEqual([])
    expect((await asks()).status).toBe(401)
    await expect(client.refreshTokenGrant(partner, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect((await open(dev, (await requestOf(partner)).address)).page).toContain('Allow Partner')
  })
})

describe('the client of developer tokens', () => {
  test('asks for a new authentication and for consent each time, and gets an hour', async () => {
    const visitor = await service.as('dev')
    const settings = await visitor.call(getDeveloperTokensClient, {})
    expect(settings).toMatchObject({
      authority: service.url,
      client_id: 'passport-dev-tokens',
      response_mode: 'fragment',
    })
    const developer = await configurationOf(settings.client_id)
    for (let time = 0; time < 2; time++) {
      const dev = createTestBrowser(service.url)
      await dev.submit(await dev.open('/login'), { name: 'dev', password: castPassword })
      const { scope, redirect_uri, response_mode } = settings
      const { address, checks } = await requestOf(developer, { scope, redirect_uri, response_mode, prompt: 'login' })
      const form = await dev.open(address)
      expect(form.text).toContain('Password')
      const page = await dev.submit(form, { name: 'dev', password: castPassword })
      expect(page.text).toContain('Allow Developer Tokens?')
      const { at } = await answer(dev, { page: page.text, at: new URL(page.url) }, 'allow')
      expect(at.hash).toContain('code=')
      const redirected = new URL(at.href.replace('#', '?'))
      const tokens = await client.authorizationCodeGrant(developer, redirected, checks)
      expect(tokens.expires_in).toBe(3600)
      expect(tokens.refresh_token).toBeUndefined()
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      const me = await fetch(`${service.url}${getCurrentUser.path}`, { headers })
      expect(await me.json()).toMatchObject({ roles: ['Passport.Developer'] })
    }
  })

  test('is not there on a stack that switched it off, which every server sees', async () => {
    const visitor = await service.as('dev')
    await service.sql`update clients set enabled = false where client_id = 'passport-dev-tokens'`
    const refusal = () =>
      visitor.call(getDeveloperTokensClient, {}).then(
        () => undefined,
        (error: ApiError) => error,
      )
    await expect.poll(refusal).toMatchObject({
      status: 404,
      body: { code: 'dev-tokens-unavailable', detail: 'Dev tokens not available on this stack' },
    })
    await service.sql`update clients set enabled = true where client_id = 'passport-dev-tokens'`
    await expect.poll(refusal).toBeUndefined()
  })
})
