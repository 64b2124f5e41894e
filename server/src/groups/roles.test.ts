import { getCurrentUser } from '@passport/contract/current-user'
import * as api from '@passport/contract/groups'
import { createTestBrowser } from '@passport/world/browser'
import fc from 'fast-check'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { transaction } from '../database/sql.ts'
import * as roles from '../roles/store.ts'
import { demoPassword, startTestService, type TestService, type Visitor } from '../test-service.ts'
import * as store from './store.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

// Groups with roles: only callers who may grant a role can add members to its groups, and all reads agree on the roles.

const callback = 'https://shop.example/callback'
let service: TestService
let ada: Visitor
let max: Visitor
let dev: Visitor
let eve: Visitor

beforeAll(async () => {
  const clients = [{ clientId: 'shop', clientName: 'Shop', redirectUris: [callback] }]
  service = await startTestService({ CLIENTS: JSON.stringify(clients) })
  const visitors = await Promise.all((['ada', 'max', 'dev', 'eve'] as const).map((name) => service.as(name)))
  ;[ada, max, dev, eve] = visitors as [Visitor, Visitor, Visitor, Visitor]
})

afterEach(async () => {
  await service.sql`delete from group_roles`
})

let serial = 0
const create = (visitor: Visitor, fields: Record<string, unknown> = {}) =>
  visitor.call(api.createGroup, { body: { name: `Group ${++serial}`, ...fields } })
const setRoles = (id: string, names: string[], query = {}, visitor = ada) =>
  visitor.call(api.putGroupRoles, { params: { groupId: id }, query, body: { roles: names } })
const change = (visitor: Visitor, id: string, path: string, people: string[] | object) =>
  visitor.fetch(`/passport/groups/${id}/${path}`, {
    method: 'POST',
    body: JSON.stringify(people),
    headers: { 'content-type': 'application/json' },
  })

