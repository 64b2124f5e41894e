import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import * as roles from '../roles/store.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import type { EmbeddedEngine } from './engine.ts'
import { keyOf, toRelationship } from './rows.ts'
import * as store from './store.ts'
import { openLoadedEngine, openPool } from './test-engines.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

let service: TestService
let ada: Visitor
let localEngine: EmbeddedEngine
let otherEngine: EmbeddedEngine

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  localEngine = await openLoadedEngine(service.sql)
  otherEngine = await openLoadedEngine(await openPool(service.sql))
})

const roleNames = ['Passport.Admin', 'Passport.Developer', 'Shop.Buyer.Lead', 'Shop.Seller']

interface Directory {
  users: string[]
  groups: string[]
  orgs: string[]
  undoTokens: string[]
}

async function send(path: string, body?: unknown, method = 'POST'): Promise<Record<string, unknown>> {
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await ada.fetch(path, { method, ...init })
  // Rejected changes, such as the removal of the last owner, are expected.
  expect(response.status, `${method} ${path}`).toBeLessThan(500)
  const text = await response.text()
  return response.ok && text ? JSON.parse(text) : {}
}

let serial = 0

async function createDirectory(): Promise<Directory> {
  const id = async (path: string, body: object) => (await send(path, body))['id'] as string
  const directory: Directory = { users: [], groups: [], orgs: [], undoTokens: [] }
  for (let index = 0; index < 3; index++) {
    serial++
    directory.users.push(await id('/passport/admin/users', { displayname: `P ${serial}`, username: `user${serial}` }))
    directory.orgs.push(await id('/passport/admin/orgs', { name: `Org ${serial}` }))
    const orgId = index === 0 ? directory.orgs[0] : null
    directory.groups.push(await id('/passport/groups', { name: `Group ${serial}`, orgId }))
  }
  return directory
}

