import { getCurrentUser } from '@passport/contract/current-user'
import * as api from '@passport/contract/enrolment'
import { createGroup } from '@passport/contract/groups'
import { createInvitation, getInvitation, resendInvitation, revokeInvitation } from '@passport/contract/invitations'
import { createJoinLink } from '@passport/contract/join'
import { createOrg } from '@passport/contract/orgs'
import * as usersApi from '@passport/contract/users'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

/** Without a mail server. */
let service: TestService
let ada: Visitor
/** With one. */
let mailing: TestService
let mailServer: RunningMailServer
let mailingAda: Visitor

beforeAll(async () => {
  mailServer = await startMailServer()
  onFileEnd(mailServer.stop)
  service = await startTestService()
  mailing = await startTestService({ SMTP_URL: mailServer.smtpUrl, MAIL_FROM: 'Stage Passport <id@stage.example>' })
  ada = await service.as('ada')
  mailingAda = await mailing.as('ada')
})

const password = 'blue kettle on the roof'
let serial = 0
const nextName = () => `guest${++serial}`

type NewUser = Partial<{
  username: string
  email: string
  displayname: string
  emailVerified: boolean
  roles: string[]
}>
function create(user: NewUser = {}, admin = ada) {
  const username = nextName()
  const body = { username, email: `${username}@harbour.example`, displayname: 'Marta Costa', ...user }
  return admin.call(usersApi.createUser, { query: {}, body })
}
const createLink = (userId: string, admin = ada) => admin.call(api.createEnrolmentLink, { params: { userId } })
const read = (userId: string) => ada.call(api.getEnrolment, { params: { userId } })
const getUser = (userId: string, admin = ada) => admin.call(usersApi.getUser, { params: { userId } })
const problem = (status: number, code: string) =>
  expect.objectContaining({ status, body: expect.objectContaining({ code }) })
const tokenOf = (url: string | undefined) => new URL(url ?? '').hash.slice(1)

const openBrowser = (of = service) => createTestBrowser(of.url)
/** Does what the script of the page does: sends the secret in the body. */
async function open(url: string | undefined, browser = openBrowser()) {
  const page = await browser.open(new URL(url ?? '').pathname)
  return { browser, page: await browser.submit(page, { token: tokenOf(url) }) }
}
const setPassword = async ({ browser, page }: Awaited<ReturnType<typeof open>>, value = password) =>
  browser.submit(page, { password: value })
const whoIs = (browser: TestBrowser, of = service) => createBrowserCall(of.url, browser)(getCurrentUser, {})
const join = (browser: TestBrowser, token: string, of = service) =>
  browser.send(`/join/${token}/accept`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', origin: of.url },
  })
const listActions = async (userId: string) =>
  (await service.sql`select action from audit_events where target_id = ${userId} order by at, id`).map(
    ({ action }) => action,
  )

