import { getCurrentUser } from '@passport/contract/current-user'
import { createGroup, deleteGroup, putGroupRoles } from '@passport/contract/groups'
import { createInvitation } from '@passport/contract/invitations'
import { deleteOrg } from '@passport/contract/orgs'
import { listScimRequests } from '@passport/contract/scim'
import { setUserRoles } from '@passport/contract/users'
import { createTestBrowser } from '@passport/world/browser'
import { guidOf } from '@passport/world/entra/tenants'
import { startMailServer } from '@passport/world/mail'
import { startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { beforeAll, describe, expect, test } from 'vitest'
import { linkLogin } from '../accounts/link-login.ts'
import { createTenant, type EntraService, startEntraService } from '../entra/test-entra.ts'
import { apiScope } from '../oauth/scopes.ts'
import * as personalTokens from '../personal-tokens/store.ts'
import { issuePersonalToken } from '../personal-tokens/test-personal-token.ts'
import { personalTokenForm } from '../prefixed-token.ts'
import { createBrowserCall } from '../test-browser-call.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { createTestClient, newUser, patch, type TestClient } from './test-client.ts'

// The login at the tenant: which accounts a client may link it to, and when it ends it.

let entra: EntraService
let client: TestClient
let other: TestClient
let mail: Awaited<ReturnType<typeof startMailServer>>
beforeAll(async () => {
  const port = await findFreePort()
  const registration = { clientId: 'passport', clientSecret: 'a secret that Harbour gave us' }
  const redirectUri = `http://localhost:${port}/login/callback/harbour`
  const harbour = await startOidcProvider({ ...registration, redirectUri })
  onFileEnd(harbour.stop)
  mail = await startMailServer()
  onFileEnd(mail.stop)
  const { issuer } = harbour
  const upstream = { ...registration, kind: 'oidc', issuer, id: 'harbour', name: 'Harbour', signUp: 'invited' }
  entra = await startEntraService({
    tenants: [createTenant(1), createTenant(2)],
    env: {
      PORT: String(port),
      SMTP_URL: mail.smtpUrl,
      MAIL_FROM: 'Passport <id@stage.example>',
      IDENTITY_PROVIDERS: JSON.stringify([
        { id: 'local', kind: 'local', name: 'Passport' },
        { ...upstream, trustEmail: true },
      ]),
    },
  })
  client = await createTestClient(entra, 'company-1.example')
  other = await createTestClient(entra, 'company-2.example')
})

let serial = 0
const nextName = () => `user-${++serial}@company-1.example`
const provision = async (more = {}) => (await client.send('POST', 'Users', newUser(nextName(), more))).body.id
const withoutLogin = { externalId: undefined }
const setExternalId = (id: string) =>
  client.send('PATCH', `Users/${id}`, patch({ op: 'add', path: 'externalId', value: guidOf(`login of ${id}`) }))
const setActive = (id: string, value: boolean) =>
  client.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'active', value }))
const setRoles = (userId: string, ...roles: string[]) =>
  entra.ada.call(setUserRoles, { params: { userId }, query: {}, body: { roles } } as never)
const issuersOf = async (userId: string) => {
  const rows = await entra.service.sql<{ issuer: string }[]>`
    select issuer from logins where user_id = ${userId} order by issuer`
  return rows.map(({ issuer }) => issuer)
}
const lastNotes = async () => {
  const { items } = await entra.ada.call(listScimRequests, { params: { orgId: client.orgId }, query: { limit: 1 } })
  return items[0]?.notes ?? []
}
const linkOther = (userId: string) =>
  linkLogin(entra.service.sql, userId, {
    providerId: 'harbour',
    issuer: 'https://other.example',
    subject: userId,
    label: 'other',
  })
const join = (orgId: string, userId: string) =>
  entra.service.sql`insert into org_members (org_id, user_id, role) values (${orgId}, ${userId}, 'member')`

