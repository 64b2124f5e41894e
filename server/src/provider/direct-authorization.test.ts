import fc from 'fast-check'
import * as client from 'openid-client'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { recordStatements } from '../test-statements.ts'
import {
  buildPath,
  challenge,
  cookiesFor,
  ofOther,
  type Parameters,
  startAuthorizationTest,
  usual,
} from './test-authorization.ts'
import { post, redirectUri } from './test-shop.ts'

// Requests of browsers that are signed in, and of strangers.

const {
  service,
  sql,
  shop,
  send,
  signIn,
  followAuthorization,
  keep,
  restore,
  readEffect,
  readTrace,
  readCodeOwner,
  ask,
} = await startAuthorizationTest()

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
  eve = cookiesFor(browser)
  dev = cookiesFor(other)
  await sql`delete from provider_tokens`
  await keep()
})

afterEach(restore)

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
    'for the redirect URI of another client': { ...ofOther },
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
    'a session of another user at the issuer': [changeSession({ accountId: 'another' }), /library/],
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
    'a grant of another user': [changeGrant({ accountId: 'another' }), /library/],
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

test('a request without a session waits for the user as by the library', async () => {
  const cookie = 'passport-theme=dark'
  const requests: Record<string, [Parameters, expected: RegExp]> = {
    usual: [{}, /direct/],
    'without state and nonce': [{ state: undefined, nonce: undefined }, /direct/],
    'for an API': [{ scope: 'openid api_vertex_core email' }, /direct/],
    'without PKCE': [
      { ...ofOther, client_id: 'plain', code_challenge: undefined, code_challenge_method: undefined },
      /direct/,
    ],
    'of a client that always asks': [{ ...ofOther, client_id: 'nagging' }, /direct/],
    'of an app on a device': [{ client_id: 'device', redirect_uri: 'com.example.device:/callback' }, /library 303/],
    'for offline access': [{ scope: 'openid offline_access' }, /library 303/],
    'with prompt=login': [{ prompt: 'login' }, /library 303/],
    'with max_age': [{ max_age: '60' }, /library 303/],
    'with a login hint': [{ login_hint: 'eve' }, /library 303/],
    'for another redirect URI': [ofOther, /library 400/],
  }
  for (const [name, [changes, expected]] of Object.entries(requests))
    expect([name, await expectSame(name, buildPath(changes), { cookie })]).toEqual([
      name,
      expect.stringMatching(expected),
    ])
})

test('any combination of parameters has the same result', async () => {
  const choices: Record<string, (string | undefined)[]> = {
    client_id: ['shop', 'plain', 'public', 'asking', 'market', undefined],
    redirect_uri: [redirectUri, ofOther.redirect_uri, undefined],
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

test('simultaneous requests of several browsers and clients each get the code of their user', async () => {
  const asked = [
    [eve, {}, 'eve shop'],
    [dev, {}, 'dev shop'],
    [eve, { ...ofOther, client_id: 'plain' }, 'eve plain'],
    [eve, { ...ofOther, client_id: 'public' }, 'eve public'],
  ] as const
  const responses = await Promise.all(
    asked.map(([cookie, changes]) => send(buildPath(changes), { redirect: 'manual', headers: { cookie } })),
  )
  expect(await Promise.all(responses.map(readCodeOwner))).toEqual(asked.map(([, , owner]) => owner))
})

test('a request takes two statements, that of a stranger one, and both are traced as by the library', async () => {
  for (const [cookie, count, result] of [
    [eve, 2, 'succeeded'],
    ['', 1, 'pending'],
  ] as const) {
    const headers = { 'user-agent': 'a browser', ...(cookie && { cookie }) }
    const statements = await recordStatements(sql, async () => {
      expect((await ask(buildPath(), { headers })).isDirect).toBe(true)
    })
    expect(statements).toHaveLength(count)
    const traces: unknown[] = []
    for (const byLibrary of [false, true]) {
      await ask(buildPath(), { headers }, byLibrary)
      traces.push(await readTrace())
    }
    expect(traces[0]).toEqual(traces[1])
    expect(traces[0]).toMatchObject({ result, clientId: 'shop', keys: 1, userAgent: 'a browser' })
  }
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
