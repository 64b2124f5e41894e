import { endpoints } from '@passport/contract/api'
import type { Endpoint } from '@passport/contract/endpoint'
import { enableEntra } from '@passport/contract/entra'
import * as groups from '@passport/contract/groups'
import * as invitations from '@passport/contract/invitations'
import * as join from '@passport/contract/join'
import { createOpenApiDocument } from '@passport/contract/openapi'
import * as orgs from '@passport/contract/orgs'
import * as bulk from '@passport/contract/user-bulk'
import * as users from '@passport/contract/users'
import { v7 as uuid } from 'uuid'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { linkLogin } from '../accounts/link-login.ts'
import { replaceToken } from '../invitations/test-invitation.ts'
import { applyMappings } from '../mappings/apply-mappings.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

// A session that is too old for a change of roles gives no role and no ownership of an organisation, however the change
// gives it.

let service: TestService
let ada: Visitor
let dev: Visitor
let eve: Visitor
beforeAll(async () => {
  const cloud = { id: 'AzurePublic', authority: 'http://localhost:9', graph: 'http://localhost:9' }
  const registration = { clientId: uuid(), clientSecret: 'a secret of the registration' }
  service = await startTestService({ ENTRA_CLOUDS: JSON.stringify([{ ...cloud, ...registration }]) })
  const visitors = await Promise.all((['ada', 'dev', 'eve'] as const).map((name) => service.as(name)))
  ;[ada, dev, eve] = visitors as [Visitor, Visitor, Visitor]
})

beforeEach(async () => {
  await service.sql`delete from group_roles`
  await service.sql`delete from role_members where user_id = ${eve.id}`
  await age(ada, 1)
})

/** Makes the last authentication of a user that old. */
const age = ({ id }: Visitor, minutes: number) =>
  service.sql`update sessions set auth_time = now() - make_interval(mins => ${minutes}) where user_id = ${id}`

/** Lists what enabled users may do by roles, and the organisations that they own. */
async function listPowers(): Promise<string[]> {
  const rows = await service.sql<{ power: string }[]>`
    select concat_ws(' ', user_id, role, is_owner) as power from role_powers where is_active
    union all
    select concat_ws(' ', user_id, org_id) from org_ownerships where is_active
    order by 1`
  return rows.map(({ power }) => power)
}

let serial = 0
const role = 'Passport.Developer'
type Result = { id: string; link: string; url: string; undoToken: string }
const call = (endpoint: Endpoint, input: object) =>
  ada.call(endpoint, input as never) as Promise<unknown> as Promise<Result>
async function addUser(roles: string[] = []): Promise<string> {
  const { id } = await call(users.createUser, { query: {}, body: { displayname: `User ${++serial}`, roles } })
  return id
}
async function addGroup(fields: { members?: string[]; owners?: string[]; orgId?: string; roles?: string[] }) {
  const { roles = [role], ...others } = fields
  const { id } = await call(groups.createGroup, { body: { name: `Group ${++serial}`, description: '', ...others } })
  if (roles.length > 0) await call(groups.putGroupRoles, { params: { groupId: id }, query: {}, body: { roles } })
  return id
}
async function addOrg(members: Partial<Record<orgs.OrgRole, string>> = {}): Promise<string> {
  const { id: orgId } = await call(orgs.createOrg, { body: { name: `Org ${++serial}` } })
  for (const [role, userId] of Object.entries(members)) await addToOrg(orgId, [userId], role)
  return orgId
}
const addToOrg = (orgId: string, members: string[], role: string) =>
  call(orgs.addOrgMembers, { params: { orgId }, query: {}, body: { members, role } })
