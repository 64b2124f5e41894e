import { endpoints } from '@passport/contract/api'
import type { Endpoint } from '@passport/contract/endpoint'
import * as groups from '@passport/contract/groups'
import * as orgs from '@passport/contract/orgs'
import { putPreference } from '@passport/contract/preferences'
import { beforeAll, describe, expect, test } from 'vitest'
import { issuePersonalToken } from './personal-tokens/test-personal-token.ts'
import { issueBearerToken } from './test-bearer.ts'
import { startTestService, type TestService, type Visitor } from './test-service.ts'

// All resources belong to `dev`. `max` is an administrator and `eve` has no role; both send a bearer token.

const kinds = ['access', 'personal'] as const
type Kind = (typeof kinds)[number]

let service: TestService
let dev: Visitor
let max: Visitor
/** The access tokens and the personal tokens of the callers. */
let tokens: Record<Kind, { max: string; eve: string }>
/** Ids of the resources of `dev`, by path parameter. */
let resourceIds: Record<string, string>
let deletedGroup: string

beforeAll(async () => {
  service = await startTestService()
  ;[dev, max] = [await service.as('dev'), await service.as('max')]
  const issuePersonal = async (visitor: Visitor) => (await issuePersonalToken(service, visitor)).value
  tokens = {
    access: { max: await issueBearerToken(service, 'max'), eve: await issueBearerToken(service, 'eve') },
    personal: { max: await issuePersonal(max), eve: await issuePersonal(await service.as('eve')) },
  }
  const org = await max.call(orgs.createOrg, { body: { name: 'Contoso' } })
  await max.call(orgs.addOrgMembers, {
    params: { orgId: org.id },
    query: {},
    body: { members: [dev.id], role: 'owner' },
  })
  const group = await dev.call(groups.createGroup, { body: { name: 'Lighthouse', orgId: org.id } })
  const deleted = await dev.call(groups.createGroup, { body: { name: 'Harbour' } })
  await dev.call(groups.deleteGroup, { params: { id: deleted.id }, query: {} })
  deletedGroup = deleted.id
  await dev.call(putPreference, { params: { userId: dev.id, key: 'App.Theme' }, body: 'dark' })
  const [sessions, logins] = await Promise.all([
    service.sql<{ id: string }[]>`select id from sessions where user_id = ${dev.id}`,
    service.sql<{ id: string }[]>`select id from logins where user_id = ${dev.id}`,
  ])
  resourceIds = {
    connector: 'metahorizon',
    groupId: group.id,
    orgId: org.id,
    userId: dev.id,
    profileId: dev.id,
    sessionId: sessions[0]?.id ?? '',
    loginId: logins[0]?.id ?? '',
    key: 'App.Theme',
    name: 'Passport.Admin',
  }
})

/** A valid body for each endpoint. A new endpoint that takes a bearer token and a body needs an entry. */
const bodies: Record<string, () => unknown> = {
  proveConnection: () => ({ userId: '1', nonce: 'x' }),
  putPreference: () => 'light',
  putAvatarPngUrl: () => 'https://93.184.216.34/avatar.png',
  putAvatarGlbUrl: () => 'https://93.184.216.34/avatar.glb',
  addGroupMembers: () => ({ members: [max.id] }),
  addGroupOwners: () => ({ owners: [max.id] }),
  removeGroupMembers: () => ({ members: [dev.id] }),
  removeGroupOwners: () => ({ owners: [dev.id] }),
  createGroup: () => ({ name: 'Taken over', orgId: resourceIds['orgId'] }),
  lookUpUsers: () => ({ lines: ['dev@example.com'] }),
  putGroup: () => ({ name: 'Renamed', description: '' }),
  claimUsername: () => 'taken',
  putDisplayName: () => 'Renamed',
  putProfile: () => ({ displayname: 'Renamed', username: 'taken', avatar: null }),
}

const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString()

/** Searches that show an administrator more than others. */
const queries: Record<string, string[]> = {
  listGroups: ['', '?query=Light', `?updatedSince=${yesterday}`],
  listProfiles: ['', '?query=dev'],
}

/** Fills the parameters of a path. For a parameter `id`, the endpoint determines the kind of resource. */
function fillPath(name: string, { path }: Endpoint): string {
  const ids: Record<string, string | undefined> = {
    getGroup: resourceIds['groupId'],
    deleteGroup: resourceIds['groupId'],
    restoreGroup: deletedGroup,
    revokeSession: resourceIds['sessionId'],
    unlinkLogin: resourceIds['loginId'],
  }
  return path.replace(/\{(\w+?)(\.{3})?\}/g, (_, parameter: string) => resourceIds[parameter] ?? ids[name] ?? 'x')
}

async function sendWith(token: string, name: string, endpoint: Endpoint, query: string) {
  const body = bodies[name]?.()
  const isText = typeof body === 'string'
  const response = await fetch(service.url + fillPath(name, endpoint) + query, {
    method: endpoint.method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': isText ? 'text/plain' : 'application/json' }),
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const parsed = text.startsWith('{') ? omitVolatileFields(JSON.parse(text)) : text
  return { status: response.status, body: parsed }
}

/** Removes the fields that differ from response to response. */
function omitVolatileFields({ traceId: _, watermark: __, supportCode: ___, ...rest }: Record<string, unknown>) {
  return rest
}

/** Reads the state that requests with these tokens must not change. */
async function readState() {
  const { sql } = service
  const tables = ['groups', 'group_members', 'group_owners', 'orgs', 'org_members', 'preferences', 'logins']
  const rows = await Promise.all(tables.map((table) => sql`select * from ${sql(table)}`))
  const users = await sql`select id, display_name, username, disabled_at, deleted_at from users order by id`
  const roles = await sql`select user_id, role from role_sources order by user_id, role`
  return { rows: rows.map((table) => [...table]), users: [...users], roles: [...roles] }
}

describe.for(kinds)("an administrator's %s token", (kind) => {
  const protectedEndpoints = [...endpoints].filter(
    ([, { access, path }]) => access !== 'anyone' && !path.includes('apphelper'),
  )

  test('gets the same response as that of a user without roles from every endpoint for resources of others', async () => {
    const before = await readState()
    for (const [name, endpoint] of protectedEndpoints) {
      for (const query of queries[name] ?? ['']) {
        const [asAdministrator, asUser] = [
          await sendWith(tokens[kind].max, name, endpoint, query),
          await sendWith(tokens[kind].eve, name, endpoint, query),
        ]
        expect.soft([name + query, asAdministrator]).toEqual([name + query, asUser])
        if (endpoint.bearer) expect.soft([name, asUser.status]).not.toEqual([name, 400])
        else expect.soft([name, asUser.body]).toMatchObject([name, { code: 'bearer-not-accepted' }])
      }
    }
    expect(await readState()).toEqual(before)
  })

  test.for(['/passport/preferences/me', '/passport/profile/me'])(
    "gives access to the caller's own resources at %s",
    async (path) => {
      const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${tokens[kind].max}` } })
      expect(response.status).toBe(200)
    },
  )
})
