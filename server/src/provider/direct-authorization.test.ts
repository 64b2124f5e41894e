import type { TestBrowser } from '@passport/world/browser'
import fc from 'fast-check'
import * as client from 'openid-client'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { recordStatements } from '../test-statements.ts'
import { createSender, normalise, readOutcome } from './test-both-ways.ts'
import { post, redirectUri, shopSecret, startShop } from './test-shop.ts'

// Authorization requests of a browser that is signed in, by the direct handler and by the library: the same requests have
// the same responses, and leave the same rows.

const otherUri = 'https://other.example/callback?kept=1'
const otherClient = (clientId: string, settings: object) => ({
  clientId,
  clientName: clientId,
  redirectUris: [otherUri],
  ...settings,
})
const otherClients = [
  otherClient('plain', { clientSecret: shopSecret, pkce: 'optional', consent: 'skip' }),
  otherClient('public', { consent: 'skip' }),
  otherClient('asking', { clientSecret: shopSecret, consent: 'once' }),
  otherClient('nagging', { clientSecret: shopSecret, consent: 'always' }),
  otherClient('device', { redirectUris: ['com.example.device:/callback', 'http://127.0.0.1/callback'] }),
]
const { service, shop, signIn, followAuthorization } = await startShop(
  {},
  { TRUSTED_PROXIES: '127.0.0.0/8' },
  otherClients,
)
const { sql } = service
const send = createSender(service)

const challenge = 'c'.repeat(43)
const usual = {
  client_id: 'shop',
  redirect_uri: redirectUri,
  response_type: 'code',
  scope: 'openid email',
  state: 'a state & more',
  nonce: 'n-0S6_WzA2Mj',
  code_challenge: challenge,
  code_challenge_method: 'S256',
}
type Parameters = Record<string, string | undefined>

function buildPath(changes: Parameters = {}): string {
  const all = Object.entries({ ...usual, ...changes }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  )
  return `/connect/authorize?${new URLSearchParams(all)}`
}

const ofOther = { redirect_uri: otherUri }
const cookieOf = (browser: TestBrowser) =>
  browser
    .cookies()
    .filter(({ path }) => path === '/')
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')

let [eve, dev] = ['', '']

beforeAll(async () => {
  const browser = await signIn('eve')
  // Each client gets its grant, with all scopes that the tests request.
  for (const changes of [
    { scope: 'openid profile email api_vertex_core' },
    { ...ofOther, client_id: 'plain' },
    { ...ofOther, client_id: 'public' },
  ])
    await followAuthorization(browser, service.url + buildPath(changes))
  const scope = 'openid email'
  await sql`
    insert into consents (id, user_id, client_id, scopes)
    select 'c1', id, 'asking', ${scope.split(' ')} from users where username = 'eve'`
  await followAuthorization(browser, service.url + buildPath({ ...ofOther, client_id: 'asking', scope }))
  const other = await signIn('dev')
  await followAuthorization(other, service.url + buildPath())
  eve = cookieOf(browser)
  dev = cookieOf(other)
  await sql`delete from provider_tokens`
  await sql`create table kept_artifacts as select * from only provider_artifacts`
  await sql`create table kept_sessions as select * from sessions`
  await sql`create table kept_consents as select * from consents`
})

/** Returns to the state after `beforeAll`. */
async function restore() {
  await sql`delete from provider_artifacts`
  await sql`insert into provider_artifacts select * from kept_artifacts`
  await sql`delete from sessions`
  await sql`insert into sessions select * from kept_sessions`
  await sql`delete from consents`
  await sql`insert into consents select * from kept_consents`
  await sql`update users set disabled_at = null, deleted_at = null where username in ('dev', 'eve')`
}
afterEach(restore)

/** Reads everything that a request may write, without random values, and in how many minutes each row ends if that is soon. */
async function readEffect() {
  const artifacts = await sql`
    select tableoid::regclass::text as relation, issuer, kind, account_id, uid is not null as has_uid,
      grant_id is not null as has_grant, login_id is not null as has_login,
      case kind when 'Interaction' then '{}' else payload end as payload, consumed_at,
      case when expires_at > now() + interval '1 hour' then 'hours later' else round(extract(epoch from expires_at - now()) / 60)::text end
        as minutes
    from provider_artifacts`
  const sessions = await sql`
    select token_hash, now() - last_seen_at < interval '1 hour' as is_recent, provider_session is not null as is_bound, auth_time from sessions`
  const used = await sql`select client_id, last_used_at > now() - interval '1 minute' as is_used from consents`
  const rows = [artifacts, sessions, used].flatMap((table) =>
    table.map((row) => redact(JSON.stringify(normalise(row)))),
  )
  return rows.toSorted()
}