describe('an enrolment link', () => {
  test('lets the user of a created account set a password without a mail server, and signs them in', async () => {
    const { id, username, email } = await create({ roles: ['Passport.Developer'] })
    const link = await createLink(id)
    expect(link.url).toMatch(/\/idp\/enrol#[\w-]{43}$/)
    const opened = await open(link.url)
    expect(opened.page.text).toContain(`value="${username}"`)
    const { version } = await getUser(id)
    const landed = await setPassword(opened)
    expect((await getUser(id)).version).toBeGreaterThan(version)
    expect(landed.url).toContain('/app/login')
    const { claims, roles } = await whoIs(opened.browser)
    expect(claims).toMatchObject({ sub: id, name: 'Marta Costa', email })
    expect(roles).toContain('Passport.Developer')
    expect(await getUser(id)).toMatchObject({ status: 'active', email, emailVerified: false })
    const [stored] = await service.sql`select email_verified, email_verified_by from users where id = ${id}`
    expect(stored).toEqual({ emailVerified: false, emailVerifiedBy: null })
    expect(await listActions(id)).toEqual(
      expect.arrayContaining([
        'user.enrolment-link-created',
        'user.enrolment-link-opened',
        'user.enrolment-link-used',
        'login.linked',
        'signin.succeeded',
      ]),
    )
    // Later they sign in with the username or the email.
    for (const name of [username, email]) {
      const later = openBrowser()
      await later.submit(await later.open('/login'), { name: name ?? '', password })
      expect((await whoIs(later)).claims.sub).toBe(id)
    }
  })

  test('is stored as a hash, is valid for 24 hours, and is not returned again', async () => {
    const { id } = await create()
    const link = await createLink(id)
    const hoursLeft = (Date.parse(link.expiresAt) - Date.now()) / 3_600_000
    expect(hoursLeft).toBeGreaterThan(23.9)
    expect(hoursLeft).toBeLessThanOrEqual(24)
    const { url, ...listed } = link
    expect(await read(id)).toEqual({ obstacle: null, link: listed })
    const rows = await service.sql`select * from enrolment_links where user_id = ${id}`
    expect(JSON.stringify(rows)).not.toContain(tokenOf(url))
    const events = await service.sql`select * from audit_events where target_id = ${id}`
    expect(JSON.stringify(events)).not.toContain(tokenOf(url))
  })

  test('expires', async () => {
    const { id } = await create()
    const { url } = await createLink(id)
    const early = await open(url)
    await service.sql`update enrolment_links set expires_at = now() where user_id = ${id}`
    expect((await open(url)).page.text).toContain('This link has expired')
    expect((await setPassword(early)).status).toBe(410)
    expect((await read(id)).link).toBeNull()
    await open((await createLink(id)).url)
  })

  test('says nothing about the account before its secret is checked', async () => {
    const { id } = await create()
    const { url } = await createLink(id)
    const browser = openBrowser()
    const page = await browser.open(new URL(url).pathname)
    expect(page.text).not.toContain('Marta')
    expect(page.text).not.toContain('guest')
    const wrong = await browser.submit(page, { token: 'x'.repeat(43) })
    expect([wrong.status, wrong.text.includes('Marta')]).toEqual([404, false])
    expect((await browser.open('/idp/enrol/password')).status).toBe(401)
  })

  test('works in the first browser that opens it alone, even of 8 at once', async () => {
    const { id } = await create()
    const { url } = await createLink(id)
    const opened = await Promise.all(Array.from({ length: 8 }, () => open(url)))
    expect(opened.map(({ page }) => page.status).sort()).toEqual([200, 410, 410, 410, 410, 410, 410, 410])
    const loser = opened.find(({ page }) => page.status === 410)
    expect(loser?.page.text).toContain('<h1>Opened in another browser</h1>')
    expect(loser?.page.text).toContain('This link was opened in another browser')
    expect((await loser?.browser.open('/idp/enrol/password'))?.status).toBe(401)
    const winner = opened.find(({ page }) => page.status === 200)
    // That browser may open it again.
    const again = await open(url, winner?.browser)
    expect((await setPassword(again)).url).toContain('/app/login')
  })

  test('is used once, by one of 8 submissions', async () => {
    const { id } = await create()
    const { url } = await createLink(id)
    const { browser } = await open(url)
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ password }).toString(),
    }
    const sent = await Promise.all(Array.from({ length: 8 }, () => browser.send('/idp/enrol/password', init)))
    expect(sent.filter(({ status }) => status === 303)).toHaveLength(1)
    expect((await getUser(id)).logins).toHaveLength(1)
    expect((await open(url)).page.text).toContain('This link has been used')
    expect((await open(url, browser)).page.text).toContain('This link has been used')
  })

  test('is replaced by a new one, even in a browser that has opened it', async () => {
    const { id } = await create()
    const first = await createLink(id)
    const opened = await open(first.url)
    const second = await createLink(id)
    expect((await setPassword(opened)).status).toBe(410)
    expect((await open(first.url)).page.text).toContain('it was replaced or revoked')
    expect((await setPassword(await open(second.url))).url).toContain('/app/login')
  })

  test('rejects passwords by the rules of the sign-up, and stays usable', async () => {
    const { id, email } = await create()
    const opened = await open((await createLink(id)).url)
    for (const weak of ['too short', 'abababababababab', `marta costa`, email ?? '']) {
      const page = await setPassword(opened, weak)
      expect([page.status, page.text.includes('field-error')]).toEqual([400, true])
    }
    expect((await getUser(id)).logins).toEqual([])
    expect((await setPassword(opened)).url).toContain('/app/login')
  })

  test('is rejected from another site', async () => {
    const { id } = await create()
    const { url } = await createLink(id)
    const { browser } = await open(url)
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' }
    for (const path of ['/idp/enrol', '/idp/enrol/password']) {
      const body = new URLSearchParams({ token: tokenOf(url), password }).toString()
      expect((await browser.send(path, { method: 'POST', headers, body })).status).toBe(403)
    }
  })

  test.for<[string, (id: string) => Promise<unknown>, (id: string) => Promise<unknown>]>([
    [
      'disabled and enabled',
      (userId) => ada.call(usersApi.disableUser, { params: { userId }, query: {} }),
      (userId) => ada.call(usersApi.enableUser, { params: { userId }, query: {} }),
    ],
    [
      'deleted and restored',
      (userId) => ada.call(usersApi.deleteUser, { params: { userId }, query: {} }),
      (userId) => ada.call(usersApi.restoreUser, { params: { userId }, query: {}, body: {} }),
    ],
  ])('ends for good when its user is %s', async ([, end, undo]) => {
    const { id } = await create()
    const { url } = await createLink(id)
    const opened = await open(url)
    await end(id)
    expect((await setPassword(opened)).status).toBe(410)
    await undo(id)
    expect((await setPassword(opened)).status).toBe(410)
    expect((await open(url)).page.status).toBe(410)
    expect((await getUser(id)).logins).toEqual([])
  })

  test('ends when the account gets another way in', async () => {
    const { id } = await create()
    const { url } = await createLink(id)
    const opened = await open(url)
    await service.sql`
      insert into logins (id, user_id, provider_id, issuer, subject, label)
      values (${id}, ${id}, 'entra', 'https://idp.example', ${id}, 'x')`
    await service.sql`update users set activated_at = now() where id = ${id}`
    expect((await setPassword(opened)).status).toBe(410)
    expect(await read(id)).toEqual({ obstacle: 'enrolment-has-sign-in', link: null })
  })

  test('ends with the rights of its creator', async () => {
    const admin = await create({ roles: ['Passport.Admin'] })
    const opened = await open((await createLink(admin.id)).url)
    await setPassword(opened)
    const call = createBrowserCall(service.url, opened.browser)
    const { id } = await create()
    const { url } = await call(api.createEnrolmentLink, { params: { userId: id } })
    const guest = await open(url)
    const params = { userId: admin.id }
    await ada.call(usersApi.setUserRoles, { params, query: {}, body: { roles: [] } })
    expect((await setPassword(guest)).status).toBe(410)
    await ada.call(usersApi.lockDownUser, { params: { userId: admin.id }, query: {} })
    expect(await listActions(id)).toContain('user.enrolment-link-revoked')
  })
})