/** Adds a user who owns an organisation. */
async function addOwner(): Promise<string> {
  const userId = await addUser()
  await addOrg({ owner: userId })
  return userId
}
/** Gives an organisation a tenant, with the login of a user; returns the id of the login. */
async function addTenant(orgId: string, userId: string, mappings: object[] = []) {
  const { sql } = service
  const tenantId = uuid()
  await sql`
    insert into entra_connections (org_id, tenant_id, cloud, display_name, mappings, consent, tested_at)
    values (${orgId}, ${tenantId}, 'AzurePublic', 'Tenant', ${sql.json(mappings as never)}, 'granted', now())`
  const identity = { providerId: `entra:${tenantId}`, issuer: `entra:${tenantId}`, subject: uuid(), label: 'User' }
  return linkLogin(sql, userId, identity)
}
/** Gives an organisation a tenant, with a user whose group there is mapped to a role. */
async function addMappedUser(orgId: string) {
  const { sql } = service
  const [userId, group, mapped] = [await addUser(), uuid(), `Stage.Editor${++serial}`]
  await sql`insert into roles (name, description) values (${mapped}, '')`
  const loginId = await addTenant(orgId, userId, [{ groupObjectId: group, role: mapped }])
  await sql`
    insert into entra_claims (login_id, org_id, groups, roles)
    values (${loginId ?? ''}, ${orgId}, ${[group]}::uuid[], ${[]})`
  await applyMappings(sql, orgId)
  expect(await listPowers()).toContain(`${userId} ${mapped} f`)
  return { userId, mapped }
}
const bulkChange = (action: string, ids: string[], more = {}) =>
  call(bulk.bulkChangeUsers, { body: { action, ids, ...more } })
const accept = (visitor: Visitor, link: string) =>
  visitor.call(join.acceptJoinInvitation, { params: { id: link.split('/').at(-1) ?? '' } })
const remove = (userId: string) => call(users.deleteUser, { params: { userId }, query: {} })

const createOwnerInvitation = (orgId: string, email = `i${++serial}@example.com`) => ({
  email,
  orgId,
  orgRole: 'owner',
})
/** An address with an account: no link leads into a prepared one, which would need a recent sign-in anyway. */
const existing = (name: string) => `${name}@passport.example`

