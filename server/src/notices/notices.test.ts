import { linkLogin, listActivity, listLogins, unlinkLogin } from '@passport/contract/accounts'
import { listAuditEntries } from '@passport/contract/audit'
import { getNoticeSettings, putNoticeSettings } from '@passport/contract/notices'
import { createPersonalToken, listPersonalTokens } from '@passport/contract/personal-tokens'
import { claimUsername } from '@passport/contract/profile'
import { getUser, updateUser } from '@passport/contract/users'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import { startMailServer } from '@passport/world/mail'
import { startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import * as client from 'openid-client'
import { beforeEach, describe, expect, test } from 'vitest'
import { issuePersonalToken } from '../personal-tokens/test-personal-token.ts'
import { redirectUri, startShop } from '../provider/test-shop.ts'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { holdTransaction } from '../test-hold.ts'
import { demoPassword } from '../test-service.ts'
import { hashToken } from '../vault.ts'

const mailServer = await startMailServer()
onFileEnd(mailServer.stop)
const port = await findFreePort()
const harbourClient = { clientId: 'passport-at-harbour', clientSecret: 'the client secret at Harbour ID' }
const harbour = await startOidcProvider({
  ...harbourClient,
  redirectUri: `http://localhost:${port}/login/callback/harbour`,
})
onFileEnd(harbour.stop)
const { service, shop, signInToShop, buildAuthorizationRequest } = await startShop(
  {},
  {
    PORT: String(port),
    SMTP_URL: mailServer.smtpUrl,
    MAIL_FROM: 'Stage Passport <id@stage.example>',
    SUPPORT_CONTACT: 'help@stage.example',
    IDENTITY_PROVIDERS: JSON.stringify([
      { id: 'local', kind: 'local', name: 'Passport' },
      { ...harbourClient, id: 'harbour', kind: 'oidc', issuer: harbour.issuer, name: 'Harbour ID' },
    ]),
  },
)
const { sql } = service
const ada = await service.as('ada')
const backup = { name: 'Backup', scopes: ['api_vertex_core'], expiresInDays: 30 }
const eveAddress = 'eve@passport.example'

beforeEach(async () => {
  await sql`delete from known_browsers`
  await sql`delete from new_device_opt_outs`
  await sql`delete from notices`
  // A recipient gets a limited number of each kind.
  await sql`delete from mails`
  await sql`delete from personal_tokens`
  await sql`update users set last_sign_in_at = now()`
  await sql`update users set email = ${eveAddress}, username = 'eve' where username like 'eve%'`
  mailServer.listMails().length = 0
})

const createCall = (browser: TestBrowser) => createBrowserCall(service.url, browser)
const openBrowser = () => createTestBrowser(service.url, { 'user-agent': firefox })
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0'

/** Signs a demo user in, also one who is signed in. */
async function signIn(name: string, browser = openBrowser()): Promise<TestBrowser> {
  await browser.submit(await browser.open('/login?idp=local&prompt=login'), { name, password: demoPassword })
  return browser
}
const isSignedIn = async (browser: TestBrowser) =>
  (await browser.send(`${service.url}/passport/apphelper/user`)).status === 200

const listMailsTo = (address: string) => mailServer.listMails().filter(({ recipients }) => recipients[0] === address)

/** Waits for an email with this subject about a notice of the test, and returns the URL of its unused link. */
async function waitForLink(subject: string, address = eveAddress): Promise<string> {
  const find = async () => {
    const unused = await sql<{ tokenHash: string }[]>`select token_hash from notices where used_at is null`
    const hashes = new Set(unused.map(({ tokenHash }) => tokenHash))
    const links = listMailsTo(address)
      .filter((mail) => mail.subject.includes(subject))
      .map(({ html }) => /<a class="link" href="([^"]*)"[^>]*>Wasn&#39;t you\?<\/a>/.exec(html)?.[1] ?? '')
    return links.find((link) => hashes.has(hashToken(link.split('/').at(-1) ?? '')))
  }
  await expect.poll(find).toBeTruthy()
  return (await find()) ?? ''
}
const listKinds = async () => (await sql`select kind from notices order by kind`).map(({ kind }) => kind)
const newSignIn = 'New sign-in to your Stage Passport account'

