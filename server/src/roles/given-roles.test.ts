import { guidOf } from '@passport/world/entra/tenants'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createTenant, type EntraService, startEntraService } from '../entra/test-entra.ts'
import { createTestClient, newUser, patch, type TestClient } from '../scim/test-client.ts'
import { issueClientToken } from '../test-bearer.ts'
import type { Visitor } from '../test-service.ts'

// No sequence of changes by several actors gives anybody a role that the actor of the last change may not give.

const { numRuns = 100, seed = 20261129 } = fc.readConfigureGlobal()

const builtIn = 'Passport.Admin'
const custom = 'Stage.Editor'
const userNames = ['u0@company-1.example', 'u1@company-1.example']
const clientSecret = 'the secret of the administering client'

let entra: EntraService
let scim: TestClient
let fresh: Visitor
let stale: Visitor
let owner: Visitor
let eve: Visitor
let clientToken: string
let userIds: string[]
/** A group with a built-in role, one with a custom role, one without, and one that the SCIM clients manage. */
let groupIds: string[]
/** The last links by which users join, with the roles that they may give, and the last token that undoes a bulk change. */
const links: { id: string; mayGive: (role: string) => boolean }[] = []
let undoToken = ''
let invitationId = ''
let serial = 0

beforeAll(async () => {
  const clients = [{ clientId: 'admin', clientName: 'Admin', clientSecret, scopes: ['passport.admin'] }]
  entra = await startEntraService({ tenants: [createTenant(1)], env: { CLIENTS: JSON.stringify(clients) } })
  const { service } = entra
  const { sql } = service
  scim = await createTestClient(entra, 'company-1.example')
  fresh = entra.ada
  stale = await service.as('max')
  owner = await service.as('dev')
  eve = await service.as('eve')
  await sql`update sessions set auth_time = now() - interval '17 minutes' where user_id = ${stale.id}`
  await sql`insert into roles (name, description) values (${custom}, '')`
  const provisioned = await Promise.all(userNames.map((name) => scim.send('POST', 'Users', newUser(name))))
  const { externalId: _, ...withoutLogin } = newUser('u3@company-1.example')
  const prepared = await scim.send('POST', 'Users', withoutLogin)
  userIds = [...provisioned.map(({ body }) => body.id), eve.id, prepared.body.id]
  const managed = await scim.send('POST', 'Groups', { displayName: 'Managed', externalId: guidOf('managed') })
  groupIds = [
    await addGroup('Built in', builtIn),
    await addGroup('Custom', custom),
    await addGroup('Plain'),
    managed.body.id,
  ]
  await give(fresh, 'PUT', `/passport/groups/${managed.body.id}/roles`, { roles: [custom] })
  clientToken = await issueClientToken(service.url, { clientId: 'admin', clientSecret, scope: 'passport.admin' })
})

async function addGroup(name: string, role?: string): Promise<string> {
  const response = await give(fresh, 'POST', '/passport/groups', { name, description: '', owners: [owner.id] })
  const { id } = (await response.json()) as { id: string }
  if (role) await give(fresh, 'PUT', `/passport/groups/${id}/roles`, { roles: [role] })
  return id
}

const give = ({ fetch }: Pick<Visitor, 'fetch'>, method: string, path: string, body?: object) =>
  fetch(path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })

