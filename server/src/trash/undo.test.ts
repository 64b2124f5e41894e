import { createGroup, putGroupRoles } from '@passport/contract/groups'
import { createJoinLink } from '@passport/contract/join'
import { createOrg } from '@passport/contract/orgs'
import { importPermissions, putPermissionSchema } from '@passport/contract/permissions'
import { createUser } from '@passport/contract/users'
import { beforeAll, expect, test } from 'vitest'
import { linkLogin } from '../accounts/link-login.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

let service: TestService
let ada: Visitor
let paths: Record<'user' | 'org' | 'group', string>
let allPaths: string[]

/** Creates a user, an organisation and a group with data of every feature. */
beforeAll(async () => {
  const clients = [{ clientId: 'shop', clientName: 'Shop', redirectUris: ['https://shop.example/callback'] }]
  service = await startTestService({ CLIENTS: JSON.stringify(clients) })
  const { sql } = service
  ada = await service.as('ada')
  const eve = await service.as('eve')
  const body = { displayname: 'Zoë', username: 'zoe', email: 'zoe@example.com', emailVerified: true }
  const roles = ['Passport.Admin', 'Passport.Developer']
  const { id } = await ada.call(createUser, { query: {}, body: { ...body, roles } })
  const login = { providerId: 'local', issuer: 'https://local.example', subject: 'zoe', label: 'Zoë' }
  await linkLogin(sql, id, login)
  await sql`update users set last_sign_in_at = now(), disabled_at = now() where id = ${id}`
  await sql`insert into preferences (user_id, key, value) values (${id}, 'theme', 'dark')`
  await sql`insert into consents (id, user_id, client_id, scopes) values ('c1', ${id}, 'shop', '{openid,profile}')`

  const org = await ada.call(createOrg, { body: { name: 'Contoso', slug: 'contoso', domains: ['contoso.example'] } })
  await sql`insert into org_domains (org_id, domain, status, challenge) values (${org.id}, 'fabrikam.example', 'verified', 'x')`
  await sql`
    insert into org_members (org_id, user_id, role)
    values (${org.id}, ${id}, 'owner'), (${org.id}, ${eve.id}, 'admin'), (${org.id}, ${ada.id}, 'member')`
  await sql`update orgs set member_count = 3 where id = ${org.id}`
  const [crew, guild] = [{ members: [id, eve.id], owners: [id] }, { owners: [id, eve.id] }]
  const group = await ada.call(createGroup, { body: { name: 'Crew', description: 'All', orgId: org.id, ...crew } })
  await ada.call(createGroup, { body: { name: 'Guild', orgId: org.id, members: [id], ...guild } })
  await ada.call(createGroup, { body: { name: 'Friends', members: [id] } })
  await ada.call(putGroupRoles, { params: { groupId: group.id }, query: {}, body: { roles } })
  for (const path of [
    { kind: 'org' as const, targetId: org.id, role: 'admin' as const, domains: ['fabrikam.example'] },
    { kind: 'group' as const, targetId: group.id, maxUses: 3, expiresAt: '2099-01-01T00:00:00.000Z' },
  ])
    await ada.call(createJoinLink, { body: path })
  for (const table of ['org_members', 'group_members', 'group_owners'])
    await sql`update ${sql(table)} set added_at = '2026-01-02T03:04:05.678Z', added_by = ${eve.id}`
  for (const table of ['role_members', 'group_roles'])
    await sql`update ${sql(table)} set granted_at = '2026-01-02T03:04:05.678Z', granted_by = ${eve.id}`

  const viewers = [`passport/user:${id}`, `passport/org:${org.id}#member`, `passport/group:${group.id}#member`]
  const types = 'passport/user | passport/org#member | passport/group#member'
  const text = `use expiration\n\ndefinition letter {\n  relation reader: ${types} | passport/user with expiration\n}`
  await ada.call(putPermissionSchema, { body: { text } })
  const relationships = [
    ...viewers.map((subject) => `letter:a#reader@${subject}`),
    `letter:b#reader@passport/user:${id}[expiration:2099-01-01T00:00:00Z]`,
  ]
  await ada.call(importPermissions, {
    query: {},
    body: `relationships: |-\n${relationships.map((line) => `  ${line}\n`).join('')}`,
  })

  paths = {
    user: `/passport/admin/users/${id}`,
    org: `/passport/admin/orgs/${org.id}`,
    group: `/passport/groups/${group.id}`,
  }
  allPaths = [
    '/passport/admin/users/export',
    ...['', '/access', '/logins'].map((part) => paths.user + part),
    `/passport/preferences/${id}`,
    `/passport/profile/${id}`,
    ...['', '/members'].map((part) => paths.org + part),
    ...['', '/members', '/owners'].map((part) => paths.group + part),
    `/passport/joinlinks?kind=org&targetId=${org.id}`,
    `/passport/joinlinks?kind=group&targetId=${group.id}`,
    ...roles.map((role) => `/passport/admin/roles/${role}/members`),
    '/passport/groups',
    '/passport/admin/orgs',
    '/passport/profile',
    '/passport/admin/tools/relations?resourceType=letter',
  ]
})

test.for(['user', 'org', 'group'] as const)(
  'deleting and restoring a %s changes no data except versions and times',
  async (kind) => {
    const before = { responses: await readResponses(), stored: await readTables() }
    expect((await ada.fetch(paths[kind], { method: 'DELETE' })).status).toBe(204)
    expect((await ada.fetch(paths[kind])).status).toBe(404)
    expect((await ada.fetch(`${paths[kind]}/restore`, { method: 'POST' })).status).toBe(200)
    expect(await readResponses()).toEqual(before.responses)
    expect(await readTables()).toEqual(before.stored)
  },
)

const changingMembers = new Set(['version', 'updatedAt', 'watermark', 'readAt'])

/** Reads every path, without the members that a change updates. */
async function readResponses(): Promise<Record<string, unknown>> {
  const responses = allPaths.map(async (path) => {
    const response = await ada.fetch(path)
    expect([path, response.status]).toEqual([path, 200])
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return [path, isJson ? JSON.parse(text, (key, value) => (changingMembers.has(key) ? undefined : value)) : text]
  })
  return Object.fromEntries(await Promise.all(responses))
}

/** Append-only tables. */
const logs = ['relationship_commits', 'relationship_changes', 'relationship_head']
const excludedTables = ['audit_events', 'sessions', 'jobs', 'rate_limits', ...logs]

/** Reads every row of every other table. */
async function readTables(): Promise<Record<string, unknown>> {
  const { sql } = service
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all(${excludedTables}) order by name`
  const rows = tables.map(async ({ name }) => [
    name,
    await sql`
      select to_jsonb(t) - '{version,people_version,updated_at,last_modified,changed_at}'::text[] as stored from ${sql(name)} t order by 1`,
  ])
  return Object.fromEntries(await Promise.all(rows))
}