const headingOf = ({ text }: { text: string }) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1]

/** Opens a link and submits its form; returns the status and the heading of the next page. */
async function use(link: string, browser = openBrowser()) {
  const page = await browser.submit(await browser.open(link), {})
  return { status: page.status, heading: headingOf(page), text: page.text }
}
const done = { status: 200, heading: 'Done' }

const listDisputes = async () =>
  (await ada.call(listAuditEntries, { query: { action: 'notice.disputed' } })).items.map(
    ({ actor, target, before, after }) => ({ actor, target: target.id, before, after }),
  )

describe('a sign-in', () => {
  test('is reported once in each browser, for each user of it', async () => {
    const home = await signIn('eve')
    await waitForLink(newSignIn)
    expect(listMailsTo(eveAddress)[0]?.text).toMatch(
      /on a new device\.\n\nSigned in with: Passport\nDevice: Firefox 131 on Linux\nIP address: 127\.0\.0\.1\nTime: .* UTC\n/,
    )
    await signIn('eve', home)
    await signIn('dev', home)
    await waitForLink(newSignIn, 'dev@passport.example')
    await signIn('eve', home)
    expect(await listKinds()).toEqual(['new-device', 'new-device'])
    await signIn('eve')
    expect(await listKinds()).toHaveLength(3)
  })

  test('that is the first of an account is not reported', async () => {
    await sql`update users set last_sign_in_at = null where username = 'eve'`
    const first = await signIn('eve')
    expect(await listKinds()).toEqual([])
    expect(await isSignedIn(first)).toBe(true)
  })

  test('is not reported to a user who has switched these emails off, until they are switched on', async () => {
    const eve = createCall(await signIn('eve'))
    expect(await eve(getNoticeSettings, {})).toEqual({ newDevice: true })
    await sql`delete from notices`
    expect(await eve(putNoticeSettings, { body: { newDevice: false } })).toEqual({ newDevice: false })
    await signIn('eve')
    expect(await eve(getNoticeSettings, {})).toEqual({ newDevice: false })
    expect(await listKinds()).toEqual([])
    await eve(putNoticeSettings, { body: { newDevice: true } })
    await signIn('eve')
    expect(await listKinds()).toEqual(['new-device'])
  })

  test('of a user with an address that mail servers reject succeeds', async () => {
    await sql`update users set email = 'eve at passport' where username = 'eve'`
    expect(await isSignedIn(await signIn('eve'))).toBe(true)
  })
})

