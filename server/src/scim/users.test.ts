import { deleteOrg, restoreOrg } from '@passport/contract/orgs'
import {
  createScimToken,
  getProvisioning,
  listScimRequests,
  previewScimDeletion,
  revokeScimToken,
} from '@passport/contract/scim'
import { deleteUser, setUserRoles } from '@passport/contract/users'
import { guidOf } from '@passport/world/entra/tenants'
import { beforeAll, describe, expect, test } from 'vitest'
import { linkLogin } from '../accounts/link-login.ts'
import { findUpstreamOfTenant } from '../entra/find-upstream.ts'
import { createTenant, type EntraService, startEntraService } from '../entra/test-entra.ts'
import { findOrCreateAccount } from '../login/account.ts'
import { lockChanges } from '../roles/store.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { holdTransaction } from '../test-hold.ts'
import { recordStatements } from '../test-statements.ts'
import { createTestClient, newUser, patch, type TestClient } from './test-client.ts'

let entra: EntraService
let client: TestClient
let other: TestClient
beforeAll(async () => {
  entra = await startEntraService({ tenants: [createTenant(1), createTenant(2), createTenant(3)] })
  client = await createTestClient(entra, 'company-1.example')
  other = await createTestClient(entra, 'company-3.example')
})

let serial = 0
const nextName = (domain = 'company-1.example') => `user-${++serial}@${domain}`
const create = async (userName = nextName(), more = {}) => {
  const created = await client.send('POST', 'Users', newUser(userName, more))
  expect(created).toMatchObject({ status: 201 })
  return created.body
}
const find = async (id: string) => {
  const [row] = await entra.service.sql`
    select u.*, exists (select from org_members m where m.user_id = u.id and m.org_id = ${client.orgId}) as is_member,
      array(select subject from logins l where l.user_id = u.id) as subjects
    from users u where id = ${id}`
  return row as unknown as {
    displayName: string
    email: string
    emailVerified: boolean
    disabledAt: string | null
    deletedAt: string | null
    isMember: boolean
    subjects: string[]
  }
}
const listEvents = (id: string) => entra.service.sql`
  select action, actor_id, before, after from audit_events where target_id = ${id} order by at, id`
const listRequests = async () =>
  (await entra.ada.call(listScimRequests, { params: { orgId: client.orgId }, query: { limit: 1 } })).items
const lastNotes = async () => (await listRequests())[0]?.notes ?? []
const nest = (levels: number) => {
  let value: object = {}
  for (let level = 0; level < levels; level++) value = { a: value }
  return value
}
/** Adds a user who signed in through the tenant before. */
async function addSignedIn(userName: string, roles: string[] = []) {
  const id = `before-${++serial}`
  const { sql } = entra.service
  await sql`insert into users (id, display_name, email) values (${id}, 'Signed In', ${userName})`
  const issuer = `entra:${client.tenantId}`
  await linkLogin(sql, id, { providerId: issuer, issuer, subject: guidOf(userName), label: userName })
  await sql`insert into org_members (org_id, user_id, role) values (${client.orgId}, ${id}, 'member')`
  await sql`update orgs set member_count = member_count + 1 where id = ${client.orgId}`
  if (roles.length > 0)
    await entra.ada.call(setUserRoles, { params: { userId: id }, query: {}, body: { roles } } as never)
  return id
}

