import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pino } from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { ConfigError } from '../config.ts'
import { createTestDatabase } from '../test-service.ts'
import { migrate, rejectOtherSchema } from './migrate.ts'
import type { Sql } from './sql.ts'

let sql: Sql
let directory: string

beforeEach(async () => {
  sql = await createTestDatabase()
  await sql`delete from migrations`
  directory = mkdtempSync(join(tmpdir(), 'passport-migrations-'))
  write('0001_one.sql', 'create table one (id integer)')
  write('0002_two.sql', 'create table two (id integer); insert into two values (1)')
})

const write = (name: string, text: string) => writeFileSync(join(directory, name), text)
const run = () => migrate(sql, pathToFileURL(`${directory}/`))

test('new migrations are applied in order, once', async () => {
  expect(await run()).toEqual(['0001_one.sql', '0002_two.sql'])
  expect(await run()).toEqual([])
  write('0003_three.sql', 'alter table two add column name text')
  expect(await run()).toEqual(['0003_three.sql'])
})

/** The refusal of the tables of another version, by the file that differs. */
const refusalOf = (name: string) =>
  `Another version of Passport created the tables of this database (${name} differs), and before release 1.0 no version converts them. Start that version, or begin without data: npm run reset, or an empty database in DATABASE_URL.`

test.for<[string, string, () => void]>([
  ['an edited file', '0001_one.sql', () => write('0001_one.sql', 'create table one (id bigint)')],
  ['an unknown file', '0002_two.sql', () => rmSync(join(directory, '0002_two.sql'))],
])('a database after %s is refused, and nothing changes', async ([, name, change]) => {
  await run()
  change()
  write('0003_three.sql', 'create table three (id integer)')
  await expect(run()).rejects.toThrow(refusalOf(name))
  await expect(run()).rejects.toThrow(ConfigError)
  await expect(rejectOtherSchema(sql, pathToFileURL(`${directory}/`))).rejects.toThrow(refusalOf(name))
  expect(await sql`select to_regclass('three') as found`).toEqual([{ found: null }])
})

test('a function can take over the schema of the tables', async () => {
  const elsewhere = await createTestDatabase({ settings: { search_path: 'elsewhere' } })
  await elsewhere`create schema elsewhere`
  const create = 'create function one() returns int language plpgsql set search_path from current as'
  write('0002_two.sql', `${create} $$ begin return 1; end $$`)
  await migrate(elsewhere, pathToFileURL(`${directory}/`))
  expect(await elsewhere`select proconfig from pg_proc where oid = 'elsewhere.one'::regproc`).toEqual([
    { proconfig: ['search_path=elsewhere, pg_temp'] },
  ])
})

test('a database of another application is rejected, and nothing changes', async () => {
  await sql`drop table migrations, migration_lease`
  await sql`create table two (id integer)`
  const expected = 'DATABASE_URL: the database belongs to another application, which has a table'
  await expect(run()).rejects.toThrow(`${expected} two. Use an empty database.`)
  await sql`create table migrations (version integer)`
  await expect(run()).rejects.toThrow(`${expected} migrations. Use an empty database.`)
  expect(await sql`select to_regclass('one') as one, to_regclass('migration_lease') as lease`).toEqual([
    { one: null, lease: null },
  ])
})

test('a failed file is rolled back, and the next start retries it', async () => {
  write('0002_two.sql', 'create table two (id integer); select 1 / 0')
  await expect(run()).rejects.toThrow('division by zero')
  expect(await sql`select name from migrations`).toEqual([{ name: '0001_one.sql' }])
  expect(await sql`select to_regclass('two') as found`).toEqual([{ found: null }])
  write('0002_two.sql', 'create table two (id integer)')
  expect(await run()).toEqual(['0002_two.sql'])
})

test('each file is applied once when servers start concurrently', async () => {
  await sql`drop table migrations, migration_lease`
  const results = await Promise.all([run(), run(), run(), run()])
  expect(results.flat().sort()).toEqual(['0001_one.sql', '0002_two.sql'])
})

test('the lease of a server that was killed during a migration is taken over', async () => {
  await sql`insert into migration_lease (id, holder, expires_at) values (1, 'dead', now() + interval '300 milliseconds')
    on conflict (id) do update set holder = 'dead', expires_at = excluded.expires_at`
  expect(await run()).toHaveLength(2)
})

describe('while another session holds a lock that a file needs', () => {
  /** Applies a file that changes a table; `onWait` is called with the line of the log. */
  const runBehindLock = (onWait: (line: string) => void, maxAttempts: number) => {
    write('0003_three.sql', 'insert into two values (2); alter table one add column name text')
    const retries = { lockMs: 20, pauseMs: 20, maxAttempts }
    return migrate(sql, pathToFileURL(`${directory}/`), { log: pino({ base: null }, { write: onWait }), retries })
  }
  /** Locks a table as a backup does, until the returned function is called. */
  async function holdLock() {
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = sql.begin(async (sql) => {
      await sql`lock table one in access share mode`
      locked.resolve()
      await released.promise
    })
    await locked.promise
    return () => {
      released.resolve()
      return holding
    }
  }

  test('it is repeated with one line in the log, and applied once', async () => {
    await run()
    const release = await holdLock()
    const lines: string[] = []
    const released = Promise.withResolvers<void>()
    const applied = runBehindLock((line) => {
      lines.push(line)
      if (lines.length === 1) void release().then(released.resolve)
    }, 1_000)
    expect(await applied).toEqual(['0003_three.sql'])
    await released.promise
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'migration-waits-for-lock', migration: '0003_three.sql', code: '55P03' },
    ])
    expect(await sql`select id from two`).toEqual([{ id: 1 }, { id: 2 }])
  })

  test('the start fails after the last attempt, and changes nothing', async () => {
    await run()
    const release = await holdLock()
    const failure = runBehindLock(() => {}, 3)
    await expect(failure).rejects.toThrow(
      'The migration 0003_three.sql did not get a lock: canceling statement due to lock timeout.',
    )
    await expect(failure).rejects.toThrow(ConfigError)
    await release()
    expect(await sql`select id from two`).toEqual([{ id: 1 }])
    expect(await run()).toEqual(['0003_three.sql'])
  })
})

test.for(['server/migrations', 'docs/decisions'])('each file of %s has a number of its own', (folder) => {
  const names = readdirSync(new URL(`../../../${folder}`, import.meta.url))
  const numbers = names.flatMap((name) => /^\d{4}/.exec(name) ?? [])
  expect(numbers.length).toBeGreaterThan(30)
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([])
})
