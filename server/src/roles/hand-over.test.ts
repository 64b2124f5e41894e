import { createTestBrowser } from '@passport/world/browser'
import { guidOf } from '@passport/world/entra/tenants'
import { startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { beforeAll, describe, expect, test } from 'vitest'
import { linkLogin } from '../accounts/link-login.ts'
import { createTenant, type EntraService, startEntraService } from '../entra/test-entra.ts'
import { replaceToken } from '../invitations/test-invitation.ts'
import { issueClientToken } from '../test-bearer.ts'
import { onFileEnd } from '../test-cleanups.ts'
import type { Visitor } from '../test-service.ts'

// Who gets an account, or an address that counts as proven, gets the roles that are attached to it.

const clientSecret = 'the secret of the administering client'
let entra: EntraService
let ada: Visitor
let stale: Visitor
let dev: Visitor
let eve: Visitor
type Send = (path: string, init?: RequestInit) => Promise<Response>
let application: Send

beforeAll(async () => {
  const port = await findFreePort()
  const registration = { clientId: 'passport', clientSecret: 'a secret of Harbour' }
  const redirectUri = `http://localhost:${port}/login/callback/harbour`
  const harbour = await startOidcProvider({ ...registration, redirectUri })
  onFileEnd(harbour.stop)
  const provider = { ...registration, kind: 'oidc', issuer: harbour.issuer, id: 'harbour', name: 'Harbour' }
  const client = { clientId: 'admin', clientName: 'Admin', clientSecret, scopes: ['passport.admin'] }
  entra = await startEntraService({
    tenants: [createTenant(1)],
    env: {
      PORT: String(port),
      CLIENTS: JSON.stringify([client]),
      IDENTITY_PROVIDERS: JSON.stringify([
        { id: 'local', kind: 'local', name: 'Passport' },
        { ...provider, signUp: 'invited', trustEmail: true },
      ]),
    },
  })
  const { service } = entra
  ada = entra.ada
  const visitors = await Promise.all((['max', 'dev', 'eve'] as const).map((name) => service.as(name)))
  ;[stale, dev, eve] = visitors as [Visitor, Visitor, Visitor]
  await service.sql`update sessions set auth_time = now() - interval '17 minutes' where user_id = ${stale.id}`
  const token = await issueClientToken(service.url, { clientId: 'admin', clientSecret, scope: 'passport.admin' })
  application = (path, init = {}) =>
    fetch(service.url + path, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` },
    })
})

const users = '/passport/admin/users'
let serial = 0
const nextEmail = () => `person-${++serial}@company.example`
interface Answer {
  status: number
  body: { id: string; code: string; link: string; url: string; email: string; emailVerified: boolean; done: number }
}
async function send(by: Send, method: string, path: string, body?: object): Promise<Answer> {
  const response = await by(path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} }
}
const create = async (fields: object) =>
  (await send(ada.fetch, 'POST', users, { displayname: 'Person', ...fields })).body
const fields = (email: string | null, emailVerified = false) => ({
  displayname: 'Person',
  username: null,
  email,
  emailVerified,
})
const acceptLink = (visitor: Visitor, link: string) =>
  send(visitor.fetch, 'POST', `/join/${link.split(/[/#]/).at(-1)}/accept`)
const isAdministrator = async (id: string) =>
  (await entra.service.sql`select from roles_of_enabled where user_id = ${id} and role = 'Passport.Admin'`).length > 0

/** Callers who give no role of Passport, with the problem that they get. */
const callers: [string, () => Send, { status: number; code: string }][] = [
  ['an old sign-in', () => stale.fetch, { status: 401, code: 'reauthentication-required' }],
  ['an application', () => application, { status: 403, code: 'role-not-yours-to-give' }],
]

describe.for(callers)('a caller with %s', ([, by, { status, code }]) => {
  test('gives an account with a role that nobody has used no other address', async () => {
    const email = nextEmail()
    const { id } = await create({ email, roles: ['Passport.Admin'] })
    expect(await send(by(), 'PUT', `${users}/${id}`, fields(nextEmail()))).toMatchObject({ status, body: { code } })
    expect((await send(ada.fetch, 'GET', `${users}/${id}`)).body).toMatchObject({ email })
    const plain = await create({ email: nextEmail() })
    expect(await send(by(), 'PUT', `${users}/${plain.id}`, fields(nextEmail()))).toMatchObject({ status: 200 })
  })

  test('invites nobody to such an account', async () => {
    const email = nextEmail()
    await create({ email, roles: ['Passport.Admin'] })
    const invited = await send(by(), 'POST', `${users}/invitations`, { email, roles: [] })
    expect(invited).toMatchObject({ status, body: { code } })
    // Without a mail server the link is handed over, and gives access to the account: only with a recent sign-in.
    const plain = await send(by(), 'POST', `${users}/invitations`, { email: nextEmail(), roles: [] })
    expect(plain.status).toBe(status === 401 ? 401 : 201)
  })

  test.for(['members', 'owners'])(
    'hands over no account that is among the %s of a group in the trash',
    async (list) => {
      const email = nextEmail()
      const [{ id }, deleted] = [await create({ email }), await create({ email: nextEmail() })]
      const groupId = await createGroup('Passport.Admin')
      await send(ada.fetch, 'POST', `/passport/groups/${groupId}/${list}/add`, { [list]: [id, deleted.id] })
      await send(ada.fetch, 'DELETE', `/passport/groups/${groupId}`)
      await send(ada.fetch, 'DELETE', `${users}/${deleted.id}`)
      const refused = { status, body: { code } }
      expect(await send(by(), 'PUT', `${users}/${id}`, fields(nextEmail()))).toMatchObject(refused)
      expect(await send(by(), 'POST', `${users}/invitations`, { email, roles: [] })).toMatchObject(refused)
      // A restore of the group would give the role to the owner of the new address.
      const restored = await send(by(), 'POST', `${users}/${deleted.id}/restore`, { email: nextEmail() })
      expect(restored).toMatchObject(refused)
      expect(await send(ada.fetch, 'POST', `${users}/${deleted.id}/restore`)).toMatchObject({ status: 200 })
    },
  )

  test('lets no administrator sign in through a tenant again', async () => {
    const { sql } = entra.service
    const orgId = await createTenantOrg()
    const { id } = await create({ roles: ['Passport.Admin'] })
    const [org] = await sql<{ issuer: string }[]>`
      select 'entra:' || tenant_id as issuer from entra_connections where org_id = ${orgId}`
    const issuer = org?.issuer ?? ''
    await linkLogin(sql, id, { providerId: issuer, issuer, subject: id, label: 'Boss' })
    const path = `/passport/admin/orgs/${orgId}`
    const isEnabled = async () =>
      (
        await sql`
        select from entra_rows where org_id = ${orgId} and sign_in_enabled and org_deleted_at is null`
      ).length > 0
    const refused = { status, body: { code } }
    expect(await send(by(), 'POST', `${path}/entra/actions/enable`)).toMatchObject(refused)
    expect(await isEnabled()).toBe(false)
    expect(await send(ada.fetch, 'POST', `${path}/entra/actions/enable`)).toMatchObject({ status: 200 })
    await send(ada.fetch, 'DELETE', path)
    expect(await send(by(), 'POST', `${path}/restore`)).toMatchObject(refused)
    expect(await isEnabled()).toBe(false)
    expect(await send(ada.fetch, 'POST', `${path}/restore`)).toMatchObject({ status: 200 })
    await send(ada.fetch, 'POST', `${path}/entra/actions/disable`)
    await send(ada.fetch, 'PUT', `${users}/${id}/roles`, { roles: [] })
    expect(await send(by(), 'POST', `${path}/entra/actions/enable`)).toMatchObject({ status: 200 })
  })

  test('creates no account whose address is said to be proven', async () => {
    const body = { displayname: 'Person', email: nextEmail(), emailVerified: true }
    expect((await send(by(), 'POST', users, body)).status).toBe(status)
    const stated = await send(by(), 'POST', users, { ...body, emailVerified: false })
    expect(stated).toMatchObject({ status: 201, body: { emailVerified: false } })
  })

  test('says of no address that it is proven', async () => {
    const [email, { link: url }] = [nextEmail(), await createDomainLink()]
    await send(ada.fetch, 'PUT', `${users}/${eve.id}`, fields(null))
    const proven = await send(by(), 'PUT', `${users}/${eve.id}`, fields(email, true))
    expect(proven.status).toBe(status)
    expect((await acceptLink(eve, url)).status).toBe(403)
    expect(await send(by(), 'PUT', `${users}/${eve.id}`, fields(email))).toMatchObject({ status: 200 })
    expect((await acceptLink(eve, url)).status).toBe(403)
    expect(await isAdministrator(eve.id)).toBe(false)
  })
})

/** Creates an organisation whose tenant is ready for sign-in. */
async function createTenantOrg(): Promise<string> {
  const { sql } = entra.service
  const { body } = await send(ada.fetch, 'POST', '/passport/admin/orgs', { name: `Org ${++serial}` })
  await sql`
    insert into entra_connections (org_id, tenant_id, cloud, display_name, consent, tested_at)
    values (${body.id}, ${guidOf(`tenant of ${body.id}`)}, 'AzurePublic', 'Tenant', 'granted', now())`
  return body.id
}

async function createGroup(role: string): Promise<string> {
  const { body } = await send(ada.fetch, 'POST', '/passport/groups', { name: `Group ${++serial}`, description: '' })
  await send(ada.fetch, 'PUT', `/passport/groups/${body.id}/roles`, { roles: [role] })
  return body.id
}

/** Creates a link to a group of administrators, for addresses at `company.example`. */
async function createDomainLink() {
  const link = { kind: 'group', targetId: await createGroup('Passport.Admin'), domains: ['company.example'] }
  return { link: (await send(ada.fetch, 'POST', '/passport/joinlinks', link)).body.url }
}

test('an administrator with a recent sign-in says that an address is proven', async () => {
  const { id } = await create({ email: nextEmail() })
  const email = nextEmail()
  expect(await send(ada.fetch, 'PUT', `${users}/${id}`, fields(email, true))).toMatchObject({
    body: { emailVerified: true },
  })
  // Nothing is said that was not known before.
  expect(await send(stale.fetch, 'PUT', `${users}/${id}`, fields(email.toUpperCase(), true))).toMatchObject({
    status: 200,
  })
})

test('an invited user gets no account whose address has changed since, and proves none but their own', async () => {
  const { sql } = entra.service
  const email = 'mallory.nr.1@harbour.example'
  const { body } = await send(ada.fetch, 'POST', `${users}/invitations`, { email, roles: [] })
  const [prepared] = await sql<{ id: string }[]>`
    update users set email = 'boss@company.example' where email = ${email} returning id`
  const browser = createTestBrowser(entra.service.url)
  const page = await browser.open(`/login?idp=harbour&returnUrl=${encodeURIComponent(new URL(body.link).pathname)}`)
  await browser.submit(page, { name: 'Mallory Nr 1', fault: 'none' })
  const id = prepared?.id ?? ''
  expect(await sql`select from logins where user_id = ${id}`).toHaveLength(0)
  expect(await sql`select email_verified from users where id = ${id}`).toEqual([{ emailVerified: false }])
})

test('an invited user does not get the roles of an account that an administrator disabled or locked down', async () => {
  for (const action of ['disable', 'lockdown']) {
    const email = nextEmail()
    const { id } = await create({ email, roles: ['Passport.Admin'] })
    const { body } = await send(ada.fetch, 'POST', `${users}/invitations`, { email, roles: [] })
    await send(ada.fetch, 'POST', `${users}/${id}/actions/${action}`)
    await entra.service.sql`update users set email = ${email}, email_verified = true where id = ${eve.id}`
    const token = await replaceToken(entra.service.sql, body.id)
    expect(await acceptLink(eve, `/app/join/${token}`)).toMatchObject({ status: 200, body: { joined: true } })
    expect(await isAdministrator(eve.id)).toBe(false)
    expect(await entra.service.sql`select role from role_members where user_id = ${id}`).toHaveLength(1)
  }
})

test('a link gives no role if its creator was no administrator, also once they are one', async () => {
  const { body: group } = await send(dev.fetch, 'POST', '/passport/groups', {
    name: `Group ${++serial}`,
    description: '',
  })
  const { body } = await send(dev.fetch, 'POST', '/passport/joinlinks', { kind: 'group', targetId: group.id })
  await send(ada.fetch, 'PUT', `/passport/groups/${group.id}/roles`, { roles: ['Passport.Admin'] })
  expect((await acceptLink(eve, body.url)).status).toBe(403)
  await entra.service.sql`insert into role_members (role, user_id) values ('Passport.Admin', ${dev.id})`
  expect((await acceptLink(eve, body.url)).status).toBe(403)
})

test('a user restored with another address has not proven it', async () => {
  const { id } = await create({ email: nextEmail(), emailVerified: true })
  await send(ada.fetch, 'DELETE', `${users}/${id}`)
  const restored = await send(ada.fetch, 'POST', `${users}/${id}/restore`, { email: nextEmail() })
  expect(restored.body).toMatchObject({ id, emailVerified: false })
})

test('a change of more than 100 users that may give roles needs a recent sign-in, and others are not one transaction', async () => {
  const ids = Array.from({ length: 120 }, (_, index) => `many-${index}`)
  await entra.service.sql`insert into users (id) select unnest(${ids}::text[])`
  const bulk = (action: string) => send(stale.fetch, 'POST', `${users}/bulk`, { action, ids })
  expect(await bulk('disable')).toMatchObject({ status: 200, body: { done: 120 } })
  expect(await bulk('enable')).toMatchObject({ status: 401, body: { code: 'reauthentication-required' } })
})
