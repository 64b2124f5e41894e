import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { beforeEach, describe, expect, test } from 'vitest'
import { endAllCredentials } from '../accounts/end-sessions.ts'
import { holdTransaction } from '../test-hold.ts'
import { demoPassword } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { hashToken } from '../vault.ts'
import { redirectUri, shopSecret, startShop } from './test-shop.ts'

const otherUri = 'https://other.example/callback?kept=1'
const ofOther = { redirect_uri: otherUri }
const otherClient = (clientId: string, settings: object) => ({
  clientId,
  clientName: clientId,
  redirectUris: [otherUri],
  ...settings,
})
const { service, shop, signIn, followAuthorization } = await startShop({}, { TRUSTED_PROXIES: '127.0.0.0/8' }, [
  otherClient('plain', { clientSecret: shopSecret, pkce: 'optional', consent: 'skip' }),
  otherClient('public', { consent: 'skip' }),
  otherClient('asking', { clientSecret: shopSecret, consent: 'once' }),
])
const { sql } = service

type Parameters = Record<string, string | undefined>

const usual = {
  client_id: 'shop',
  redirect_uri: redirectUri,
  response_type: 'code',
  scope: 'openid email',
  state: 'a state & more',
  nonce: 'n-0S6_WzA2Mj',
  code_challenge: 'c'.repeat(43),
  code_challenge_method: 'S256',
}

/** Builds the path of the usual request with some other parameters; undefined ones are left out. */
function buildPath(changes: Parameters = {}): string {
  const all = Object.entries({ ...usual, ...changes }).filter(([, value]) => value !== undefined)
  return `/connect/authorize?${new URLSearchParams(all as [string, string][])}`
}

/** Returns the cookies that a browser sends to a path. */
const cookiesFor = (browser: TestBrowser, path = '/'): string =>
  browser
    .cookies()
    .filter((cookie) => cookie.path === '/' || cookie.path === path)
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')

const send = (path: string, cookie = '', headers: Record<string, string> = {}) =>
  fetch(service.url + path, {
    redirect: 'manual',
    headers: { ...(cookie && { cookie }), accept: 'text/html', ...headers },
  })

const locationOf = (response: Response) => new URL(response.headers.get('location') ?? '', service.url)

/** Summarises a response: `code`, an error of the client, a page of this server, or the status. */
function outcomeOf(response: Response): string {
  if (response.status !== 303) return `${response.status}`
  const url = locationOf(response)
  if (url.origin === service.url) return url.pathname.replace(/[\w-]{43}$/, '{uid}')
  return url.searchParams.has('code') ? 'code' : `${url.searchParams.get('error')}`
}

/** Returns the user and the client of the code to which a response redirects. */
async function readCodeOwner(response: Response) {
  const code = locationOf(response).searchParams.get('code') ?? ''
  const [row] = await sql<{ username: string; clientId: string }[]>`
    select username, payload ->> 'clientId' as client_id from provider_tokens join users on users.id = account_id
    where kind = 'AuthorizationCode' and id_hash = ${hashToken(code)}`
  return `${row?.username} ${row?.clientId}`
}