describe('creating an enrolment link', () => {
  test('requires a recent sign-in', async () => {
    const { id } = await create()
    const stale = await service.as('max')
    await service.sql`update sessions set auth_time = now() - interval '1 hour' where user_id = ${stale.id}`
    await expect(createLink(id, stale)).rejects.toEqual(problem(401, 'reauthentication-required'))
    const invited = { body: { email: `${nextName()}@harbour.example` } }
    await expect(stale.call(createInvitation, invited)).rejects.toEqual(problem(401, 'reauthentication-required'))
  })

  test.for<[string, () => Promise<string>, number, string]>([
    ['has a password', async () => (await service.as('eve')).id, 409, 'enrolment-has-sign-in'],
    [
      'had a login that was unlinked',
      async () => {
        const { id } = await create()
        await setPassword(await open((await createLink(id)).url))
        const [login] = (await getUser(id)).logins
        await ada.call(usersApi.unlinkUserLogin, { params: { userId: id, loginId: login?.id ?? '' } })
        return id
      },
      409,
      'enrolment-has-sign-in',
    ],
    [
      'is disabled',
      async () => {
        const { id } = await create()
        await ada.call(usersApi.disableUser, { params: { userId: id }, query: {} })
        return id
      },
      409,
      'enrolment-disabled',
    ],
    [
      'is in the trash',
      async () => {
        const { id } = await create()
        await ada.call(usersApi.deleteUser, { params: { userId: id }, query: {} })
        return id
      },
      404,
      'user-not-found',
    ],
    [
      'a provisioning client manages',
      async () => {
        const { id } = await create()
        const org = await ada.call(createOrg, { body: { name: 'Contoso', slug: `contoso-${serial}` } as never })
        await service.sql`
          insert into scim_users (org_id, user_id, user_name, governs) values (${org.id}, ${id}, ${id}, 'account')`
        return id
      },
      409,
      'enrolment-has-sign-in',
    ],
    [
      'has no name to sign in with',
      async () => (await ada.call(usersApi.createUser, { query: {}, body: { displayname: 'No name' } })).id,
      409,
      'enrolment-name-required',
    ],
    [
      'has only an email with which another user signs in',
      async () => {
        const { email } = await create()
        const { id } = await ada.call(usersApi.createUser, { query: {}, body: { displayname: 'First' } })
        await service.sql`update users set email = ${email} where id = ${id}`
        await setPassword(await open((await createLink(await idOf(email))).url))
        return id
      },
      409,
      'enrolment-name-required',
    ],
    ['does not exist', async () => 'nobody', 404, 'user-not-found'],
  ])('is refused for an account that %s', async ([, prepare, status, code]) => {
    const id = await prepare()
    await expect(createLink(id)).rejects.toEqual(problem(status, code))
    expect(await service.sql`select from enrolment_links where user_id = ${id} and ended_at is null`).toHaveLength(0)
  })

  const idOf = async (email: string | null) =>
    (await service.sql<{ id: string }[]>`select id from users where email = ${email} and username is not null`)[0]
      ?.id ?? ''

  test('is refused where the built-in directory is off', async () => {
    const provider = { id: 'harbour', kind: 'oidc', name: 'Harbour', issuer: 'https://harbour.example' }
    const without = await startTestService({
      IDENTITY_PROVIDERS: JSON.stringify([{ ...provider, clientId: 'passport', clientSecret: 'a secret' }]),
    })
    const admin = await without.as('ada')
    const { id } = await create({}, admin)
    await expect(createLink(id, admin)).rejects.toEqual(problem(409, 'directory-off'))
    expect(await admin.call(api.getEnrolment, { params: { userId: id } })).toEqual({
      obstacle: 'directory-off',
      link: null,
    })
    const body = { email: `${nextName()}@harbour.example` }
    const { link } = await admin.call(createInvitation, { body })
    expect(link).toMatch(/\/app\/join\/[\w-]{43}$/)
  })
})

