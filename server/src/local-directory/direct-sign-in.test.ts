import * as accountsApi from '@passport/contract/accounts'
import { getCurrentUser } from '@passport/contract/current-user'
import { createTestBrowser, type ShownPage, type TestBrowser } from '@passport/world/browser'
import { findFreePort } from '@passport/world/port'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import * as sessions from '../accounts/session-store.ts'
import * as accounts from '../accounts/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { handleOf } from '../login/attempt.ts'
import { createBrowserCall } from '../test-browser-call.ts'
import { holdTransaction } from '../test-hold.ts'
import { demoPassword, startTestService, type TestService } from '../test-service.ts'
import { startTestSession } from '../test-session.ts'
import { formPurpose } from './form.ts'
import { hashPassword } from './password.ts'
import { defaultCost, prefixOf } from './password-cost.ts'
import { resetPassword } from './reset-password.ts'
import { add, findByName, identityIssuer } from './store.ts'

const secret = 'the secret of the second installation'
let first: TestService
/** An installation with a directory of its own, which also signs users in with the directory of `first`. */
let second: TestService

beforeAll(async () => {
  const port = await findFreePort()
  const client = {
    clientId: 'second',
    clientName: 'Second Passport',
    clientSecret: secret,
    redirectUris: [`http://localhost:${port}/login/callback/first`],
    postLogoutRedirectUris: [`http://localhost:${port}/app/`],
  }
  const asking = { ...client, clientId: 'asking', consent: 'once' }
  first = await startTestService({ LOCAL_DIRECTORY_ISSUER: 'on', CLIENTS: JSON.stringify([client, asking]) })
  second = await startTestService({
    PORT: String(port),
    IDENTITY_PROVIDERS: JSON.stringify([
      { id: 'local', kind: 'local', name: 'Passport' },
      {
        id: 'first',
        kind: 'oidc',
        name: 'First Passport',
        issuer: `${first.url}/idp`,
        clientId: 'second',
        clientSecret: secret,
        signUp: 'open',
      },
    ]),
  })
})

const openBrowser = () => createTestBrowser(second.url)
const callOf = (browser: TestBrowser) => createBrowserCall(second.url, browser)
const eve = { name: 'eve', password: demoPassword }
const count = async (table: string) =>
  (await second.sql<{ count: number }[]>`select count(*)::int as count from ${second.sql(table)}`)[0]?.count ?? 0

/** Returns the newest attempt of a browser. */
function attemptOf(browser: TestBrowser): { state: string; idp: string } {
  const cookie = browser.cookies().findLast(({ name }) => name.startsWith('passport-attempt-'))
  return JSON.parse(second.services.vault.open('login-attempt', cookie?.value ?? '') ?? '{}')
}

