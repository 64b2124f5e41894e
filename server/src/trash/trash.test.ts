import { claimUsername } from '@passport/contract/profile'
import { listTrash, type TrashEntry, type TrashKind } from '@passport/contract/trash'
import { beforeAll, describe, expect, test } from 'vitest'
import * as audit from '../audit/store.ts'
import { filterReserved, sweepReleases } from '../profile/change.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { purgeTrash } from './purge.ts'

let service: TestService
let ada: Visitor
let sql: TestService['sql']

beforeAll(async () => {
  service = await startTestService()
  sql = service.sql
  ada = await service.as('ada')
})

/** Adds deleted records by their id, with the time since their deletion. */
async function addDeleted(ages: Record<string, string>) {
  for (const [id, age] of Object.entries(ages)) {
    const deletedAt = sql`now() - ${age}::interval`
    const kind = id.split('-')[0]
    if (kind === 'user')
      await sql`insert into users (id, display_name, username, email, deleted_at) values (${id}, ${`The ${id}`}, ${id}, ${`${id}@x.example`}, ${deletedAt})`
    if (kind === 'org')
      await sql`insert into orgs (id, name, slug, deleted_at) values (${id}, ${`The ${id}`}, ${id}, ${deletedAt})`
    if (kind === 'group')
      await sql`insert into groups (id, name, deleted_at) values (${id}, ${`The ${id}`}, ${deletedAt})`
  }
}

const list = async (query: { kind?: TrashKind; query?: string; limit?: number } = {}) =>
  (await ada.call(listTrash, { query })).items
const idsOf = (entries: TrashEntry[]) => entries.map(({ id }) => id)

describe('the trash', () => {
  beforeAll(async () => {
    await addDeleted({
      'user-1': '1 hour',
      'org-1': '2 hours',
      'group-1': '3 hours',
      'user-2': '29 days 23 hours',
      'user-old': '30 days 1 hour',
      'group-old': '40 days',
    })
    const target = { kind: 'user', id: 'user-1' } as const
    const { id: dev } = await service.as('dev')
    await audit.record(sql, { action: 'user.deleted', actorId: dev, target })
    await audit.record(sql, { action: 'user.restored', actorId: dev, target })
    await audit.record(sql, { action: 'user.deleted', actorId: ada.id, target })
  })

  test('lists deleted records, newest first, with the user who deleted them and the end of the retention period', async () => {
    const entries = await list()
    expect(idsOf(entries)).toEqual(['user-1', 'org-1', 'group-1', 'user-2'])
    const [user, org, group] = entries
    expect(user).toEqual({
      kind: 'user',
      id: 'user-1',
      name: 'The user-1',
      detail: 'user-1@x.example',
      deletedAt: expect.any(String),
      deletedBy: { id: ada.id, name: 'Ada Lovelace' },
      restorableUntil: expect.any(String),
    })
    expect(Date.parse(user?.restorableUntil ?? '') - Date.parse(user?.deletedAt ?? '')).toBe(30 * 24 * 60 * 60 * 1000)
    expect(org).toMatchObject({ kind: 'org', detail: 'org-1', deletedBy: null })
    expect(group).toMatchObject({ kind: 'group', detail: null })
  })

  test('filters by kind, page by page', async () => {
    expect(idsOf(await list({ kind: 'user' }))).toEqual(['user-1', 'user-2'])
    expect(idsOf(await list({ kind: 'group' }))).toEqual(['group-1'])
    const ids: string[] = []
    let next: string | null = '/passport/admin/trash?limit=1&kind=user'
    while (next) {
      const page = (await (await ada.fetch(next)).json()) as { items: TrashEntry[]; next: string | null }
      ids.push(...idsOf(page.items))
      next = page.next
    }
    expect(ids).toEqual(['user-1', 'user-2'])
    expect((await ada.fetch('/passport/admin/trash?kind=role')).status).toBe(400)
  })

  test.for([
    ['the ORG', ['org-1']],
    ['user-2@x', ['user-2']],
    [' The user ', ['user-1', 'user-2']],
    ['group-1', ['group-1']],
    ['%', []],
    ['', ['user-1', 'org-1', 'group-1', 'user-2']],
  ] as const)('finds “%s” in names and details', async ([query, ids]) => {
    expect(idsOf(await list({ query }))).toEqual(ids)
  })

  test('searches within a kind, and keeps the search on the next page', async () => {
    expect(idsOf(await list({ query: 'the', kind: 'group' }))).toEqual(['group-1'])
    const { next } = await ada.call(listTrash, { query: { query: 'the user', limit: 1 } })
    const page = (await (await ada.fetch(next ?? '')).json()) as { items: TrashEntry[] }
    expect(idsOf(page.items)).toEqual(['user-2'])
  })

  test('takes one statement besides the one that loads the caller', async () => {
    expect(await recordStatements(sql, () => list({ limit: 200 }))).toHaveLength(2)
  })
})

