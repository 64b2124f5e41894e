import * as accountsApi from '@passport/contract/accounts'
import { getCurrentUser } from '@passport/contract/current-user'
import { createTestBrowser, type ShownPage, type TestBrowser } from '@passport/world/browser'
import { type Fault, faults } from '@passport/world/oidc-provider/faults'
import { unusualHabits } from '@passport/world/oidc-provider/habits'
import { type RunningProvider, startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { demoPassword, startTestService, type TestService } from '../test-service.ts'

let harbour: RunningProvider
let service: TestService

/**
 * A service with the built-in provider, Harbour ID, Lantern, which is as different from it as the specifications allow, an
 * unreachable provider, and one with a wrong issuer.
 */
beforeAll(async () => {
  const port = await findFreePort()
  const publicUrl = `http://localhost:${port}`
  const client = { clientId: 'passport-at-harbour', clientSecret: 'the client secret at Harbour ID' }
  harbour = await startOidcProvider({ ...client, redirectUri: `${publicUrl}/login/callback/harbour` })
  onFileEnd(harbour.stop)
  const redirectUri = `${publicUrl}/login/callback/lantern`
  const lantern = await startOidcProvider({ ...client, name: 'Lantern', redirectUri, habits: unusualHabits })
  onFileEnd(lantern.stop)
  const shared = { ...client, kind: 'oidc', issuer: harbour.issuer }
  service = await startTestService({
    PORT: String(port),
    SUPPORT_CONTACT: 'help@stage.example',
    TRUSTED_PROXIES: '127.0.0.1',
    IDENTITY_PROVIDERS: JSON.stringify([
      { id: 'local', kind: 'local', name: 'Passport' },
      { ...shared, id: 'harbour', name: 'Harbour ID', signUp: 'open' },
      { ...shared, id: 'lantern', name: 'Lantern', issuer: lantern.issuer, signUp: 'open' },
      { ...shared, id: 'gone', name: 'Gone ID', issuer: 'http://localhost:1' },
      { ...shared, id: 'mistaken', name: 'Mistaken ID', issuer: `${harbour.issuer}/elsewhere` },
    ]),
  })
})

const openBrowser = () => createTestBrowser(service.url)
const createCall = (browser: TestBrowser) => createBrowserCall(service.url, browser)

async function signInAtHarbour(
  browser: TestBrowser,
  name: string,
  { fault = 'none' as Fault, from = '/login?idp=harbour' } = {},
) {
  const page = await browser.open(from)
  expect(page.text).toContain('Harbour ID')
  return browser.submit(page, { name, fault })
}

async function signInLocally(
  browser: TestBrowser,
  name: string,
  { password = demoPassword, from = '/login?idp=local' } = {},
) {
  return browser.submit(await browser.open(from), { name, password })
}

describe('signing in', () => {
  test('shows the choice of providers, works without script, and returns to the requested URL', async () => {
    const eve = openBrowser()
    const choice = await eve.open('/login?returnUrl=%2Fapp%2Faccount%3Fq%3D1%23x')
    expect(choice.text).toContain('Continue with Passport')
    expect(choice.text).toContain('Continue with Harbour ID')
    expect(choice.text).not.toContain('<script')
    expect(choice.text).not.toContain('sign in again')
    expect(choice.text).toMatch(
      /seal\.svg" alt="">\s+Continue with Passport<.*class="mark initial" aria-hidden="true">H</s,
    )
    const link = /href="(\/login\?[^"]*idp=local[^"]*)"/.exec(choice.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const page = await signInLocally(eve, 'eve', { from: link })
    expect(page.url).toBe(`${service.url}/app/login?returnUrl=${encodeURIComponent('/app/account?q=1#x')}`)
    const user = await createCall(eve)(getCurrentUser, {})
    expect(user).toMatchObject({
      claims: { idp: 'local', name: 'Eve Moreau', preferred_username: 'eve' },
      roles: [],
      orgs: [],
    })
  })

  test('creates an account for a new user at a provider with open sign-up, and finds it the next time', async () => {
    const first = openBrowser()
    const page = await signInAtHarbour(first, 'Nora Lind')
    expect(page.url).toBe(`${service.url}/app/login?returnUrl=%2Fapp%2F`)
    const { claims } = await createCall(first)(getCurrentUser, {})
    expect(claims).toMatchObject({
      idp: 'harbour',
      name: 'Nora Lind',
      preferred_username: 'nora.lind',
      email: 'nora.lind@harbour.example',
    })
    const again = openBrowser()
    await signInAtHarbour(again, 'Nora Lind')
    expect((await createCall(again)(getCurrentUser, {})).claims.sub).toBe(claims.sub)
  })

  test('removes invisible characters from the name that the provider sends', async () => {
    const browser = openBrowser()
    await signInAtHarbour(browser, 'Ada\u200b\u202e Love\u00adlace')
    expect((await createCall(browser)(getCurrentUser, {})).claims.name).toBe('Ada Lovelace')
  })

  test.for(['Admin', 'Al', 'Someone Whose Name Is Longer Than Usernames Are'])(
    'leaves out the username of %s, which is invalid',
    async (name) => {
      const browser = openBrowser()
      await signInAtHarbour(browser, name)
      const { claims } = await createCall(browser)(getCurrentUser, {})
      expect(claims).toMatchObject({ name })
      expect(claims).not.toHaveProperty('preferred_username')
    },
  )

  test('never links accounts by email, even if it is verified', async () => {
    const stranger = openBrowser()
    await signInAtHarbour(stranger, 'Eve Moreau')
    const { claims } = await createCall(stranger)(getCurrentUser, {})
    const eve = await service.as('eve')
    expect(claims.email).toBe('eve@passport.example')
    expect(claims.sub).not.toBe(eve.id)
  })

  test('of one new user in concurrent tabs creates one account', async () => {
    const tabs = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const tab = openBrowser()
        await signInAtHarbour(tab, 'Many Tabs')
        return (await createCall(tab)(getCurrentUser, {})).claims.sub
      }),
    )
    expect(new Set(tabs).size).toBe(1)
    const [row] = await service.sql`select count(*)::integer as found from users where display_name = 'Many Tabs'`
    expect(row?.['found']).toBe(1)
  })

  test('starts a session with a new token each time, and ends the previous session', async () => {
    const browser = openBrowser()
    await signInLocally(browser, 'dev')
    const before = sessionOf(browser)
    const page = await browser.open('/login?idp=local&prompt=login')
    await browser.submit(page, { name: 'dev', password: demoPassword })
    const after = sessionOf(browser)
    expect(after).not.toBe(before)
    browser.setCookie('passport', before)
    await expect(createCall(browser)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
  })

  test('lets a signed-in user choose another account', async () => {
    const browser = openBrowser()
    await signInAtHarbour(browser, 'Omar Haddad')
    await browser.open('/login?idp=harbour')
    expect(browser.visitedUrls.at(-1)).toContain('prompt=select_account')
    const asStranger = openBrowser()
    await asStranger.open('/login?idp=harbour')
    expect(asStranger.visitedUrls.at(-1)).not.toContain('prompt=')
  })

  test('protects the session cookie from scripts and other sites', async () => {
    const browser = openBrowser()
    const page = await browser.open('/login?idp=local')
    const form = Object.fromEntries(
      [...page.text.matchAll(/name="(seal)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    )
    const body = new URLSearchParams({ ...form, name: 'ada', password: demoPassword } as Record<
      string,
      string
    >).toString()
    let response = await browser.send(/action="([^"]+)"/.exec(page.text)?.[1] ?? '', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    while (!response.headers.get('location')?.startsWith('/app/login'))
      response = await browser.send(response.headers.get('location') ?? '')
    const line = response.headers.getSetCookie().find((cookie) => cookie.startsWith('passport='))
    expect(line).toMatch(/^passport=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/)
    const [stored] =
      await service.sql`select count(*)::integer as found from sessions where token_hash = ${sessionOf(browser)}`
    expect(stored?.['found']).toBe(0)
  })
})

const sessionOf = (browser: TestBrowser) => browser.cookies().find(({ name }) => name === 'passport')?.value ?? ''

/** Returns the audit events with the support code of a page. */
async function findAuditEvents({ text }: ShownPage) {
  const code = /Support code <code>([0-9A-F]{4}-[0-9A-F]{4})<\/code>/.exec(text)?.[1] ?? 'none'
  const traceIds = `${code.replace('-', '').toLowerCase()}%`
  return [...(await service.sql`select action, reason from audit_events where trace_id like ${traceIds}`)]
}

// Fault, status, title of the page, and reason in the audit log.
const failures = [
  ['cancel', 403, 'Sign-in was cancelled', 'cancelled'],
  ['server-error', 502, 'Harbour ID rejected the sign-in', 'provider-refused'],
  ['wrong-state', 400, 'This sign-in was not started in this browser', 'state-unknown'],
  ['wrong-response-issuer', 400, 'The response came from another issuer', 'issuer-wrong'],
  ['wrong-token-issuer', 400, 'The response came from another issuer', 'issuer-wrong'],
  ['wrong-audience', 502, 'The response of Harbour ID is invalid', 'answer-invalid'],
  ['missing-subject', 502, 'The response of Harbour ID is invalid', 'answer-invalid'],
  ['missing-issued-at', 502, 'The response of Harbour ID is invalid', 'answer-invalid'],
  ['unsigned', 502, 'The response of Harbour ID is invalid', 'answer-invalid'],
  ['wrong-nonce', 502, 'The response of Harbour ID is invalid', 'answer-invalid'],
  ['forged-signature', 502, 'The response of Harbour ID is invalid', 'answer-invalid'],
  ['expired', 502, 'The clocks differ', 'clock-skew'],
  ['future', 502, 'The clocks differ', 'clock-skew'],
  ['unstorable-claim', 502, 'The response of Harbour ID is invalid', 'answer-invalid'],
  ['spent-code', 502, 'Harbour ID rejected the sign-in code', 'code-refused'],
  ['no-token-endpoint', 502, 'Harbour ID is not responding', 'provider-unreachable'],
  ['wrong-client', 502, 'Sign-in with Harbour ID is not configured correctly', 'provider-misconfigured'],
] as const

describe.for([
  ['harbour', 'Harbour ID'],
  ['lantern', 'Lantern'],
] as const)('a failed sign-in at the provider %s', ([idp, providerName]) => {
  test.for(failures)(
    'because of %s shows a page with a support code, and is in the audit log unless its state is unknown',
    async ([fault, status, title, reason]) => {
      const browser = openBrowser()
      const page = await browser.submit(await browser.open(`/login?idp=${idp}`), { name: 'Unlucky Person', fault })
      expect(page.status).toBe(status)
      expect(page.text).toContain(`<h1>${title.replace('Harbour ID', providerName)}</h1>`)
      expect(page.text).toContain('Try again')
      expect(page.text).not.toContain('undefined')
      expect(await findAuditEvents(page)).toEqual(
        reason === 'state-unknown' ? [] : [{ action: 'signin.failed', reason }],
      )
      expect(sessionOf(browser)).toBe('')
    },
  )
})

describe('a failed sign-in', () => {
  test('reports a provider that is unreachable or has another issuer', async () => {
    const gone = await openBrowser().open('/login?idp=gone')
    expect([gone.status, gone.text]).toEqual([502, expect.stringContaining('Gone ID is not responding')])
    const mistaken = await openBrowser().open('/login?idp=mistaken')
    expect([mistaken.status, mistaken.text]).toEqual([502, expect.stringContaining('Mistaken ID is not responding')])
  })

  test('is in the audit log at most 100 times per hour and network address', async () => {
    const fail = (ip: string) => fetch(`${service.url}/login?idp=gone`, { headers: { 'x-forwarded-for': ip } })
    const countRecorded = async () => {
      const rows = await service.sql<{ ip: string; count: number }[]>`
        select ip, count(*)::int from audit_events where ip like '198.51.%' group by ip order by ip`
      return Object.fromEntries(rows.map(({ ip, count }) => [ip, count]))
    }
    for (let batch = 0; batch < 11; batch++) {
      const responses = await Promise.all(Array.from({ length: 10 }, () => fail('198.51.100.7')))
      expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(502))
    }
    await fail('198.51.101.7')
    expect(await countRecorded()).toEqual({ '198.51.100.7': 100, '198.51.101.7': 1 })
  })

  test('with a text that is cut in the middle of a character has its page and its trace', async () => {
    const cutAt = (length: number, before = '') => `${'ü'.repeat(length - 1 - before.length)}😀`
    for (const length of [300, 1000]) {
      const browser = openBrowser()
      const started = await browser.open('/login?idp=harbour')
      const state = new URL(started.url).searchParams.get('state') ?? ''
      const error = { error: 'x', error_description: cutAt(length, 'x: '), state, iss: harbour.issuer }
      const page = await browser.open(`${service.url}/login/callback/harbour?${new URLSearchParams(error)}`)
      expect([length, page.status, page.text]).toEqual([length, 502, expect.stringContaining('Support code')])
      expect(await findAuditEvents(page)).toEqual([{ action: 'signin.failed', reason: 'provider-refused' }])
      await service.services.traces.flush()
      const traceId = page.headers.get('x-trace-id')
      expect(await service.sql`select kind from sign_in_traces where trace_id = ${traceId}`).toEqual([
        { kind: 'callback' },
      ])
    }
    const hint = await openBrowser().open(`/login?${new URLSearchParams({ idp: 'harbour', login_hint: cutAt(256) })}`)
    expect(hint.status).toBe(200)
    expect((await signInLocally(openBrowser(), cutAt(256))).status).toBe(401)
    const hinted = await openBrowser().open(
      `/login?${new URLSearchParams({ login_hint: `a@b.example${cutAt(320, 'a@b.example')}` })}`,
    )
    expect(hinted.status).toBe(200)
  })

  test('stays failed when its page is reloaded', async () => {
    const browser = openBrowser()
    await signInAtHarbour(browser, 'Cancelling Person', { fault: 'cancel' })
    const callback = browser.visitedUrls.find((url) => url.includes('/login/callback/')) ?? ''
    expect((await browser.open(callback)).text).toContain('This sign-in was already used')
  })

  test('after more than 10 minutes reports an expired sign-in, until the cookie expires', async () => {
    const browser = openBrowser()
    const page = await browser.open('/login?idp=harbour')
    const state = new URL(page.url).searchParams.get('state') ?? ''
    const comeBack = (minutes: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
      return browser.open(`${service.url}/login/callback/harbour?code=x&state=${state}&iss=${harbour.issuer}`)
    }
    onTestFinished(() => void vi.useRealTimers())
    for (const minutes of [10.1, 40]) {
      const late = await comeBack(minutes)
      expect([late.status, late.text]).toEqual([400, expect.stringContaining('This sign-in has expired')])
      expect(await findAuditEvents(late)).toEqual([{ action: 'signin.failed', reason: 'attempt-expired' }])
    }
    expect((await comeBack(15)).text).toContain('This sign-in was not started in this browser')
  })

  test('repeated in other tabs does not drop a pending attempt', async () => {
    const browser = openBrowser()
    const waiting = await browser.open('/login?idp=harbour')
    const from = `${service.url}/login?idp=harbour`
    for (let times = 0; times < 6; times++) await signInAtHarbour(browser, 'Busy Person', { fault: 'cancel', from })
    expect(browser.cookies().filter(({ name }) => name.startsWith('passport-attempt-'))).toHaveLength(5)
    expect((await browser.submit(waiting, { name: 'Busy Person', fault: 'none' })).url).toContain('/app/login')
  })

  test('leaves nothing in the audit log if it was not started in this browser', async () => {
    const [before] = await service.sql`select count(*)::integer as events from audit_events`
    for (const idp of ['local', 'nowhere', '%22%3E', 'x'.repeat(2000)])
      expect((await openBrowser().open(`${service.url}/login/callback/${idp}?state=x&code=y`)).status).toBe(400)
    const [after] = await service.sql`select count(*)::integer as events from audit_events`
    expect(after).toEqual(before)
  })

  test('of an uninvited user names the support contact', async () => {
    const name = await addUninvitedUser()
    const page = await signInLocally(openBrowser(), name)
    expect(page.status).toBe(403)
    expect(page.text).toContain('You have no account here yet')
    expect(page.text).toContain('Ask help@stage.example to invite you')
  })

  test('of a user who is disabled concurrently leaves no session', async () => {
    const { sql } = service
    const release = Promise.withResolvers<void>()
    const isHeld = Promise.withResolvers<void>()
    const disabling = sql.begin(async (held) => {
      await held`update users set disabled_at = now() where username = 'dev'`
      isHeld.resolve()
      await release.promise
    })
    await isHeld.promise
    const signingIn = signInLocally(openBrowser(), 'dev')
    const waiting = () =>
      sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await expect.poll(waiting).not.toHaveLength(0)
    release.resolve()
    await disabling
    expect((await signingIn).text).toContain('Your account is disabled')
    await sql`update users set disabled_at = null where username = 'dev'`
  })

  test('of a disabled user reports that the account is disabled', async () => {
    const browser = openBrowser()
    await signInAtHarbour(browser, 'Disabled Person')
    const { claims } = await createCall(browser)(getCurrentUser, {})
    await service.sql`update users set disabled_at = now() where id = ${claims.sub}`
    await expect(createCall(browser)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
    expect((await signInAtHarbour(openBrowser(), 'Disabled Person')).text).toContain('Your account is disabled')
  })

  test.for([
    ['stale', 'A new sign-in is required'],
    ['no-auth-time', 'Your sign-in cannot be confirmed'],
  ] as const)(
    'because of %s names the missing proof of a forced authentication, which other sign-ins do not need',
    async ([fault, title]) => {
      const browser = openBrowser()
      const { text } = await signInAtHarbour(browser, 'Fresh Person', {
        fault,
        from: '/login?idp=harbour&prompt=login',
      })
      expect(text).toContain(title)
      expect(text).toContain('/login?returnUrl=%2Fapp%2F&amp;prompt=login')
      const page = await signInAtHarbour(openBrowser(), 'Fresh Person', { fault })
      expect(page.url).toContain('/app/login')
    },
  )
})

describe('an authorization response', () => {
  test('sent again continues for the same session, and is rejected for others', async () => {
    const browser = openBrowser()
    const page = await signInAtHarbour(browser, 'Twice Person', {
      from: '/login?idp=harbour&returnUrl=%2Fapp%2Faccount',
    })
    const callback = browser.visitedUrls.find((url) => url.includes('/login/callback/')) ?? ''
    const session = sessionOf(browser)
    expect((await browser.open(callback)).url).toBe(page.url)
    expect(sessionOf(browser)).toBe(session)
    await createCall(browser)(accountsApi.signOut, { body: {} })
    const again = await browser.open(callback)
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('This sign-in was already used')])
    expect(await findAuditEvents(again)).toEqual([{ action: 'signin.failed', reason: 'answer-replayed' }])
    expect(sessionOf(browser)).toBe('')
  })

  test('sent by two tabs concurrently is redeemed once', async () => {
    const browser = openBrowser()
    const page = await browser.open('/login?idp=harbour')
    const action = new URL(page.url)
    const form = new URLSearchParams([...action.searchParams, ['name', 'Race Person'], ['fault', 'none']])
    const response = await fetch(`${harbour.issuer}/authorize`, { method: 'POST', body: form, redirect: 'manual' })
    const callback = response.headers.get('location') ?? ''
    const both = await Promise.all([browser.send(callback), browser.send(callback)])
    expect(both.map(({ status }) => status).sort()).toEqual([303, 400])
    const rejected = both.find(({ status }) => status === 400)
    expect(await rejected?.text()).toContain('This sign-in was already used')
  })

  test('of one provider at the callback of another is rejected', async () => {
    const browser = openBrowser()
    const page = await browser.open('/login?idp=harbour')
    const state = new URL(page.url).searchParams.get('state')
    const mixed = await browser.open(`${service.url}/login/callback/local?code=x&state=${state}`)
    expect(mixed.text).toContain('This sign-in was not started in this browser')
    // The form of the built-in directory completes its attempts, so no response does.
    const form = await browser.open('/login?idp=local')
    const attempt = browser.cookies().findLast(({ name }) => name.startsWith('passport-attempt-'))
    const { state: ofForm } = JSON.parse(service.services.vault.open('login-attempt', attempt?.value ?? '') ?? '{}')
    const forged = await browser.open(`${service.url}/login/callback/local?code=x&state=${ofForm}`)
    expect(forged.text).toContain('This sign-in was not started in this browser')
    expect((await browser.submit(form, { name: 'eve', password: demoPassword })).url).toContain('/app/login')
  })
})

