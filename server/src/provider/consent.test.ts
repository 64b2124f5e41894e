import * as accounts from '@passport/contract/accounts'
import type { ApiError } from '@passport/contract/call'
import { getCurrentUser } from '@passport/contract/current-user'
import { getDeveloperTokensClient } from '@passport/contract/developer-tokens'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { demoPassword, startTestService, type TestService } from '../test-service.ts'

const redirectUri = 'https://partner.example/callback'
let service: TestService
let partner: client.Configuration

beforeAll(async () => {
  const clients = [
    { clientId: 'partner', clientName: 'Partner & Co', redirectUris: [redirectUri], consent: 'once' },
    { clientId: 'app', clientName: 'App', redirectUris: ['com.example.app:/callback', 'http://[::1]/callback'] },
    { clientId: 'both', clientName: 'Both', redirectUris: ['com.example.app:/callback', redirectUri] },
  ]
  service = await startTestService({ CLIENTS: JSON.stringify(clients) })
  partner = await discoverClient('partner')
})

const discoverClient = (id: string) =>
  client.discovery(new URL(service.url), id, {}, client.None(), { execute: [client.allowInsecureRequests] })

async function signIn(name: string): Promise<TestBrowser> {
  const browser = createTestBrowser(service.url)
  await browser.submit(await browser.open('/login'), { name, password: demoPassword })
  return browser
}

async function buildRequest(configuration: client.Configuration, parameters: Record<string, string> = {}) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const authorizationUrl = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid profile api_vertex_core',
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...parameters,
  })
  return { url: authorizationUrl.href, checks: { pkceCodeVerifier, expectedState } }
}

/** Follows redirects within the service: to a page, or to the client's redirect URI, which is not requested. */
async function follow(browser: TestBrowser, response: Response, from: string): Promise<{ page: string; url: URL }> {
  const location = response.headers.get('location')
  if (!location) return { page: await response.text(), url: new URL(from) }
  const next = new URL(location, from)
  if (next.origin !== service.url) return { page: '', url: next }
  return follow(browser, await browser.send(next.href), next.href)
}

const open = async (browser: TestBrowser, url: string) => follow(browser, await browser.send(url), url)

/** Submits the consent page by one of its buttons. */
async function submitConsent(browser: TestBrowser, { page, url }: { page: string; url: URL }, value: 'allow' | 'deny') {
  const action = /action="([^"]+\/consent)"/.exec(page)?.[1] ?? ''
  const question = /name="question" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const body = new URLSearchParams({ question, answer: value }).toString()
  const target = new URL(action, url).href
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) }
  return follow(browser, await browser.send(target, { method: 'POST', body, headers }), target)
}

const listConsents = async (name: 'ada' | 'eve' | 'dev') => (await service.as(name)).call(accounts.listConsents, {})