/** Prepares a change with a recent sign-in; returns the call that gives a role. */
const ways: Record<string, () => Promise<() => Promise<unknown>>> = {
  'adding a member to a group with a role': async () => {
    const groupId = await addGroup({})
    return () => call(groups.addGroupMembers, { params: { groupId }, query: {}, body: { members: [eve.id] } })
  },
  'adding a member who has the role otherwise, and would keep it': async () => {
    const [groupId, userId] = [await addGroup({}), await addUser([role])]
    return () => call(groups.addGroupMembers, { params: { groupId }, query: {}, body: { members: [userId] } })
  },
  'restoring an organisation with a group whose members have its role otherwise': async () => {
    const { id: orgId } = await call(orgs.createOrg, { body: { name: `Org ${++serial}` } })
    const groupId = await addGroup({ orgId, members: [await addUser([role])] })
    await service.sql`delete from group_owners where group_id = ${groupId}`
    await call(orgs.deleteOrg, { params: { orgId }, query: {} })
    return () => call(orgs.restoreOrg, { params: { orgId }, query: {} })
  },
  'adding an owner to a group with a role': async () => {
    const groupId = await addGroup({})
    return () => call(groups.addGroupOwners, { params: { groupId }, query: {}, body: { owners: [eve.id] } })
  },
  'restoring a group with a role and a member': async () => {
    const id = await addGroup({ members: [eve.id] })
    await call(groups.deleteGroup, { params: { id }, query: {} })
    return () => call(groups.restoreGroup, { params: { id }, query: {} })
  },
  'restoring a group with a role and an owner': async () => {
    const id = await addGroup({ owners: [await addUser()] })
    await call(groups.deleteGroup, { params: { id }, query: {} })
    return () => call(groups.restoreGroup, { params: { id }, query: {} })
  },
  'restoring an organisation with such a group': async () => {
    const { id: orgId } = await call(orgs.createOrg, { body: { name: `Org ${++serial}` } })
    await addGroup({ orgId, members: [eve.id] })
    await call(orgs.deleteOrg, { params: { orgId }, query: {} })
    return () => call(orgs.restoreOrg, { params: { orgId }, query: {} })
  },
  'restoring an organisation whose mapping gives a role': async () => {
    const { id: orgId } = await call(orgs.createOrg, { body: { name: `Org ${++serial}` } })
    await addMappedUser(orgId)
    await call(orgs.deleteOrg, { params: { orgId }, query: {} })
    return () => call(orgs.restoreOrg, { params: { orgId }, query: {} })
  },
  'enabling sign-in through a tenant whose mapping gives a role': async () => {
    const { id: orgId } = await call(orgs.createOrg, { body: { name: `Org ${++serial}` } })
    await addMappedUser(orgId)
    return () => call(enableEntra, { params: { orgId } })
  },
  'enabling sign-in through a tenant of whose users one owns an organisation': async () => {
    const [userId, tenantOrg] = [await addOwner(), await addOrg()]
    await addTenant(tenantOrg, userId)
    return () => call(enableEntra, { params: { orgId: tenantOrg } })
  },
  'creating a join link for a group with a role': async () => {
    const targetId = await addGroup({})
    return () => call(join.createJoinLink, { body: { kind: 'group', targetId } })
  },
  'restoring a user with a role': async () => {
    const userId = await addUser([role])
    await remove(userId)
    return () => call(users.restoreUser, { params: { userId }, query: {} })
  },
  'restoring a member of a group with a role': async () => {
    const userId = await addUser()
    await addGroup({ members: [userId] })
    await remove(userId)
    return () => call(users.restoreUser, { params: { userId }, query: {} })
  },
  'restoring an owner of a group with a role': async () => {
    const userId = await addUser()
    await addGroup({ owners: [userId] })
    await remove(userId)
    return () => call(users.restoreUser, { params: { userId }, query: {} })
  },
  'enabling a user with a role': async () => {
    const userId = await addUser([role])
    await call(users.disableUser, { params: { userId }, query: {} })
    return () => call(users.enableUser, { params: { userId }, query: {} })
  },
  'enabling users of whom the last has a role': async () => {
    const plain = Array.from({ length: 99 }, (_, index) => `plain-${index}`)
    await service.sql`insert into users (id) select unnest(${plain}::text[])`
    const ids = [...plain, await addUser([role])]
    await bulkChange('disable', ids)
    return () => bulkChange('enable', ids)
  },
  'restoring users of whom the last has a role': async () => {
    const ids = [await addUser(), await addUser([role])]
    await bulkChange('delete', ids)
    return () => bulkChange('restore', ids)
  },
  'undoing a deletion of users of whom the last has a role': async () => {
    const ids = [await addUser(), await addUser([role])]
    const { undoToken } = await bulkChange('delete', ids)
    return () => call(bulk.undoBulkChange, { body: { undoToken } })
  },
  'undoing a removal of a role': async () => {
    const { undoToken } = await bulkChange('removeRole', [await addUser([role])], { role })
    return () => call(bulk.undoBulkChange, { body: { undoToken } })
  },
  'adding a role in bulk': async () => {
    const id = await addUser()
    return () => bulkChange('addRole', [id], { role })
  },
  'creating a user with a role': async () => () =>
    call(users.createUser, { query: {}, body: { displayname: 'New', roles: [role] } }),
  'inviting with a role': async () => () =>
    call(invitations.createInvitation, { body: { email: `i${++serial}@example.com`, roles: [role] } }),
  'resending an invitation with a role': async () => {
    const body = { email: `i${++serial}@example.com`, roles: [role] }
    const { id: invitationId } = await call(invitations.createInvitation, { body })
    return () => call(invitations.resendInvitation, { params: { invitationId } })
  },
  'adding an owner to an organisation': async () => {
    const [orgId, userId] = [await addOrg(), await addUser()]
    return () => addToOrg(orgId, [userId], 'owner')
  },
  'making a member an owner of an organisation': async () => {
    const userId = await addUser()
    const orgId = await addOrg({ member: userId })
    return () => call(orgs.putOrgMember, { params: { orgId, userId }, query: {}, body: { role: 'owner' } })
  },
  'restoring an organisation with an owner': async () => {
    const orgId = await addOrg({ owner: await addUser() })
    await call(orgs.deleteOrg, { params: { orgId }, query: {} })
    return () => call(orgs.restoreOrg, { params: { orgId }, query: {} })
  },
  'restoring an owner of an organisation': async () => {
    const userId = await addOwner()
    await remove(userId)
    return () => call(users.restoreUser, { params: { userId }, query: {} })
  },
  'enabling an owner of an organisation': async () => {
    const userId = await addOwner()
    await call(users.disableUser, { params: { userId }, query: {} })
    return () => call(users.enableUser, { params: { userId }, query: {} })
  },
  'enabling users of whom the last owns an organisation': async () => {
    const ids = [await addUser(), await addOwner()]
    await bulkChange('disable', ids)
    return () => bulkChange('enable', ids)
  },
  'undoing a deletion of users of whom the last owns an organisation': async () => {
    const { undoToken } = await bulkChange('delete', [await addUser(), await addOwner()])
    return () => call(bulk.undoBulkChange, { body: { undoToken } })
  },
  'inviting an owner of an organisation': async () => {
    const body = createOwnerInvitation(await addOrg(), existing('dev'))
    return () => call(invitations.createInvitation, { body })
  },
  'resending an invitation of an owner': async () => {
    const body = createOwnerInvitation(await addOrg(), existing('max'))
    const { id: invitationId } = await call(invitations.createInvitation, { body })
    return () => call(invitations.resendInvitation, { params: { invitationId } })
  },
  'changing the address of a prepared account that owns an organisation': async () => {
    const body = { displayname: 'Prepared', username: null, email: `p${++serial}@example.com`, emailVerified: false }
    const { id: userId } = await call(users.createUser, { query: {}, body: { ...body, roles: [] } })
    await addOrg({ owner: userId })
    return () => call(users.updateUser, { params: { userId }, body: { ...body, email: `p${++serial}@example.com` } })
  },
  'inviting with the address of a prepared account that owns an organisation in the trash': async () => {
    const email = `i${++serial}@example.com`
    const { id } = await call(users.createUser, { query: {}, body: { displayname: 'Prepared', email, roles: [] } })
    const orgId = await addOrg({ owner: id })
    // What is in the trash counts, because a restore gives it back.
    await call(orgs.deleteOrg, { params: { orgId }, query: {} })
    return () => call(invitations.createInvitation, { body: { email } })
  },
  'confirming the claimant of an invitation of an owner': async () => {
    const { id: invitationId } = await call(invitations.createInvitation, {
      body: createOwnerInvitation(await addOrg()),
    })
    await accept(eve, await replaceToken(service.sql, invitationId))
    return () => call(invitations.confirmInvitation, { params: { invitationId }, query: {}, body: { userId: eve.id } })
  },
  'confirming the claimant of an invitation with a role': async () => {
    const body = { email: `i${++serial}@example.com`, roles: [role] }
    const { id: invitationId } = await call(invitations.createInvitation, { body })
    await accept(eve, await replaceToken(service.sql, invitationId))
    return () => call(invitations.confirmInvitation, { params: { invitationId }, query: {}, body: { userId: eve.id } })
  },
}