/** Who changes something, and which roles they may give. */
const actors = {
  'an administrator': { fetch: (path: string, init = {}) => fresh.fetch(path, init), mayGive: () => true },
  'an administrator with an old sign-in': {
    fetch: (path: string, init = {}) => stale.fetch(path, init),
    mayGive: () => false,
  },
  'an owner of the groups': { fetch: (path: string, init = {}) => owner.fetch(path, init), mayGive: () => false },
  'an application': {
    fetch: (path: string, init: RequestInit = {}) =>
      fetch(entra.service.url + path, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${clientToken}` },
      }),
    mayGive: (role: string) => !role.startsWith('Passport.'),
  },
}
type ActorName = keyof typeof actors

/** Runs one change; returns which roles its actor may give. */
type Operation = () => Promise<(role: string) => boolean>

const user = fc.nat({ max: 3 })
const group = fc.nat({ max: 3 })
const actor = fc.constantFrom<ActorName>('an administrator', ...(Object.keys(actors) as ActorName[]))
const users = '/passport/admin/users'

const byActor = (choose: (indexes: [number, number]) => [method: string, path: string, body?: object]) =>
  fc.tuple(actor, user, group).map(([name, ...indexes]): [string, Operation] => {
    const run = async () => {
      const [method, path, body] = choose(indexes)
      const response = await give(actors[name], method, path, body)
      const text = await response.text()
      const result = text.startsWith('{') ? JSON.parse(text) : {}
      if (result.undoToken) undoToken = result.undoToken
      const link = result.url ?? result.link
      if (link) links.unshift({ id: link.split('/').at(-1), mayGive: actors[name].mayGive })
      if (result.link) invitationId = result.id
      return actors[name].mayGive
    }
    return [`${name}: ${choose.toString()} ${indexes}`, run]
  })
const byScim = (
  mayGive: (role: string) => boolean,
  choose: (indexes: [number, number]) => [method: string, path: string, body?: object],
) =>
  fc.tuple(user, group).map((indexes): [string, Operation] => {
    const run = async () => {
      await scim.send(...choose(indexes))
      return mayGive
    }
    return [`a SCIM client: ${choose.toString()} ${indexes}`, run]
  })
/** Only a user who is no actor joins: a joined administrator may give roles. */
const joining = fc.nat({ max: 2 }).map((index): [string, Operation] => {
  const run = async () => {
    const link = links[index]
    if (!link) return () => false
    await give(eve, 'POST', `/join/${link.id}/accept`)
    return link.mayGive
  }
  return [`a join by link ${index}`, run]
})

/** Changes that take roles away, so that others can give them back. */
const taking = fc.oneof(
  byActor(([u]) => ['DELETE', `${users}/${userIds[u]}`]),
  byActor(([u]) => ['POST', `${users}/${userIds[u]}/actions/disable`]),
  byActor(([u, g]) => ['POST', `/passport/groups/${groupIds[g]}/members/remove`, { members: [userIds[u]] }]),
  byActor(([, g]) => ['DELETE', `/passport/groups/${groupIds[g]}`]),
  byScim(
    () => false,
    ([u]) => ['DELETE', `Users/${userIds[u]}`],
  ),
  byScim(
    () => false,
    () => ['DELETE', `Groups/${groupIds[3]}`],
  ),
)

const giving = fc.oneof(
  byActor(([u]) => ['POST', `${users}/${userIds[u]}/restore`, {}]),
  byActor(([u]) => ['POST', `${users}/${userIds[u]}/actions/enable`]),
  byActor(([u, g]) => ['PUT', `${users}/${userIds[u]}/roles`, { roles: [[], [custom], [builtIn], [custom]][g] }]),
  byActor(([u, g]) => ['POST', `/passport/groups/${groupIds[g]}/members/add`, { members: [userIds[u]] }]),
  byActor(([u, g]) => ['POST', `/passport/groups/${groupIds[g]}/owners/add`, { owners: [userIds[u]] }]),
  byActor(([, g]) => ['POST', `/passport/groups/${groupIds[g]}/restore`, {}]),
  byActor(([u, g]) => [
    'PUT',
    `/passport/groups/${groupIds[g]}/roles`,
    { roles: [[custom], [custom], [builtIn], [custom]][u] },
  ]),
  byActor(([u, g]) => [
    'PUT',
    `${users}/${userIds[u]}`,
    { displayname: 'Person', username: null, email: `address-${g}-${u}@company.example`, emailVerified: g > 1 },
  ]),
  byActor(([, g]) => ['POST', '/passport/joinlinks', { kind: 'group', targetId: groupIds[g] }]),
  byActor(([u, g]) => [
    'POST',
    `${users}/bulk`,
    { action: ['disable', 'enable', 'delete', 'restore'][g], ids: [userIds[u], userIds[0]] },
  ]),
  byActor(() => ['POST', `${users}/bulk/undo`, { undoToken }]),
  byActor(([, g]) => [
    'POST',
    `${users}/invitations`,
    // An address that nobody has waits for the confirmation of an administrator.
    {
      email: g > 1 ? 'eve@company.example' : `invited-${++serial}@company.example`,
      roles: [[custom], [builtIn], [custom], [builtIn]][g],
    },
  ]),
  byActor(() => ['POST', `${users}/invitations/${invitationId}/resend`]),
  byActor(() => ['POST', `${users}/invitations/${invitationId}/confirm`, { userId: userIds[2] }]),
  { weight: 3, arbitrary: joining },
  byScim(
    () => false,
    ([u]) => ['POST', 'Users', newUser(userNames[u % 2] ?? '')],
  ),
  // Enabling gives back what the groups of the clients give.
  byScim(
    (role) => role === custom,
    ([u, g]) => ['PATCH', `Users/${userIds[u]}`, patch({ op: 'replace', path: 'active', value: g > 1 })],
  ),
  byScim(
    () => false,
    ([u]) => ['PATCH', `Users/${userIds[u]}`, patch({ op: 'add', path: 'externalId', value: guidOf(`login ${u}`) })],
  ),
  byScim(
    () => false,
    ([u, g]) => [
      'PATCH',
      `Users/${userIds[u]}`,
      patch({ op: 'replace', path: 'emails[type eq "work"].value', value: `scim-${g}@company-1.example` }),
    ],
  ),
  byScim(
    (role) => role === custom,
    ([u]) => ['PATCH', `Groups/${groupIds[3]}`, patch({ op: 'add', path: 'members', value: [{ value: userIds[u] }] })],
  ),
  byScim(
    () => false,
    ([u]) => [
      'POST',
      'Groups',
      { displayName: 'Managed', externalId: guidOf('managed'), members: [{ value: userIds[u] }] },
    ],
  ),
)

const operations = fc.oneof(taking, { weight: 4, arbitrary: giving })

/** Brings back users and groups that the sequence before deleted, with the first roles of the groups. */
async function reset() {
  const { sql } = entra.service
  await sql`update users set deleted_at = null, left_behind = null, disabled_at = null where id = any(${userIds})`
  await sql`update groups set deleted_at = null where id = any(${groupIds})`
  await sql`delete from group_roles`
  await sql`delete from group_members`
  await sql`delete from role_members where user_id = any(${userIds})`
  const withRoles = [groupIds[0], groupIds[1], groupIds[3]] as string[]
  await sql`
    insert into group_roles (group_id, role)
    select * from unnest(${withRoles}::text[], ${[builtIn, custom, custom]}::text[])`
  await sql`delete from invitations`
  await sql`update users set email = 'eve@company.example', email_verified = true where id = ${userIds[2] ?? ''}`
  links.length = 0
}

/** Lists what enabled users may do by roles, their logins, and the addresses that lead to accounts without a login. */
const listPowers = () => entra.service.sql<{ holder: string; role: string; isOwner: boolean }[]>`
  select user_id as holder, role, is_owner from role_powers where is_active
  union
  select l.issuer || ' ' || l.subject, p.role, p.is_owner from role_powers p join logins l on l.user_id = p.user_id
  where p.is_active
  union
  select lower(u.email), p.role, p.is_owner from role_powers p join users u on u.id = p.user_id
  where p.is_active and not exists (select from logins l where l.user_id = u.id)`

test('a sequence of changes gives no role that the actor of a change may not give', async () => {
  let given = 0
  await fc.assert(
    fc.asyncProperty(fc.array(operations, { minLength: 10, maxLength: 24 }), async (sequence) => {
      await reset()
      let before = await listPowers()
      for (const [description, run] of sequence) {
        const mayGive = await run()
        const after = await listPowers()
        const known = new Set(before.map((power) => JSON.stringify(power)))
        const gained = after.filter((power) => !known.has(JSON.stringify(power)))
        expect(
          gained.filter(({ role }) => !mayGive(role)),
          description,
        ).toEqual([])
        given += gained.length
        before = after
      }
    }),
    { numRuns: Math.ceil(numRuns / 8), seed, endOnFailure: true },
  )
  expect(given).toBeGreaterThan(5)
}, 180_000)
