import { createTestBrowser } from '@passport/world/browser'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { endAllCredentials } from '../accounts/end-sessions.ts'
import { holdTransaction } from '../test-hold.ts'
import { demoPassword } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { buildPath, cookiesFor, ofOther, type Parameters, startAuthorizationTest } from './test-authorization.ts'

// Requests that continue after the sign-in of their user.

const { service, sql, signIn, followAuthorization, keep, restore, readEffect, readTrace, readCodeOwner, ask, send } =
  await startAuthorizationTest()

beforeAll(async () => {
  await sql`
    insert into consents (id, user_id, client_id, scopes)
    select 'c1', id, 'asking', array['openid', 'email'] from users where username = 'eve'`
  await keep()
})
afterEach(restore)

interface Continued {
  /** The parameters of the request. */
  changes?: Parameters | undefined
  /** Changes the state after the sign-in. */
  change?: ((uid: string) => Promise<unknown>) | undefined
  /** Changes the cookies of the browser after the sign-in. */
  changeCookie?: ((cookie: string) => string | Promise<string>) | undefined
  init?: RequestInit
}

/** Signs a user in with the form of a request; returns the path that continues the request, and the cookies for it. */
async function signInForRequest(changes: Parameters = {}, byLibrary = false, name = 'eve') {
  const browser = createTestBrowser(service.url)
  const page = await browser.open(buildPath(changes) + (byLibrary ? '&library' : ''))
  const read = (pattern: RegExp) => pattern.exec(page.text)?.[1] ?? ''
  const body = new URLSearchParams({ name, password: demoPassword, seal: read(/name="seal" value="([^"]*)"/) })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await browser.send(read(/action="([^"]*)"/), { method: 'POST', headers, body: `${body}` })
  const path = response.headers.get('location') ?? ''
  expect(path).toMatch(/^\/connect\/authorize\/[\w-]{43}$/)
  return { path, cookie: cookiesFor(browser, path) }
}

/** Continues a request both ways; expects equal responses and effects. */
async function expectSame(name: string, { changes, change, changeCookie = (cookie) => cookie, init = {} }: Continued) {
  const results = []
  for (const byLibrary of [false, true]) {
    await restore()
    const { path, cookie } = await signInForRequest(changes, byLibrary)
    await change?.(path.split('/').at(-1) ?? '')
    const headers = { accept: 'text/html', 'user-agent': 'a browser', cookie: await changeCookie(cookie) }
    const { isDirect, outcome } = await ask(path, { ...init, headers: { ...headers, ...init.headers } }, byLibrary)
    results.push({ isDirect, result: { name, outcome, effect: await readEffect() } })
  }
  const [direct, library] = results
  expect(library?.isDirect).toBe(false)
  expect(direct?.result).toEqual(library?.result)
  return `${direct?.isDirect ? 'direct' : 'library'} ${direct?.result.outcome.status}`
}

test('a request has the same result after the sign-in, for every kind of request', async () => {
  const requests: Record<string, [Parameters, expected: string]> = {
    usual: [{}, 'direct 303'],
    'without state and nonce': [{ state: undefined, nonce: undefined }, 'direct 303'],
    'for an API': [{ scope: 'openid api_vertex_core email' }, 'direct 303'],
    'of a client without PKCE': [
      { ...ofOther, client_id: 'plain', code_challenge: undefined, code_challenge_method: undefined },
      'direct 303',
    ],
    'of a public client': [{ ...ofOther, client_id: 'public' }, 'direct 303'],
    'of a client with consent': [{ ...ofOther, client_id: 'asking' }, 'direct 303'],
    'of a client without consent for all scopes': [
      { ...ofOther, client_id: 'asking', scope: 'openid email profile' },
      'library 303',
    ],
    'of a client that always asks': [{ ...ofOther, client_id: 'nagging' }, 'library 303'],
    'of an app on a device': [{ client_id: 'device', redirect_uri: 'com.example.device:/callback' }, 'library 303'],
    // The library ignores the scope without `prompt=consent`.
    'for offline access': [{ scope: 'openid offline_access' }, 'direct 303'],
    'with prompt=login': [{ prompt: 'login' }, 'library 303'],
    'with max_age': [{ max_age: '60' }, 'library 303'],
    'with a login hint': [{ login_hint: 'eve' }, 'library 303'],
    'with a resource': [{ resource: `${service.url}/passport`, scope: 'openid api_vertex_core' }, 'direct 303'],
  }
  for (const [name, [changes, expected]] of Object.entries(requests))
    expect([name, await expectSame(name, { changes })]).toEqual([name, expected])
})

test('a request has the same result in every state', async () => {
  const states: Record<string, [(uid: string) => Promise<unknown>, expected: string]> = {
    'ended session': [() => sql`delete from sessions where interaction is not null`, 'library 303'],
    'idle session': [() => sql`update sessions set last_seen_at = now() - interval '13 hours'`, 'library 303'],
    'disabled user': [() => sql`update users set disabled_at = now() where username = 'eve'`, 'library 303'],
    'deleted user': [() => sql`update users set deleted_at = now() where username = 'eve'`, 'library 303'],
    'a session for another request': [() => sql`update sessions set interaction = 'another'`, 'library 303'],
    'an older session': [() => sql`update sessions set interaction = null`, 'library 303'],
    'an authentication long ago': [
      () => sql`update sessions set auth_time = now() - interval '2 hours' where interaction is not null`,
      'direct 303',
    ],
    'a session with a context class': [
      () => sql`update sessions set acr = 'urn:example:high', amr = '{pwd,mfa}' where interaction is not null`,
      'direct 303',
    ],
    'an expired request': [
      () => sql`update provider_artifacts set expires_at = now() where kind = 'Interaction'`,
      'library 400',
    ],
    'a continued request': [() => sql`delete from provider_artifacts where kind = 'Interaction'`, 'library 400'],
    'a request with a result': [(uid) => changePending(uid, { result: { error: 'access_denied' } }), 'library 303'],
    'a request of a former session': [
      (uid) => changePending(uid, { session: { uid: 'x'.repeat(43), accountId: 'x' } }),
      'library 400',
    ],
    'a request for another prompt': [
      (uid) =>
        changePending(uid, { prompt: { name: 'select_account', reasons: ['select_account_prompt'], details: {} } }),
      'library 303',
    ],
    'a request for a removed API': [
      (uid) => changePending(uid, { params: { resource: 'https://gone.example' } }),
      'library 303',
    ],
    'a request for a redirect URI that was removed': [
      (uid) => changePending(uid, { params: { redirect_uri: 'https://gone.example/callback' } }),
      'library 303',
    ],
    'a request of a client that was removed': [
      (uid) => changePending(uid, { params: { client_id: 'gone' } }),
      'library 400',
    ],
  }
  for (const [name, [change, expected]] of Object.entries(states))
    expect([name, await expectSame(name, { change })]).toEqual([name, expected])
})

/** Changes a stored request. */
async function changePending(uid: string, { params, ...fields }: { params?: object; [field: string]: unknown }) {
  const { vault, issuer } = service.services
  const interaction = await (await issuer.provider()).Interaction.find(uid)
  const purpose = 'artifact:passport:Interaction'
  const { jti, ...payload } = { ...interaction, ...fields, params: { ...interaction?.params, ...params } }
  const sealed = vault.seal(purpose, JSON.stringify(payload))
  await sql`update provider_artifacts set payload = ${sql.json({ sealed })} where kind = 'Interaction'`
}

test('a request has the same result for every browser', async () => {
  const without = (prefix: string) => (cookie: string) =>
    cookie
      .split('; ')
      .filter((pair) => !pair.startsWith(prefix))
      .join('; ')
  const cookies: Record<string, [(cookie: string) => string | Promise<string>, expected: string]> = {
    'without cookies': [() => '', 'library 400'],
    'without the cookie of the request': [without('passport-passport-resume'), 'library 400'],
    'without its signature': [without('passport-passport-resume.sig'), 'library 400'],
    'with another signature': [(cookie) => cookie.replace(/(resume\.sig=)./, '$1-'), 'library 400'],
    'with that of another request': [
      async (cookie) => without('passport-passport-resume')(cookie) + (await otherResumeCookies()),
      'library 303',
    ],
    'without a session': [without('passport='), 'library 303'],
    'with an ended session': [(cookie) => cookie.replace(/(passport=)[^;]*/, '$1gone'), 'library 303'],
    'with a former session at the issuer': [
      async (cookie) => `${cookie}; ${await otherLibrarySession()}`,
      'library 200',
    ],
    'with an invalid session at the issuer': [(cookie) => `${cookie}; passport-passport-session=x`, 'library 303'],
  }
  for (const [name, [changeCookie, expected]] of Object.entries(cookies))
    expect([name, await expectSame(name, { changeCookie })]).toEqual([name, expected])
  expect(await expectSame('HEAD', { init: { method: 'HEAD' } })).toBe('library 303')
  expect(await expectSame('a form', { init: { headers: { 'content-type': 'text/plain' } } })).toBe('library 303')
})

/** Returns the cookies that continue another request. */
async function otherResumeCookies(): Promise<string> {
  const browser = createTestBrowser(service.url)
  await browser.send(buildPath())
  const resume = browser.cookies().filter(({ name }) => name.startsWith('passport-passport-resume'))
  return resume.map(({ name, value }) => `; ${name}=${value}`).join('')
}

/** Returns the cookies of dev's session at the issuer. */
async function otherLibrarySession(): Promise<string> {
  const browser = await signIn('dev')
  await followAuthorization(browser, service.url + buildPath())
  return cookiesFor(browser)
    .split('; ')
    .filter((pair) => pair.startsWith('passport-passport-session'))
    .join('; ')
}

test('simultaneous requests each continue for their user', async () => {
  const names = ['eve', 'dev', 'ada', 'max']
  const pending = await Promise.all(names.map((name) => signInForRequest({}, false, name)))
  const responses = await Promise.all(
    pending.map(({ path, cookie }) => send(path, { redirect: 'manual', headers: { cookie } })),
  )
  expect(await Promise.all(responses.map(readCodeOwner))).toEqual(names.map((name) => `${name} shop`))
  const sessions = await sql`
    select s.account_id = b.user_id as is_same from provider_artifacts s join sessions b on b.provider_session = s.uid
    where s.kind = 'Session' and b.interaction is not null`
  expect([...sessions]).toEqual(names.map(() => ({ isSame: true })))
})

test.each([
  ['directly', false],
  ['by the library', true],
])('a request whose session ends while it continues issues nothing, %s', async (_name, byLibrary) => {
  const { path, cookie } = await signInForRequest({}, byLibrary)
  const [{ id } = { id: '' }] = await sql<{ id: string }[]>`select id from users where username = 'eve'`
  const listIssued = () => sql`select kind from provider_artifacts where kind <> 'Interaction' and account_id = ${id}`
  const release = await holdTransaction(sql, (inner) => endAllCredentials(inner, [id]))
  const continued = ask(path, { headers: { accept: 'text/html', cookie } }, byLibrary)
  await expect
    .poll(() => sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
    .toHaveLength(1)
  await release()
  const { outcome } = await continued
  expect(JSON.stringify(outcome)).not.toContain('code=')
  expect([...(await listIssued())]).toEqual([])
})

test('a continued request takes two statements, and is traced as by the library', async () => {
  const pending = [await signInForRequest(), await signInForRequest(), await signInForRequest()]
  const statements = await recordStatements(sql, async () => {
    const { path, cookie } = pending.pop() ?? { path: '', cookie: '' }
    expect((await ask(path, { headers: { cookie } })).isDirect).toBe(true)
  })
  expect(statements).toHaveLength(2)
  const traces: unknown[] = []
  for (const byLibrary of [false, true]) {
    const { path, cookie } = await signInForRequest()
    await service.services.traces.flush()
    await ask(path, { headers: { cookie, 'user-agent': 'a browser' } }, byLibrary)
    traces.push(await readTrace())
  }
  expect(traces[0]).toEqual(traces[1])
  expect(traces[0]).toMatchObject({ result: 'succeeded', clientId: 'shop', keys: 2, userAgent: 'a browser' })
})