describe('an administrator who signed in 17 minutes ago', () => {
  test.for(Object.entries(ways))('is asked to sign in again before %s', async ([, prepare]) => {
    const give = await prepare()
    await age(ada, 17)
    const [before, events] = [await listPowers(), await countEvents()]
    await expect(give()).rejects.toMatchObject({ status: 401, body: { code: 'reauthentication-required' } })
    expect(await listPowers()).toEqual(before)
    expect(await countEvents()).toEqual(events)
    await age(ada, 1)
    await give()
  })

  test('sees in a preview which roles an organisation takes and gives by its mappings', async () => {
    const { id: orgId } = await call(orgs.createOrg, { body: { name: `Org ${++serial}` } })
    const { mapped } = await addMappedUser(orgId)
    const change = (endpoint: Endpoint, preview: boolean) =>
      call(endpoint, { params: { orgId }, query: preview ? { preview } : {} })
    const effect = [{ role: mapped, people: 1, sample: [expect.anything()] }]
    await age(ada, 17)
    expect(await change(orgs.deleteOrg, true)).toMatchObject({ gains: [], loses: effect })
    await change(orgs.deleteOrg, false)
    await age(ada, 1)
    expect(await change(orgs.restoreOrg, true)).toMatchObject({ gains: effect, loses: [] })
  })

  test('changes what gives no role', async () => {
    const [groupId, userId, orgId] = [await addGroup({ roles: [] }), await addUser(), await addOrg({ owner: eve.id })]
    await age(ada, 17)
    await addToOrg(orgId, [userId], 'admin')
    await call(orgs.putOrgMember, { params: { orgId, userId }, query: {}, body: { role: 'member' } })
    expect(await addToOrg(orgId, [eve.id, userId], 'owner')).toMatchObject({ changed: [] })
    await call(groups.addGroupMembers, { params: { groupId }, query: {}, body: { members: [userId] } })
    await call(groups.addGroupOwners, { params: { groupId }, query: {}, body: { owners: [userId] } })
    await call(join.createJoinLink, { body: { kind: 'group', targetId: groupId } })
    await remove(userId)
    await call(users.restoreUser, { params: { userId }, query: {} })
    expect(await bulkChange('disable', [userId])).toMatchObject({ done: 1 })
    expect(await bulkChange('enable', [userId])).toMatchObject({ done: 1 })
  })

  test('creates no link that leads to a role which the group gets later', async () => {
    await age(ada, 17)
    const targetId = await addGroup({ roles: [] })
    const { url } = await call(join.createJoinLink, { body: { kind: 'group', targetId } })
    await age(ada, 1)
    await call(groups.putGroupRoles, { params: { groupId: targetId }, query: {}, body: { roles: [role] } })
    await expect(accept(dev, url)).rejects.toMatchObject({ status: 403 })
    await call(groups.putGroupRoles, { params: { groupId: targetId }, query: {}, body: { roles: [] } })
    expect(await accept(dev, url)).toMatchObject({ joined: true })
  })
})