const redact = (text: string): string =>
  text
    .replaceAll(challenge, 'challenge')
    .replace(/[\w-]{43}\.[\w-]{16}|(?<![\w-])[\w-]{43}(?![\w-])/g, '{random}')
    .replace(/(?<=\.sig=)[\w-]{27}/g, '{signature}')
    .replace(/\b[0-9A-F]{4}-[0-9A-F]{4}\b/g, '{support code}')
    .replace(
      /\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g,
      (date) => `in ${Math.round((Date.parse(date) - Date.now()) / 60_000)} min`,
    )

/** Reports whether a cookie of the response has the value that was sent; the others are random. */
const isExtended = (line: string, sent: string) => sent.split('; ').includes(line.split('; ')[0] ?? '')

/** Sends a request one way, without what is random in its response; reports whether the direct handler answered it. */
async function ask(path: string, init: RequestInit, byLibrary = false) {
  const response = await send(path, { redirect: 'manual', ...init }, byLibrary)
  const { status, headers, body } = await readOutcome(response)
  // The library describes the redirect in a text; a response of the direct handler has none.
  const isDirect = headers['location']?.includes('code=') === true && headers['content-type'] === undefined
  delete headers['content-type']
  const text = headers['location'] ? '' : redact(JSON.stringify(body)).replaceAll('&amp;library', '')
  const sent = new Headers(init.headers).get('cookie') ?? ''
  const cookies = response.headers
    .getSetCookie()
    .map((line) => redact(isExtended(line, sent) ? `as sent: ${line}` : line))
  return {
    isDirect,
    outcome: { status, headers: redact(JSON.stringify({ ...headers, 'set-cookie': '' })), cookies, text },
  }
}

/** Sends a request both ways, from the same state; expects equal responses and effects. */
async function expectSame(
  name: unknown,
  path: string,
  { cookie = eve, init = {}, change = async (): Promise<unknown> => undefined } = {},
) {
  const headers = { accept: 'text/html', ...(cookie && { cookie }), ...(init as RequestInit).headers }
  const results = []
  for (const byLibrary of [false, true]) {
    await restore()
    await change()
    const { isDirect, outcome } = await ask(path, { ...init, headers }, byLibrary)
    results.push({ isDirect, result: { name, outcome, effect: await readEffect() } })
  }
  const [direct, library] = results
  expect(library?.isDirect).toBe(false)
  expect(direct?.result).toEqual(library?.result)
  return direct?.isDirect ? 'direct' : `library ${direct?.result.outcome.status}`
}

test('the usual request is answered directly, and as by the library', async () => {
  const requests: Record<string, Parameters> = {
    usual: {},
    'without state': { state: undefined },
    'without nonce': { nonce: undefined },
    'of all scopes': { scope: 'openid profile email' },
    'of one scope': { scope: 'openid' },
    'with repeated scopes': { scope: 'email openid email' },
    'for an API': { scope: 'openid email api_vertex_core' },
    'of a client without PKCE': {
      ...ofOther,
      client_id: 'plain',
      code_challenge: undefined,
      code_challenge_method: undefined,
    },
    'of a public client': { ...ofOther, client_id: 'public' },
    'of a client with consent': { ...ofOther, client_id: 'asking' },
    'with a state of other characters': { state: 'ä €/?#&=+%25 🙂"\\' },
  }
  for (const [name, changes] of Object.entries(requests))
    expect([name, await expectSame(name, buildPath(changes))]).toEqual([name, 'direct'])
})