describe('a provisioned user', () => {
  test('is created with a login and a membership, and returned as the client sent it', async () => {
    const userName = nextName()
    const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
    const sent = newUser(userName, {
      name: { givenName: 'Mira', familyName: 'Olsen' },
      title: 'Lead',
      [enterprise]: { department: 'Sales', manager: { value: '42' } },
      roles: [{ value: 'Passport.Admin' }],
      password: 'known to nobody',
      shoeSize: 42,
    })
    const { status, body, headers } = await client.send('POST', 'Users', sent)
    const { roles: _, password: __, shoeSize: ___, ...kept } = sent as Record<string, unknown>
    expect(status).toBe(201)
    expect(body).toMatchObject({ ...kept, schemas: [(sent.schemas as string[])[0], enterprise] })
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['roles', 'password', 'shoeSize']))
    expect(headers.get('location')).toBe(`${entra.service.url}/passport/scim/v2/${client.orgId}/Users/${body.id}`)
    expect(headers.get('content-type')).toContain('application/scim+json')
    expect(await find(body.id)).toMatchObject({
      email: userName,
      emailVerified: true,
      isMember: true,
      subjects: [sent.externalId],
    })
    const events = await listEvents(body.id)
    expect(events.map(({ action, actorId }) => [action, actorId])).toEqual([
      ['user.created', `scim:${client.orgId}`],
      ['login.linked', `scim:${client.orgId}`],
    ])
    const [named] = await entra.service.sql`select actor_name from audit_entries where target_id = ${body.id} limit 1`
    expect(named?.['actorName']).toBe('company-1.example (SCIM)')
    expect(await client.send('GET', `Users/${body.id}`)).toMatchObject({ status: 200, body })
    const fetched = await client.send('GET', `Users/${body.id}`, undefined, {
      'if-none-match': headers.get('etag') ?? '',
    })
    expect(fetched.status).toBe(304)
  })

  test('is changed by PATCH and PUT, with If-Match', async () => {
    const { id } = await create()
    const first = await client.send('GET', `Users/${id}`)
    const operation = { op: 'Replace', path: 'displayName', value: 'Changed' }
    const changed = await client.send('PATCH', `Users/${id}`, patch(operation), {
      'if-match': first.headers.get('etag') ?? '',
    })
    expect(changed).toMatchObject({ status: 200, body: { displayName: 'Changed' } })
    expect((await find(id)).displayName).toBe('Changed')
    const late = await client.send('PATCH', `Users/${id}`, patch(operation), {
      'if-match': first.headers.get('etag') ?? '',
    })
    expect(late).toMatchObject({ status: 412, body: { status: '412' } })
    const userName = nextName('elsewhere.example')
    const replaced = await client.send('PUT', `Users/${id}`, {
      userName,
      emails: [{ value: userName }],
      displayName: 'Put',
    })
    expect(replaced.body).toMatchObject({
      userName,
      displayName: 'Put',
      active: true,
      externalId: first.body['externalId'],
    })
    expect(await find(id)).toMatchObject({ email: userName, emailVerified: false, displayName: 'Put' })
    const [, , event] = await listEvents(id)
    expect(event).toMatchObject({
      action: 'user.changed',
      before: { displayName: expect.any(String) },
      after: { displayName: 'Changed' },
    })
  })

  test('is found by filters and in pages, by index and by cursor', async () => {
    const userName = nextName()
    const { id } = await create(userName, { name: { givenName: 'Zora' } })
    const list = async (query: Record<string, string>) => {
      const { body } = await client.send('GET', `Users?${new URLSearchParams(query)}`)
      return body as unknown as {
        totalResults: number
        Resources: { id: string }[]
        nextCursor?: string
        itemsPerPage: number
      }
    }
    for (const filter of [
      `userName eq "${userName.toUpperCase()}"`,
      `externalId eq "${guidOf(userName)}"`,
      `id eq "${id}"`,
      `name.givenName sw "zo" and active eq true and externalId eq "${guidOf(userName)}"`,
      `emails[type eq "work" and value eq "${userName}"]`,
      `emails[type eq "work"].value eq "${userName}"`,
      `urn:ietf:params:scim:schemas:core:2.0:User:emails[type eq "work" or type eq "home"].value sw "${userName}"`,
      `emails.value eq "${userName}" or userName eq "nobody"`,
    ])
      expect([filter, (await list({ filter })).Resources.map((user) => user.id)]).toEqual([filter, [id]])
    expect((await list({ filter: `name.givenName eq "Zora"`, attributes: 'userName' })).Resources).toEqual([
      { schemas: expect.any(Array), id, userName },
    ])
    const { totalResults } = await list({ count: '0' })
    const byIndex: string[] = []
    for (let startIndex = 1; byIndex.length < totalResults; startIndex += 2)
      byIndex.push(...(await list({ count: '2', startIndex: String(startIndex) })).Resources.map((user) => user.id))
    const byCursor: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await list({ count: '2', cursor })
      byCursor.push(...page.Resources.map((user) => user.id))
      cursor = page.nextCursor
    }
    expect(byCursor).toEqual(byIndex)
    expect(new Set(byIndex).size).toBe(totalResults)
    const sorted = await client.send('POST', 'Users/.search', {
      sortBy: 'userName',
      sortOrder: 'descending',
      count: 200,
    })
    const names = (sorted.body['Resources'] as { userName: string }[]).map((user) => user.userName)
    expect(names).toEqual([...names].sort().reverse())
    for (const [query, scimType] of [
      ['filter=userName pr', 'invalidFilter'],
      ['filter=shoeSize eq 1', 'invalidFilter'],
      ['filter=groups eq 1', 'invalidFilter'],
      ['cursor=x', 'invalidCursor'],
      ['count=x', 'invalidCount'],
      ['sortBy=title', 'invalidValue'],
      ['startIndex=100000', 'invalidValue'],
    ])
      expect(await client.send('GET', `Users?${query}`)).toMatchObject({ status: 400, body: { scimType } })
  })

  test('is sorted by the display name that the client sent, and not by that of the account, which it may not see', async () => {
    const [first, second] = [
      await create(nextName(), { displayName: 'aab' }),
      await create(nextName(), { displayName: 'aac' }),
    ]
    const { sql } = entra.service
    await sql`insert into org_members (org_id, user_id, role) values (${other.orgId}, ${first.id}, 'member')`
    await sql`update users set display_name = 'aad, in the other organisation' where id = ${first.id}`
    const { body } = await client.send('GET', 'Users?sortBy=displayName&cursor=&count=1')
    expect(body['Resources']).toMatchObject([{ id: first.id, displayName: 'aab' }])
    const { nextCursor } = body as unknown as { nextCursor: string }
    expect(JSON.parse(Buffer.from(nextCursor, 'base64url').toString())).toEqual(['aab', first.id])
    const next = await client.send('GET', `Users?sortBy=displayName&cursor=${nextCursor}&count=1`)
    expect(next.body['Resources']).toMatchObject([{ id: second.id }])
  })

  test('is disabled, enabled, deleted and restored with the same id', async () => {
    const userName = nextName()
    const { id } = await create(userName)
    const setActive = (value: unknown) =>
      client.send('PATCH', `Users/${id}`, patch({ op: 'Replace', path: 'active', value }))
    expect((await setActive('False')).body).toMatchObject({ active: false })
    expect((await find(id)).disabledAt).not.toBeNull()
    expect((await setActive('True')).body).toMatchObject({ active: true })
    await entra.service.sql`update users set disabled_at = now() - interval '1 day' where id = ${id}`
    expect((await setActive(true)).body).toMatchObject({ active: false })
    expect(await lastNotes()).toEqual(['The account stays disabled, because an administrator disabled it.'])
    await entra.service.sql`update users set disabled_at = null where id = ${id}`
    await setActive(false)
    const preview = await entra.ada.call(previewScimDeletion, {
      params: { orgId: client.orgId },
      query: { userId: id },
    })
    expect(preview).toMatchObject({ outcome: 'trash', reasons: [], restorableDays: 30 })
    expect((await client.send('DELETE', `Users/${id}`)).status).toBe(204)
    expect((await client.send('GET', `Users/${id}`)).status).toBe(404)
    expect((await find(id)).deletedAt).not.toBeNull()
    const again = await client.send('POST', 'Users', newUser(userName))
    expect(again).toMatchObject({ status: 201, body: { id, active: true } })
    expect(await find(id)).toMatchObject({ deletedAt: null, disabledAt: null, isMember: true })
  })

  test('whom an administrator deleted is not found, and comes back by POST', async () => {
    const userName = nextName()
    const { id } = await create(userName)
    await entra.ada.call(deleteUser, { params: { userId: id }, query: {} })
    expect((await client.send('PATCH', `Users/${id}`, patch({ op: 'add', path: 'title', value: 'x' }))).status).toBe(
      404,
    )
    expect((await client.send('POST', 'Users', newUser(userName))).body.id).toBe(id)
  })

  test('keeps the account, its names and its other logins once it has a role', async () => {
    const userName = nextName()
    const { id } = await create(userName)
    await entra.ada.call(setUserRoles, {
      params: { userId: id },
      query: {},
      body: { roles: ['Passport.Developer'] },
    } as never)
    const renamed = await client.send(
      'PATCH',
      `Users/${id}`,
      patch({ op: 'replace', path: 'displayName', value: 'Other' }),
    )
    expect(renamed.status).toBe(200)
    expect((await find(id)).displayName).not.toBe('Other')
    const left = await client.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'active', value: false }))
    expect(left.body).toMatchObject({ active: false })
    expect(await find(id)).toMatchObject({ disabledAt: null, isMember: false, subjects: [] })
    expect(await lastNotes()).toEqual([
      expect.stringContaining('the user has roles that this organisation does not give'),
    ])
    await client.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'active', value: true }))
    expect(await find(id)).toMatchObject({ isMember: true, subjects: [] })
    expect(await lastNotes()).toContainEqual(expect.stringContaining('The login at the tenant stays unlinked'))
    expect((await client.send('DELETE', `Users/${id}`)).status).toBe(204)
    expect(await find(id)).toMatchObject({ deletedAt: null, isMember: false, subjects: [] })
    expect((await client.send('POST', 'Users', newUser(userName))).body.id).toBe(id)
    expect(await find(id)).toMatchObject({ isMember: true, subjects: [] })
  })
})