test('these tests cover every fault of Harbour ID', () => {
  const covered =
    'none cancel server-error wrong-state wrong-response-issuer wrong-token-issuer wrong-audience missing-subject missing-issued-at unsigned wrong-nonce forged-signature expired future unstorable-claim spent-code no-token-endpoint wrong-client stale no-auth-time'
  expect(Object.keys(faults).sort()).toEqual(covered.split(' ').sort())
})

describe('linking a second login', () => {
  const link = (browser: TestBrowser, idp = 'harbour') => createCall(browser)(accountsApi.linkLogin, { body: { idp } })

  test('adds it to the signed-in account, and both logins sign in to that account', async () => {
    const eve = openBrowser()
    await signInLocally(eve, 'eve')
    const { authorizationUrl } = await link(eve)
    const page = await signInAtHarbour(eve, 'Eve At Harbour', { from: authorizationUrl })
    expect(page.url).toBe(`${service.url}/app/account/logins?linked=harbour`)
    const logins = await createCall(eve)(accountsApi.listLogins, {})
    expect(logins.map(({ provider, current }) => [provider.name, current])).toEqual([
      ['Passport', true],
      ['Harbour ID', false],
    ])
    const elsewhere = openBrowser()
    await signInAtHarbour(elsewhere, 'Eve At Harbour')
    expect((await createCall(elsewhere)(getCurrentUser, {})).claims.preferred_username).toBe('eve')

    const harbourLogin = logins.find(({ provider }) => provider.id === 'harbour')
    await createCall(eve)(accountsApi.unlinkLogin, { params: { id: harbourLogin?.id ?? '' } })
    await expect(createCall(elsewhere)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
    const last = await createCall(eve)(accountsApi.listLogins, {})
    const rejected = createCall(eve)(accountsApi.unlinkLogin, { params: { id: last[0]?.id ?? '' } })
    await expect(rejected).rejects.toMatchObject({ status: 409, body: { code: 'last-login' } })
  })

  test('of another account changes nothing', async () => {
    await signInAtHarbour(openBrowser(), 'Taken Person')
    const dev = openBrowser()
    await signInLocally(dev, 'dev')
    const page = await signInAtHarbour(dev, 'Taken Person', { from: (await link(dev)).authorizationUrl })
    expect([page.status, page.text]).toEqual([409, expect.stringContaining('This login is already linked')])
    expect(await findAuditEvents(page)).toEqual([{ action: 'signin.failed', reason: 'external-account-in-use' }])
    expect(page.text).toContain('<a class="button" href="/app/account/logins">Try again</a>')
    expect(await createCall(dev)(accountsApi.listLogins, {})).toHaveLength(1)
  })

  test('in another session than the one that started it changes nothing', async () => {
    const dev = openBrowser()
    await signInLocally(dev, 'dev')
    const { authorizationUrl } = await link(dev)
    const page = await dev.open(authorizationUrl)
    await createCall(dev)(accountsApi.signOut, { body: {} })
    const response = await dev.submit(page, { name: 'Session Changer', fault: 'none' })
    expect(response.text).toContain('Your session has changed')
  })

  test('requires auth_time, without which the authentication may be hours old', async () => {
    const silent = openBrowser()
    await signInAtHarbour(silent, 'Silent Person', { fault: 'no-auth-time' })
    expect((await createCall(silent)(getCurrentUser, {})).claims.auth_time).toBe(0)
    await expect(link(silent, 'local')).rejects.toMatchObject({
      status: 401,
      body: { code: 'reauthentication-required' },
    })
    await signInAtHarbour(silent, 'Silent Person', { from: `${service.url}/login?idp=harbour&prompt=login` })
    expect((await link(silent, 'local')).authorizationUrl).toContain('/idp/login/')
  })

  test('requires a sign-in in the last 15 minutes, and a known, reachable provider', async () => {
    const ada = await service.as('ada')
    const post = (idp: string) => ada.call(accountsApi.linkLogin, { body: { idp } })
    await expect(post('nowhere')).rejects.toMatchObject({ status: 404, body: { code: 'provider-not-found' } })
    await expect(post('gone')).rejects.toMatchObject({ status: 502, body: { code: 'provider-unreachable' } })
    await service.sql`update sessions set auth_time = now() - interval '16 minutes' where user_id = ${ada.id}`
    await expect(post('harbour')).rejects.toMatchObject({ status: 401, body: { code: 'reauthentication-required' } })
  })
})

describe('signing out', () => {
  test('of the built-in directory ends the session, and the next sign-in needs the password', async () => {
    const browser = openBrowser()
    await signInLocally(browser, 'eve')
    const { endSessionUrl } = await createCall(browser)(accountsApi.signOut, { body: {} })
    expect(endSessionUrl).toBeNull()
    await expect(createCall(browser)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
    expect((await browser.open('/login?idp=local')).text).toContain('type="password"')
  })

  test('everywhere ends all sessions of the user and no others', async () => {
    const [first, second, otherBrowser] = [openBrowser(), openBrowser(), openBrowser()]
    await signInAtHarbour(first, 'Everywhere Person')
    await signInAtHarbour(second, 'Everywhere Person')
    await signInAtHarbour(otherBrowser, 'Other Person')
    await createCall(first)(accountsApi.signOut, { body: { everywhere: true } })
    await expect(createCall(first)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
    await expect(createCall(second)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
    expect((await createCall(otherBrowser)(getCurrentUser, {})).claims.name).toBe('Other Person')
  })
})

/** Adds a user without an account to the directory, and returns their name. */
async function addUninvitedUser() {
  await service.sql`
    insert into directory_people (id, name, display_name, email, password_hash)
    select 'stranger', 'stranger', 'A Stranger', 'stranger@passport.example', password_hash from directory_people where name = 'eve'`
  return 'stranger'
}