/** Signs a user in with the form of a request; returns the path that continues the request, and the cookies for it. */
async function signInForRequest(changes: Parameters = {}, name = 'eve') {
  const browser = createTestBrowser(service.url)
  const page = await browser.open(buildPath(changes))
  const read = (pattern: RegExp) => pattern.exec(page.text)?.[1] ?? ''
  const body = new URLSearchParams({ name, password: demoPassword, seal: read(/name="seal" value="([^"]*)"/) })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await browser.send(read(/action="([^"]*)"/), { method: 'POST', headers, body: `${body}` })
  const path = response.headers.get('location') ?? ''
  expect(path).toMatch(/^\/connect\/authorize\/[\w-]{43}$/)
  return { path, cookie: cookiesFor(browser, path) }
}

describe('the authorization endpoint', () => {
  test('issues a code in two statements, and asks a stranger to sign in with one', async () => {
    const browser = await signIn('eve')
    await followAuthorization(browser, service.url + buildPath())
    for (const [cookie, outcome, count] of [
      [cookiesFor(browser), 'code', 2],
      ['', '/connect/interaction/{uid}', 1],
    ] as const) {
      const statements = await recordStatements(sql, async () => {
        expect(outcomeOf(await send(buildPath(), cookie))).toBe(outcome)
      })
      expect(statements).toHaveLength(count)
    }
  })

  test('issues a code to each of several browsers and clients at the same time', async () => {
    const [eve, dev] = [await signIn('eve'), await signIn('dev')]
    const asked = [
      [eve, {}, 'eve shop'],
      [dev, {}, 'dev shop'],
      [eve, { ...ofOther, client_id: 'plain' }, 'eve plain'],
      [eve, { ...ofOther, client_id: 'public' }, 'eve public'],
    ] as const
    for (let round = 0; round < 2; round++) {
      const responses = await Promise.all(asked.map(([browser, each]) => send(buildPath(each), cookiesFor(browser))))
      expect(await Promise.all(responses.map(readCodeOwner))).toEqual(asked.map(([, , owner]) => owner))
    }
    // All clients of a browser end with its session.
    const [row] = await sql`
      select array(select jsonb_object_keys(p.payload -> 'authorizations') order by 1) as clients
      from sessions s join provider_artifacts p on p.kind = 'Session' and p.uid = s.provider_session
      where s.user_id = ${(await service.as('eve')).id} and p.payload -> 'authorizations' ? 'plain'`
    expect(row).toEqual({ clients: ['plain', 'public', 'shop'] })
  })

  test('keeps the query of a redirect URI, and any characters of the state', async () => {
    const browser = await signIn('eve')
    const state = 'ä €/?#&=+%25 🙂"\\'
    const response = await send(buildPath({ ...ofOther, client_id: 'public', state }), cookiesFor(browser))
    const { searchParams } = locationOf(response)
    expect([searchParams.get('kept'), searchParams.get('state'), searchParams.get('iss')]).toEqual([
      '1',
      state,
      service.url,
    ])
  })

  test('has the state of the session and of the grant at the moment of the request', async () => {
    const states: Record<string, [() => PromiseLike<unknown>, expected: string]> = {
      unchanged: [async () => undefined, 'code'],
      'ended session': [() => sql`delete from sessions`, '/connect/interaction/{uid}'],
      'expired session': [() => sql`update sessions set expires_at = now()`, '/connect/interaction/{uid}'],
      'session idle for 13 hours': [
        () => sql`update sessions set last_seen_at = now() - interval '13 hours'`,
        '/connect/interaction/{uid}',
      ],
      'disabled user': [
        () => sql`update users set disabled_at = now() where username = 'eve'`,
        '/connect/interaction/{uid}',
      ],
      'session without clients': [() => sql`delete from provider_artifacts where kind = 'Session'`, 'code'],
      'session of another user': [
        () => sql`update sessions set user_id = (select id from users where username = 'dev')`,
        'code',
      ],
      'ended grant': [() => sql`delete from provider_artifacts where kind = 'Grant'`, 'code'],
      'grant for fewer scopes': [
        () => sql`
          update provider_artifacts set payload = payload || ${sql.json({ openid: { scope: 'openid' } })} where kind = 'Grant'`,
        'code',
      ],
    }
    for (const [name, [change, expected]] of Object.entries(states)) {
      const browser = await signIn('eve')
      await followAuthorization(browser, service.url + buildPath())
      await change()
      const response = await send(buildPath(), cookiesFor(browser))
      expect([name, outcomeOf(response)]).toEqual([name, expected])
      if (name === 'session of another user') expect(await readCodeOwner(response)).toBe('dev shop')
      await sql`update users set disabled_at = null where username = 'eve'`
      await sql`delete from sessions`
      await sql`delete from provider_artifacts`
    }
  })

  test('asks again for scopes that were revoked since', async () => {
    const browser = await signIn('eve')
    const asking = buildPath({ ...ofOther, client_id: 'asking' })
    const consent = sql`
      insert into consents (id, user_id, client_id, scopes)
      select 'c1', id, 'asking', array['openid', 'email'] from users where username = 'eve'`
    await consent
    expect(outcomeOf(await send(asking, cookiesFor(browser)))).toBe('code')
    await sql`delete from consents`
    await sql`delete from provider_artifacts where kind = 'Grant'`
    expect(outcomeOf(await send(asking, cookiesFor(browser)))).toBe('/connect/interaction/{uid}')
  })

  test.for<[string, Parameters, expected: string]>([
    ['of an unknown client', { client_id: 'nobody' }, '400'],
    ['for the redirect URI of another client', ofOther, '400'],
    ['for another redirect URI, with another error', { ...ofOther, response_type: 'token' }, '400'],
    ['without a client', { client_id: undefined }, '400'],
    ['with another response type', { response_type: 'none' }, 'unsupported_response_type'],
    ['with an empty challenge', { code_challenge: '' }, 'invalid_request'],
    ['with an empty nonce', { nonce: '' }, '/connect/interaction/{uid}'],
    ['without openid', { scope: 'email', nonce: undefined }, '/connect/interaction/{uid}'],
    ['with a request object', { request: 'x.y.z' }, 'request_not_supported'],
    ['with an unknown pushed request', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'invalid_request_uri'],
    ['with a foreign request_uri', { request_uri: 'https://x.example' }, 'request_uri_not_supported'],
    ['with an invalid ID token', { id_token_hint: 'x.y.z' }, 'invalid_request'],
    ['for an unknown resource', { resource: 'https://unknown.example' }, 'invalid_target'],
    ['with prompt=none', { prompt: 'none' }, 'login_required'],
  ])('answers a request %s', async ([, changes, expected]) => {
    expect(outcomeOf(await send(buildPath(changes)))).toBe(expected)
  })

  test('answers a repeated parameter with an error at the client, and a repeated redirect URI on a page', async () => {
    const [state] = [usual.state]
    const repeated = await send(`${buildPath({ nonce: 'a' })}&nonce=b`)
    expect([outcomeOf(repeated), locationOf(repeated).searchParams.get('state')]).toEqual(['invalid_request', state])
    expect(outcomeOf(await send(`${buildPath()}&redirect_uri=${encodeURIComponent(redirectUri)}`))).toBe('400')
    expect(outcomeOf(await send(`${buildPath()}&client_id=shop`))).toBe('400')
    // One that is ignored may be repeated, as long as there are not too many.
    expect(outcomeOf(await send(`${buildPath()}&further=1&further=2`))).toBe('/connect/interaction/{uid}')
    expect(outcomeOf(await send(buildPath() + '&further'.repeat(13)))).toBe('invalid_request')
  })

  test('answers a program with JSON', async () => {
    const response = await send(buildPath({ client_id: 'nobody' }), '', { accept: 'application/json' })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: 'invalid_client', state: usual.state, iss: service.url },
    ])
  })

  test('answers the 301st request of an address in a minute with 429, and counts for the metrics', async () => {
    const ofAddress = { 'x-forwarded-for': '192.0.2.7' }
    expect((await send(buildPath(), '', ofAddress)).status).toBe(303)
    expect((await service.services.metrics.read()).text).toMatch(
      /requests_total\{method="GET",route="\/connect\/authorize",status="303"\} \d/,
    )
    await sql`update rate_limits set points = 300 where key = 'connect-authorize:192.0.2.7/32'`
    expect((await send(buildPath(), '', ofAddress)).status).toBe(429)
  })

  test('returns an error to the client if another user signs in than that of its ID token', async () => {
    const browser = await signIn('dev')
    const verifier = client.randomPKCECodeVerifier()
    const path = buildPath({ code_challenge: await client.calculatePKCECodeChallenge(verifier) })
    const tokens = await client.authorizationCodeGrant(shop, await followAuthorization(browser, service.url + path), {
      pkceCodeVerifier: verifier,
      expectedState: usual.state,
      expectedNonce: usual.nonce,
    })
    const hint = { id_token_hint: tokens.id_token ?? '' }
    expect(outcomeOf(await send(buildPath(hint), cookiesFor(browser)))).toBe('code')
    const other = await signIn('eve')
    expect(outcomeOf(await send(buildPath({ ...hint, prompt: 'none' }), cookiesFor(other)))).toBe('login_required')
    const { path: continued, cookie } = await signInForRequest(hint, 'eve')
    expect(outcomeOf(await send(continued, cookie))).toBe('login_required')
    // The token of another client is no hint.
    expect(outcomeOf(await send(buildPath({ ...hint, ...ofOther, client_id: 'public' })))).toBe('invalid_request')
  })
})

