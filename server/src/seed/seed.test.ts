import { beforeAll, describe, expect, test } from 'vitest'
import { type Cell, copyIn } from '../database/bulk-load.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { createTestDatabase } from '../test-service.ts'
import * as users from '../users/store.ts'
import { seedDemoUsers } from './demo-users.ts'
import { generateDirectory } from './generated-directory.ts'
import { seedDirectory } from './seed.ts'

const size = { users: 3000, groups: 300, orgs: 30 }

describe('a generated directory', () => {
  const directory = generateDirectory(size)

  test('is deterministic', () => {
    const again = generateDirectory(size)
    for (const kind of Object.keys(directory) as (keyof typeof directory)[])
      expect([...again[kind]()]).toEqual([...directory[kind]()])
  })

  test('has users with ordered UUIDs of version 7, and unique usernames', () => {
    const users = [...directory.users()]
    const ids = users.map(([id]) => String(id))
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
      true,
    )
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(users.map(([, username]) => username)).size).toBe(size.users)
  })

  test('has no duplicate group members, a few large groups, and mostly small ones', () => {
    const members = Map.groupBy(directory.groupMembers(), ([groupId]) => groupId)
    for (const rows of members.values()) expect(new Set(rows.map(([, userId]) => userId)).size).toBe(rows.length)
    const sizes = [...members.values()].map(({ length }) => length).sort((a, b) => b - a)
    expect(sizes[0]).toBeGreaterThan((sizes[size.groups / 2] ?? 0) * 3)
  })
})

describe('loading a directory', () => {
  let sql: Sql
  const shape = () => sql`
    select indexdef as definition from pg_indexes where schemaname = 'public'
    union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint where contype = 'f'
    order by 1`
  beforeAll(async () => {
    sql = await createTestDatabase()
  })

  test('gives correct counts, and restores the indexes and constraints of the tables', async () => {
    const before = await shape()
    const lines: string[] = []
    await seedDirectory(sql, size, (line) => lines.push(line))
    expect(lines[0]).toBe('3,000 users')
    expect(await shape()).toEqual(before)
    const wrong = await sql`
      select id from groups g where member_count <> (select count(*) from group_members m where m.group_id = g.id)
        or owner_count <> (select count(*) from group_owners o where o.group_id = g.id)
      union all
      select id from orgs o where member_count <> (select count(*) from org_members m where m.org_id = o.id)`
    expect([...wrong]).toEqual([])
  })

  test('is rolled back if it fails', async () => {
    const before = await shape()
    await expect(seedDirectory(sql, size)).rejects.toThrow(/users/)
    expect(await shape()).toEqual(before)
  })

  test('accepts any text, and null', async () => {
    await sql`create table anything (number integer, text text)`
    const texts = ['', '\\', '\\N', 'a\tb\nc\rd', 'Zoë “x” 🛂', null]
    const rows: Cell[][] = texts.map((text, index) => [index, text])
    const count = await transaction(sql, (sql) => copyIn(sql, { table: 'anything', columns: ['number', 'text'] }, rows))
    expect(count).toBe(texts.length)
    const read = await sql<{ text: string | null }[]>`select text from anything order by number`
    expect(read.map(({ text }) => text)).toEqual(texts)
  })
})

test('the demo users are added once, to a database without users', async () => {
  const sql = await createTestDatabase()
  expect(await seedDemoUsers(sql)).toMatch(/^\S{8,}$/)
  expect(await seedDemoUsers(sql)).toBeUndefined()
  expect(await users.count(sql)).toBe(3)
})