test('any other request is answered by the library', async () => {
  const requests: Record<string, Parameters> = {
    'of another client': { client_id: 'market' },
    'of an unknown client': { client_id: 'nobody' },
    'of a client without PKCE that needs it': { code_challenge: undefined, code_challenge_method: undefined },
    'of a public client without PKCE': {
      ...ofOther,
      client_id: 'public',
      code_challenge: undefined,
      code_challenge_method: undefined,
    },
    'of a client that always asks': { ...ofOther, client_id: 'nagging' },
    'of an app on a device': { client_id: 'device', redirect_uri: 'com.example.device:/callback' },
    'for another redirect URI': { redirect_uri: `${redirectUri}/more` },
    'for the redirect URI of another client': { redirect_uri: otherUri },
    'with a plain challenge': { code_challenge_method: 'plain' },
    'with a short challenge': { code_challenge: 'short' },
    'for further scopes': { scope: 'openid email connections' },
    'for offline access': { scope: 'openid offline_access' },
    'for an unknown scope': { scope: 'openid unknown' },
    'for a scope of a client': { scope: 'openid permissions.read' },
    'without openid': { scope: 'email', nonce: undefined },
    'with a malformed scope': { scope: 'openid  email' },
    'for scopes that the user has not granted': { ...ofOther, client_id: 'asking', scope: 'openid profile' },
    'with prompt=none': { prompt: 'none' },
    'with prompt=login': { prompt: 'login' },
    'with prompt=consent': { prompt: 'consent' },
    'with max_age=0': { max_age: '0' },
    'with max_age': { max_age: '3600' },
    'with claims': { claims: '{"id_token":{"acr":null}}' },
    'with a resource': { resource: `${service.url}/passport` },
    'with another response mode': { response_mode: 'fragment' },
    'with form_post': { response_mode: 'form_post' },
    'with another response type': { response_type: 'token' },
    'with a login hint': { login_hint: 'dev' },
    'with languages': { ui_locales: 'en' },
    'with a request object': { request: 'x.y.z' },
    'with a pushed request': { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
    'with an ID token': { id_token_hint: 'x.y.z' },
    'with an unknown parameter': { further: '1' },
    'with an empty parameter': { nonce: '' },
  }
  for (const [name, changes] of Object.entries(requests))
    expect([name, await expectSame(name, buildPath(changes))]).toEqual([name, expect.stringMatching(/^library/)])
  for (const suffix of ['&state=again', '&nonce=%zz', '&nonce=%ff', '&nonce=%00', '&further'])
    expect([suffix, await expectSame(suffix, buildPath({ nonce: undefined }) + suffix)]).toEqual([
      suffix,
      expect.stringMatching(/^library/),
    ])
  const inits: Record<string, RequestInit> = {
    HEAD: { method: 'HEAD' },
    OPTIONS: { method: 'OPTIONS' },
    'a form': { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    POST: { ...post(buildPath().split('?')[1] ?? '', {}) },
  }
  for (const [name, init] of Object.entries(inits))
    expect([name, await expectSame(name, buildPath(), { init })]).toEqual([name, expect.stringMatching(/^library/)])
})

test('a request has the same result in every state of sessions, grant and user', async () => {
  const ofSession = sql`kind = 'Session' and issuer = 'passport'`
  const ofGrant = sql`kind = 'Grant' and issuer = 'passport' and payload ->> 'clientId' = 'shop'`
  const changeSession = (fields: object) => () =>
    sql`update provider_artifacts set payload = payload || ${sql.json(fields as never)} where ${ofSession}`
  const changeGrant = (fields: object) => () =>
    sql`update provider_artifacts set payload = payload || ${sql.json(fields as never)} where ${ofGrant}`
  const states: Record<string, [() => Promise<unknown>, expected: RegExp]> = {
    unchanged: [async () => undefined, /direct/],
    'ended session of the issuer': [() => sql`delete from provider_artifacts where ${ofSession}`, /library/],
    'expired session of the issuer': [
      () => sql`update provider_artifacts set expires_at = now() where ${ofSession}`,
      /library/,
    ],
    'ended session of Passport': [() => sql`delete from sessions`, /library/],
    'expired session of Passport': [() => sql`update sessions set expires_at = now()`, /library/],
    'session of Passport idle for 13 hours': [
      () => sql`update sessions set last_seen_at = now() - interval '13 hours'`,
      /library/,
    ],
    'disabled user': [() => sql`update users set disabled_at = now() where username = 'eve'`, /library/],
    'deleted user': [() => sql`update users set deleted_at = now() where username = 'eve'`, /library/],
    'sessions that are not bound': [() => sql`update sessions set provider_session = null`, /library/],
    'a session bound to another one': [() => sql`update sessions set provider_session = 'other'`, /library/],
    'a later authentication': [() => sql`update sessions set auth_time = auth_time + interval '2 seconds'`, /library/],
    'a session of another user': [
      () => sql`update sessions set user_id = (select id from users where username = 'dev')`,
      /library/,
    ],
    'a session that is due to be extended': [
      () => sql`
        update provider_artifacts set payload = jsonb_set(payload, '{exp}', to_jsonb((payload ->> 'exp')::int - 3700))
        where ${ofSession}`,
      /library/,
    ],
    'a session of another user at the issuer': [changeSession({ accountId: 'somebody' }), /library/],
    'a session without a user': [
      () => sql`update provider_artifacts set payload = payload - 'accountId' where ${ofSession}`,
      /library/,
    ],
    'a session with a further field': [changeSession({ state: { secret: 'x' } }), /library/],
    'a transient session': [changeSession({ transient: true }), /library/],
    'a session with a context class': [changeSession({ acr: 'urn:example:high', amr: ['pwd', 'mfa'] }), /direct/],
    'a session without this client': [changeSession({ authorizations: {} }), /library/],
    'a session without clients': [
      () => sql`update provider_artifacts set payload = payload - 'authorizations' where ${ofSession}`,
      /library/,
    ],
    'a session with offline access': [
      () => sql`
        update provider_artifacts set payload = jsonb_set(payload, '{authorizations,shop,persistsLogout}', 'true')
        where ${ofSession}`,
      /direct/,
    ],
    'ended grant': [() => sql`delete from provider_artifacts where ${ofGrant}`, /library/],
    'expired grant': [() => sql`update provider_artifacts set expires_at = now() where ${ofGrant}`, /library/],
    'a grant of another user': [changeGrant({ accountId: 'somebody' }), /library/],
    'a grant for another client': [changeGrant({ clientId: 'market' }), /library/],
    'a grant with refused scopes': [changeGrant({ rejected: { openid: { scope: 'email' } } }), /library/],
    'a grant for fewer scopes': [changeGrant({ openid: { scope: 'openid' } }), /library/],
    'a grant in another order': [changeGrant({ openid: { scope: 'email profile openid' } }), /direct/],
    'a grant without scopes': [
      () => sql`update provider_artifacts set payload = payload - 'openid' where ${ofGrant}`,
      /library/,
    ],
  }
  for (const [name, [change, expected]] of Object.entries(states))
    expect([name, await expectSame(name, buildPath(), { change })]).toEqual([name, expect.stringMatching(expected)])
  const ofApi = buildPath({ scope: 'openid api_vertex_core' })
  const change = () => sql`update provider_artifacts set payload = payload - 'resources' where ${ofGrant}`
  expect(await expectSame('a grant without the API', ofApi, { change })).toMatch(/library/)
  const revoke = () => sql`delete from consents`
  const asked = buildPath({ ...ofOther, client_id: 'asking' })
  expect(await expectSame('a revoked consent with a grant', asked, { change: revoke })).toBe('direct')
})

test('a request has the same result for every browser', async () => {
  const [ofEve, ofDev] = [eve, dev].map((cookie) => cookie.split('; '))
  const isOf = (prefix: string) => (pair: string) => pair.startsWith(prefix)
  const [own = [], foreign = []] = [ofEve, ofDev]
  const library = own.filter(isOf('passport-passport-session'))
  const cookies: Record<string, string> = {
    'without cookies': '',
    'with a session of Passport only': own.filter(isOf('passport=')).join('; '),
    'with a session of the issuer only': library.join('; '),
    'with the session of another user': [...library, ...foreign.filter(isOf('passport='))].join('; '),
    'without a signature': own.filter((pair) => !pair.includes('.sig=')).join('; '),
    'with the signature of another session': [
      ...own.filter((pair) => !pair.includes('session.sig=')),
      ...foreign.filter((pair) => pair.includes('session.sig=')),
    ].join('; '),
    'with an invalid signature': eve.replace(/(session\.sig=)./, '$1-'),
    'with an ended session': eve.replace(/(passport=)[^;]*/, '$1gone'),
    'with a session of other characters': eve.replace(/(passport-passport-session=)[^;]*/, '$1é'),
  }
  for (const [name, cookie] of Object.entries(cookies))
    expect([name, await expectSame(name, buildPath(), { cookie })]).toEqual([name, expect.stringMatching(/library/)])
  expect(await expectSame('of another user', buildPath(), { cookie: dev })).toBe('direct')
})

test('any combination of parameters has the same result', async () => {
  const choices: Record<string, (string | undefined)[]> = {
    client_id: ['shop', 'plain', 'public', 'asking', 'market', undefined],
    redirect_uri: [redirectUri, otherUri, undefined],
    response_type: ['code', 'code', 'code token', undefined],
    scope: ['openid', 'openid email', 'email openid profile', 'openid api_vertex_core', 'email', ' openid', undefined],
    code_challenge: [challenge, challenge, `${challenge}.~-`, 'short', undefined],
    code_challenge_method: ['S256', 'S256', 'plain', undefined],
    nonce: ['n', undefined],
    prompt: [undefined, undefined, 'none', 'consent'],
  }
  const changes = fc.record(
    Object.fromEntries(Object.entries(choices).map(([name, values]) => [name, fc.constantFrom(...values)])),
  )
  const request = fc.record({ changes, state: fc.string({ unit: 'grapheme', maxLength: 8 }) })
  const property = fc.asyncProperty(request, async ({ changes, state }) => {
    await expectSame(changes, buildPath({ ...changes, state }))
  })
  await fc.assert(property, { seed: 88, numRuns: 40 })
})

test('simultaneous requests get a code each', async () => {
  const verifier = client.randomPKCECodeVerifier()
  const path = buildPath({ code_challenge: await client.calculatePKCECodeChallenge(verifier) })
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => send(path, { redirect: 'manual', headers: { cookie: eve } })),
  )
  const locations = responses.map((response) => response.headers.get('location') ?? '')
  expect(new Set(locations).size).toBe(8)
  const checks = { pkceCodeVerifier: verifier, expectedState: usual.state, expectedNonce: usual.nonce }
  for (const location of locations) {
    const tokens = await client.authorizationCodeGrant(shop, new URL(location), checks)
    expect(tokens.scope).toBe('openid email')
  }
})