async function readJoinToken(recipient: string): Promise<string> {
  const find = () =>
    mail.listMails().flatMap((message) => {
      const token = message.recipients.includes(recipient) ? /\/app\/join\/([\w-]+)/.exec(message.text)?.[1] : undefined
      return token === undefined ? [] : [token]
    })
  await expect.poll(find).toHaveLength(1)
  return find()[0] ?? ''
}

/** Invites a user, who signs in at Harbour by the link. Returns the id of the account. */
async function claim(name: string, email: string, invitation: object): Promise<unknown> {
  await entra.ada.call(createInvitation, { body: { email, ...invitation } } as never)
  const browser = createTestBrowser(entra.service.url)
  const returnUrl = encodeURIComponent(`/app/join/${await readJoinToken(email)}`)
  const page = await browser.open(`/login?idp=harbour&returnUrl=${returnUrl}`)
  await browser.submit(page, { name, fault: 'none' })
  const user = await createBrowserCall(entra.service.url, browser)(getCurrentUser, {})
  return (user as { claims?: { sub: string } }).claims?.sub
}

const refused = { status: 400, body: { scimType: 'mutability' } }

test('an invited user gets another account than the one that SCIM created, whose login the client can still link', async () => {
  const email = 'carl.crow@harbour.example'
  const { id } = (await client.send('POST', 'Users', newUser(email, withoutLogin))).body
  const claimed = await claim('Carl Crow', email, { roles: [] })
  expect([undefined, id]).not.toContain(claimed)
  expect(await setExternalId(id)).toMatchObject({ status: 200 })
  expect(await issuersOf(id)).toEqual([`entra:${client.tenantId}`])
})

test('a user whom a client disables keeps personal tokens only with another login', async () => {
  for (const hasOther of [false, true]) {
    const id = await provision()
    await join(other.orgId, id)
    if (hasOther) await linkOther(id)
    const value = personalTokenForm.generate()
    const token = { userId: id, loginId: null, browserId: null, name: 'Script', scopes: [apiScope], expiresInDays: 1 }
    await personalTokens.add(entra.service.sql, value, value.slice(0, 8), token)
    const use = async () => {
      const authorization = `Bearer ${value}`
      return (await fetch(`${entra.service.url}/passport/apphelper/user`, { headers: { authorization } })).status
    }
    expect(await use()).toBe(200)
    expect((await setActive(id, false)).body).toMatchObject({ active: false })
    expect(await use()).toBe(hasOther ? 200 : 401)
  }
})

test('a user whose object id a client changes keeps nothing that the former login left', async () => {
  const id = await provision()
  const { value } = await issuePersonalToken(entra.service, { id })
  const use = async () => {
    const authorization = `Bearer ${value}`
    return (await fetch(`${entra.service.url}/passport/apphelper/user`, { headers: { authorization } })).status
  }
  expect(await use()).toBe(200)
  expect(await setExternalId(id)).toMatchObject({ status: 200 })
  expect(await issuersOf(id)).toEqual([`entra:${client.tenantId}`])
  expect(await use()).toBe(401)
})