describe('the address of an enrolled user', () => {
  test('opens no link for its domain', async () => {
    const { id, email } = await create()
    const group = await ada.call(createGroup, { body: { name: `Harbour ${serial}` } })
    const link = await ada.call(createJoinLink, {
      body: { kind: 'group', targetId: group.id, domains: ['harbour.example'] },
    })
    const forAddress = await ada.call(createJoinLink, { body: { kind: 'group', targetId: group.id, email } })
    const opened = await open((await createLink(id)).url)
    await setPassword(opened)
    for (const { url } of [link, forAddress])
      expect((await join(opened.browser, url.split('/').at(-1) ?? '')).status).toBe(403)
  })

  test('opens no other invitation, even at a new sign-in after the login was unlinked', async () => {
    const { id, email } = await create({}, mailingAda)
    const { url } = await createLink(id, mailingAda)
    const opened = await open(url, openBrowser(mailing))
    await setPassword(opened)
    const invitation = await mailingAda.call(createInvitation, {
      body: { email: email ?? '', roles: ['Passport.Developer'] },
    })
    expect(invitation.userId).not.toBe(id)
    const token = /\/app\/join\/([\w-]+)/.exec((await mailServer.waitForMailTo(email ?? '')).text)?.[1] ?? ''
    const accepted = (await (await join(opened.browser, token, mailing)).json()) as { awaitsConfirmation?: true }
    expect(accepted.awaitsConfirmation).toBe(true)
    const [login] = (await getUser(id, mailingAda)).logins
    await mailingAda.call(usersApi.unlinkUserLogin, { params: { userId: id, loginId: login?.id ?? '' } })
    const later = openBrowser(mailing)
    const signIn = await later.open(`/login?returnUrl=${encodeURIComponent(`/app/join/${token}`)}`)
    expect((await later.submit(signIn, { name: email ?? '', password })).status).toBe(403)
  })

  test('does not keep out its owner, who is invited by email', async () => {
    const { id, email } = await create({ username: undefined as never }, mailingAda)
    await setPassword(await open((await createLink(id, mailingAda)).url, openBrowser(mailing)))
    await mailingAda.call(createInvitation, { body: { email: email ?? '' } })
    const token = /\/app\/join\/([\w-]+)/.exec((await mailServer.waitForMailTo(email ?? '')).text)?.[1] ?? ''
    const browser = openBrowser(mailing)
    const page = await browser.open(`/idp/enrol/join/${token}`)
    await browser.submit(page, { password: 'another kettle on a roof' })
    const { claims } = await whoIs(browser, mailing)
    expect(claims.sub).not.toBe(id)
    expect(await getUser(claims.sub, mailingAda)).toMatchObject({ email, emailVerified: true })
  })
})