describe('the purge', () => {
  test('deletes all data of records that were deleted 30 days ago, and keeps that of others', async () => {
    const service = await startTestService()
    const { sql } = service
    const [eve, dev] = [await service.as('eve'), await service.as('dev')]
    await eve.fetch('/passport/preferences/me/theme', {
      method: 'PUT',
      body: 'dark',
      headers: { 'content-type': 'text/plain' },
    })
    await sql`insert into orgs (id, name, slug) values ('o1', 'Org', 'org'), ('o2', 'Other', 'other')`
    await sql`insert into groups (id, name, org_id) values ('g1', 'Of the org', 'o1'), ('g2', 'Free', null), ('g3', 'Old', 'o2')`
    for (const id of [eve.id, dev.id]) {
      await sql`insert into org_members (org_id, user_id, role) values ('o1', ${id}, 'member'), ('o2', ${id}, 'owner')`
      await sql`insert into group_members (group_id, user_id) values ('g1', ${id}), ('g2', ${id}), ('g3', ${id})`
      await sql`insert into group_owners (group_id, user_id) values ('g2', ${id})`
      await sql`insert into released_usernames (user_id, username) values (${id}, ${`once.${id}`})`
    }
    await sql`insert into group_roles (group_id, role) values ('g1', 'Passport.Developer')`
    await sql`update users set deleted_at = now() - interval '31 days' where id = ${eve.id}`
    await sql`update orgs set deleted_at = now() - interval '31 days' where id = 'o1'`
    await sql`update groups set deleted_at = now() - interval '31 days' where id = 'g3'`
    await sql`update users set deleted_at = now() - interval '29 days' where id = ${(await service.as('max')).id}`
    const events = (await sql`select from audit_events`).count

    await purgeTrash(sql)
    await purgeTrash(sql)

    const left = async (table: string, column: string) =>
      (await sql.unsafe(`select ${column} as id from ${table} order by 1`)).map(({ id }) => id)
    expect(await left('users', 'id')).toHaveLength(3)
    expect(await left('users', 'id')).not.toContain(eve.id)
    expect(await left('directory_people', 'name')).toEqual(['ada', 'dev', 'max'])
    expect(await left('orgs', 'id')).toEqual(['o2'])
    expect(await left('groups', 'id')).toEqual(['g1', 'g2'])
    expect(await sql`select org_id from groups where id = 'g1'`).toEqual([{ orgId: null }])
    expect(await left('group_members', 'group_id')).toEqual(['g1', 'g2'])
    for (const table of ['group_owners', 'group_members', 'org_members'])
      expect(new Set(await left(table, 'user_id')), table).toEqual(new Set([dev.id]))
    expect(new Set(await left('released_usernames', 'user_id'))).toEqual(new Set([dev.id, null]))
    for (const table of ['logins', 'sessions', 'preferences'])
      expect(await left(table, 'user_id'), table).not.toContain(eve.id)
    const purges = await sql`select before from audit_events where action = 'trash.purged' order by at, id`
    expect(purges.map(({ before }) => before)).toEqual([{ ids: ['g3'] }, { ids: ['o1'] }, { ids: [eve.id] }])
    expect((await sql`select from audit_events`).count).toBe(events + 3)
  })

  test('keeps the released usernames of deleted users reserved for 90 days', async () => {
    const gone = `gone-${crypto.randomUUID()}`
    await sql`insert into users (id, deleted_at) values (${gone}, now() - interval '31 days')`
    await sql`
      insert into released_usernames (user_id, username, released_at)
      values (${gone}, 'Given.Up', now() - interval '89 days'), (${gone}, 'long.ago', now() - interval '91 days')`
    await purgeTrash(sql)
    const claim = () => ada.call(claimUsername, { params: { profileId: 'me' }, body: 'given.up' })
    await expect(claim()).rejects.toMatchObject({ status: 409, body: { code: 'username-taken' } })
    expect(await filterReserved(sql, ['given.up', 'long.ago'])).toEqual(['given.up'])

    expect(await sweepReleases(sql, 10)).toBe(1)
    expect([...(await sql`select user_id, username from released_usernames`)]).toEqual([
      { userId: null, username: 'Given.Up' },
    ])
    await sql`update released_usernames set released_at = now() - interval '90 days 1 second'`
    await claim()
    expect(await sweepReleases(sql, 10)).toBe(1)
  })

  test('is possible, since every reference to users, organisations or groups has a delete action and an index', async () => {
    const withoutAction = await sql`
      select conrelid::regclass::text as child, conname as name from pg_constraint
      where contype = 'f' and confrelid in ('users'::regclass, 'orgs'::regclass, 'groups'::regclass)
        and confdeltype not in ('c', 'n')`
    expect([...withoutAction], 'write `on delete cascade` or `on delete set null`').toEqual([])
    const unindexed = await sql`
      select c.conrelid::regclass::text as child, a.attname as field from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'f' and c.confrelid in ('users'::regclass, 'orgs'::regclass, 'groups'::regclass)
        and not exists (select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1])`
    expect([...unindexed], 'an index should begin with it').toEqual([])
  })
})
