import * as accountsApi from '@passport/contract/accounts'
import { caller } from '@passport/contract/call'
import { getCurrentUser } from '@passport/contract/current-user'
import { createTestBrowser, type ShownPage, type TestBrowser } from '@passport/world/browser'
import { type Fault, faults } from '@passport/world/oidc-provider/faults'
import { type RunningProvider, startOidcProvider } from '@passport/world/oidc-provider/provider'
import { freePort } from '@passport/world/port'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { atTheEnd } from '../test-endings.ts'
import { castPassword, startTestService, type TestService } from '../test-service.ts'

let harbour: RunningProvider
let service: TestService

/** A service that knows two providers: the built-in one, and Harbour ID under three policies. */
beforeAll(async () => {
  const port = await freePort()
  const publicUrl = `http://localhost:${port}`
  const client = { clientId: 'passport-at-harbour', clientSecret: 'a secret that Harbour gave us' }
  harbour = await startOidcProvider({ ...client, redirectUri: `${publicUrl}/login/callback/harbour` })
  atTheEnd(harbour.stop)
  const shared = { ...client, kind: 'oidc', issuer: harbour.issuer }
  service = await startTestService({
    PORT: String(port),
    SUPPORT_CONTACT: 'help@stage.example',
    IDENTITY_PROVIDERS: JSON.stringify([
      { id: 'local', kind: 'local', name: 'Passport' },
      { ...shared, id: 'harbour', name: 'Harbour ID', signUp: 'open' },
      { ...shared, id: 'gone', name: 'Gone ID', issuer: 'http://localhost:1' },
      { ...shared, id: 'mistaken', name: 'Mistaken ID', issuer: `${harbour.issuer}/elsewhere` },
    ]),
  })
})

const browser = () => createTestBrowser(service.url)
const callWith = (who: TestBrowser) =>
  caller(service.url, async (request) => {
    const headers = Object.fromEntries(request.headers)
    const body = request.method === 'GET' ? {} : { body: await request.text() }
    return who.send(request.url, { method: request.method, headers, ...body })
  })

async function signInAtHarbour(
  who: TestBrowser,
  name: string,
  { fault = 'none' as Fault, from = '/login?idp=harbour' } = {},
) {
  const page = await who.open(from)
  expect(page.text).toContain('Harbour ID')
  return who.submit(page, { name, fault })
}

async function signInLocally(
  who: TestBrowser,
  name: string,
  { password = castPassword, from = '/login?idp=local' } = {},
) {
  return who.submit(await who.open(from), { name, password })
}