/** Submits the form of a page without following redirects. */
function post(browser: TestBrowser, page: ShownPage, fields: Record<string, string>) {
  const read = (pattern: RegExp) => pattern.exec(page.text)?.[1] ?? ''
  const body = new URLSearchParams({ seal: read(/name="seal" value="([^"]*)"/), ...fields }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return browser.send(read(/action="([^"]*)"/), { method: 'POST', body, headers })
}

describe('the form', () => {
  test('signs in the person whom the installation knew before the directory was called directly', async () => {
    const { id } = await second.as('eve')
    // As earlier versions wrote it: a session with an ID token of the directory.
    const { vault } = second.services
    const [login] = await second.sql<{ id: string }[]>`select id from logins where user_id = ${id}`
    const upstreamIdToken = vault.seal(sessions.idTokenPurpose, 'an ID token of the directory')
    const token = await startTestSession(second.sql, { userId: id, loginId: login?.id ?? '', upstreamIdToken })
    const browser = openBrowser()
    browser.setCookie('passport', token)
    expect(await callOf(browser)(accountsApi.signOut, { body: {} })).toEqual({ endSessionUrl: null })
    await browser.submit(await browser.open('/login?idp=local'), eve)
    const { claims } = await callOf(browser)(getCurrentUser, {})
    expect(claims).toMatchObject({ sub: id, idp: 'local' })
    const [row] = await second.sql`
      select idp, amr, acr, upstream_id_token, login_id, auth_time > now() - interval '1 minute' as is_fresh
      from sessions where user_id = ${id} order by created_at desc limit 1`
    const expected = { idp: 'local', amr: ['pwd'], acr: null, upstreamIdToken: null, loginId: login?.id, isFresh: true }
    expect(row).toEqual(expected)
  })

  test('submitted 16 times at once signs in once', async () => {
    const browser = openBrowser()
    const page = await browser.open('/login?idp=local')
    const [before, spentBefore] = [await count('sessions'), await count('spent_attempts')]
    const responses = await Promise.all(Array.from({ length: 16 }, () => post(browser, page, eve)))
    // More than 10 passwords at once for one name may be refused unchecked, with 401.
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 303)).toHaveLength(1)
    expect(statuses.filter((status) => ![303, 400, 401].includes(status))).toEqual([])
    const refused = responses.find(({ status }) => status === 400)
    expect(await refused?.text()).toContain('This sign-in was already used')
    expect([await count('sessions'), await count('spent_attempts')]).toEqual([before + 1, spentBefore + 1])
  })

  test('submitted again continues for the same session, and is refused for others', async () => {
    const browser = openBrowser()
    const page = await browser.open('/login?idp=local&returnUrl=%2Fapp%2Faccount')
    const { headers } = await post(browser, page, eve)
    const sessionsBefore = await count('sessions')
    expect((await post(browser, page, eve)).headers.get('location')).toBe(headers.get('location'))
    browser.setCookie('passport', 'ended')
    const refused = await post(browser, page, eve)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('already used')])
    expect(await count('sessions')).toBe(sessionsBefore)
    const handle = handleOf(attemptOf(browser))
    expect((await browser.open(`/idp/login/${handle}`)).text).toContain('This sign-in has expired')
  })

  test('signs nobody in who is disabled at the same time, and records nothing', async () => {
    const browser = openBrowser()
    const form = await browser.open('/login?idp=local')
    const read = async () => [
      await count('sessions'),
      await count('known_browsers'),
      await second.sql`select u.last_sign_in_at, l.last_used_at from users u join logins l on l.user_id = u.id where username = 'dev'`,
      await second.sql`select id from audit_events where action = 'signin.succeeded'`,
    ]
    const before = await read()
    const disable = (disabledAt: string | null) => (sql: Sql) =>
      sql`update users set disabled_at = ${disabledAt} where username = 'dev'`
    const release = await holdTransaction(second.sql, disable(new Date().toISOString()))
    const submitted = browser.submit(form, { name: 'dev', password: demoPassword })
    const isWaiting = () =>
      second.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await expect.poll(isWaiting).toHaveLength(1)
    await release()
    expect((await submitted).text).toContain('Your account is disabled')
    expect(await read()).toEqual(before)
    await disable(null)(second.sql)
  })

  describe('submitted with a password that is replaced before the session starts', () => {
    const isWaiting = () =>
      second.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    const findPerson = async (name: string) => {
      const user = await findByName(second.sql, name)
      if (!user) throw new Error(`There is no ${name}`)
      return user
    }
    const reset = (id: string, password: string) => (sql: Sql) => resetPassword(sql, id, password, {})
    const countRefused = async () =>
      (await second.sql`select from audit_events where action = 'directory.password-refused'`).count

    test.each([
      ['of a user without a session', openBrowser, '/login?idp=local'],
      [
        'of a user who signs in again',
        async () => {
          const browser = openBrowser()
          await browser.submit(await browser.open('/login?idp=local'), { name: 'max', password: demoPassword })
          return browser
        },
        '/login?idp=local&prompt=login',
      ],
    ])('is refused as wrong, and stays pending: %s', async (_name, open, path) => {
      const { id } = await findPerson('max')
      const browser = await open()
      const form = await browser.open(path)
      const [sessionsBefore, spentBefore, refusedBefore] = [
        await count('sessions'),
        await count('spent_attempts'),
        await countRefused(),
      ]
      await second.sql`delete from rate_limits`
      const release = await holdTransaction(second.sql, reset(id, 'the new password of max'))
      const submitted = browser.submit(form, { name: 'max', password: demoPassword })
      await expect.poll(isWaiting).toHaveLength(1)
      await release()
      const refused = await submitted
      expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('Wrong username or password.')])
      const [former] = await second.sql`
        select count(*)::int as count from sessions s join logins l on l.id = s.login_id where l.subject = ${id}`
      expect([former?.['count'], await count('spent_attempts'), await countRefused()]).toEqual([
        0,
        spentBefore,
        refusedBefore + 1,
      ])
      // The browser that has signed in before has a count of its own.
      const counted = await second.sql`select points from rate_limits where key like 'password:%' and points = 1`
      expect(counted).toHaveLength(1)
      const landed = await browser.submit(refused, { name: 'max', password: 'the new password of max' })
      expect(landed.url).toContain('/app/')
      expect(await count('sessions')).toBeLessThanOrEqual(sessionsBefore + 1)
      await transaction(second.sql, reset(id, demoPassword))
    })

    test('creates no login for a first sign-in that is refused, and links none', async () => {
      const passwordHash = await hashPassword('the first password')
      const person = { name: 'lena', displayName: 'Lena', email: 'lena@stage.example', passwordHash, isDemoUser: false }
      const id = await add(second.sql, person)
      const browser = openBrowser()
      await browser.submit(await browser.open('/login?idp=local'), { name: 'max', password: demoPassword })
      const { authorizationUrl } = await callOf(browser)(accountsApi.linkLogin, { body: { idp: 'local' } })
      const form = await browser.open(authorizationUrl)
      const release = await holdTransaction(second.sql, reset(id, 'the second password'))
      const submitted = browser.submit(form, { name: 'lena', password: 'the first password' })
      await expect.poll(isWaiting).toHaveLength(1)
      await release()
      const refused = await submitted
      expect(refused.text).toContain('Wrong username or password.')
      expect(await second.sql`select from logins where subject = ${id}`).toHaveLength(0)
      const linked = await browser.submit(refused, { name: 'lena', password: 'the second password' })
      expect(linked.url).toBe(`${second.url}/app/account/logins?linked=local`)
    })

    test('has its session ended by the reset, if the sign-in was first', async () => {
      const { id } = await findPerson('max')
      const user = await second.as('max')
      const browser = openBrowser()
      const form = await browser.open('/login?idp=local')
      const release = await holdTransaction(
        second.sql,
        (sql) => sql`select from users where id = ${user.id} for update`,
      )
      const submitted = browser.submit(form, { name: 'max', password: demoPassword })
      await expect.poll(isWaiting).toHaveLength(1)
      const changed = transaction(second.sql, reset(id, 'the third password'))
      await expect.poll(isWaiting).toHaveLength(2)
      await release()
      await changed
      expect((await submitted).url).toContain('/app/')
      expect(await second.sql`select from sessions where user_id = ${user.id}`).toHaveLength(0)
      await transaction(second.sql, reset(id, demoPassword))
    })
  })

  test('belongs to the browser and the attempt for which it was shown, for 10 minutes', async () => {
    const [browser, other] = [openBrowser(), openBrowser()]
    const page = await browser.open('/login?idp=local')
    const ofOther = await other.open('/login?idp=local')
    const before = await count('sessions')
    const expired = 'This sign-in has expired'
    expect(await (await post(other, page, eve)).text()).toContain(expired)
    const sealed = /name="seal" value="([^"]*)"/.exec(ofOther.text)?.[1] ?? ''
    expect(await (await post(browser, page, { ...eve, seal: sealed })).text()).toContain(expired)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10.1 * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await (await post(browser, page, eve)).text()).toContain(expired)
    expect(await count('sessions')).toBe(before)
  })

  test('completes no attempt at another provider', async () => {
    const browser = openBrowser()
    await browser.open('/login?idp=first')
    const attempt = attemptOf(browser)
    const seal = second.services.vault.seal(formPurpose, attempt.state)
    const action = `action="/idp/login/${handleOf(attempt)}" name="seal" value="${seal}"`
    const before = await count('sessions')
    const response = await post(browser, { text: action } as ShownPage, eve)
    expect([attempt.idp, response.status, await count('sessions')]).toEqual(['first', 400, before])
  })

  test('links a login to the account that asked, in its session only', async () => {
    const password = 'the password of the second login'
    const passwordHash = await hashPassword(password)
    const addPerson = (name: string) =>
      add(second.sql, { name, displayName: name, email: `${name}@stage.example`, passwordHash, isDemoUser: false })
    await addPerson('evelyn')
    await addPerson('evita')
    const browser = openBrowser()
    await browser.submit(await browser.open('/login?idp=local'), eve)
    const link = async () => (await callOf(browser)(accountsApi.linkLogin, { body: { idp: 'local' } })).authorizationUrl
    const page = await browser.submit(await browser.open(await link()), { name: 'evelyn', password })
    expect(page.url).toBe(`${second.url}/app/account/logins?linked=local`)
    expect(await callOf(browser)(accountsApi.listLogins, {})).toHaveLength(2)
    const form = await browser.open(await link())
    browser.setCookie('passport', 'ended')
    expect((await browser.submit(form, { name: 'evita', password })).text).toContain('Your session has changed')
    const [linked] = await second.sql`select count(*)::int as count from logins where label = 'evita@stage.example'`
    expect(linked?.['count']).toBe(0)
  })

  test('signs a user in from several browsers at once, and replaces a weak hash', async () => {
    const passwordHash = await hashPassword('weakly hashed', { ...defaultCost, timeCost: 1 })
    const person = { name: 'ines', displayName: 'Ines', email: 'ines@stage.example', passwordHash, isDemoUser: false }
    const id = await add(second.sql, person)
    const signIn = async () => {
      const browser = openBrowser()
      const form = await browser.open('/login?idp=local')
      return (await post(browser, form, { name: 'ines', password: 'weakly hashed' })).status
    }
    const { id: userId } = await second.as('max')
    const identity = { providerId: 'local', issuer: identityIssuer, subject: id, label: 'Ines' }
    await accounts.addLogin(second.sql, userId, identity, null)
    expect(await Promise.all(Array.from({ length: 6 }, signIn))).toEqual([303, 303, 303, 303, 303, 303])
    expect((await findByName(second.sql, 'ines'))?.passwordHash).toContain(prefixOf(defaultCost))
  })
})