test('an owner of an organisation who signed in 17 minutes ago is asked to sign in again before they make others owners', async () => {
  const orgId = await addOrg({ owner: eve.id, member: dev.id })
  const give = (userId: string) => [
    () => eve.call(orgs.putOwnOrgMember, { params: { orgId, userId: dev.id }, query: {}, body: { role: 'owner' } }),
    (query = {}) =>
      eve.call(orgs.addOwnOrgMembers, { params: { orgId }, query, body: { members: [userId], role: 'owner' } }),
  ]
  const userId = await addUser()
  const before = await listPowers()
  await age(eve, 17)
  const asked = { status: 401, body: { code: 'reauthentication-required' } }
  for (const call of give(userId)) await expect(call()).rejects.toMatchObject(asked)
  for (const call of give(userId)) await expect(call({ preview: true })).rejects.toMatchObject(asked)
  expect(await listPowers()).toEqual(before)
  await eve.call(orgs.addOwnOrgMembers, { params: { orgId }, query: {}, body: { members: [userId], role: 'admin' } })
  await age(eve, 1)
  for (const call of give(ada.id)) await call()
  expect((await listPowers()).length).toBe(before.length + 2)
})

async function countEvents(): Promise<number> {
  const [row] = await service.sql<[{ events: number }]>`
    select count(*)::integer as events from audit_events where action <> 'signin.failed'`
  return row.events
}

