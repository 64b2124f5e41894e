import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { demoPassword } from '../test-service.ts'
import { redirectUri, startShop } from './test-shop.ts'

// A request continues as soon as its user has signed in. Its page, which the user may have open in another tab, leads to
// the same result.

const asking = { clientId: 'asking', clientName: 'Asking', redirectUris: [redirectUri], consent: 'once' }
const { service, shop, signIn, buildAuthorizationRequest, followAuthorization } = await startShop({}, {}, [asking])
const { sql } = service

/** Submits the form of an authorization request; returns the address to which it leads. */
async function submitForm(browser: TestBrowser, url: string, name: string): Promise<string> {
  const page = await browser.open(url)
  const read = (pattern: RegExp) => pattern.exec(page.text)?.[1] ?? ''
  const body = new URLSearchParams({ name, password: demoPassword, seal: read(/name="seal" value="([^"]*)"/) })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await browser.send(read(/action="([^"]*)"/), { method: 'POST', headers, body: body.toString() })
  return response.headers.get('location') ?? `${response.status}`
}

const pagePath = '/connect/interaction/'
const continuedPath = '/connect/authorize/'

/** Follows redirects to the application or to a page; returns both without what is random. */
async function follow(browser: TestBrowser, from: string) {
  let url = new URL(from, service.url)
  for (let hop = 0; hop < 10; hop++) {
    const response = await browser.send(url.href)
    const location = response.headers.get('location')
    if (location === null) {
      const heading = /<h1>([^<]*)<\/h1>/.exec(await response.text())?.[1]
      return { status: response.status, heading, path: url.pathname.replace(/[^/]{43}$/, '{uid}') }
    }
    url = new URL(location, url)
    if (url.origin !== service.url) return url
  }
  throw new Error(`Too many redirects from ${from}`)
}

/** Returns the ids of the stored events and grants of a user. */
async function listKnown(userId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from audit_events where actor_id = ${userId}
    union all select id_hash from provider_artifacts where kind = 'Grant' and account_id = ${userId}`
  return rows.map(({ id }) => id)
}

/** Returns the events and grants of a user that are not known, without what is random. */
async function readEffects(userId: string, known: string[]) {
  const events = await sql`
    select action, actor_id, after from audit_events where actor_id = ${userId} and id <> all(${known})
    order by action, id`
  const grants = await sql`
    select login_id is not null as is_of_login, browser_id is not null as is_of_browser, payload -> 'openid' as openid,
      payload -> 'resources' as resources
    from provider_artifacts where kind = 'Grant' and account_id = ${userId} and id_hash <> all(${known})`
  return { events: [...events], grants: [...grants] }
}

describe.for([
  ['an ordinary request', {}],
  ['prompt=login', { prompt: 'login' }],
  ['prompt=select_account', { prompt: 'select_account' }],
  ['prompt=consent', { prompt: 'consent' }],
  ['prompt=login consent', { prompt: 'login consent' }],
  ['max_age=0', { max_age: '0' }],
  ['max_age=600', { max_age: '600' }],
  ['login_hint', { login_hint: 'eve' }],
  ['acr_values', { acr_values: 'urn:example:high' }],
  ['a scope of the API', { scope: 'openid api_vertex_core' }],
  ['offline access', { scope: 'openid offline_access', prompt: 'consent' }],
  ['response_mode=form_post', { response_mode: 'form_post' }],
  ['a client that asks for consent', { client_id: 'asking' }],
  ['an unknown scope', { scope: 'openid unknown' }],
] as const)('%s', ([, parameters]) => {
  test('continues from the form as by its page', async () => {
    const run = async (isDirect: boolean) => {
      const { id } = await service.as('eve')
      const { url, checks } = await buildAuthorizationRequest(parameters)
      const browser = createTestBrowser(service.url)
      const known = await listKnown(id)
      const location = await submitForm(browser, url, 'eve')
      expect(location).toMatch(/^\/connect\/authorize\/[\w-]{43}$/)
      const end = await follow(browser, isDirect ? location : location.replace(continuedPath, pagePath))
      const effects = await readEffects(id, known)
      const [session] = await sql`
        select provider_session is not null as is_bound, interaction is not null as is_for_request, amr, acr
        from sessions where user_id = ${id} order by created_at desc limit 1`
      const cookies = browser
        .cookies()
        .map(({ name, path }) => [name, path].join(' ').replace(/(?<=attempt-).{12}|[\w-]{43}$/, '{id}'))
      const common = { ...effects, session, cookies: cookies.toSorted() }
      if (!(end instanceof URL)) return { ...common, end }
      const tokens = await client.authorizationCodeGrant(shop, end, checks)
      const { nonce, iat, exp, auth_time, sid, ...claims } = (tokens.claims() ?? {}) as Record<string, unknown>
      delete claims['at_hash']
      expect([nonce, typeof sid, Number(exp) - Number(iat)]).toEqual([checks.expectedNonce, 'string', 3600])
      expect(Math.abs(Number(auth_time ?? iat) - Number(iat))).toBeLessThan(60)
      const issued = Object.keys(tokens).toSorted()
      return {
        ...common,
        parameters: [...end.searchParams.keys()].toSorted(),
        claims,
        issued,
        hasTime: auth_time !== undefined,
      }
    }
    const direct = await run(true)
    expect(direct).toEqual(await run(false))
    expect(direct.events).not.toEqual([])
  })
})

describe('a request', () => {
  test('does not continue for a session that did not sign in for it', async () => {
    const browser = await signIn('eve')
    const { url } = await buildAuthorizationRequest({ prompt: 'login' })
    const location = (await browser.send(url)).headers.get('location') ?? ''
    expect(location).toContain(pagePath)
    const asked = await follow(browser, location.replace(pagePath, continuedPath))
    expect(asked).toMatchObject({ status: 200, heading: 'Sign in to Stage Passport', path: `${pagePath}{uid}` })
  })

  test('of a browser in which another user is signed in continues as the new user', async () => {
    const browser = await signIn('dev')
    const { url: first } = await buildAuthorizationRequest()
    await followAuthorization(browser, first)
    const { url, checks } = await buildAuthorizationRequest({ prompt: 'login' })
    const end = await follow(browser, await submitForm(browser, url, 'eve'))
    const tokens = await client.authorizationCodeGrant(shop, end as URL, checks)
    expect(tokens.claims()?.sub).toBe((await service.as('eve')).id)
  })

  test('continued in another browser, or twice, says that it has expired', async () => {
    const { url } = await buildAuthorizationRequest()
    const browser = createTestBrowser(service.url)
    const location = await submitForm(browser, url, 'eve')
    const expired = { status: 400, heading: 'This sign-in has expired', path: `${continuedPath}{uid}` }
    expect(await follow(createTestBrowser(service.url), location)).toEqual(expired)
    expect(await follow(browser, location)).toBeInstanceOf(URL)
    expect(await follow(browser, location)).toEqual(expired)
  })

  test('submitted again after it was continued says that it has expired', async () => {
    const { url } = await buildAuthorizationRequest()
    const browser = createTestBrowser(service.url)
    const page = await browser.open(url)
    await browser.submit(page, { name: 'eve', password: demoPassword }).catch(() => undefined)
    const again = await browser.submit(page, { name: 'eve', password: demoPassword })
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('This sign-in has expired')])
  })
})