describe('the link of a new device', () => {
  /** Signs in to the shop with access that outlives the session. */
  async function allowOffline(browser: TestBrowser) {
    const request = { scope: 'openid offline_access', prompt: 'consent' }
    const { url, checks } = await buildAuthorizationRequest(request)
    const page = await browser.open(url)
    // The shop does not exist.
    await expect(browser.submit(page, { answer: 'allow' })).rejects.toThrow()
    const redirected = browser.visitedUrls.findLast((visited) => visited.startsWith(redirectUri)) ?? ''
    return client.authorizationCodeGrant(shop, new URL(redirected), checks)
  }

  test('ends everything that began there, even after further sign-ins, and nothing else', async () => {
    const home = await signIn('eve')
    const thief = await signIn('eve')
    const stolen = await allowOffline(thief)
    await createCall(thief)(createPersonalToken, { body: backup })
    await waitForLink('New personal token')
    const own = await issuePersonalToken(service, await service.as('eve'))
    const kept = await signInToShop(home)
    await signIn('eve', thief)
    expect(await listKinds()).toEqual(['new-device', 'new-device', 'personal-token-created'])

    expect(await use(await waitForLink(newSignIn))).toMatchObject(done)
    expect([await isSignedIn(home), await isSignedIn(thief)]).toEqual([true, false])
    await expect(client.refreshTokenGrant(shop, stolen.refresh_token ?? '')).rejects.toThrow()
    await client.refreshTokenGrant(shop, kept.refresh_token ?? '')
    expect((await createCall(home)(listPersonalTokens, {})).map(({ id }) => id)).toEqual([own.id])
    expect((await listDisputes())[0]).toEqual({
      actor: null,
      target: stolen.claims()?.sub,
      before: { sessions: 1, refreshTokens: 1, personalTokens: [expect.stringMatching(/^psp_/)] },
      after: { notice: 'new-device' },
    })
    expect((await createCall(home)(listActivity, { query: { limit: 1 } })).items[0]).toMatchObject({
      action: 'notice.disputed',
    })
  })

  test('makes the browser unknown again', async () => {
    const thief = await signIn('eve')
    expect(await use(await waitForLink(newSignIn))).toMatchObject(done)
    mailServer.listMails().length = 0
    await signIn('eve', thief)
    await waitForLink(newSignIn)
  })

  test('makes it unknown to a sign-in there that is under way', async () => {
    const thief = openBrowser()
    await signIn('eve', thief)
    const form = await thief.open('/login?idp=local&prompt=login')
    await sql`delete from notices`
    mailServer.listMails().length = 0
    const release = await holdTransaction(sql, (sql) => sql`select from users where username = 'eve' for update`)
    const signingIn = thief.submit(form, { name: 'eve', password: demoPassword })
    const isWaiting = () =>
      sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await expect.poll(isWaiting).toHaveLength(1)
    await sql`delete from known_browsers`
    await release()
    await signingIn
    await waitForLink(newSignIn)
    expect(await isSignedIn(thief)).toBe(true)
  })
})

describe('the link of a change', () => {
  /** Signs eve in twice, and expects that the link of an email ends both sessions. */
  async function expectToEndAll(
    subject: string,
    change: (browser: TestBrowser) => Promise<unknown>,
    address = eveAddress,
  ) {
    const browsers = [await signIn('eve'), await signIn('eve')]
    await issuePersonalToken(service, await service.as('eve'))
    await change(browsers[0] as TestBrowser)
    const { heading, text } = await use(await waitForLink(subject, address))
    expect(heading).toBe('Done')
    expect(text).toContain('help@stage.example')
    expect(await Promise.all(browsers.map(isSignedIn))).toEqual([false, false])
    expect(
      await sql`select t.id from personal_tokens t join users u on u.id = user_id where username like 'eve%'`,
    ).toEqual([])
  }
  const findEve = async () => (await service.as('eve')).id

  test('of the username ends all sessions and tokens', () =>
    expectToEndAll('The username of your Stage Passport account was changed', async (browser) => {
      await createCall(browser)(claimUsername, { params: { profileId: 'me' }, body: 'eve.new' })
    }))

  test.for([eveAddress, 'eve@new.example'])('of the email ends them, for the one to %s', (address) =>
    expectToEndAll(
      'The email of your Stage Passport account was changed',
      async () => {
        const params = { userId: await findEve() }
        const user = await ada.call(getUser, { params })
        await ada.call(updateUser, { params, body: { ...user, email: 'eve@new.example', emailVerified: false } })
      },
      address,
    ),
  )

  test('of sign-in methods ends them, for one that was linked and one that was unlinked', async () => {
    const link = async (browser: TestBrowser) => {
      const { authorizationUrl } = await createCall(browser)(linkLogin, { body: { idp: 'harbour' } })
      await browser.submit(await browser.open(authorizationUrl), { name: 'Eve At Harbour', fault: 'none' })
    }
    await expectToEndAll('Sign-in method added to', link)
    await expectToEndAll('Sign-in method removed from', async (browser) => {
      const logins = await createCall(browser)(listLogins, {})
      const { id = '' } = logins.find(({ provider }) => provider.id === 'harbour') ?? {}
      await createCall(browser)(unlinkLogin, { params: { id } })
    })
  })

  test('of a personal token revokes that token only', async () => {
    const eve = await signIn('eve')
    const other = await issuePersonalToken(service, await service.as('eve'))
    await createCall(eve)(createPersonalToken, { body: backup })
    expect(await use(await waitForLink('New personal token'))).toMatchObject(done)
    expect((await createCall(eve)(listPersonalTokens, {})).map(({ id }) => id)).toEqual([other.id])
  })
})