describe('a group with roles', () => {
  let group: api.Group
  beforeEach(async () => {
    group = await create(eve, { members: [dev.id], owners: [dev.id] })
    await setRoles(group.id, ['Passport.Developer', 'Passport.Admin', 'Passport.Developer'])
  })

  test('grants them to its members, and not to its owners', async () => {
    expect(await roles.listNames(service.sql, dev.id)).toEqual(['Passport.Admin', 'Passport.Developer'])
    expect(await roles.listNames(service.sql, eve.id)).toEqual([])
    expect(await ada.call(api.getGroup, { params: { id: group.id } })).toMatchObject({
      roles: ['Passport.Admin', 'Passport.Developer'],
      version: 2,
    })
  })

  test.for([
    ['members/add', 'eve'],
    ['members/add', 'max'],
    ['members/remove', 'dev'],
    ['owners/add', 'max'],
    ['owners/remove', 'dev'],
  ] as const)('rejects %s by an owner who may not grant its roles', async ([path, name]) => {
    const { id } = await service.as(name)
    for (const query of ['', '?preview=true']) {
      const response = await change(eve, group.id, path + query, [id])
      expect(await response.json()).toMatchObject({ status: 403, code: 'role-not-yours-to-give' })
    }
    await setRoles(group.id, [])
    expect((await change(eve, group.id, path, [id])).status).toBe(200)
  })

  test('cannot be updated, deleted, restored or get other roles by an owner who may not grant its roles', async () => {
    const rejected = { status: 403, body: { code: 'role-not-yours-to-give' } }
    const params = { id: group.id }
    await expect(eve.call(api.deleteGroup, { params, query: {} })).rejects.toMatchObject(rejected)
    await ada.call(api.deleteGroup, { params, query: {} })
    expect(await roles.listNames(service.sql, dev.id)).toEqual(['Passport.Developer'])
    await expect(eve.call(api.restoreGroup, { params, query: {}, body: {} })).rejects.toMatchObject(rejected)
    await ada.call(api.restoreGroup, { params, query: {}, body: {} })
    expect(await roles.listNames(service.sql, dev.id)).toEqual(['Passport.Admin', 'Passport.Developer'])
    await expect(setRoles(group.id, [], {}, eve)).rejects.toMatchObject({ status: 403, body: { code: 'role-missing' } })
    const renaming = { params: { groupId: group.id }, body: { name: `Group ${++serial}` } }
    await expect(eve.call(api.putGroup, renaming)).rejects.toMatchObject(rejected)
    await setRoles(group.id, [])
    expect(await eve.call(api.putGroup, renaming)).toMatchObject(renaming.body)
  })

  test('can be left by any member', async () => {
    expect((await change(dev, group.id, 'members/remove', [dev.id])).status).toBe(409)
    const left = await change(dev, group.id, 'members/remove?confirmSelfDemotion=true', [dev.id])
    expect(await left.json()).toMatchObject({ changed: [dev.id] })
    expect(await roles.listNames(service.sql, dev.id)).toEqual(['Passport.Developer'])
  })

  test('previews the effect of a change', async () => {
    const preview = async (path: string, people: string[]) =>
      (await change(ada, group.id, `${path}?preview=true`, people)).json()
    expect(await preview('members/add', [eve.id, dev.id])).toEqual({
      gains: ['Passport.Admin', 'Passport.Developer'].map((role) => ({
        role,
        people: 1,
        sample: [{ id: eve.id, name: 'Eve Moreau' }],
      })),
      loses: [],
    })
    expect(await preview('members/remove', [dev.id])).toEqual({
      gains: [],
      loses: [{ role: 'Passport.Admin', people: 1, sample: [{ id: dev.id, name: expect.any(String) }] }],
    })
    expect(await preview('owners/add', [eve.id])).toEqual({ gains: [], loses: [] })
    expect(await setRoles(group.id, ['Passport.Developer'], { preview: true })).toMatchObject({
      loses: [{ role: 'Passport.Admin', people: 1 }],
    })
    expect(
      await ada.call<typeof api.putGroupRoles>(
        api.deleteGroup as never,
        { params: { id: group.id }, query: { preview: true } } as never,
      ),
    ).toMatchObject({
      loses: [{ role: 'Passport.Admin' }],
    })
    expect(await ada.call(api.getGroup, { params: { id: group.id } })).toMatchObject({ version: 2, memberCount: 1 })
  })

  test('is not changed with a bearer token, even of an administrator', async () => {
    const authorization = `Bearer ${(await signInForTokens('ada')).access_token}`
    const asBearer = (path: string, body: unknown) =>
      fetch(`${service.url}/passport/groups/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { authorization, 'content-type': 'application/json' },
      })
    const adaGroup = await create(ada, { members: [dev.id] })
    await setRoles(adaGroup.id, ['Passport.Admin'])
    expect(await (await asBearer(`${adaGroup.id}/members/add`, [eve.id])).json()).toMatchObject({
      status: 403,
      code: 'role-not-yours-to-give',
    })
    const response = await fetch(`${service.url}/passport/admin/roles/Passport.Admin/members/add`, {
      method: 'POST',
      body: JSON.stringify({ members: [eve.id] }),
      headers: { authorization, 'content-type': 'application/json' },
    })
    expect(await response.json()).toMatchObject({ status: 403, code: 'bearer-not-accepted' })
    await setRoles(adaGroup.id, [])
    expect((await asBearer(`${adaGroup.id}/members/add`, [eve.id])).status).toBe(200)
  })

  test('rejects unknown roles', async () => {
    await expect(setRoles(group.id, ['Passport.Developer', 'No.Such'])).rejects.toMatchObject({
      status: 400,
      body: { code: 'unknown-roles', errors: [{ field: 'roles[1]' }] },
    })
  })

  test('gets a new version when its role is renamed', async () => {
    const { sql } = service
    await sql`insert into roles (name, description) values ('Old.Name', '')`
    await setRoles(group.id, ['Old.Name'])
    await sql`update roles set name = 'New.Name' where name = 'Old.Name'`
    expect(await ada.call(api.getGroup, { params: { id: group.id } })).toMatchObject({
      roles: ['New.Name'],
      version: 4,
    })
  })
})

test('the last administrators cannot lose a role that they have only through a group', async () => {
  const { sql } = service
  const group = await create(ada, { members: [ada.id, max.id] })
  await setRoles(group.id, ['Passport.Admin'])
  await sql`delete from role_members where role = 'Passport.Admin'`
  const code = async (response: Response | Promise<Response>) =>
    ((await (await response).json()) as { code: string }).code
  expect(await code(change(ada, group.id, 'members/remove', [ada.id, max.id]))).toBe('last-admin')
  expect(await code(change(ada, group.id, 'members/remove', [ada.id]))).toBe('self-demotion')
  await expect(setRoles(group.id, [])).rejects.toMatchObject({ status: 409, body: { code: 'last-admin' } })
  await expect(ada.call(api.deleteGroup, { params: { id: group.id }, query: {} })).rejects.toMatchObject({
    body: { code: 'last-admin' },
  })
  for (const { id } of [ada, max]) await roles.grant(sql, 'Passport.Admin', id)
  await ada.call(api.deleteGroup, { params: { id: group.id }, query: {} })
})

test('a member who joins while the group gets a role has it only by an authorized grant', async () => {
  for (let round = 0; round < 10; round++) {
    const { id } = await create(eve)
    const [joined] = await Promise.all([change(eve, id, 'members/add', [dev.id]), setRoles(id, ['Passport.Admin'])])
    expect([200, 403]).toContain(joined.status)
    const isIn = (await roles.listNames(service.sql, dev.id)).includes('Passport.Admin')
    expect(isIn).toBe(joined.status === 200)
    // A member who joined first was in the group when the role was granted, and was counted.
    const group = await ada.call(api.getGroup, { params: { id } })
    expect(group.memberCount).toBe(isIn ? 1 : 0)
    await setRoles(id, [])
  }
})

/** A group may have been deleted before it got roles. */
function ignoreNotFound(error: { status?: number }) {
  if (error.status !== 404) throw error
}

/** Signs a user in to an application and returns their tokens, with a refresh token. */
async function signInForTokens(name: string) {
  const browser = createTestBrowser(service.url)
  await browser.submit(await browser.open('/login'), { name, password: demoPassword })
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const shop = await discoverShop()
  let url = client.buildAuthorizationUrl(shop, {
    redirect_uri: callback,
    scope: 'openid api_vertex_core',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  }).href
  while (url.startsWith(service.url)) {
    const response = await browser.send(url)
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${response.status} at ${url}`)
    url = new URL(location, url).href
  }
  return client.authorizationCodeGrant(shop, new URL(url), { pkceCodeVerifier })
}
const discoverShop = () =>
  client.discovery(new URL(service.url), 'shop', {}, client.None(), { execute: [client.allowInsecureRequests] })

type Operation =
  | {
      kind: 'members/add' | 'members/remove' | 'owners/add' | 'owners/remove'
      by: number
      group: number
      target: number
    }
  | { kind: 'roles'; group: number; roles: string[] }
  | { kind: 'delete' | 'restore'; by: number; group: number }
  | { kind: 'grant' | 'revoke' | 'leaveAndReturn'; target: number; role: string }

const role = fc.constantFrom('Passport.Admin', 'Passport.Developer', 'Stage.Editor')
const [by, target, group] = [fc.nat(2), fc.nat(2), fc.nat(1)]
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('members/add', 'members/remove', 'owners/add', 'owners/remove'),
      by,
      group,
      target,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('roles' as const), group, roles: fc.uniqueArray(role) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('delete', 'restore'), by, group }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('grant', 'revoke', 'leaveAndReturn'), target, role }) },
)