describe('a client links no login', () => {
  test('to an account whose user has linked another one, and governs only the membership of it', async () => {
    const email = 'bob.borg@harbour.example'
    const { id } = (await client.send('POST', 'Users', newUser(email, withoutLogin))).body
    await linkOther(id)
    expect(await setExternalId(id)).toMatchObject(refused)
    expect(await issuersOf(id)).toEqual(['https://other.example'])
    await client.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'displayName', value: 'Mallory' }))
    expect(await lastNotes()).toEqual([expect.stringContaining('the user has other logins')])
    expect((await setActive(id, false)).body).toMatchObject({ active: false })
    const [row] = await entra.service.sql`select display_name, disabled_at from users where id = ${id}`
    expect(row).toMatchObject({ disabledAt: null, displayName: expect.not.stringContaining('Mallory') })
  })

  test.for([
    ['other logins', linkOther],
    ['another organisation', (id: string) => join(other.orgId, id)],
    [
      'an organisation in the trash',
      async (id: string) => {
        const [org] = await entra.service.sql<{ id: string }[]>`
          insert into orgs (id, name, slug) values (${`org-of-${id}`}, 'Later', ${`later-${serial}`}) returning id`
        await join(org?.id ?? '', id)
        await entra.ada.call(deleteOrg, { params: { orgId: org?.id ?? '' }, query: {} })
      },
    ],
    ['a role', (id: string) => setRoles(id, 'Passport.Developer')],
    [
      'a group with a role in the trash',
      async (id: string) => {
        const body = { name: `Group ${++serial}`, description: '', members: [id] }
        const group = await entra.ada.call(createGroup, { body } as never)
        const params = { groupId: group.id }
        await entra.ada.call(putGroupRoles, { params, query: {}, body: { roles: ['Passport.Admin'] } } as never)
        await entra.ada.call(deleteGroup, { params: { id: group.id }, query: {} } as never)
      },
    ],
  ] as const)('to an account with %s', async ([, give]) => {
    const id = await provision(withoutLogin)
    await give(id)
    const before = await issuersOf(id)
    expect(await setExternalId(id)).toMatchObject(refused)
    expect(await issuersOf(id)).toEqual(before)
  })

  test('again after it ended, if the account has other logins', async () => {
    const id = await provision()
    await linkOther(id)
    await setActive(id, false)
    expect(await issuersOf(id)).toEqual(['https://other.example'])
    await setActive(id, true)
    expect(await issuersOf(id)).toEqual(['https://other.example'])
    expect(await lastNotes()).toContainEqual('The login at the tenant stays unlinked: the user has other logins.')
  })

  test('but records the object id of one that the user linked', async () => {
    const id = await provision(withoutLogin)
    await linkOther(id)
    const issuer = `entra:${client.tenantId}`
    const subject = guidOf(`login of ${id}`)
    await linkLogin(entra.service.sql, id, { providerId: issuer, issuer, subject, label: 'own' })
    expect(await setExternalId(id)).toMatchObject({ status: 200, body: { externalId: subject } })
  })
})

describe('the last administrator', () => {
  /** Makes provisioned users the only administrators, while `run` runs. */
  async function withAdministrators(count: number, run: (ids: string[]) => Promise<void>) {
    const { sql } = entra.service
    const ids = await Promise.all(Array.from({ length: count }, () => provision()))
    for (const id of ids) await setRoles(id, 'Passport.Admin')
    const others = await sql<{ id: string }[]>`
      update users set disabled_at = now()
      where disabled_at is null and id <> all(${ids}) and id in (select user_id from administrators) returning id`
    try {
      await run(ids)
    } finally {
      await sql`update users set disabled_at = null where id = any(${others.map(({ id }) => id)})`
      await sql`delete from role_members where user_id = any(${ids})`
    }
  }
  const countAdministrators = async () => (await entra.service.sql`select from administrators`).length
  const stays = 'The login at the tenant stays, because no other administrator could sign in.'
  const readNotes = () =>
    entra.service.sql<{ notes: string[] }[]>`select notes from scim_requests order by at desc limit 1`

  test('keeps the login when a client disables or deletes the user', async () => {
    await withAdministrators(1, async ([id = '']) => {
      expect((await setActive(id, false)).body).toMatchObject({ active: false })
      expect(await countAdministrators()).toBe(1)
      const [disabled] = await readNotes()
      expect(disabled?.notes).toEqual([stays, expect.stringMatching(/^Only the membership ended: /)])
      await setActive(id, true)
      const [enabled] = await readNotes()
      expect(enabled?.notes).toEqual(['The user is a member of the organisation again.'])
      expect((await client.send('DELETE', `Users/${id}`)).status).toBe(204)
      expect(await countAdministrators()).toBe(1)
      expect(await issuersOf(id)).toEqual([`entra:${client.tenantId}`])
    })
  })

  test('of two whom clients disable at once keeps it too', async () => {
    await withAdministrators(2, async (ids) => {
      const responses = await Promise.all(ids.map((id) => setActive(id, false)))
      expect(responses.map(({ status }) => status)).toEqual([200, 200])
      expect(await countAdministrators()).toBe(1)
    })
  })
})