describe('every write by an administrator who signed in 17 minutes ago', () => {
  interface Schema {
    properties?: Record<string, Schema>
    required?: string[]
    enum?: unknown[]
    $ref?: string
  }
  const document = createOpenApiDocument({ title: 'Passport', version: 'v1' })
  const schemas = (document as unknown as { components: { schemas: Record<string, Schema> } }).components.schemas
  const resolve = (schema: Schema = {}): Schema =>
    schema.$ref ? (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema
  const givesRoles = ({ recent }: Endpoint) => typeof recent === 'object' && recent.ifGivesRoles === true
  /** Those that give roles by their effect come first: the others delete their targets. */
  const writes = [...endpoints]
    .filter(([, { method }]) => method !== 'GET')
    .sort(([, a], [, b]) => Number(givesRoles(b)) - Number(givesRoles(a)))

  /** Values that could give a role, by the names of the members of a body; a body is sent for each value of an enumeration. */
  function createBodies({ path, method }: Endpoint, values: Record<string, unknown>): object[] {
    const operation = document.paths[path]?.[method.toLowerCase()] as
      | { requestBody?: { content: Record<string, { schema: Schema }> } }
      | undefined
    const { properties = {} } = resolve(operation?.requestBody?.content['application/json']?.schema)
    const known = Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]) => {
        const choices = resolve(property).enum
        return name in values ? [[name, choices && !choices.includes(values[name]) ? choices[0] : values[name]]] : []
      }),
    )
    const actions = resolve(properties['action']).enum ?? [undefined]
    return actions.map((action) => ({ ...known, ...(action !== undefined && { action }) }))
  }

  async function startStaleSession(): Promise<Visitor> {
    const visitor = await service.as('ada')
    await age(visitor, 17)
    return visitor
  }

  test('gives nobody a role or an organisation, and asks for a recent sign-in where it would', async () => {
    const admin = 'Passport.Admin'
    const [deleted, disabled] = [await addUser([admin]), await addUser([admin])]
    await remove(deleted)
    await call(users.disableUser, { params: { userId: disabled }, query: {} })
    const group = await addGroup({ roles: [admin] })
    const deletedGroup = await addGroup({ roles: [admin], members: [eve.id] })
    await call(groups.deleteGroup, { params: { id: deletedGroup }, query: {} })
    const { id: org } = await call(orgs.createOrg, { body: { name: 'Restored' } })
    await addGroup({ roles: [admin], orgId: org, members: [eve.id] })
    await call(orgs.deleteOrg, { params: { orgId: org }, query: {} })
    const { id: tenantOrg } = await call(orgs.createOrg, { body: { name: 'Tenant' } })
    await addMappedUser(tenantOrg)
    const { undoToken } = await bulkChange('delete', [await addUser([admin])])
    const invited = await call(invitations.createInvitation, { body: { email: 'walk@example.com', roles: [admin] } })
    await accept(eve, await replaceToken(service.sql, invited.id))
    const [otherOrg, ownedOrg] = [await addOrg({ owner: dev.id }), await addOrg({ owner: dev.id, member: eve.id })]
    const formerOrg = await addOrg({ owner: eve.id })
    await call(orgs.deleteOrg, { params: { orgId: formerOrg }, query: {} })
    const values = {
      members: [eve.id],
      owners: [eve.id],
      users: [eve.id],
      ids: [deleted, disabled, eve.id],
      roles: [admin],
      role: admin,
      userId: eve.id,
      kind: 'group',
      targetId: group,
      orgId: ownedOrg,
      orgRole: 'owner',
      undoToken,
      email: 'step-up@example.com',
      emailVerified: true,
      displayname: 'Walk',
      username: null,
      name: 'Walk',
      description: '',
    }
    const targets = [
      deleted,
      disabled,
      eve.id,
      group,
      deletedGroup,
      org,
      otherOrg,
      formerOrg,
      tenantOrg,
      invited.id,
      admin,
    ]
    const before = new Set(await listPowers())
    const asked = new Set<string>()
    let stale = await startStaleSession()
    for (const [name, endpoint] of writes) {
      const possible = givesRoles(endpoint) ? targets : [disabled, deletedGroup]
      for (const target of endpoint.path.includes('{') ? possible : [''])
        for (const body of createBodies(endpoint, values)) {
          const path = endpoint.path
            .replace('{orgId}/members/{userId}', `${ownedOrg}/members/{userId}`)
            .replace(/\{\w+(\.\.\.)?\}/g, encodeURIComponent(target))
          const response = await stale.fetch(path, {
            method: endpoint.method,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          })
          const text = await response.text()
          if (text.includes('"reauthentication-required"')) asked.add(name)
          else if (response.status === 401) stale = await startStaleSession()
        }
      const gained = (await listPowers()).filter((power) => !before.has(power))
      expect(gained, name).toEqual([])
    }
    const expected = writes.filter(([, { recent }]) => recent === true || (recent && !recent.withinMinutes))
    expect(expected.flatMap(([name]) => (asked.has(name) ? [] : name))).toEqual([])
  })
})