describe('an invitation that is handed over', () => {
  const invite = (body: object, admin = ada) => admin.call(createInvitation, { body: body as never })

  test('is accepted by setting a password, with its roles and organisation', async () => {
    const org = await ada.call(createOrg, { body: { name: 'Northwind', slug: `northwind-${++serial}` } as never })
    const email = `${nextName()}@harbour.example`
    const { id, link, userId, expiresAt } = await invite({
      email,
      displayname: 'Marta Costa',
      roles: ['Passport.Developer'],
      orgId: org.id,
    })
    expect((Date.parse(expiresAt) - Date.now()) / 3_600_000).toBeLessThanOrEqual(24)
    const opened = await open(link)
    expect(opened.page.text).toContain('Join Northwind')
    expect(opened.page.text).toContain('Passport.Developer')
    await setPassword(opened)
    const { claims, roles, orgs } = await whoIs(opened.browser)
    expect(claims.sub).toBe(userId)
    expect(roles).toContain('Passport.Developer')
    expect(orgs).toEqual([expect.objectContaining({ id: org.id })])
    expect(await getUser(claims.sub)).toMatchObject({ email, emailVerified: false })
    expect(await ada.call(getInvitation, { params: { invitationId: id } })).toMatchObject({ status: 'accepted' })
  })

  test('is not emailed, and its link ends with it', async () => {
    const email = `${nextName()}@harbour.example`
    const sent = await invite({ email, delivery: 'link' }, mailingAda)
    expect(sent.mail).toBe('off')
    const params = { invitationId: sent.id }
    const resent = await mailingAda.call(resendInvitation, { params, body: { delivery: 'link' } })
    expect((await open(sent.link, openBrowser(mailing))).page.status).toBe(410)
    const opened = await open(resent.link, openBrowser(mailing))
    expect(opened.page.status).toBe(200)
    const emailed = await mailingAda.call(resendInvitation, { params, body: {} })
    expect(emailed.link).toBeUndefined()
    expect((await setPassword(opened)).status).toBe(410)
    expect(await mailServer.waitForMailTo(email)).toBeDefined()
    expect(mailServer.listMails().filter(({ recipients }) => recipients.includes(email))).toHaveLength(1)
    const again = await mailingAda.call(resendInvitation, { params, body: { delivery: 'link' } })
    await mailingAda.call(revokeInvitation, { params })
    expect((await open(again.link, openBrowser(mailing))).page.status).toBe(410)
  })

  test('cannot be emailed without a mail server', async () => {
    const body = { email: `${nextName()}@harbour.example`, delivery: 'email' }
    await expect(invite(body)).rejects.toEqual(problem(409, 'mail-not-configured'))
  })

  test('to a user with an account asks them to sign in', async () => {
    const { email } = await create({ emailVerified: true })
    await setPassword(await open((await createLink(await findId(email))).url))
    const { link, userId } = await invite({ email })
    expect(userId).toBeNull()
    expect(link).toMatch(/\/app\/join\//)
  })

  const findId = async (email: string | null) =>
    (await service.sql<{ id: string }[]>`select id from users where email = ${email}`)[0]?.id ?? ''
})

describe('an invitation by email', () => {
  async function invite(body: object = {}) {
    const email = `${nextName()}@harbour.example`
    const fields = { email, displayname: 'Marta Costa', roles: ['Passport.Developer'], ...body }
    const invitation = await mailingAda.call(createInvitation, { body: fields })
    const { text } = await mailServer.waitForMailTo(email)
    return { email, invitation, token: /\/app\/join\/([\w-]+)/.exec(text)?.[1] ?? '' }
  }
  const view = async (token: string) =>
    (await (await fetch(`${mailing.url}/join/${token}`, { headers: { accept: 'application/json' } })).json()) as {
      enrolUrl?: string
    }

  test('asks for a password alone, proves the address, and is accepted at once', async () => {
    const { email, invitation, token } = await invite()
    expect(invitation.link).toBeUndefined()
    const { enrolUrl } = await view(token)
    const browser = openBrowser(mailing)
    const page = await browser.open(enrolUrl ?? '')
    expect(page.text.match(/<input(?! type="hidden")[^>]*>/g)).toEqual([
      expect.stringContaining(`value="${email}" autocomplete="username" readonly`),
      expect.stringContaining('name="password"'),
    ])
    expect((await browser.submit(page, { password: 'too short' })).status).toBe(400)
    expect((await browser.submit(page, { password })).url).toContain('/app/login')
    const { claims, roles } = await whoIs(browser, mailing)
    expect(claims).toMatchObject({ sub: invitation.userId, name: 'Marta Costa', email })
    expect(roles).toContain('Passport.Developer')
    expect(await getUser(claims.sub, mailingAda)).toMatchObject({ email, emailVerified: true })
    // The invitation and the code of a sign-up: no second email was sent.
    expect(mailServer.listMails().filter(({ recipients }) => recipients.includes(email))).toHaveLength(1)
    const later = openBrowser(mailing)
    await later.submit(await later.open('/login'), { name: email.toUpperCase(), password })
    expect((await whoIs(later, mailing)).claims.sub).toBe(claims.sub)
  })

  test('is offered in place of the sign-up with a code', async () => {
    const { token } = await invite()
    const returnUrl = encodeURIComponent(`/app/join/${token}`)
    const browser = openBrowser(mailing)
    const signIn = await browser.open(`/login?returnUrl=${returnUrl}`)
    const url = /href="([^"]*)"[^>]*>Create your account</.exec(signIn.text)?.[1] ?? ''
    const form = await browser.open(url.replaceAll('&amp;', '&'))
    expect(form.url).toBe(`${mailing.url}/idp/enrol/join/${token}`)
  })

  test('is accepted once, by one of 8 submissions', async () => {
    const { token, invitation } = await invite()
    const browser = openBrowser(mailing)
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ password }).toString(),
    }
    await Promise.all(Array.from({ length: 8 }, () => browser.send(`/idp/enrol/join/${token}`, init)))
    expect((await getUser(invitation.userId ?? '', mailingAda)).logins).toHaveLength(1)
    expect((await browser.open(`/idp/enrol/join/${token}`)).url).toContain(`/app/join/${token}`)
  })

  test.for<[string, (email: string, id: string, userId: string) => Promise<unknown>]>([
    ['was revoked', (_email, invitationId) => mailingAda.call(revokeInvitation, { params: { invitationId } })],
    ['has expired', (_email, id) => mailing.sql`update invitations set expires_at = now() where id = ${id}`],
    ['was handed over since', (_email, id) => mailing.sql`update invitations set is_mailed = false where id = ${id}`],
    [
      'is to an account with another address now',
      (_email, _id, userId) => mailing.sql`update users set email = 'x@harbour.example' where id = ${userId}`,
    ],
    [
      'is to a disabled account',
      (_email, _id, userId) => mailingAda.call(usersApi.disableUser, { params: { userId }, query: {} }),
    ],
    [
      'is to a user who can sign in',
      (email) => mailing.sql`
        insert into directory_people (id, name, display_name, email, password_hash)
        values (${email}, ${email}, 'x', ${email}, 'x')`,
    ],
  ])('sets no password if it %s', async ([, change]) => {
    const { email, token, invitation } = await invite()
    const browser = openBrowser(mailing)
    const page = await browser.open(`/idp/enrol/join/${token}`)
    await change(email, invitation.id, invitation.userId ?? '')
    const submitted = await browser.submit(page, { password })
    expect(submitted.url).toContain(`/app/join/${token}`)
    const [row] = await mailing.sql`select count(*)::integer from logins where user_id = ${invitation.userId}`
    expect(row).toEqual({ count: 0 })
  })
})
