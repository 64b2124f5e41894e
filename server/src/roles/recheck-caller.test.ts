import { createGroup, putGroup } from '@passport/contract/groups'
import { createJoinLink, revokeJoinLink } from '@passport/contract/join'
import { addOrgMembers, addOwnOrgMembers, createOrg, putOrg } from '@passport/contract/orgs'
import { putProfile } from '@passport/contract/profile'
import { updateUser } from '@passport/contract/users'
import { beforeAll, expect, test } from 'vitest'
import type { Sql } from '../database/sql.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

// A caller who is disabled while waiting for a lock cannot complete the change.

let service: TestService
let ada: Visitor
let max: Visitor
let eve: Visitor
let ids: Record<'org' | 'group' | 'link', string>

beforeAll(async () => {
  service = await startTestService()
  ;[ada, max, eve] = await Promise.all([service.as('ada'), service.as('max'), service.as('eve')])
  const org = await ada.call(createOrg, { body: { name: 'Company', slug: 'company' } })
  const owners = { members: [eve.id], role: 'owner' as const }
  await ada.call(addOrgMembers, { params: { orgId: org.id }, query: {}, body: owners })
  const group = await ada.call(createGroup, { body: { name: 'Crew', owners: [eve.id] } })
  const link = await ada.call(createJoinLink, { body: { kind: 'org', targetId: org.id } })
  ids = { org: org.id, group: group.id, link: link.id }
})

const orgRow = (sql: Sql) => sql`select from orgs where id = ${ids.org} for update`
const groupRow = (sql: Sql) => sql`select from groups where id = ${ids.group} for update`
const userRow = (sql: Sql) => sql`select from users where id = ${eve.id} for update`
const linkRow = (sql: Sql) => sql`select from join_links where id = ${ids.link} for update`

const mine = { displayname: 'Mine', username: 'mine', email: null, emailVerified: false }

const cases: [string, (sql: Sql) => Promise<unknown>, (visitor: Visitor) => Promise<unknown>, () => Visitor][] = [
  [
    'an owner renames a group',
    groupRow,
    (visitor) => visitor.call(putGroup, { params: { groupId: ids.group }, body: { name: 'Mine' } }),
    () => eve,
  ],
  [
    'an administrator renames a group',
    groupRow,
    (visitor) => visitor.call(putGroup, { params: { groupId: ids.group }, body: { name: 'Mine' } }),
    () => max,
  ],
  [
    'an owner adds a member to an organisation',
    orgRow,
    (visitor) =>
      visitor.call(addOwnOrgMembers, {
        params: { orgId: ids.org },
        query: {},
        body: { members: [ada.id], role: 'member' },
      }),
    () => eve,
  ],
  [
    'an administrator renames an organisation',
    orgRow,
    (visitor) => visitor.call(putOrg, { params: { orgId: ids.org }, body: { name: 'Mine', slug: 'company' } }),
    () => max,
  ],
  [
    'an owner revokes a join link',
    linkRow,
    (visitor) => visitor.call(revokeJoinLink, { params: { linkId: ids.link } }),
    () => eve,
  ],
  [
    'a user changes their own name',
    userRow,
    (visitor) => visitor.call(putProfile, { params: { profileId: 'me' }, body: { displayname: 'Mine' } }),
    () => eve,
  ],
  [
    'an administrator changes a user',
    userRow,
    (visitor) => visitor.call(updateUser, { params: { userId: eve.id }, body: mine }),
    () => max,
  ],
]

test.for(cases)('a caller disabled while waiting for a lock is rejected: %s', async ([, lock, change, getVisitor]) => {
  const { sql } = service
  const visitor = getVisitor()
  const events = async () => (await sql`select from audit_events`).count
  const before = await events()
  const changing = await sql.begin(async (inner) => {
    await lock(inner as unknown as Sql)
    const changing = change(visitor).then(
      () => 'completed',
      (error: { status: number }) => error.status,
    )
    await waitForBlockedTransaction()
    await inner`update users set disabled_at = now() where id = ${visitor.id}`
    return { changing }
  })
  expect(await changing.changing).toBe(visitor === eve ? 401 : 403)
  await sql`update users set disabled_at = null where id = ${visitor.id}`
  expect(await events()).toBe(before)
  expect(await change(visitor).then(() => 'completed')).toBe('completed')
})

/** Waits until a transaction waits for a lock. */
async function waitForBlockedTransaction() {
  for (;;) {
    const [row] = await service.sql`
      select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as is_waiting`
    if (row?.['isWaiting']) return
  }
}