describe('a request that continues', () => {
  beforeEach(() => sql`delete from consents`)

  test('takes two statements', async () => {
    // Each is continued once.
    const pending = [await signInForRequest(), await signInForRequest(), await signInForRequest()]
    const statements = await recordStatements(sql, async () => {
      const { path = '', cookie } = pending.pop() ?? {}
      expect(outcomeOf(await send(path, cookie))).toBe('code')
    })
    expect(statements).toHaveLength(2)
  })

  test('has the state of the moment', async () => {
    const states: Record<string, [() => PromiseLike<unknown>, expected: string]> = {
      unchanged: [async () => undefined, 'code'],
      'ended session': [() => sql`delete from sessions`, '/connect/interaction/{uid}'],
      'idle session': [
        () => sql`update sessions set last_seen_at = now() - interval '13 hours'`,
        '/connect/interaction/{uid}',
      ],
      'disabled user': [
        () => sql`update users set disabled_at = now() where username = 'eve'`,
        '/connect/interaction/{uid}',
      ],
      'expired request': [
        () => sql`update provider_artifacts set expires_at = now() where kind = 'Interaction'`,
        '400',
      ],
      'continued request': [() => sql`delete from provider_artifacts where kind = 'Interaction'`, '400'],
      'disabled client': [() => sql`update clients set enabled = false where client_id = 'shop'`, '400'],
      'removed redirect URI': [
        () => sql`
          update clients set redirect_uris = '{https://shop.example/other}', version = version + 1 where client_id = 'shop'`,
        '400',
      ],
    }
    for (const [name, [change, expected]] of Object.entries(states)) {
      const { path, cookie } = await signInForRequest()
      await change()
      service.services.clients.clear()
      expect([name, outcomeOf(await send(path, cookie))]).toEqual([name, expected])
      await sql`update users set disabled_at = null where username = 'eve'`
      await sql`
        update clients set enabled = true, redirect_uris = ${[redirectUri]}, version = version + 1 where client_id = 'shop'`
      service.services.clients.clear()
    }
  })

  test('belongs to the browser that has started it', async () => {
    const { path, cookie } = await signInForRequest()
    const other = await signInForRequest({}, 'dev')
    const without = (prefix: string) =>
      cookie
        .split('; ')
        .filter((pair) => !pair.startsWith(prefix))
        .join('; ')
    expect(outcomeOf(await send(path))).toBe('400')
    expect(outcomeOf(await send(path, without('passport-request=')))).toBe('400')
    expect(outcomeOf(await send(path, other.cookie))).toBe('400')
    expect(outcomeOf(await send(path, without('passport=')))).toBe('/connect/interaction/{uid}')
    expect(await readCodeOwner(await send(path, cookie))).toBe('eve shop')
  })

  test('continues for each of several users at the same time', async () => {
    const names = ['eve', 'dev', 'ada', 'max']
    const pending = await Promise.all(names.map((name) => signInForRequest({}, name)))
    const responses = await Promise.all(pending.map(({ path, cookie }) => send(path, cookie)))
    expect(await Promise.all(responses.map(readCodeOwner))).toEqual(names.map((name) => `${name} shop`))
  })

  test('issues nothing if the session ends at the same time', async () => {
    const { path, cookie } = await signInForRequest()
    const { id } = await service.as('eve')
    await sql`delete from provider_artifacts where account_id = ${id}`
    const release = await holdTransaction(sql, (inner) => endAllCredentials(inner, [id]))
    const continued = send(path, cookie)
    await expect
      .poll(() => sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
      .toHaveLength(1)
    await release()
    expect(outcomeOf(await continued)).toBe('/connect/interaction/{uid}')
    expect([...(await sql`select kind from provider_artifacts where account_id = ${id}`)]).toEqual([])
  })
})