describe('users of others', () => {
  test('with the same email are never joined, read, changed or deleted', async () => {
    const { sql } = entra.service
    await sql`
      insert into users (id, display_name, username, email, email_verified)
      values ('other', 'Other', 'other.one', 'other@company-1.example', true)`
    for (const user of [
      newUser('OTHER@company-1.example'),
      newUser(nextName(), { emails: [{ value: 'other@company-1.example' }] }),
    ])
      expect(await client.send('POST', 'Users', user)).toMatchObject({
        status: 201,
        body: { id: expect.not.stringMatching('other') },
      })
    const before = await find('other')
    expect(before).toMatchObject({ email: 'other@company-1.example', isMember: false })
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const bodies: Record<string, unknown> = {
        PUT: newUser(nextName()),
        PATCH: patch({ op: 'remove', path: 'title' }),
      }
      expect((await client.send(method, 'Users/other', bodies[method])).status).toBe(404)
    }
    expect(await find('other')).toEqual(before)
    const preview = await entra.ada.call(previewScimDeletion, {
      params: { orgId: client.orgId },
      query: { userId: 'other' },
    })
    expect(preview).toMatchObject({ outcome: 'refused', reasons: ['not-provisioned'] })
  })

  test('who signed in before are adopted by a filter or a POST, those with roles only as members', async () => {
    const [plain, admin] = [nextName(), nextName()]
    const id = await addSignedIn(plain)
    const filtered = await client.send('GET', `Users?filter=${encodeURIComponent(`externalId eq "${guidOf(plain)}"`)}`)
    expect(filtered.body).toMatchObject({ totalResults: 1, Resources: [{ id, userName: plain, active: true }] })
    const [event] = (await listEvents(id)).filter(({ action }) => action === 'user.adopted')
    expect(event).toMatchObject({ actorId: `scim:${client.orgId}`, after: { org: client.orgId, governs: 'account' } })
    const adminId = await addSignedIn(admin, ['Passport.Admin'])
    const adopted = await client.send('POST', 'Users', newUser(admin, { displayName: 'Chosen By Client' }))
    expect(adopted).toMatchObject({ status: 201, body: { id: adminId, displayName: 'Chosen By Client' } })
    expect((await find(adminId)).displayName).toBe('Signed In')
    await client.send('PATCH', `Users/${adminId}`, patch({ op: 'replace', path: 'active', value: false }))
    expect(await find(adminId)).toMatchObject({ disabledAt: null, isMember: false, subjects: [] })
    const preview = await entra.ada.call(previewScimDeletion, {
      params: { orgId: client.orgId },
      query: { userId: adminId },
    })
    expect(preview).toMatchObject({ outcome: 'membership', reasons: ['adopted', 'global-role'] })
  })

  test('sign in to the provisioned account, and not while it is inactive', async () => {
    const userName = nextName()
    const { id } = await create(userName, { externalId: undefined })
    await client.send('PATCH', `Users/${id}`, patch({ op: 'add', path: 'externalId', value: guidOf(userName) }))
    const { services, sql } = entra.service
    const upstream = await findUpstreamOfTenant(services, client.tenantId)
    if (!upstream) throw new Error('The tenant is not linked')
    const visit = {
      ip: '127.0.0.1',
      userAgent: 'test',
      traceId: '0'.repeat(32),
      requestId: '0'.repeat(32),
      host: 'localhost',
    }
    const signIn = () =>
      findOrCreateAccount(
        sql,
        upstream,
        { iss: upstream.issuer, sub: guidOf(userName) },
        {
          returnTo: '/app/',
          mailContext: services,
          hasPurchase: () => Promise.resolve(false),
          visit,
          trace: new Trace('callback', visit),
          browserToken: '',
        },
      )
    expect((await signIn()).userId).toBe(id)
    await sql`delete from logins where user_id = ${id}`
    expect((await signIn()).userId).toBe(id)
    await entra.ada.call(setUserRoles, {
      params: { userId: id },
      query: {},
      body: { roles: ['Passport.Developer'] },
    } as never)
    await client.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'active', value: false }))
    await expect(signIn()).rejects.toMatchObject({ code: 'account-disabled' })
    await client.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'active', value: true }))
    await expect(signIn()).rejects.toMatchObject({ code: 'login-unlinked' })
    await sql`delete from role_members where user_id = ${id}`
    const loginOf = (subject: string) => ({ providerId: 'other', issuer: 'https://other.example', subject, label: '' })
    await linkLogin(sql, id, loginOf(id))
    await expect(signIn()).rejects.toMatchObject({ code: 'login-unlinked' })
    await sql`delete from logins where user_id = ${id}`
    await sql`insert into orgs (id, name, slug) values ('another', 'Another', 'another')`
    await sql`insert into org_members (org_id, user_id, role) values ('another', ${id}, 'member')`
    await expect(signIn()).rejects.toMatchObject({ code: 'login-unlinked' })
    await sql`delete from org_members where org_id = 'another'`
    expect((await signIn()).userId).toBe(id)
  })
})

