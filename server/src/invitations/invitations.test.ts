import { listLogins } from '@passport/contract/accounts'
import { getCurrentUser } from '@passport/contract/current-user'
import { createGroup } from '@passport/contract/groups'
import { invitationDays } from '@passport/contract/invitation-days'
import * as api from '@passport/contract/invitations'
import { acceptJoinInvitation, createJoinLink, getJoinInvitation } from '@passport/contract/join'
import { addRoleMembers, createRole, deleteRole, removeRoleMembers } from '@passport/contract/roles'
import { restoreUser } from '@passport/contract/users'
import { createTestBrowser, type TestBrowser } from '@passport/world/browser'
import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import { type RunningProvider, startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../http/caller.ts'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import * as join from './join.ts'

let harbour: RunningProvider
let mailServer: RunningMailServer
let service: TestService
let ada: Visitor
let max: Visitor

/**
 * A service with a mail server and three providers: one with open sign-up, one for invited users only, and one with
 * open sign-up whose addresses are not trusted.
 */
beforeAll(async () => {
  const port = await findFreePort()
  const client = { clientId: 'passport-at-harbour', clientSecret: 'a secret that Harbour gave us' }
  const own = `http://localhost:${port}/login/callback`
  harbour = await startOidcProvider({ ...client, redirectUri: `${own}/harbour` })
  const closed = await startOidcProvider({ ...client, redirectUri: `${own}/closed` })
  const careless = await startOidcProvider({ ...client, redirectUri: `${own}/careless` })
  mailServer = await startMailServer()
  for (const { stop } of [harbour, closed, careless, mailServer]) onFileEnd(stop)
  service = await startTestService({
    PORT: String(port),
    SMTP_URL: mailServer.smtpUrl,
    MAIL_FROM: 'Stage Passport <id@stage.example>',
    IDENTITY_PROVIDERS: JSON.stringify([
      { id: 'local', kind: 'local', name: 'Passport' },
      {
        ...client,
        kind: 'oidc',
        issuer: harbour.issuer,
        id: 'harbour',
        name: 'Harbour ID',
        signUp: 'open',
        trustEmail: true,
      },
      { ...client, kind: 'oidc', issuer: closed.issuer, id: 'closed', name: 'Closed ID', signUp: 'invited' },
      { ...client, kind: 'oidc', issuer: careless.issuer, id: 'careless', name: 'Careless ID', signUp: 'open' },
    ]),
  })
  ada = await service.as('ada')
  max = await service.as('max')
})

const visit = {
  ip: '127.0.0.1',
  userAgent: 'test',
  traceId: '0'.repeat(32),
  requestId: '0'.repeat(32),
  host: 'localhost',
}
let serial = 0
/** Returns a user at Harbour, whose email is derived from their name. */
const createGuest = () => {
  const name = `Guest Nr ${++serial}`
  return { name, email: `guest.nr.${serial}@harbour.example` }
}
const invite = (body: Record<string, unknown>, inviter = ada) =>
  inviter.call(api.createInvitation, { body: body as never })
const get = (id: string) => ada.call(api.getInvitation, { params: { invitationId: id } })
const problem = (status: number, code: string) =>
  expect.objectContaining({ status, body: expect.objectContaining({ code }) })
const tokenFor = async (email: string) => tokenIn((await mailServer.waitForMailTo(email)).text)
const tokenIn = (text: string) => /\/app\/join\/([\w-]+)/.exec(text)?.[1] ?? ''

/** Signs in at a provider through an invitation. */
async function signInThroughLink(name: string, token: string, idp = 'harbour') {
  const browser = createTestBrowser(service.url)
  const page = await browser.open(`/login?idp=${idp}&returnUrl=${encodeURIComponent(`/app/join/${token}`)}`)
  const landed = await browser.submit(page, { name, fault: 'none' })
  return { browser, landed }
}
const fetchUser = async (browser: TestBrowser) => {
  const { claims, roles, orgs } = await createBrowserCall(service.url, browser)(getCurrentUser, {})
  return { id: claims.sub, roles, orgs }
}
/** Accepts an invitation as the join page does. */
const accept = (token: string, userId: string) =>
  join.accept(service.sql, token, { id: userId, roles: new Set(), orgs: [] } as unknown as Caller, visit)

async function createTestOrg(name: string) {
  const id = `org-${++serial}`
  await service.sql`insert into orgs (id, name, slug) values (${id}, ${name}, ${id})`
  return id
}
async function createTestRole() {
  const name = `Invited.Role${++serial}`
  await ada.call(createRole, { body: { name, description: 'd' } })
  return name
}

describe('an invitation', () => {
  test('is read back as it was sent, creates an account, and emails a link that is not disclosed otherwise', async () => {
    const { email } = createGuest()
    const orgId = await createTestOrg('Contoso')
    const body = { email: ` ${email} `, displayname: 'Gäste', roles: ['Passport.Developer'], orgId, orgRole: 'admin' }
    const response = await ada.fetch(api.createInvitation.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(201)
    const sent = (await response.json()) as api.Invitation
    expect(response.headers.get('location')).toBe(`/passport/admin/users/invitations/${sent.id}`)
    expect(sent).toEqual({
      id: expect.any(String),
      email,
      displayname: 'Gäste',
      status: 'sent',
      roles: ['Passport.Developer'],
      org: { id: orgId, name: 'Contoso', role: 'admin' },
      inviter: { id: ada.id, name: 'Ada Lovelace' },
      userId: expect.any(String),
      claimant: null,
      acceptedBy: null,
      leftOut: [],
      mail: expect.stringMatching(/queued|sent/),
      createdAt: expect.any(String),
      sentAt: sent.createdAt,
      openedAt: null,
      acceptedAt: null,
      expiresAt: new Date(Date.parse(sent.createdAt) + invitationDays * 86_400_000).toISOString(),
      version: 1,
    })
    const [user] = await service.sql`
      select email, display_name, email_verified, activated_at from users where id = ${sent.userId}`
    expect(user).toEqual({ email, displayName: 'Gäste', emailVerified: false, activatedAt: null })

    const mail = await mailServer.waitForMailTo(email)
    expect(mail).toMatchObject({
      subject: 'Ada Lovelace invites you to Contoso',
      to: [{ name: 'Gäste', address: email }],
    })
    const token = tokenIn(mail.text)
    expect(token).toMatch(/^[\w-]{43}$/)
    await expect.poll(async () => (await get(sent.id)).mail).toBe('sent')
    const everything = await service.sql`
      select (select string_agg(i::text, '') from invitations i) || (select string_agg(m::text, '') from mails m)
        || (select string_agg(a::text, '') from audit_events a) as text`
    expect(everything[0]?.['text']).not.toContain(token)

    const { items, isMailConfigured } = await ada.call(api.listInvitations, { query: { status: 'sent' } })
    expect(items[0]).toEqual(await get(sent.id))
    expect(isMailConfigured).toBe(true)
  })

  test.for([
    ['email', { email: 'nobody' }, 'email-invalid'],
    ['email', { email: 'a@b.example\r\nBcc: c@d.example' }, 'email-invalid'],
    ['email', { email: `${'x'.repeat(250)}@b.example` }, 'email-invalid'],
    ['email', {}, 'invalid-request'],
    ['displayname', { email: 'a@b.example', displayname: 'a\u202eb' }, 'displayname-invalid'],
    ['displayname', { email: 'a@b.example', displayname: 'x'.repeat(65) }, 'displayname-invalid'],
    ['roles[1]', { email: 'a@b.example', roles: ['Passport.Developer', 'No.Such'] }, 'unknown-roles'],
    ['roles', { email: 'a@b.example', roles: 'Passport.Admin' }, 'invalid-request'],
    ['orgId', { email: 'a@b.example', orgId: 'no-such-org' }, 'unknown-org'],
    ['orgRole', { email: 'a@b.example', orgRole: 'king' }, 'invalid-request'],
  ] as const)('with an invalid %s is rejected, and creates no account: %j', async ([field, body, code]) => {
    await expect(invite(body)).rejects.toMatchObject({ status: 400, body: { code, errors: [{ field }] } })
    const users = await service.sql`select id from users where email = 'a@b.example'`
    expect(users).toHaveLength(0)
  })

  test('is sent to an email once, even by concurrent requests', async () => {
    const { email } = createGuest()
    const results = await Promise.allSettled([email, email.toUpperCase(), email].map((one) => invite({ email: one })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(invite({ email })).rejects.toEqual(problem(409, 'invitation-waiting'))
    const users = await service.sql`select id from users where lower(email) = lower(${email})`
    expect(users).toHaveLength(1)
  })

  test('to an existing user creates no account', async () => {
    const { userId } = await invite({ email: 'dev@passport.example' })
    expect(userId).toBeNull()
  })

  test('to an address that accounts have unverified prepares an account, the same one each time', async () => {
    const { email } = createGuest()
    const { sql } = service
    const [stranger, ...waiting] = ['stranger', 'waiting-2', 'waiting-1'].map((name) => `${name}-${serial}`)
    await sql`insert into users (id, email, activated_at) values (${stranger ?? ''}, ${email}, now())`
    const { id, userId } = await invite({ email })
    expect([null, stranger]).not.toContain(userId)
    await ada.call(api.revokeInvitation, { params: { invitationId: id } })
    for (const user of waiting) await sql`insert into users (id, email) values (${user}, ${email})`
    const again = await invite({ email })
    expect(again.userId).toBe(`waiting-1-${serial}`)
    await ada.call(api.revokeInvitation, { params: { invitationId: again.id } })
    await sql`update users set email_verified = true where id = ${`waiting-2-${serial}`}`
    expect(await invite({ email })).toMatchObject({ userId: `waiting-2-${serial}` })
  })

  test('is listed by status, page by page', async () => {
    for (let index = 0; index < 3; index++) await invite({ email: createGuest().email })
    const first = await ada.call(api.listInvitations, { query: { limit: 2 } })
    const rest = await ada.fetch(first.next ?? '')
    const second = (await rest.json()) as { items: api.Invitation[] }
    const all = [...first.items, ...second.items].map(({ createdAt, id }) => `${createdAt} ${id}`)
    expect(all).toEqual(all.toSorted().reverse())
    expect(new Set(all).size).toBe(all.length)
    const { items } = await ada.call(api.listInvitations, { query: { status: 'accepted' } })
    expect(items.filter(({ status }) => status !== 'accepted')).toEqual([])
    const open = await ada.call(api.listInvitations, { query: { status: 'open', limit: 200 } })
    const isOpen = ({ status }: api.Invitation) => ['sent', 'opened', 'awaiting-confirmation'].includes(status)
    const everything = await ada.call(api.listInvitations, { query: { limit: 200 } })
    // Only the ids: the state of an email may change between the two requests.
    const idOf = ({ id }: api.Invitation) => id
    expect(open.items.map(idOf)).toEqual(everything.items.filter(isOpen).map(idOf))
    expect([open.total, open.items.length > 3]).toEqual([open.items.length, true])
    const matches = await ada.call(api.listInvitations, {
      query: { query: second.items[0]?.email.toUpperCase() ?? '' },
    })
    expect([matches.total, matches.items[0]?.id]).toEqual([1, second.items[0]?.id])
    const bad = await ada.fetch(`${api.listInvitations.path}?after=${btoa('["x","y"]')}`)
    expect(await bad.json()).toMatchObject({ status: 400, code: 'cursor-invalid' })
  })

  test('is listed in each order, page by page', async () => {
    const word = `ordered${Math.random().toString(36).slice(2, 8)}`
    for (const [index, name] of ['Bo', 'Äbo', 'ada'].entries())
      await invite({ email: `${word}.${index}@guests.example`, displayname: `${name} ${word}` })
    const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
    const keys = {
      name: ({ displayname }: api.Invitation) => plain(displayname ?? ''),
      sent: ({ sentAt }: api.Invitation) => sentAt,
      expires: ({ expiresAt }: api.Invitation) => expiresAt,
    }
    for (const sort of ['name', 'sent', 'expires'] as const)
      for (const direction of ['asc', 'desc'] as const) {
        const listed: string[] = []
        let path: string | null =
          `${api.listInvitations.path}?query=${word}&sort=${sort}&direction=${direction}&limit=2`
        while (path) {
          const page = (await (await ada.fetch(path)).json()) as { items: api.Invitation[]; next: string | null }
          listed.push(...page.items.map((row) => `${keys[sort](row)} ${row.id}`))
          path = page.next
        }
        expect(listed).toHaveLength(3)
        expect(listed).toEqual(direction === 'asc' ? listed.toSorted() : listed.toSorted().reverse())
        const bad = await ada.fetch(`${api.listInvitations.path}?sort=${sort}&after=${btoa('["x","y"]')}`)
        expect(bad.status).toBe(sort === 'name' ? 200 : 400)
      }
  })

  test('stays open when its link is viewed, and records the view', async () => {
    const { email } = createGuest()
    const { id } = await invite({ email })
    const token = await tokenFor(email)
    expect(await join.findInvitation(service.sql, token)).toEqual({
      kind: 'invitation',
      id,
      title: null,
      inviter: { displayname: 'Ada Lovelace' },
      expiresAt: expect.any(String),
      status: 'open',
    })
    await join.markOpened(service.sql, token)
    await join.markOpened(service.sql, token)
    expect(await get(id)).toMatchObject({ status: 'opened', openedAt: expect.any(String), version: 2 })
    expect(await join.findInvitation(service.sql, token)).toMatchObject({ status: 'open' })
    expect(await join.findInvitation(service.sql, 'no-such-token')).toBeUndefined()
  })

  test('goes to one address ten times a day at most, from all inviters together', async () => {
    const { email } = createGuest()
    const { id } = await invite({ email })
    const resend = () => max.call(api.resendInvitation, { params: { invitationId: id }, body: {} })
    const countMails = () => mailServer.listMails().filter(({ recipients }) => recipients[0] === email).length
    for (let count = 1; count < 10; count++) {
      // An email that is still queued is replaced.
      await expect.poll(countMails).toBe(count)
      await resend()
    }
    await expect.poll(countMails).toBe(10)
    await expect(resend()).rejects.toMatchObject({ status: 429 })
    await service.sql`update mails set created_at = created_at - interval '1 day' where recipient = ${email}`
    await resend()
  })

  test('that is resent has a new link, and its old link is invalid', async () => {
    const { name, email } = createGuest()
    const { id } = await invite({ email })
    const old = await tokenFor(email)
    await max.call(api.resendInvitation, { params: { invitationId: id }, body: {} })
    await expect.poll(() => mailServer.listMails().filter(({ recipients }) => recipients[0] === email).length).toBe(2)
    const [mail] = mailServer.listMails().filter(({ recipients }) => recipients[0] === email)
    expect(mail?.subject).toBe('Max Weber invites you to Stage Passport')
    expect((await get(id)).inviter.id).toBe(max.id)
    const { browser } = await signInThroughLink(name, tokenIn(mail?.text ?? ''))
    const user = await fetchUser(browser)
    await expect(accept(old, user.id)).rejects.toMatchObject({ status: 404, code: 'join-not-found' })
    expect(await accept(tokenIn(mail?.text ?? ''), user.id)).toMatchObject({ status: 'accepted' })
    await expect(ada.call(api.resendInvitation, { params: { invitationId: id }, body: {} })).rejects.toEqual(
      problem(409, 'invitation-accepted'),
    )
  })

  test('that is revoked is invalid, and its prepared account is deleted', async () => {
    const { name, email } = createGuest()
    const { id, userId } = await invite({ email })
    const token = await tokenFor(email)
    const stale = await ada.fetch(`${api.listInvitations.path}/${id}`, {
      method: 'DELETE',
      headers: { 'if-match': '"9"' },
    })
    expect(stale.status).toBe(412)
    await ada.call(api.revokeInvitation, { params: { invitationId: id } })
    expect(await get(id)).toMatchObject({ status: 'revoked' })
    expect(await join.findInvitation(service.sql, token)).toMatchObject({ status: 'revoked' })
    const [user] = await service.sql`select deleted_at is not null as is_gone from users where id = ${userId}`
    expect(user).toEqual({ isGone: true })
    const { landed } = await signInThroughLink(name, token, 'closed')
    expect([landed.status, landed.text]).toEqual([403, expect.stringContaining('You have no account here yet')])
    const again = { params: { invitationId: id }, body: {} }
    await expect(ada.call(api.revokeInvitation, again)).rejects.toEqual(problem(409, 'invitation-revoked'))
    await expect(ada.call(api.resendInvitation, again)).rejects.toEqual(problem(409, 'invitation-revoked'))
    await expect(accept(token, max.id)).rejects.toMatchObject({ status: 410, code: 'join-revoked' })
    expect(await invite({ email })).toMatchObject({ status: 'sent' })
  })

  test('that is revoked soft-deletes its account, which can be restored with its memberships', async () => {
    const { email } = createGuest()
    const { id, userId } = await invite({ email, displayname: 'Guest To Be' })
    if (!userId) throw new Error('No account was created')
    const { sql } = service
    const orgId = await createTestOrg(`Org of ${email}`)
    await sql`insert into org_members (org_id, user_id, role) values (${orgId}, ${userId}, 'member')`
    await sql`update orgs set member_count = member_count + 1 where id = ${orgId}`
    const group = await ada.call(createGroup, { body: { name: `Crew of ${email}`, members: [userId] } })
    await ada.call(addRoleMembers, {
      params: { name: 'Passport.Developer' },
      query: {},
      body: { members: [userId] },
    })
    const counts = async () =>
      (
        await sql`
          select g.member_count, g.version::integer, o.member_count as org_members from groups g, orgs o
          where g.id = ${group.id} and o.id = ${orgId}`
      )[0]
    expect(await counts()).toMatchObject({ memberCount: 1, orgMembers: 1 })
    await ada.call(api.revokeInvitation, { params: { invitationId: id } })
    expect(await counts()).toEqual({ memberCount: 0, version: group.version + 1, orgMembers: 0 })
    const events = await sql`
      select action, actor_id, reason from audit_events where target_id = ${userId} order by id`
    expect(events).toEqual([
      { action: 'user.created', actorId: ada.id, reason: null },
      { action: 'role.granted', actorId: ada.id, reason: null },
      { action: 'user.deleted', actorId: ada.id, reason: 'invitation-revoked' },
    ])
    await ada.call(restoreUser, { params: { userId }, query: {}, body: {} })
    expect(await counts()).toMatchObject({ memberCount: 1, orgMembers: 1 })
  })

  test('expires, and can then be resent', async () => {
    const { email } = createGuest()
    const { id } = await invite({ email })
    const token = await tokenFor(email)
    await service.sql`update invitations set expires_at = now() - interval '1 second' where id = ${id}`
    expect(await get(id)).toMatchObject({ status: 'expired' })
    await expect(accept(token, max.id)).rejects.toMatchObject({ status: 410, code: 'join-expired' })
    await ada.call(api.resendInvitation, { params: { invitationId: id }, body: {} })
    expect(await get(id)).toMatchObject({ status: 'sent' })
  })

  test('that does not exist is 404 for every call', async () => {
    const sent = { params: { invitationId: 'none' }, query: {}, body: {} }
    const confirmed = { ...sent, body: { userId: 'x' } }
    for (const endpoint of [api.getInvitation, api.resendInvitation, api.revokeInvitation, api.confirmInvitation])
      await expect(
        ada.call(endpoint, (endpoint === api.confirmInvitation ? confirmed : sent) as never),
      ).rejects.toEqual(problem(404, 'invitation-not-found'))
  })
})

describe('a new user with the invited email', () => {
  test.for(['harbour', 'closed'])('signs in to their prepared account at %s, and accepts', async (idp) => {
    const { name, email } = createGuest()
    const orgId = await createTestOrg(`Org of ${email}`)
    const { id, userId } = await invite({ email: email.toUpperCase(), roles: ['Passport.Developer'], orgId })
    const token = await tokenFor(email.toUpperCase())
    const { browser, landed } = await signInThroughLink(name, token, idp)
    expect(landed.url).toBe(`${service.url}/app/login?returnUrl=${encodeURIComponent(`/app/join/${token}`)}`)
    const user = await fetchUser(browser)
    expect(user).toMatchObject({ id: userId, roles: [], orgs: [] })
    expect(await get(id)).toMatchObject({ status: 'sent' })
    expect(await accept(token, user.id)).toEqual({
      status: 'accepted',
      roles: ['Passport.Developer'],
      org: { id: orgId, name: `Org of ${email}`, role: 'member' },
      leftOut: [],
    })
    expect(await fetchUser(browser)).toMatchObject({
      roles: ['Passport.Developer'],
      orgs: [{ id: orgId, role: 'member' }],
    })
    expect(await get(id)).toMatchObject({ status: 'accepted', acceptedBy: { id: userId } })
    const logins = await createBrowserCall(service.url, browser)(listLogins, {})
    expect(logins.map(({ provider }) => provider.id)).toEqual([idp])
    const [stored] = await service.sql`select display_name, username, email_verified from users where id = ${userId}`
    expect(stored).toMatchObject({ displayName: name, emailVerified: true })
  })

  test('who signs in with several tabs at once gets one account', async () => {
    const { name, email } = createGuest()
    const { userId } = await invite({ email })
    const token = await tokenFor(email)
    const tabs = await Promise.all(Array.from({ length: 4 }, () => signInThroughLink(name, token, 'closed')))
    for (const { browser } of tabs) expect((await fetchUser(browser)).id).toBe(userId)
  })

  test('without the link gets no account where sign-up is for invited users', async () => {
    const { name, email } = createGuest()
    await invite({ email })
    const { landed } = await signInThroughLink(name, 'a-token-that-was-never-issued', 'closed')
    expect(landed.status).toBe(403)
  })
})

describe('an open provider whose addresses are not trusted', () => {
  test('gives access neither to a prepared account nor to its invitation', async () => {
    const { name, email } = createGuest()
    const { id, userId } = await invite({ email, roles: ['Passport.Developer'] })
    const token = await tokenFor(email)
    const { browser } = await signInThroughLink(name, token, 'careless')
    const user = await fetchUser(browser)
    expect(user.id).not.toBe(userId)
    const [stored] = await service.sql`select email, email_verified from users where id = ${user.id}`
    expect(stored).toEqual({ email, emailVerified: false })
    expect(await accept(token, user.id)).toMatchObject({ status: 'awaiting-confirmation' })
    expect(await get(id)).toMatchObject({ status: 'awaiting-confirmation' })
    expect(await fetchUser(browser)).toMatchObject({ roles: [] })
  })

  test('does not keep out the user whose address another states there', async () => {
    const { name, email } = createGuest()
    await signInThroughLink(name, 'no-invitation', 'careless')
    const { userId } = await invite({ email })
    const { browser } = await signInThroughLink(name, await tokenFor(email), 'closed')
    expect(await fetchUser(browser)).toMatchObject({ id: userId })
  })

  test.for([
    [{ domains: ['harbour.example'] }, 'wrong-domain'],
    [{ email: true }, 'wrong-email'],
  ] as const)('accepts no join link with %j', async ([limit, code]) => {
    const { name, email } = createGuest()
    const orgId = await createTestOrg(`Org of ${email}`)
    const { url } = await ada.call(createJoinLink, {
      body: {
        kind: 'org',
        targetId: orgId,
        role: 'member',
        ...('email' in limit ? { email } : { domains: [...limit.domains] }),
      },
    })
    const token = new URL(url).pathname.split('/').at(-1) ?? ''
    const [atCareless, atHarbour] = [
      await signInThroughLink(name, token, 'careless'),
      await signInThroughLink(name, token, 'harbour'),
    ]
    const join = (browser: TestBrowser) => browser.send(`/join/${token}/accept`, { method: 'POST' })
    const rejected = await join(atCareless.browser)
    expect([rejected.status, await rejected.json()]).toEqual([403, expect.objectContaining({ code })])
    expect((await join(atHarbour.browser)).status).toBe(200)
  })
})

test('the link opens the join page, which shows the invitation and accepts it', async () => {
  const { email } = createGuest()
  const orgId = await createTestOrg('Fabrikam')
  const { id } = await invite({ email, orgId, orgRole: 'owner' })
  const token = await tokenFor(email)
  const anonymous = await service.as(undefined)
  const params = { id: token }
  expect(await anonymous.call(getJoinInvitation, { params })).toMatchObject({
    kind: 'invitation',
    title: 'Fabrikam',
    inviter: { displayname: 'Ada Lovelace' },
    status: 'open',
    appUrl: `/app/join/${token}`,
  })
  const page = await anonymous.fetch(`/join/${token}`, { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('You are invited to Fabrikam')
  expect(await get(id)).toMatchObject({ status: 'opened' })
  const eve = await service.as('eve')
  expect(await eve.call(acceptJoinInvitation, { params })).toMatchObject({ joined: false, awaitsConfirmation: true })
  await service.sql`update users set email = ${email} where id = ${eve.id}`
  const joined = { target: { kind: 'org', id: orgId, name: 'Fabrikam' }, role: 'owner', joined: true }
  expect(await eve.call(acceptJoinInvitation, { params })).toEqual(joined)
  expect(await eve.call(acceptJoinInvitation, { params })).toEqual(joined)
  await expect(anonymous.call(getJoinInvitation, { params })).rejects.toEqual(problem(409, 'join-used'))
  await service.sql`update users set email = 'eve@passport.example' where id = ${eve.id}`
})

describe('another user with the link', () => {
  test('cannot sign in where sign-up is for invited users', async () => {
    const { email } = createGuest()
    await invite({ email })
    const { landed } = await signInThroughLink(createGuest().name, await tokenFor(email), 'closed')
    expect(landed.status).toBe(403)
  })

  test('waits until an administrator confirms, who can preview the grants first', async () => {
    const { email } = createGuest()
    const role = await createTestRole()
    const { id, userId } = await invite({ email, roles: [role] })
    await ada.call(addRoleMembers, {
      params: { name: 'Passport.Developer' },
      query: {},
      body: { members: [userId ?? ''] },
    })
    const token = await tokenFor(email)
    const otherGuest = createGuest()
    const { browser } = await signInThroughLink(otherGuest.name, token)
    const user = await fetchUser(browser)
    expect(user.id).not.toBe(userId)
    const pending = { status: 'awaiting-confirmation', roles: [], org: null, leftOut: [] }
    expect(await accept(token, user.id)).toEqual(pending)
    expect(await accept(token, user.id)).toEqual(pending)
    expect(await get(id)).toMatchObject({
      status: 'awaiting-confirmation',
      claimant: { id: user.id, name: otherGuest.name, email: otherGuest.email, emailVerified: true },
      version: 2,
    })
    expect((await fetchUser(browser)).roles).toEqual([])
    const confirm = (body: { userId: string }, query = {}) =>
      max.call(api.confirmInvitation, { params: { invitationId: id }, query, body })
    await expect(confirm({ userId: ada.id })).rejects.toEqual(problem(409, 'claimant-changed'))
    const gain = { people: 1, sample: [{ id: user.id, name: otherGuest.name }] }
    expect(await confirm({ userId: user.id }, { preview: true })).toEqual({
      gains: [
        { role, ...gain },
        { role: 'Passport.Developer', ...gain },
      ],
      loses: [{ role: 'Passport.Developer', people: 1, sample: [{ id: userId, name: expect.any(String) }] }],
    })
    expect(await get(id)).toMatchObject({ status: 'awaiting-confirmation' })
    expect(await confirm({ userId: user.id })).toMatchObject({ status: 'accepted', acceptedBy: { id: user.id } })
    expect((await fetchUser(browser)).roles).toEqual([role, 'Passport.Developer'].sort())
    await expect(confirm({ userId: user.id })).rejects.toEqual(problem(409, 'invitation-accepted'))
    const events = await service.sql`
      select action, actor_id from audit_events where target_id = ${id} order by at, id`
    expect([...events]).toEqual([
      { action: 'invitation.sent', actorId: ada.id },
      { action: 'invitation.claimed', actorId: user.id },
      { action: 'invitation.confirmed', actorId: max.id },
    ])
  })

  test('does not block the invited user', async () => {
    const { name, email } = createGuest()
    const { id, userId } = await invite({ email })
    const token = await tokenFor(email)
    const { browser: otherBrowser } = await signInThroughLink(createGuest().name, token)
    await accept(token, (await fetchUser(otherBrowser)).id)
    const { browser } = await signInThroughLink(name, token)
    const user = await fetchUser(browser)
    expect(user.id).toBe(userId)
    expect(await accept(token, user.id)).toMatchObject({ status: 'accepted' })
    expect(await get(id)).toMatchObject({ status: 'accepted', claimant: null })
  })
})

describe('an existing user', () => {
  test('gets the grants of the invitation and of the prepared account, which is deleted', async () => {
    const { name, email } = createGuest()
    const [orgId, laterOrg] = [await createTestOrg('First'), await createTestOrg('Second')]
    const role = await createTestRole()
    const { id, userId } = await invite({ email, roles: ['Passport.Developer'], orgId })
    // In between, others grant the prepared account more, and the user signs in without the link.
    await ada.call(addRoleMembers, { params: { name: role }, query: {}, body: { members: [userId ?? ''] } })
    await service.sql`insert into org_members (org_id, user_id, role) values (${laterOrg}, ${userId}, 'owner')`
    await service.sql`insert into groups (id, name) values (${laterOrg}, ${laterOrg})`
    await service.sql`insert into group_members (group_id, user_id) values (${laterOrg}, ${userId})`
    const browser = createTestBrowser(service.url)
    await browser.submit(await browser.open('/login?idp=harbour'), { name, fault: 'none' })
    const user = await fetchUser(browser)
    expect(user.id).not.toBe(userId)
    await service.sql`insert into org_members (org_id, user_id, role) values (${laterOrg}, ${user.id}, 'member')`
    await accept(await tokenFor(email), user.id)
    const after = await fetchUser(browser)
    expect(after.roles).toEqual([role, 'Passport.Developer'].sort())
    expect(after.orgs).toMatchObject([
      { id: orgId, role: 'member' },
      { id: laterOrg, role: 'owner' },
    ])
    const [group] = await service.sql`select user_id from group_members where group_id = ${laterOrg}`
    expect(group).toEqual({ userId: user.id })
    const [prepared] = await service.sql`select deleted_at is not null as is_gone from users where id = ${userId}`
    expect(prepared).toEqual({ isGone: true })
    const left = await service.sql`select role from role_members where user_id = ${userId}`
    expect(left).toHaveLength(0)
    const [event] = await service.sql`
      select before, after from audit_events where action = 'user.deleted' and target_id = ${userId}`
    expect(event).toMatchObject({ before: { email, roles: [role] }, after: { handedOverTo: user.id } })
    const grantEvents = await service.sql`
      select target_id, action from audit_events where reason = ${`invitation ${id}`} order by action`
    expect([...grantEvents]).toEqual([
      { targetId: orgId, action: 'org.member-added' },
      { targetId: user.id, action: 'role.granted' },
    ])
    expect(await get(id)).toMatchObject({ status: 'accepted', acceptedBy: { id: user.id } })
  })

  test('with a confusable email waits for a confirmation', async () => {
    const { name, email } = createGuest()
    const browser = createTestBrowser(service.url)
    await browser.submit(await browser.open('/login?idp=harbour'), { name, fault: 'none' })
    const user = await fetchUser(browser)
    await service.sql`update users set email = ${`\u212a${email}`} where id = ${user.id}`
    await invite({ email: `k${email}`, roles: ['Passport.Developer'] })
    expect(await accept(await tokenFor(`k${email}`), user.id)).toMatchObject({ status: 'awaiting-confirmation' })
  })

  test('with an unverified email waits for a confirmation', async () => {
    const { name, email } = createGuest()
    const browser = createTestBrowser(service.url)
    await browser.submit(await browser.open('/login?idp=harbour'), { name, fault: 'none' })
    const user = await fetchUser(browser)
    await service.sql`update users set email_verified = false where id = ${user.id}`
    await invite({ email, roles: ['Passport.Developer'] })
    expect(await accept(await tokenFor(email), user.id)).toMatchObject({ status: 'awaiting-confirmation' })
  })

  test('accepts an invitation once of two concurrent calls, and may repeat the call', async () => {
    const { name, email } = createGuest()
    const { id } = await invite({ email, roles: ['Passport.Developer'] })
    const token = await tokenFor(email)
    const { browser } = await signInThroughLink(name, token)
    const user = await fetchUser(browser)
    await service.sql`update users set email = ${email}, email_verified = true where id = ${max.id}`
    const callers = [user.id, max.id, user.id, max.id]
    const results = await Promise.allSettled(callers.map((userId) => accept(token, userId)))
    const won = callers.filter((_, index) => results[index]?.status === 'fulfilled')
    expect(new Set(won).size).toBe(1)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 409, code: 'join-used' })
    expect((await get(id)).acceptedBy?.id).toBe(won[0])
    const events = await service.sql`
      select action from audit_events where target_id = ${id} and action = 'invitation.accepted'`
    expect(events).toHaveLength(1)
    await service.sql`update users set email = 'max@passport.example' where id = ${max.id}`
    await service.sql`delete from role_members where user_id = ${max.id} and role = 'Passport.Developer'`
  })
})

describe('the right to grant', () => {
  test('is checked again at acceptance; grants that the inviter may no longer make are left out', async () => {
    const { name, email } = createGuest()
    const orgId = await createTestOrg('Left out')
    const { id } = await invite({ email, roles: ['Passport.Admin', 'Passport.Developer'], orgId }, max)
    const token = await tokenFor(email)
    const admin = { name: 'Passport.Admin' }
    await ada.call(removeRoleMembers, { params: admin, query: {}, body: { members: [max.id] } })
    const { browser } = await signInThroughLink(name, token)
    const user = await fetchUser(browser)
    const leftOut = ['Passport.Admin', 'Passport.Developer', 'org']
    expect(await accept(token, user.id)).toEqual({ status: 'accepted', roles: [], org: null, leftOut })
    expect(await fetchUser(browser)).toMatchObject({ roles: [], orgs: [] })
    expect(await get(id)).toMatchObject({ status: 'accepted', leftOut })
    await ada.call(addRoleMembers, { params: admin, query: {}, body: { members: [max.id] } })
  })

  test('to make an owner requires an owner or an administrator', async () => {
    const { name, email } = createGuest()
    const orgId = await createTestOrg('Ownerless')
    const { id } = await invite({ email, orgId, orgRole: 'owner' }, max)
    const admin = { params: { name: 'Passport.Admin' }, query: {}, body: { members: [max.id] } }
    await ada.call(removeRoleMembers, admin)
    await service.sql`insert into org_members (org_id, user_id, role) values (${orgId}, ${max.id}, 'admin')`
    const token = await tokenFor(email)
    const { browser } = await signInThroughLink(name, token)
    expect(await accept(token, (await fetchUser(browser)).id)).toMatchObject({ org: null, leftOut: ['org'] })
    expect(await get(id)).toMatchObject({ leftOut: ['org'] })
    await ada.call(addRoleMembers, admin)
  })

  test('ends with the inviter’s account', async () => {
    const { name, email } = createGuest()
    const { id } = await invite({ email, roles: ['Passport.Developer'] }, max)
    await service.sql`update users set disabled_at = now() where id = ${max.id}`
    const token = await tokenFor(email)
    const { browser } = await signInThroughLink(name, token)
    await accept(token, (await fetchUser(browser)).id)
    expect(await get(id)).toMatchObject({ leftOut: ['Passport.Developer'] })
    await service.sql`update users set disabled_at = null where id = ${max.id}`
  })

  test('does not extend to a role that was deleted before the acceptance', async () => {
    const { name, email } = createGuest()
    const role = await createTestRole()
    const { id } = await invite({ email, roles: [role] })
    await ada.call(deleteRole, { params: { name: role }, query: {} })
    const token = await tokenFor(email)
    const { browser } = await signInThroughLink(name, token)
    await accept(token, (await fetchUser(browser)).id)
    expect(await get(id)).toMatchObject({ leftOut: [role] })
  })
})

test('without a mail server the inviter receives the link, once', async () => {
  const without = await startTestService()
  const admin = await without.as('ada')
  const sent = await admin.call(api.createInvitation, { body: { email: 'guest@harbour.example' } })
  expect(sent.link).toMatch(/\/idp\/enrol#[\w-]{43}$/)
  expect(sent.mail).toBe('off')
  const listed = await admin.call(api.listInvitations, { query: {} })
  expect(listed.isMailConfigured).toBe(false)
  expect(JSON.stringify(listed)).not.toContain('/idp/enrol')
  const again = await admin.call(api.resendInvitation, { params: { invitationId: sent.id }, body: {} })
  expect(again.link).not.toBe(sent.link)
})