describe('a link', () => {
  const post = (link: string, headers: Record<string, string> = {}) =>
    openBrowser().send(link, {
      method: 'POST',
      body: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })

  test('ends nothing when it is opened, and says what it ends', async () => {
    const eve = await signIn('eve')
    const link = await waitForLink(newSignIn)
    for (const method of ['GET', 'HEAD']) expect((await openBrowser().send(link, { method })).status).toBe(200)
    const page = await openBrowser().open(link)
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.text).toContain('Sign the device out')
    expect(await isSignedIn(eve)).toBe(true)
    expect(page.headers.getSetCookie()).toEqual([])
  })

  test('signs nobody in, and asks to sign in', async () => {
    await signIn('eve')
    const response = await post(await waitForLink(newSignIn))
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await response.text()).toContain(
      'href="/login?prompt=login&amp;returnUrl=%2Fapp%2Faccount%2Flogins">Sign in</a>',
    )
  })

  test('is not used by the form of another site', async () => {
    const eve = await signIn('eve')
    const link = await waitForLink(newSignIn)
    expect((await post(link, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })).status).toBe(403)
    expect(await isSignedIn(eve)).toBe(true)
    expect(await use(link)).toMatchObject(done)
  })

  test('is used once by 16 requests at the same time, twice', async () => {
    for (const _ of ['once', 'twice']) {
      await signIn('eve')
      const link = await waitForLink(newSignIn)
      const before = (await listDisputes()).length
      const responses = await Promise.all(Array.from({ length: 16 }, () => post(link)))
      expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(15).fill(410)])
      expect(await listDisputes()).toHaveLength(before + 1)
      mailServer.listMails().length = 0
    }
  })

  test('that was used says so', async () => {
    await signIn('eve')
    const link = await waitForLink(newSignIn)
    await use(link)
    const again = await openBrowser().open(link)
    expect([again.status, headingOf(again)]).toEqual([410, 'This link was used before'])
  })

  test('works for 7 days', async () => {
    const eve = await signIn('eve')
    const link = await waitForLink(newSignIn)
    await sql`update notices set sent_at = now() - interval '7 days'`
    for (const page of [await openBrowser().open(link), { status: 410, text: await (await post(link)).text() }])
      expect([page.status, headingOf(page)]).toEqual([410, 'This link has expired'])
    expect(await isSignedIn(eve)).toBe(true)
    await sql`update notices set sent_at = sent_at + interval '1 minute'`
    expect(await use(link)).toMatchObject(done)
  })

  test.for(['A'.repeat(43), 'short', '%00', 'a%2Fb', '%F0%9F%94%91'])(
    'that is not known (%s) is not valid',
    async (token) => {
      for (const method of ['GET', 'POST']) {
        const response = await (method === 'GET'
          ? openBrowser().send(`${service.url}/notices/${token}`)
          : post(`${service.url}/notices/${token}`))
        expect([response.status, headingOf({ text: await response.text() })]).toEqual(
          token === '%00' ? [400, 'This request is not valid'] : [404, 'This link is not valid'],
        )
      }
    },
  )

  test('is stored as a hash', async () => {
    await signIn('eve')
    const token = (await waitForLink(newSignIn)).split('/').at(-1) ?? ''
    const [row] = await sql`select notices::text as whole from notices`
    expect(row?.['whole']).not.toContain(token)
  })
})