describe('the issuer', () => {
  test('is off by default, and its addresses lead to the sign-in', async () => {
    for (const path of ['/.well-known/openid-configuration', '/jwks', '/token', '/userinfo', '/endsession'])
      expect([path, (await fetch(`${second.url}/idp${path}`)).status]).toEqual([path, 404])
    const page = await openBrowser().open('/idp/authorize?client_id=passport&state=x')
    expect(page.text).toContain('Continue with Passport')
  })

  test('signs users of another installation in, with the same limits, and out', async () => {
    const browser = openBrowser()
    const form = await browser.open('/login?idp=first&login_hint=dev')
    expect(form.url).toContain(`${first.url}/idp/interaction/`)
    expect(form.text).toContain('name="name" value="dev"')
    const wrong = await browser.submit(form, { name: 'dev', password: 'wrong' })
    expect([wrong.status, wrong.text]).toEqual([401, expect.stringContaining('Wrong username or password.')])
    const named = await browser.open(`${new URL(form.url).pathname}?name=dev`)
    const landed = await browser.submit(named, { name: 'dev', password: demoPassword })
    expect(landed.url).toBe(`${second.url}/app/login?returnUrl=%2Fapp%2F`)
    const { claims } = await callOf(browser)(getCurrentUser, {})
    expect(claims).toMatchObject({ idp: 'first', name: 'Dev Patel' })
    // The session of the directory signs the browser in again, until it ends.
    const { endSessionUrl } = await callOf(browser)(accountsApi.signOut, { body: {} })
    expect((await browser.open(`${second.url}/login?idp=first`)).url).toContain('/app/login')
    expect((await browser.open(endSessionUrl ?? '')).url).toBe(`${second.url}/app/`)
    const again = await browser.open(`${second.url}/login?idp=first`)
    expect(again.text).toContain('type="password"')
    await browser.submit(again, { name: 'dev', password: demoPassword })
    await (await first.as('dev')).call(accountsApi.signOut, { body: { everywhere: true } })
    await callOf(browser)(accountsApi.signOut, { body: {} })
    expect((await browser.open(`${second.url}/login?idp=first`)).text).toContain('type="password"')
  })

  test('refuses a password that is replaced before it is confirmed', async () => {
    const { id = '' } = (await findByName(first.sql, 'eve')) ?? {}
    const browser = openBrowser()
    const form = await browser.open('/login?idp=first')
    const release = await holdTransaction(first.sql, (sql) => resetPassword(sql, id, 'a new password', {}))
    const submitted = browser.submit(form, eve)
    await expect
      .poll(
        () => first.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      .toHaveLength(1)
    await release()
    const refused = await submitted
    expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('Wrong username or password.')])
    await transaction(first.sql, (sql) => resetPassword(sql, id, demoPassword, {}))
    expect((await browser.submit(refused, eve)).url).toContain(second.url)
  })

  test('answers forms like the direct sign-in', async () => {
    const submit = async (open: () => Promise<{ browser: TestBrowser; page: ShownPage }>, fields: object) => {
      const { browser, page } = await open()
      const response = await post(browser, page, fields as Record<string, string>)
      const text = (await response.text()).replaceAll(/\/idp\/(?:login|interaction)\/[\w-]+|value="[\w.-]{40,}"/g, '…')
      const shown = /<main[\s\S]*<\/main>/.exec(text.replaceAll(/[0-9A-F]{4}-[0-9A-F]{4}/g, '…'))?.[0]
      await first.sql`delete from rate_limits where key like 'password%'`
      return { status: response.status, policy: response.headers.get('content-security-policy')?.split(';')[0], shown }
    }
    const openAt = (url: string, path: string) => async () => {
      const browser = createTestBrowser(url)
      return { browser, page: await browser.open(path) }
    }
    const direct = openAt(first.url, '/login?idp=local')
    const byIssuer = openAt(second.url, '/login?idp=first')
    for (const fields of [
      { name: 'max', password: 'wrong' },
      { name: 'nobody', password: 'wrong' },
      { name: '  MAX@passport.example ', password: demoPassword },
      { name: 'max', password: '' },
      { name: '"><b>', password: 'x' },
      { name: 'max', password: demoPassword, seal: 'forged' },
      { password: demoPassword },
    ]) {
      const results = [await submit(direct, fields), await submit(byIssuer, fields)]
      // The form of another installation names its application.
      const [expected, received] = results.map(({ shown, ...rest }) => ({
        ...rest,
        shown: shown?.replaceAll(/<p>Continue to Second Passport<\/p>/g, '').replaceAll(/\s+/g, ' '),
      }))
      expect([fields, received]).toEqual([fields, expected])
    }
  })

  test('can be cancelled, and forgets its forms', async () => {
    const browser = openBrowser()
    const form = await browser.open('/login?idp=first')
    expect((await browser.submit(form, { cancel: 'yes' })).text).toContain('Sign-in was cancelled')
    const late = await browser.open(form.url)
    expect([late.status, late.text]).toEqual([400, expect.stringContaining('This sign-in has expired')])
    const unknown = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'seal=x' }
    expect((await browser.send(form.url, unknown)).status).toBe(400)
  })

  test('signs another person in after a switch, and serves only clients that need no consent', async () => {
    const browser = openBrowser()
    await browser.submit(await browser.open('/login?idp=first'), { name: 'dev', password: demoPassword })
    const form = await browser.open(`${second.url}/login?idp=first&prompt=select_account`)
    await browser.submit(form, { name: 'max', password: demoPassword })
    expect((await callOf(browser)(getCurrentUser, {})).claims.name).toBe('Max Weber')
    const query = new URLSearchParams({ client_id: 'asking', response_type: 'code', scope: 'openid' })
    const refused = await fetch(`${first.url}/idp/authorize?${query}`)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('invalid_client')])
    for (const [id, status] of [
      ['second', 200],
      ['asking', 400],
    ] as const)
      expect([id, (await fetch(`${first.url}/idp/endsession?client_id=${id}`)).status]).toEqual([id, status])
  })
})
