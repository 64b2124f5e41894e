import * as api from '@passport/contract/permissions'
import { parseRelationship } from '@passport/permissions'
import { beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { purgeTrash } from '../trash/purge.ts'

/*
 * Application relationships of users, groups, organisations and roles are kept in the trash, and removed on permanent
 * deletion.
 */

const schema = `use expiration

definition letter {
  relation reader: passport/user | passport/user:* | passport/group#member | passport/org#member | passport/role#member | passport/user with expiration
  permission read = reader
}

definition desk {
  relation user: passport/user
}`

let service: TestService
let ada: Visitor
beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  await ada.call(api.putPermissionSchema, { body: { text: schema } })
})

const write = (...lines: string[]) =>
  ada.call(api.importPermissions, {
    query: {},
    body: `relationships: |-\n${lines.map((line) => `  ${line}\n`).join('')}`,
  })
const readSubjects = async (resourceId: string) => {
  const { items } = await ada.call(api.listRelationships, { query: { resourceId, consistency: 'fullyConsistent' } })
  return items.map(({ subject }) => `${subject.type}:${subject.id}`)
}
async function canRead(line: string) {
  const { resource, relation: permission, subject } = parseRelationship(line)
  const consistency = { kind: 'fullyConsistent' as const }
  const result = await ada.call(api.checkPermission, { body: { resource, permission, subject, consistency } })
  return result.permissionship === 'hasPermission'
}
const send = async (method: string, path: string) => {
  const { ok, status } = await ada.fetch(path, { method })
  expect([path, ok, status]).toEqual([path, true, status])
}
async function createUser(id: string) {
  await service.sql`insert into users (id, display_name) values (${id}, ${id})`
  return id
}
const readEvent = async () => {
  const [event] = await service.sql<{ action: string; before: Record<string, unknown> }[]>`
    select action, before from audit_events where action in ('trash.purged', 'role.deleted') order by at desc, id desc limit 1`
  return event
}

test('the relationships of users and groups in the trash are kept, and restored with them', async () => {
  const id = await createUser('zoe')
  await service.sql`insert into groups (id, name) values ('crew', 'Crew')`
  await service.sql`insert into group_members (group_id, user_id) values ('crew', ${id})`
  await write(`letter:kept#reader@passport/user:${id}`, 'letter:shared#reader@passport/group:crew#member')
  expect(await canRead(`letter:shared#read@passport/user:${id}`)).toBe(true)

  await send('DELETE', `/passport/admin/users/${id}`)
  await send('DELETE', '/passport/groups/crew')
  expect([await readSubjects('kept'), await readSubjects('shared')]).toEqual([
    [`passport/user:${id}`],
    ['passport/group:crew'],
  ])
  // A group in the trash has no members.
  expect(await canRead(`letter:shared#read@passport/user:${id}`)).toBe(false)

  await send('POST', `/passport/admin/users/${id}/restore`)
  await send('POST', '/passport/groups/crew/restore')
  for (const letter of ['kept', 'shared']) expect(await canRead(`letter:${letter}#read@passport/user:${id}`)).toBe(true)
})

test("a purged user's relationships are removed and audited in the same transaction", async () => {
  const id = await createUser('gone')
  await write(
    `letter:last#reader@passport/user:${id}`,
    `letter:soon#reader@passport/user:${id}[expiration:2099-01-01T00:00:00Z]`,
    `desk:one#user@passport/user:${id}`,
    'letter:last#reader@passport/user:another',
    'letter:last#reader@passport/user:*',
  )
  await service.sql`update users set deleted_at = now() - interval '31 days' where id = ${id}`
  await purgeTrash(service.sql)
  expect(await readSubjects('last')).toEqual(['passport/user:*', 'passport/user:another'])
  expect([await readSubjects('soon'), await readSubjects('one')]).toEqual([[], []])
  expect(await readEvent()).toEqual({
    action: 'trash.purged',
    before: {
      ids: [id],
      relationships: [
        `desk:one#user@passport/user:${id}`,
        `letter:last#reader@passport/user:${id}`,
        `letter:soon#reader@passport/user:${id}[expiration:2099-01-01T00:00:00Z]`,
      ],
      removed: 3,
    },
  })
  const { items } = await ada.call(api.listRelationshipHistory, { query: { subjectId: id } })
  const removed = items.filter(({ operation }) => operation === 'removed')
  expect(removed).toHaveLength(3)
  expect(new Set(removed.map(({ token }) => token)).size).toBe(1)
})

test('the relationships of purged groups and organisations are removed', async () => {
  const { sql } = service
  await sql`insert into groups (id, name, deleted_at) values ('g', 'G', now() - interval '31 days')`
  await sql`insert into orgs (id, name, slug, deleted_at) values ('o', 'O', 'o', now() - interval '31 days')`
  await write('letter:theirs#reader@passport/group:g#member', 'letter:theirs#reader@passport/org:o#member')
  await write('letter:theirs#reader@passport/user:g')
  await purgeTrash(sql)
  expect(await readSubjects('theirs')).toEqual(['passport/user:g'])
})

test('a recreated role does not inherit the relationships of the deleted one', async () => {
  const role = { name: 'Shop.Clerk', description: 'Sells' }
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(role) }
  expect((await ada.fetch('/passport/admin/roles', json)).status).toBe(201)
  await write(
    'letter:counter#reader@passport/role:Shop/Clerk#member',
    'letter:counter#reader@passport/role:Shop/Other#member',
  )
  await send('DELETE', '/passport/admin/roles/Shop.Clerk')
  expect((await readEvent())?.before).toMatchObject({
    relationships: ['letter:counter#reader@passport/role:Shop/Clerk#member'],
    removed: 1,
  })
  expect((await ada.fetch('/passport/admin/roles', json)).status).toBe(201)
  expect(await readSubjects('counter')).toEqual(['passport/role:Shop/Other'])
})