describe('signing in', () => {
  test('shows the choice of providers, works without script, and leads back to where the person wanted to go', async () => {
    const eve = browser()
    const choice = await eve.open('/login?returnUrl=%2Fapp%2Faccount%3Fq%3D1%23x')
    expect(choice.text).toContain('Continue with Passport')
    expect(choice.text).toContain('Continue with Harbour ID')
    expect(choice.text).not.toContain('<script')
    const link = /href="(\/login\?[^"]*idp=local[^"]*)"/.exec(choice.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const page = await signInLocally(eve, 'eve', { from: link })
    expect(page.url).toBe(`${service.url}/app/login?returnUrl=${encodeURIComponent('/app/account?q=1#x')}`)
    const user = await callWith(eve)(getCurrentUser, {})
    expect(user).toMatchObject({
      claims: { idp: 'local', name: 'Eve Moreau', preferred_username: 'eve' },
      roles: [],
      orgs: [],
    })
  })

  test('at another provider makes an account for a new person where its policy is open, and finds it the next time', async () => {
    const first = browser()
    const page = await signInAtHarbour(first, 'Nora Lind')
    expect(page.url).toBe(`${service.url}/app/login?returnUrl=%2Fapp%2F`)
    const { claims } = await callWith(first)(getCurrentUser, {})
    expect(claims).toMatchObject({
      idp: 'harbour',
      name: 'Nora Lind',
      preferred_username: 'nora.lind',
      email: 'nora.lind@harbour.example',
    })
    const again = browser()
    await signInAtHarbour(again, 'Nora Lind')
    expect((await callWith(again)(getCurrentUser, {})).claims.sub).toBe(claims.sub)
  })

  test('never joins accounts by e-mail, however verified', async () => {
    const stranger = browser()
    await signInAtHarbour(stranger, 'Eve Moreau')
    const { claims } = await callWith(stranger)(getCurrentUser, {})
    const eve = await service.as('eve')
    expect(claims.email).toBe('eve@passport.example')
    expect(claims.sub).not.toBe(eve.id)
  })

  test('of one new person in many tabs at once makes one account', async () => {
    const tabs = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const tab = browser()
        await signInAtHarbour(tab, 'Many Tabs')
        return (await callWith(tab)(getCurrentUser, {})).claims.sub
      }),
    )
    expect(new Set(tabs).size).toBe(1)
    const [row] = await service.sql`select count(*)::integer as people from users where display_name = 'Many Tabs'`
    expect(row?.['people']).toBe(1)
  })

  test('starts a session with a new name each time and ends the one before', async () => {
    const who = browser()
    await signInLocally(who, 'dev')
    const before = sessionOf(who)
    const page = await who.open('/login?idp=local&prompt=login')
    await who.submit(page, { name: 'dev', password: castPassword })
    const after = sessionOf(who)
    expect(after).not.toBe(before)
    who.setCookie('passport', before)
    await expect(callWith(who)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
  })

  test('lets someone who is here choose another account', async () => {
    const who = browser()
    await signInAtHarbour(who, 'Omar Haddad')
    await who.open('/login?idp=harbour')
    expect(who.visited.at(-1)).toContain('prompt=select_account')
    const asStranger = browser()
    await asStranger.open('/login?idp=harbour')
    expect(asStranger.visited.at(-1)).not.toContain('prompt=')
  })

  test('keeps the session cookie from scripts and other sites', async () => {
    const who = browser()
    const page = await who.open('/login?idp=local')
    const form = Object.fromEntries(
      [...page.text.matchAll(/name="(seal)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    )
    const body = new URLSearchParams({ ...form, name: 'ada', password: castPassword } as Record<
      string,
      string
    >).toString()
    let answer = await who.send(page.url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    while (!answer.headers.get('location')?.startsWith('/app/login'))
      answer = await who.send(answer.headers.get('location') ?? '')
    const line = answer.headers.getSetCookie().find((one) => one.startsWith('passport='))
    expect(line).toMatch(/^passport=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/)
    const [stored] =
      await service.sql`select count(*)::integer as found from sessions where token_hash = ${sessionOf(who)}`
    expect(stored?.['found']).toBe(0)
  })
})

const sessionOf = (who: TestBrowser) => who.cookies().find(({ name }) => name === 'passport')?.value ?? ''

/** What the audit has under the support code of a page. */
async function auditedAs({ text }: ShownPage) {
  const code = /Support code <code>([0-9A-F]{4}-[0-9A-F]{4})<\/code>/.exec(text)?.[1] ?? 'none'
  const traceIds = `${code.replace('-', '').toLowerCase()}%`
  return [...(await service.sql`select action, reason from audit_events where trace_id like ${traceIds}`)]
}

describe('a sign-in that goes wrong', () => {
  /** fault, status, what the page says, the reason in the audit */
  test.for([
    ['cancel', 403, 'Sign-in was cancelled', 'cancelled'],
    ['server-error', 502, 'Harbour ID refused the sign-in', 'provider-refused'],
    ['wrong-state', 400, 'This sign-in was not started here', 'state-unknown'],
    ['wrong-answer-issuer', 400, 'The answer came from someone else', 'issuer-wrong'],
    ['wrong-token-issuer', 400, 'The answer came from someone else', 'issuer-wrong'],
    ['wrong-audience', 502, 'We could not trust the answer of Harbour ID', 'answer-invalid'],
    ['wrong-nonce', 502, 'We could not trust the answer of Harbour ID', 'answer-invalid'],
    ['forged-signature', 502, 'We could not trust the answer of Harbour ID', 'answer-invalid'],
    ['expired', 502, 'The clocks do not agree', 'clock-skew'],
    ['future', 502, 'The clocks do not agree', 'clock-skew'],
    ['spent-code', 502, 'Harbour ID took back its answer', 'code-refused'],
    ['no-token-endpoint', 502, 'Harbour ID does not answer', 'provider-unreachable'],
    ['wrong-client', 502, 'Harbour ID does not know us', 'provider-misconfigured'],
  ] as const)(
    'because of %s is told on a page with a support code that the audit has too, where it was begun here',
    async ([fault, status, title, reason]) => {
      const who = browser()
      const page = await signInAtHarbour(who, 'Unlucky Person', { fault })
      expect(page.status).toBe(status)
      expect(page.text).toContain(`<h1>${title}</h1>`)
      expect(page.text).toContain('Try again')
      expect(page.text).not.toContain('undefined')
      expect(await auditedAs(page)).toEqual(reason === 'state-unknown' ? [] : [{ action: 'signin.failed', reason }])
      expect(sessionOf(who)).toBe('')
    },
  )

  test('because the provider cannot be reached, or is not who it should be, says so', async () => {
    const gone = await browser().open('/login?idp=gone')
    expect([gone.status, gone.text]).toEqual([502, expect.stringContaining('Gone ID does not answer')])
    const mistaken = await browser().open('/login?idp=mistaken')
    expect([mistaken.status, mistaken.text]).toEqual([502, expect.stringContaining('Mistaken ID does not answer')])
  })

  test('with an answer that comes again leads on whom it signed in, and tells anyone else that it was used', async () => {
    const who = browser()
    const page = await signInAtHarbour(who, 'Twice Person', { from: '/login?idp=harbour&returnUrl=%2Fapp%2Faccount' })
    const callback = who.visited.find((address) => address.includes('/login/callback/')) ?? ''
    const session = sessionOf(who)
    expect((await who.open(callback)).url).toBe(page.url)
    expect(sessionOf(who)).toBe(session)
    await callWith(who)(accountsApi.signOut, { body: {} })
    const again = await who.open(callback)
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('This sign-in was used already')])
    expect(await auditedAs(again)).toEqual([{ action: 'signin.failed', reason: 'answer-replayed' }])
    expect(sessionOf(who)).toBe('')
  })

  test('stays over when the page that says so is loaded again', async () => {
    const who = browser()
    await signInAtHarbour(who, 'Cancelling Person', { fault: 'cancel' })
    const callback = who.visited.find((address) => address.includes('/login/callback/')) ?? ''
    expect((await who.open(callback)).text).toContain('This sign-in was used already')
  })

  test('with an answer that two tabs bring at the same time counts one of them', async () => {
    const who = browser()
    const page = await who.open('/login?idp=harbour')
    const action = new URL(page.url)
    const form = new URLSearchParams([...action.searchParams, ['name', 'Race Person'], ['fault', 'none']])
    const answer = await fetch(`${harbour.issuer}/authorize`, { method: 'POST', body: form, redirect: 'manual' })
    const callback = answer.headers.get('location') ?? ''
    const both = await Promise.all([who.send(callback), who.send(callback)])
    expect(both.map(({ status }) => status).sort()).toEqual([303, 400])
    const refused = both.find(({ status }) => status === 400)
    expect(await refused?.text()).toContain('This sign-in was used already')
  })

  test('with an attempt that is older than 10 minutes says that it took too long, until the browser forgets it', async () => {
    const who = browser()
    const page = await who.open('/login?idp=harbour')
    const state = new URL(page.url).searchParams.get('state') ?? ''
    const comeBack = (minutes: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
      return who.open(`${service.url}/login/callback/harbour?code=x&state=${state}&iss=${harbour.issuer}`)
    }
    onTestFinished(() => void vi.useRealTimers())
    for (const minutes of [10.1, 40]) {
      const late = await comeBack(minutes)
      expect([late.status, late.text]).toEqual([400, expect.stringContaining('That took too long')])
      expect(await auditedAs(late)).toEqual([{ action: 'signin.failed', reason: 'attempt-expired' }])
    }
    expect((await comeBack(15)).text).toContain('This sign-in was not started here')
  })

  test('does not cost other tabs their turn: what is over is forgotten first', async () => {
    const who = browser()
    const waiting = await who.open('/login?idp=harbour')
    const from = `${service.url}/login?idp=harbour`
    for (let times = 0; times < 6; times++) await signInAtHarbour(who, 'Busy Person', { fault: 'cancel', from })
    expect(who.cookies().filter(({ name }) => name.startsWith('passport-attempt-'))).toHaveLength(5)
    expect((await who.submit(waiting, { name: 'Busy Person', fault: 'none' })).url).toContain('/app/login')
  })

  test('leaves nothing in the audit where it was never begun, whatever is in its address', async () => {
    const [before] = await service.sql`select count(*)::integer as events from audit_events`
    for (const idp of ['local', 'nowhere', '%22%3E', 'x'.repeat(2000)])
      expect((await browser().open(`${service.url}/login/callback/${idp}?state=x&code=y`)).status).toBe(400)
    const [after] = await service.sql`select count(*)::integer as events from audit_events`
    expect(after).toEqual(before)
  })

  test('by an answer of one provider at the address of another is refused', async () => {
    const who = browser()
    const page = await who.open('/login?idp=harbour')
    const state = new URL(page.url).searchParams.get('state')
    const mixed = await who.open(`${service.url}/login/callback/local?code=x&state=${state}`)
    expect(mixed.text).toContain('This sign-in was not started here')
  })

  test('by a person who was not invited says whom to ask', async () => {
    const { directory } = await strangerInDirectory()
    const page = await signInLocally(browser(), directory)
    expect(page.status).toBe(403)
    expect(page.text).toContain('You have no account here yet')
    expect(page.text).toContain('Ask help@stage.example to invite you')
  })

  test('by a person who is disabled at that very moment leaves no session', async () => {
    const { sql } = service
    const release = Promise.withResolvers<void>()
    const isHeld = Promise.withResolvers<void>()
    const disabling = sql.begin(async (held) => {
      await held`update users set disabled_at = now() where username = 'dev'`
      isHeld.resolve()
      await release.promise
    })
    await isHeld.promise
    const signingIn = signInLocally(browser(), 'dev')
    const waiting = () =>
      sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await expect.poll(waiting).not.toHaveLength(0)
    release.resolve()
    await disabling
    expect((await signingIn).text).toContain('Your account is disabled')
    await sql`update users set disabled_at = null where username = 'dev'`
  })

  test('by a disabled person says so', async () => {
    const who = browser()
    await signInAtHarbour(who, 'Disabled Person')
    const { claims } = await callWith(who)(getCurrentUser, {})
    await service.sql`update users set disabled_at = now() where id = ${claims.sub}`
    await expect(callWith(who)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
    expect((await signInAtHarbour(browser(), 'Disabled Person')).text).toContain('Your account is disabled')
  })

  test.for(['stale', 'no-auth-time'] as const)(
    'because the provider did not ask afresh (%s) is refused where it had to',
    async (fault) => {
      const who = browser()
      expect(
        (await signInAtHarbour(who, 'Fresh Person', { fault, from: '/login?idp=harbour&prompt=login' })).text,
      ).toContain('You need to prove again who you are')
      const page = await signInAtHarbour(browser(), 'Fresh Person', { fault })
      expect(page.url).toContain('/app/login')
    },
  )

  test('covers every fault that the world knows', () => {
    const covered =
      'none cancel server-error wrong-state wrong-answer-issuer wrong-token-issuer wrong-audience wrong-nonce forged-signature expired future spent-code no-token-endpoint wrong-client stale no-auth-time'
    expect(Object.keys(faults).sort()).toEqual(covered.split(' ').sort())
  })
})

describe('linking a second login', () => {
  const link = (who: TestBrowser, idp = 'harbour') => callWith(who)(accountsApi.linkLogin, { body: { idp } })

  test('adds it to the account that is signed in, and either leads there from then on', async () => {
    const eve = browser()
    await signInLocally(eve, 'eve')
    const { authorizationUrl } = await link(eve)
    const page = await signInAtHarbour(eve, 'Eve At Harbour', { from: authorizationUrl })
    expect(page.url).toBe(`${service.url}/app/account/logins?linked=harbour`)
    const logins = await callWith(eve)(accountsApi.listLogins, {})
    expect(logins.map(({ provider, current }) => [provider.name, current])).toEqual([
      ['Passport', true],
      ['Harbour ID', false],
    ])
    const elsewhere = browser()
    await signInAtHarbour(elsewhere, 'Eve At Harbour')
    expect((await callWith(elsewhere)(getCurrentUser, {})).claims.preferred_username).toBe('eve')

    const harbourLogin = logins.find(({ provider }) => provider.id === 'harbour')
    await callWith(eve)(accountsApi.unlinkLogin, { params: { id: harbourLogin?.id ?? '' } })
    await expect(callWith(elsewhere)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
    const last = await callWith(eve)(accountsApi.listLogins, {})
    const refused = callWith(eve)(accountsApi.unlinkLogin, { params: { id: last[0]?.id ?? '' } })
    await expect(refused).rejects.toMatchObject({ status: 409, body: { code: 'last-login' } })
  })

  test('that is someone’s already changes nothing', async () => {
    await signInAtHarbour(browser(), 'Taken Person')
    const dev = browser()
    await signInLocally(dev, 'dev')
    const page = await signInAtHarbour(dev, 'Taken Person', { from: (await link(dev)).authorizationUrl })
    expect([page.status, page.text]).toEqual([409, expect.stringContaining('That login is in use')])
    expect(await auditedAs(page)).toEqual([{ action: 'signin.failed', reason: 'external-account-in-use' }])
    expect(await callWith(dev)(accountsApi.listLogins, {})).toHaveLength(1)
  })

  test('in another session than the one that began it changes nothing', async () => {
    const dev = browser()
    await signInLocally(dev, 'dev')
    const { authorizationUrl } = await link(dev)
    const page = await dev.open(authorizationUrl)
    await callWith(dev)(accountsApi.signOut, { body: {} })
    const answer = await dev.submit(page, { name: 'Session Changer', fault: 'none' })
    expect(answer.text).toContain('You are not signed in as before')
  })

  test('needs a sign-in of which the provider tells when it was: it may have known the person for hours', async () => {
    const silent = browser()
    await signInAtHarbour(silent, 'Silent Person', { fault: 'no-auth-time' })
    expect((await callWith(silent)(getCurrentUser, {})).claims.auth_time).toBe(0)
    await expect(link(silent, 'local')).rejects.toMatchObject({
      status: 401,
      body: { code: 'reauthentication-required' },
    })
    await signInAtHarbour(silent, 'Silent Person', { from: `${service.url}/login?idp=harbour&prompt=login` })
    expect((await link(silent, 'local')).authorizationUrl).toContain('/idp/authorize')
  })

  test('needs a sign-in of the last five minutes, a provider that is known, and one that answers', async () => {
    const ada = await service.as('ada')
    const post = (idp: string) => ada.call(accountsApi.linkLogin, { body: { idp } })
    await expect(post('nowhere')).rejects.toMatchObject({ status: 404, body: { code: 'provider-not-found' } })
    await expect(post('gone')).rejects.toMatchObject({ status: 502, body: { code: 'provider-unreachable' } })
    await service.sql`update sessions set auth_time = now() - interval '6 minutes' where user_id = ${ada.id}`
    await expect(post('harbour')).rejects.toMatchObject({ status: 401, body: { code: 'reauthentication-required' } })
  })
})

describe('signing out', () => {
  test('ends the session here and tells where to end the one at the provider', async () => {
    const who = browser()
    await signInLocally(who, 'eve')
    const { endSessionUrl } = await callWith(who)(accountsApi.signOut, { body: {} })
    expect(endSessionUrl).toContain(`${service.url}/idp/endsession?`)
    await expect(callWith(who)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
    const page = await who.open(endSessionUrl ?? '')
    expect(page.url).toBe(`${service.url}/app/`)
    expect((await who.open('/login?idp=local')).text).toContain('type="password"')
  })

  test('without the provider leaves its session: the next sign-in asks nothing', async () => {
    const who = browser()
    await signInLocally(who, 'eve')
    await callWith(who)(accountsApi.signOut, { body: {} })
    expect((await who.open('/login?idp=local')).url).toContain('/app/login')
  })

  test('everywhere ends all of a person’s sessions and none of another’s', async () => {
    const [one, two, other] = [browser(), browser(), browser()]
    await signInAtHarbour(one, 'Everywhere Person')
    await signInAtHarbour(two, 'Everywhere Person')
    await signInAtHarbour(other, 'Other Person')
    await callWith(one)(accountsApi.signOut, { body: { everywhere: true } })
    await expect(callWith(one)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
    await expect(callWith(two)(getCurrentUser, {})).rejects.toMatchObject({ status: 401 })
    expect((await callWith(other)(getCurrentUser, {})).claims.name).toBe('Other Person')
  })
})

async function strangerInDirectory() {
  await service.sql`
    insert into directory_people (id, name, display_name, email, password_hash)
    select 'stranger', 'stranger', 'A Stranger', 'stranger@passport.example', password_hash from directory_people where name = 'eve'`
  return { directory: 'stranger' }
}