const index = fc.nat({ max: 2 })
const indexes = fc.uniqueArray(index, { minLength: 1, maxLength: 3 })
const step = fc.record({
  kind: fc.constantFrom(
    'join group',
    'leave group',
    'own group',
    'disown group',
    'group roles',
    'delete group',
    'restore group',
    'give role',
    'take role',
    'set roles',
    'delete user',
    'restore user',
    'disable user',
    'enable user',
    'join org',
    'leave org',
    'org role',
    'delete org',
    'restore org',
    'bulk role',
    'bulk delete',
    'undo',
    'drop role',
  ),
  which: index,
  users: indexes,
  roles: fc.subarray(roleNames),
  orgRole: fc.constantFrom('owner', 'admin', 'member'),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function applyStep({ users, groups, orgs, undoTokens }: Directory, step: Step) {
  const { which } = step
  const [userId, group, org] = [
    users[which],
    `/passport/groups/${groups[which]}`,
    `/passport/admin/orgs/${orgs[which]}`,
  ]
  const userPath = `/passport/admin/users/${userId}`
  const members = step.users.map((index) => users[index])
  const [role = 'Shop.Seller'] = step.roles
  const bulk = async (change: object) => {
    const { undoToken } = await send('/passport/admin/users/bulk', { ids: members, ...change })
    if (typeof undoToken === 'string') undoTokens.push(undoToken)
  }
  const steps: Record<string, () => Promise<unknown>> = {
    'join group': () => send(`${group}/members/add`, { members }),
    'leave group': () => send(`${group}/members/remove`, { members: [userId] }),
    'own group': () => send(`${group}/owners/add`, { owners: members }),
    'disown group': () => send(`${group}/owners/remove`, { owners: [userId] }),
    'group roles': () => send(`${group}/roles`, { roles: step.roles }, 'PUT'),
    'delete group': () => send(group, undefined, 'DELETE'),
    'restore group': () => send(`${group}/restore`, {}),
    'give role': () => send(`/passport/admin/roles/${role}/members/add`, { members }),
    'take role': () => send(`/passport/admin/roles/${role}/members/remove`, { members }),
    'set roles': () => send(`${userPath}/roles`, { roles: step.roles }, 'PUT'),
    'delete user': () => send(userPath, undefined, 'DELETE'),
    'restore user': () => send(`${userPath}/restore`, {}),
    'disable user': () => send(`${userPath}/actions/disable`),
    'enable user': () => send(`${userPath}/actions/enable`),
    'join org': () => send(`${org}/members/add`, { members, role: step.orgRole }),
    'leave org': () => send(`${org}/members/remove`, { members: [userId] }),
    'org role': () => send(`${org}/members/${userId}`, { role: step.orgRole }, 'PUT'),
    'delete org': () => send(org, undefined, 'DELETE'),
    'restore org': () => send(`${org}/restore`, {}),
    'bulk role': () => bulk({ action: which === 0 ? 'removeRole' : 'addRole', role }),
    'bulk delete': () => bulk({ action: 'delete' }),
    undo: async () => send('/passport/admin/users/bulk/undo', { undoToken: undoTokens.pop() ?? 'none' }),
    'drop role': () =>
      role.startsWith('Shop') ? send(`/passport/admin/roles/${role}`, undefined, 'DELETE') : Promise.resolve(),
  }
  await steps[step.kind]?.()
}

async function compareRoles({ users }: Directory) {
  const requests = users.flatMap((id) =>
    roleNames.map((role) => ({
      resource: { type: 'passport/role', id: role.replaceAll('.', '/') },
      permission: 'member',
      subject: { type: 'passport/user', id },
    })),
  )
  const storedRoles = await Promise.all(users.map((id) => roles.listNames(service.sql, id)))
  const expected = storedRoles.flatMap((names) => roleNames.map((role) => names.includes(role)))
  for (const engine of [localEngine, otherEngine]) {
    const { results } = await engine.checkBulk(requests, { consistency: { kind: 'fullyConsistent' } })
    expect(
      results.map((response) => 'permissionship' in response && response.permissionship === 'hasPermission'),
    ).toEqual(expected)
  }
  return expected.filter(Boolean).length
}

/** Compares all directory relationships, beyond roles. */
async function compareAll() {
  const stored = (await store.readMatching(service.sql, {}, { limit: 1e6 })).map((row) =>
    keyOf(toRelationship(row, {})),
  )
  const { readAt } = await otherEngine.readRelationships({}, { limit: 1 }, { consistency: { kind: 'fullyConsistent' } })
  const inMemory: string[] = []
  let cursor: string | undefined
  do {
    const consistency = { kind: 'atLeastAsFresh' as const, token: readAt }
    const page = await otherEngine.readRelationships({}, { limit: 1000, ...(cursor && { cursor }) }, { consistency })
    inMemory.push(...page.items.map(keyOf))
    cursor = page.cursor
  } while (cursor)
  expect(inMemory.sort()).toEqual(stored.sort())
}

test('roles in the engine match the role checks after each random change of the directory', {
  timeout: 180_000,
}, async () => {
  let grantedCount = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 30 }), async (steps) => {
      for (const name of roleNames) await send('/passport/admin/roles', { name, description: 'Of a walk' })
      const directory = await createDirectory()
      for (const step of steps) {
        await applyStep(directory, step)
        grantedCount += await compareRoles(directory)
      }
      await compareAll()
    }),
    { numRuns: numRuns / 20, endOnFailure: true },
  )
  // Otherwise the test only compared empty sets.
  expect(grantedCount).toBeGreaterThan(0)
})

test('records the actor of a directory change in the history', async () => {
  const [group] = (await createDirectory()).groups
  const [userId] = (await createDirectory()).users
  await send(`/passport/groups/${group}/members/add`, { members: [userId] })
  await send(`/passport/groups/${group}`, undefined, 'DELETE')
  const { items } = await localEngine.history({ resourceId: group ?? '', subjectId: userId ?? '' }, { limit: 5 })
  expect(items.map(({ operation, by }) => [operation, by])).toEqual([
    ['removed', { kind: 'user', id: ada.id }],
    ['added', { kind: 'user', id: ada.id }],
  ])
})

test('removes erased users and groups from the engine', async () => {
  const { users, groups } = await createDirectory()
  await send(`/passport/groups/${groups[0]}/members/add`, { members: users })
  await service.sql`delete from users where id = ${users[0] ?? ''}`
  await service.sql`delete from groups where id = ${groups[1] ?? ''}`
  await compareAll()
})