test('after random changes, all reads agree on the roles, and only administrators have granted them', async () => {
  const { sql } = service
  await sql`insert into roles (name, description) values ('Stage.Editor', '') on conflict do nothing`
  const shop = await discoverShop()
  // max is always an administrator; dev and eve own groups, and get roles at random.
  const people = [max, dev, eve]
  const refresh = new Map<string, string>()
  for (const name of ['max', 'dev', 'eve'])
    refresh.set((await service.as(name as 'max')).id, (await signInForTokens(name)).refresh_token ?? '')

  const readEffectiveRoles = async () =>
    new Map(await Promise.all(people.map(async ({ id }) => [id, await roles.listNames(sql, id)] as const)))

  async function refreshRoles(id: string): Promise<{ roles: unknown; access: string }> {
    const tokens = await client.refreshTokenGrant(shop, refresh.get(id) ?? '')
    refresh.set(id, tokens.refresh_token ?? '')
    return { roles: decodeJwt(tokens.access_token)['roles'], access: tokens.access_token }
  }

  async function expectSameEverywhere() {
    const expected = await readEffectiveRoles()
    for (const person of people) {
      const names = expected.get(person.id)
      expect((await person.call(getCurrentUser, {})).roles).toEqual(names)
      const { roles: inToken, access } = await refreshRoles(person.id)
      expect(inToken).toEqual(names)
      const asBearer = await fetch(`${service.url}/passport/apphelper/user`, {
        headers: { authorization: `Bearer ${access}` },
      })
      expect(((await asBearer.json()) as { roles: string[] }).roles).toEqual(names)
      const guards = {
        'Passport.Admin': '/passport/admin/audit',
        'Passport.Developer': '/passport/developer/tokens/client',
      }
      for (const [name, path] of Object.entries(guards))
        expect((await person.fetch(path)).status !== 403, `${path} ${names}`).toBe(names?.includes(name))
      const sources = await sql`select distinct role from role_sources where user_id = ${person.id} order by role`
      expect(sources.map((row) => row['role'])).toEqual(names)
    }
  }

  async function run(operation: Operation, groups: string[]) {
    const id = 'group' in operation ? (groups[operation.group] ?? '') : ''
    const [actor, person] = [
      'by' in operation ? people[operation.by] : undefined,
      'target' in operation ? people[operation.target] : undefined,
    ]
    if (operation.kind === 'roles')
      await setRoles(id, operation.roles, { confirmSelfDemotion: true }).catch(ignoreNotFound)
    else if (operation.kind === 'delete')
      await actor?.fetch(`/passport/groups/${id}?confirmSelfDemotion=true`, { method: 'DELETE' })
    else if (operation.kind === 'restore') actor && (await change(actor, id, 'restore?confirmSelfDemotion=true', {}))
    else if (operation.kind === 'leaveAndReturn')
      await transaction(sql, async (sql) =>
        store.restoreToGroups(sql, person?.id ?? '', await store.removeFromGroups(sql, person?.id ?? '')),
      )
    else if (operation.kind === 'grant' && person) await roles.grant(sql, operation.role, person.id)
    else if (operation.kind === 'revoke' && person && person !== max) await roles.revoke(sql, operation.role, person.id)
    else if ('group' in operation && 'target' in operation && actor && person)
      await change(actor, id, `${operation.kind}?confirmSelfDemotion=true`, [person.id])
  }

  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 14 }), async (history) => {
      const groups = [(await create(eve, { members: [dev.id] })).id, (await create(dev, { owners: [eve.id] })).id]
      for (const operation of history) {
        const before = await readEffectiveRoles()
        await run(operation, groups)
        const actor = 'by' in operation ? people[operation.by] : undefined
        if (!actor || before.get(actor.id)?.includes('Passport.Admin')) continue
        for (const [id, names] of await readEffectiveRoles()) {
          const had = before.get(id) ?? []
          expect(
            names.filter((name) => !had.includes(name)),
            'gained',
          ).toEqual([])
          if (id !== actor.id)
            expect(
              had.filter((name) => !names.includes(name)),
              'lost',
            ).toEqual([])
        }
      }
      await expectSameEverywhere()
      for (const id of groups) await sql`delete from group_roles where group_id = ${id}`
      await sql`delete from role_members where user_id in (${eve.id}, ${dev.id})`
    }),
    { numRuns: numRuns / 10, seed: 20261121 },
  )
}, 120_000)