test('a request takes two statements, and is traced as by the library', async () => {
  const statements = await recordStatements(sql, async () => {
    expect((await ask(buildPath(), { headers: { cookie: eve } })).isDirect).toBe(true)
  })
  expect(statements).toHaveLength(2)
  const traces: unknown[] = []
  for (const byLibrary of [false, true]) {
    await ask(buildPath(), { headers: { cookie: eve, 'user-agent': 'a browser' } }, byLibrary)
    await service.services.traces.flush()
    const [row] = await sql<{ steps: { ms: number }[]; keys: string[] }[]>`
      select kind, result, reason, keys, provider, client_id, user_id, ip, user_agent, steps
      from sign_in_traces where kind = 'authorization' order by at desc, id desc limit 1`
    traces.push({ ...row, keys: row?.keys.length, steps: row?.steps.map((step) => ({ ...step, ms: 0 })) })
  }
  expect(traces[0]).toEqual(traces[1])
  expect(traces[0]).toMatchObject({ result: 'succeeded', clientId: 'shop', keys: 1, userAgent: 'a browser' })
})

test('a request counts for the limit of its address and for the metrics, and the 301st in a minute gets 429', async () => {
  const readMetrics = async () => (await service.services.metrics.read()).text
  const countRequests = async () => {
    const pattern = /requests_total\{method="GET",route="\/connect\/authorize",status="303"\} (\d+)/
    return Number(pattern.exec(await readMetrics())?.[1] ?? 0)
  }
  const before = await countRequests()
  const headers = { cookie: eve, 'x-forwarded-for': '192.0.2.7' }
  for (const byLibrary of [false, true])
    expect((await ask(buildPath(), { headers }, byLibrary)).outcome.status).toBe(303)
  expect(await countRequests()).toBe(before + 2)
  const ofAddress = sql`key = 'connect-authorize:192.0.2.7/32'`
  expect([...(await sql`select points from rate_limits where ${ofAddress}`)]).toEqual([{ points: 2 }])
  await sql`update rate_limits set points = 300 where ${ofAddress}`
  expect((await ask(buildPath(), { headers })).outcome.status).toBe(429)
  expect([...(await sql`select kind from provider_tokens`)]).toHaveLength(2)
})
