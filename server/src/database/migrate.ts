import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError } from '../config.ts'
import type { Log } from '../log.ts'
import type { Sql } from './sql.ts'

interface Migration {
  name: string
  text: string
  sha256: string
}

/** A lease rather than an advisory lock, because PostgreSQL-compatible distributed engines lack those. */
const leaseSeconds = 30

interface LockRetries {
  /** The time limit for the wait for each lock. */
  lockMs: number
  pauseMs: number
  maxAttempts: number
}

/**
 * A migration waits for a lock for less time than requests do: those that wait behind it succeed. In two minutes, most
 * sessions of others end, such as a backup of a small database.
 */
const lockRetries: LockRetries = { lockMs: 2_000, pauseMs: 2_000, maxAttempts: 30 }

/**
 * Migrates the database to the schema of this release: applies the new files in order, each in a transaction
 * of its own. Servers that start concurrently take turns. A file that needs a lock of another session is repeated, with a
 * line in the log. Returns the names of the files that it applied. Throws `ConfigError` if the tables are those of another
 * version or application, or if a lock is not released in time.
 */
export async function migrate(
  sql: Sql,
  directory: URL,
  { log, retries = lockRetries }: { log?: Log; retries?: LockRetries } = {},
): Promise<string[]> {
  const migrations = readMigrations(directory)
  await rejectOtherSchema(sql, directory)
  await createBookkeeping(sql)
  if ((await findPending(sql, migrations)).length === 0) return []
  const holder = randomUUID()
  await takeLease(sql, holder)
  try {
    const toApply = await findPending(sql, migrations)
    for (const migration of toApply) await applyWithRetries(sql, migration, holder, retries, log)
    return toApply.map(({ name }) => name)
  } finally {
    await sql`update migration_lease set expires_at = now() where holder = ${holder}`
  }
}

/**
 * Throws `ConfigError` if the tables of the database are those of another version of Passport, or of another application.
 * Changes nothing.
 */
export async function rejectOtherSchema(sql: Sql, directory: URL): Promise<void> {
  const migrations = readMigrations(directory)
  const created = migrations.flatMap(({ text }) => [...text.matchAll(/^create (?:table|view) (\w+)/gm)])
  // In one statement: a server that starts at the same time may be creating the tables.
  const [found] = await sql<{ bookkeeping: string[]; tables: string[] }[]>`
    select array(
        select attname::text from pg_attribute where attrelid = to_regclass('migrations') and attnum > 0) as bookkeeping,
      array(
        select relname::text from pg_class where relnamespace = current_schema()::regnamespace
        and relname = any(${created.map(([, name = '']) => name)}) order by 1 limit 1) as tables`
  const { bookkeeping = [], tables = [] } = found ?? {}
  const isOwn = bookkeeping.includes('name') && bookkeeping.includes('sha256')
  const [other] = isOwn ? [] : [...(bookkeeping.length > 0 ? ['migrations'] : []), ...tables]
  if (other)
    throw new ConfigError([
      `DATABASE_URL: the database belongs to another application, which has a table ${other}. Use an empty database.`,
    ])
  if (isOwn) await findPending(sql, migrations)
}

function readMigrations(directory: URL): Migration[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => {
    const text = readFileSync(new URL(name, directory), 'utf8')
    return { name, text, sha256: createHash('sha256').update(text).digest('hex') }
  })
}

async function createBookkeeping(sql: Sql) {
  try {
    await sql.unsafe(`
      create table if not exists migrations (name text primary key, sha256 text not null, applied_at timestamptz(3) not null default now());
      create table if not exists migration_lease (id integer primary key, holder text not null, expires_at timestamptz(3) not null)`)
  } catch (error) {
    // Two servers created the same table concurrently; the next attempt finds it.
    if ((error as { code?: string }).code !== '23505') throw error
    await createBookkeeping(sql)
  }
}

/**
 * Returns the migrations that are not applied. Throws `ConfigError` if an applied one was edited since, or is unknown:
 * nothing converts its tables.
 */
async function findPending(sql: Sql, migrations: Migration[]): Promise<Migration[]> {
  const applied = await sql<{ name: string; sha256: string }[]>`select name, sha256 from migrations order by name`
  const known = new Map(migrations.map(({ name, sha256 }) => [name, sha256]))
  const other = applied.find(({ name, sha256 }) => known.get(name) !== sha256)
  if (other)
    throw new ConfigError([
      `Another version of Passport created the tables of this database (${other.name} differs), and before release 1.0 no version converts them. Start that version, or begin without data: npm run reset, or an empty database in DATABASE_URL.`,
    ])
  const names = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !names.has(name))
}

async function takeLease(sql: Sql, holder: string) {
  for (;;) {
    const leased = await sql`
      insert into migration_lease (id, holder, expires_at)
      values (1, ${holder}, now() + make_interval(secs => ${leaseSeconds}))
      on conflict (id) do update set holder = excluded.holder, expires_at = excluded.expires_at
      where migration_lease.expires_at <= now()
      returning holder`
    if (leased.length > 0) return
    await delay(50)
  }
}

/**
 * Locks the schema until the transaction ends, against migrations and other callers. Calls `onWait` first if another
 * caller holds it.
 */
export async function lockSchema(sql: Sql, onWait: () => void): Promise<void> {
  const locked = await sql`select from migration_lease where id = 1 for update skip locked`
  if (locked.length > 0) return
  onWait()
  await sql`select from migration_lease where id = 1 for update`
}

/** The codes of a lock timeout and of a deadlock. */
const lockConflicts = new Set(['55P03', '40P01'])

async function applyWithRetries(
  sql: Sql,
  migration: Migration,
  holder: string,
  { lockMs, pauseMs, maxAttempts }: LockRetries,
  log: Log | undefined,
) {
  const { name } = migration
  for (let attempt = 1; ; attempt++) {
    await renewLease(sql, name, holder)
    try {
      return await apply(sql, migration, holder, lockMs)
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string }
      if (!lockConflicts.has(code)) throw error
      if (attempt === maxAttempts) {
        const reason = `The migration ${name} did not get a lock: ${message}.`
        throw new ConfigError(
          [`${reason} End the other sessions of the database, such as a backup, and start again.`],
          {
            cause: error,
          },
        )
      }
      if (attempt === 1) log?.warn({ migration: name, code, maxAttempts }, 'migration-waits-for-lock')
      await delay(pauseMs * (0.5 + Math.random()))
    }
  }
}

/** Extends the lease; within a transaction, no other server can take it before the end. */
async function renewLease(sql: Sql, name: string, holder: string) {
  const held = await sql`
    update migration_lease set expires_at = now() + make_interval(secs => ${leaseSeconds})
    where holder = ${holder} returning id`
  if (held.length === 0) throw new Error(`Another server took over the migrations before ${name}.`)
}

async function apply(sql: Sql, { name, text, sha256 }: Migration, holder: string, lockMs: number) {
  await sql.begin(async (sql) => {
    await renewLease(sql as unknown as Sql, name, holder)
    // The schema of the tables: functions take it over by `set search_path from current`.
    await sql`
      select set_config('search_path', format('%I, pg_temp', n.nspname), true),
        set_config('lock_timeout', ${String(lockMs)}, true)
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = 'migrations'::regclass`
    await sql.unsafe(text)
    await sql`insert into migrations (name, sha256) values (${name}, ${sha256})`
  })
}