describe('bad input', () => {
  test.for([
    ['invalidValue', { ...newUser('a@company-1.example'), userName: '' }],
    ['invalidValue', { ...newUser('a@company-1.example'), userName: ['a', 'b'] }],
    ['invalidValue', { ...newUser('a@company-1.example'), userName: 'x'.repeat(513) }],
    ['invalidValue', [] as unknown],
    ['invalidSyntax', { ...newUser('a@company-1.example'), name: nest(1_000) }],
  ] as const)('is rejected as %s', async ([scimType, body]) => {
    const response = await client.send('POST', 'Users', body)
    expect(response).toMatchObject({ status: 400, body: { scimType, status: '400', detail: expect.any(String) } })
    expect(await entra.service.sql`select id from users where email = 'a@company-1.example'`).toEqual([])
    const [logged] = await listRequests()
    expect(logged).toMatchObject({ method: 'POST', status: 400, error: { scimType } })
  })

  test('in a filter, a path or a change is rejected before anything changes', async () => {
    const { id } = await create()
    const before = await client.send('GET', `Users/${id}`)
    const filters = ['"\\u0000"', '"\\ud800"', `1${'0'.repeat(400)}`].map((value) => `userName eq ${value}`)
    for (const filter of filters) {
      expect(await client.send('GET', `Users?filter=${encodeURIComponent(filter)}`)).toMatchObject({
        status: 400,
        body: { scimType: 'invalidFilter' },
      })
      expect(await client.send('POST', 'Users/.search', { filter })).toMatchObject({ status: 400 })
    }
    for (const operation of [
      { op: 'replace', path: 'emails[type eq "\\u0000"].value', value: 'x' },
      { op: 'replace', value: { name: nest(100) } },
    ])
      for (const method of ['PATCH', 'PUT'])
        expect(await client.send(method, `Users/${id}`, patch(operation))).toMatchObject({ status: 400 })
    expect(await client.send('GET', `Users/${id}`)).toMatchObject({ body: before.body })
  })

  test('does not stop what can be stored: a text is never cut within a character', async () => {
    const street = `${'x'.repeat(480)}😀`
    const { id } = await create(nextName(), { addresses: [{ streetAddress: street }] })
    const changed = await client.send('PATCH', `Users/${id}`, patch({ op: 'remove', path: 'addresses' }))
    expect(changed).toMatchObject({ status: 200 })
    const sortBy = encodeURIComponent(`${'x'.repeat(99)}😀`)
    expect(await client.send('GET', `Users?sortBy=${sortBy}`)).toMatchObject({ status: 400 })
    const [logged] = await listRequests()
    expect(logged).toMatchObject({ status: 400, path: expect.stringContaining('sortBy=') })
  })

  test('or a log that cannot be written does not hide what was done', async () => {
    const { sql } = entra.service
    await sql`alter table scim_requests add constraint refused check (method <> 'POST') not valid`
    try {
      const { id } = await create()
      expect(await find(id)).toMatchObject({ isMember: true })
      expect(await client.send('POST', 'Users', {})).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    } finally {
      await sql`alter table scim_requests drop constraint refused`
    }
  })

  test('a huge or malformed body, an unknown path and an unsupported method have errors of the protocol', async () => {
    const huge = await client.send('POST', 'Users', { userName: 'x'.repeat(3 * 1024 * 1024) })
    expect(huge).toMatchObject({ status: 413, body: { status: '413' } })
    for (const [method, path, status] of [
      ['GET', 'Nothing', 404],
      ['GET', 'Schemas/nothing', 404],
      ['POST', 'Schemas', 405],
      ['POST', 'Bulk', 501],
      ['GET', 'Me', 501],
      ['DELETE', 'Users', 405],
      ['GET', 'Users/%00', 400],
    ] as const)
      expect([path, (await client.send(method, path, method === 'GET' ? undefined : {})).status]).toEqual([
        path,
        status,
      ])
  })

  test('concurrent requests create one user', async () => {
    const user = newUser(nextName())
    const responses = await Promise.all(Array.from({ length: 8 }, () => client.send('POST', 'Users', user)))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
  })

  test('a request that waits for others while its token is revoked, or its organisation deleted, changes nothing', async () => {
    const { sql } = entra.service
    const late = await createTestClient(entra, 'company-2.example')
    const { id } = (await late.send('POST', 'Users', newUser(nextName('company-2.example')))).body
    const group = (await late.send('POST', 'Groups', { displayName: 'Crew' })).body
    const before = await find(id)
    const countWaiting = async () =>
      (await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`).length
    const newcomer = newUser(nextName('company-2.example'))
    const requests: [string, string, object?][] = [
      ['POST', 'Users', newcomer],
      ['PATCH', `Users/${id}`, patch({ op: 'replace', path: 'active', value: false })],
      ['DELETE', `Users/${id}`],
      ['POST', 'Groups', { displayName: 'Late' }],
      ['DELETE', `Groups/${group.id}`],
    ]
    const [token] = (await entra.ada.call(getProvisioning, { params: { orgId: late.orgId } })).tokens
    const release = await holdTransaction(sql, lockChanges)
    const sent = requests.map(([method, path, body]) => late.send(method, path, body))
    await expect.poll(countWaiting).toBe(requests.length)
    await entra.ada.call(revokeScimToken, { params: { orgId: late.orgId, tokenId: token?.id ?? '' } })
    await release()
    const revoked = { status: 401, body: { detail: expect.stringContaining('It was revoked.') } }
    for (const answer of sent) expect(await answer).toMatchObject(revoked)
    expect(await find(id)).toEqual(before)
    expect(await sql`select from scim_users where user_name = ${newcomer.userName}`).toHaveLength(0)
    expect(await sql`select name, deleted_at from groups where org_id = ${late.orgId}`).toEqual([
      { name: 'Crew', deletedAt: null },
    ])

    const { value } = await entra.ada.call(createScimToken, {
      params: { orgId: late.orgId },
      body: { name: 'Next', expiresInDays: 1 },
    })
    const releaseAgain = await holdTransaction(sql, lockChanges)
    const deletion = entra.ada.call(deleteOrg, { params: { orgId: late.orgId }, query: {} })
    await expect.poll(countWaiting).toBe(1)
    const lastChange = fetch(`${entra.service.url}/passport/scim/v2/${late.orgId}/Users/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${value}` },
    })
    await expect.poll(countWaiting).toBe(2)
    await releaseAgain()
    await deletion
    expect((await lastChange).status).toBe(401)
    expect((await find(id)).deletedAt).toBeNull()
    await entra.ada.call(restoreOrg, { params: { orgId: late.orgId }, query: {}, body: {} })
  })

  test('a client of one organisation sees nobody of another, and a deleted organisation nothing', async () => {
    const { id } = await create()
    expect((await other.send('GET', `Users/${id}`)).status).toBe(404)
    expect((await other.send('GET', 'Users')).body).toMatchObject({ totalResults: 0 })
    await entra.ada.call(deleteOrg, { params: { orgId: other.orgId }, query: {} })
    expect((await other.send('GET', 'Users')).status).toBe(401)
  })
})

test('requests take few statements', async () => {
  const { sql } = entra.service
  const userName = nextName()
  const count = async (run: () => Promise<unknown>) => (await recordStatements(sql, run)).length
  let id = ''
  const counts = {
    find: await count(() => client.send('GET', `Users?filter=userName eq "${userName}"`)),
    create: await count(async () => {
      id = (await create()).id
    }),
    read: await count(() => client.send('GET', `Users/${id}`)),
    change: await count(() =>
      client.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'title', value: nextName() })),
    ),
    disable: await count(async () => {
      await entra.service.sql`update users set disabled_at = null where id = ${id}`
      await client.send('PATCH', `Users/${id}`, patch({ op: 'replace', path: 'active', value: false }))
    }),
  }
  expect(counts).toMatchObject({ find: 3, read: 3, change: 12 })
  expect([counts.create <= 22, counts.disable <= 26]).toEqual([true, true])
})