describe('a client that requires consent', () => {
  test('gets the scopes that the user allows on a page, and later without a page in every browser', async () => {
    const ada = await signIn('ada')
    const { url: authorizationUrl, checks } = await buildRequest(partner)
    const consentPage = await open(ada, authorizationUrl)
    expect(consentPage.page).toContain('Allow Partner &amp; Co?')
    expect(consentPage.page).toContain('<span>Know who you are</span>')
    expect(consentPage.page).toContain('<span>See your name and your username<small>Ada Lovelace, ada</small></span>')
    // What changes something is marked.
    expect(consentPage.page).toMatch(
      /<svg [^>]*class="write"><path [^>]*><\/svg><span>Read and change your profile, preferences and groups</,
    )
    expect(consentPage.page.match(/class="write"/g)).toHaveLength(1)
    expect(consentPage.page).toContain('<code>openid</code> <code>profile</code> <code>api_vertex_core</code>')
    expect(consentPage.page).not.toContain('<script')
    expect(consentPage.page).toContain('Signed in as <strong>Ada Lovelace</strong>')
    expect(consentPage.page).toContain('Either way you return to <strong>partner.example</strong>.')
    expect(consentPage.page.match(/<button[^>]*>/g)).toEqual([
      '<button name="answer" value="allow">',
      '<button class="plain" name="answer" value="deny">',
    ])
    const result = await submitConsent(ada, consentPage, 'allow')
    expect(result.url.href).toContain(redirectUri)
    const tokens = await client.authorizationCodeGrant(partner, result.url, checks)
    expect(tokens.scope?.split(' ').sort()).toEqual(['api_vertex_core', 'openid', 'profile'])

    const otherBrowser = await signIn('ada')
    const again = await buildRequest(partner)
    expect((await open(otherBrowser, again.url)).url.searchParams.get('code')).toBeTruthy()
    const parameters = await buildRequest(partner, { scope: 'openid profile email api_vertex_core' })
    expect((await open(otherBrowser, parameters.url)).page).toContain('See your email address')
  })

  test('gets what a user allows who has signed in for it, and taken their time on the page', async () => {
    const ada = await signIn('ada')
    const { url: authorizationUrl } = await buildRequest(partner, { prompt: 'login consent', max_age: '60' })
    const form = await ada.open(authorizationUrl)
    const consentPage = await ada.submit(form, { name: 'ada', password: demoPassword })
    expect(consentPage.text).toContain('Allow Partner &amp; Co?')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    const { page } = await open(ada, consentPage.url)
    expect(page).toContain('Allow Partner &amp; Co?')
    const { url } = await submitConsent(ada, { page, url: new URL(consentPage.url) }, 'allow')
    expect(url.searchParams.get('code')).toBeTruthy()
  })

  test('gets `access_denied` if the user denies it', async () => {
    const eve = await signIn('eve')
    const { url: authorizationUrl } = await buildRequest(partner)
    const { url } = await submitConsent(eve, await open(eve, authorizationUrl), 'deny')
    expect(url.searchParams.get('error')).toBe('access_denied')
    expect(await listConsents('eve')).toEqual([])
    const [denied] = await service.sql`select after from audit_events where action = 'client.refused'`
    expect(denied?.['after']).toEqual({ client: 'partner', scopes: 'openid profile api_vertex_core' })
  })

  // Browsers follow no redirect of a form to what the policy of its page does not name.
  test.for([
    ['app', 'com.example.app:/callback', 'com.example.app:'],
    ['app', 'http://[::1]:8080/callback', 'http:'],
    ['partner', redirectUri, 'https://partner.example'],
  ] as const)('%s is reached at %s by the form of its page', async ([id, redirect_uri, source]) => {
    const dev = await signIn('dev')
    const { url } = await buildRequest(await discoverClient(id), { redirect_uri, prompt: 'consent' })
    const page = new URL((await dev.send(url)).headers.get('location') ?? '', service.url)
    const { headers } = await dev.send(page.href)
    expect(headers.get('content-security-policy')).toContain(`form-action 'self' ${source};`)
    const { url: denied } = await submitConsent(dev, await open(dev, page.href), 'deny')
    expect(denied.href.split('?')[0]).toBe(redirect_uri)
  })

  test('is reached at its scheme by the form of the sign-in', async () => {
    const browser = createTestBrowser(service.url)
    const { url } = await buildRequest(await discoverClient('both'), { redirect_uri: 'com.example.app:/callback' })
    const page = new URL((await browser.send(url)).headers.get('location') ?? '', service.url)
    const form = new URL((await browser.send(page.href)).headers.get('location') ?? '', page)
    const { headers } = await browser.send(form.href)
    expect(headers.get('content-security-policy')).toContain("form-action 'self' com.example.app:;")
  })

  test('gets `consent_required` for a silent request', async () => {
    const eve = await signIn('eve')
    const { url: authorizationUrl } = await buildRequest(partner, { prompt: 'none' })
    expect((await open(eve, authorizationUrl)).url.searchParams.get('error')).toBe('consent_required')
  })

  test('does not get consent from a forged form, or from the form of another user', async () => {
    const dev = await signIn('dev')
    const { url: authorizationUrl } = await buildRequest(partner)
    const consentPage = await open(dev, authorizationUrl)
    const forged = { ...consentPage, page: consentPage.page.replace(/value="[^"]+"/, 'value="forged"') }
    expect((await submitConsent(dev, forged, 'allow')).page).toContain('does not match the current request')
    const eve = await signIn('eve')
    expect((await submitConsent(eve, consentPage, 'allow')).page).toContain('This sign-in has expired')
    expect(await listConsents('dev')).toEqual([])
  })

  test('loses its tokens and its consent when the user revokes the consent', async () => {
    const dev = await signIn('dev')
    const { url: authorizationUrl, checks } = await buildRequest(partner)
    const { url } = await submitConsent(dev, await open(dev, authorizationUrl), 'allow')
    const tokens = await client.authorizationCodeGrant(partner, url, checks)
    const authorization = `Bearer ${tokens.access_token}`
    const requestUser = () => fetch(`${service.url}/passport/apphelper/user`, { headers: { authorization } })
    expect((await requestUser()).status).toBe(200)

    const [consent] = await listConsents('dev')
    expect(consent).toMatchObject({
      client: { id: 'partner', name: 'Partner & Co' },
      scopes: [{ name: 'openid' }, { name: 'profile' }, { name: 'api_vertex_core' }],
    })
    const params = { id: consent?.id ?? '' }
    const foreignRevocation = (await service.as('eve')).call(accounts.revokeConsent, { params })
    await expect(foreignRevocation).rejects.toMatchObject({ status: 404, body: { code: 'consent-not-found' } })
    await (await service.as('dev')).call(accounts.revokeConsent, { params })
    expect(await listConsents('dev')).toEqual([])
    expect((await requestUser()).status).toBe(401)
    await expect(client.refreshTokenGrant(partner, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect((await open(dev, (await buildRequest(partner)).url)).page).toContain('Allow Partner')
  })
})

describe('the client for developer tokens', () => {
  test('requires a new sign-in and consent each time, and gets a token for an hour', async () => {
    const visitor = await service.as('dev')
    const settings = await visitor.call(getDeveloperTokensClient, {})
    expect(settings).toMatchObject({
      authority: service.url,
      client_id: 'passport-dev-tokens',
      response_mode: 'fragment',
    })
    const developer = await discoverClient(settings.client_id)
    for (let round = 0; round < 2; round++) {
      const dev = createTestBrowser(service.url)
      await dev.submit(await dev.open('/login'), { name: 'dev', password: demoPassword })
      const { scope, redirect_uri, response_mode } = settings
      const { url: authorizationUrl, checks } = await buildRequest(developer, {
        scope,
        redirect_uri,
        response_mode,
        prompt: 'login',
      })
      const form = await dev.open(authorizationUrl)
      expect(form.text).toContain('Developer Tokens asks you to sign in again, to confirm that it is you.')
      expect(form.text).toContain('name="name" value="dev"')
      const page = await dev.submit(form, { name: 'dev', password: demoPassword })
      expect(page.text).toContain('Allow Developer Tokens?')
      expect(page.text).toContain('Either way you return to Stage Passport.')
      const { url } = await submitConsent(dev, { page: page.text, url: new URL(page.url) }, 'allow')
      expect(url.hash).toContain('code=')
      const redirected = new URL(url.href.replace('#', '?'))
      const tokens = await client.authorizationCodeGrant(developer, redirected, checks)
      expect(tokens.expires_in).toBe(3600)
      expect(tokens.refresh_token).toBeUndefined()
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      const me = await fetch(`${service.url}${getCurrentUser.path}`, { headers })
      expect(await me.json()).toMatchObject({ roles: ['Passport.Developer'] })
    }
  })

  test('is not found while it is disabled, on every server', async () => {
    const visitor = await service.as('dev')
    await service.sql`update clients set enabled = false where client_id = 'passport-dev-tokens'`
    const requestError = () =>
      visitor.call(getDeveloperTokensClient, {}).then(
        () => undefined,
        (error: ApiError) => error,
      )
    await expect.poll(requestError).toMatchObject({
      status: 404,
      body: { code: 'dev-tokens-unavailable', detail: 'Dev tokens not available on this stack' },
    })
    await service.sql`update clients set enabled = true where client_id = 'passport-dev-tokens'`
    await expect.poll(requestError).toBeUndefined()
  })
})
