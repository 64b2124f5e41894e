import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from './sql.ts'

interface Migration {
  name: string
  text: string
  sha256: string
}

/** A lease rather than an advisory lock, because PostgreSQL-compatible distributed engines lack those. */
const leaseSeconds = 30

/**
 * Brings the database to the schema of this release: applies, in order and each in a transaction of its own, the
 * numbered files that it has not had yet. Servers that start together take turns. Returns the names of what it applied.
 * Throws where a file that was applied has been edited since.
 */
export async function migrate(sql: Sql, directory: URL): Promise<string[]> {
  const migrations = readMigrations(directory)
  await createBookkeeping(sql)
  if ((await missing(sql, migrations)).length === 0) return []
  const holder = randomUUID()
  await takeLease(sql, holder)
  try {
    const toApply = await missing(sql, migrations)
    for (const migration of toApply) await apply(sql, migration, holder)
    return toApply.map(({ name }) => name)
  } finally {
    await sql`update migration_lease set expires_at = now() where holder = ${holder}`
  }
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
    // Two servers that create the same table at once: the loser finds it there.
    if ((error as { code?: string }).code !== '23505') throw error
    await createBookkeeping(sql)
  }
}

async function missing(sql: Sql, migrations: Migration[]): Promise<Migration[]> {
  const applied = await sql<{ name: string; sha256: string }[]>`select name, sha256 from migrations`
  const hashes = new Map(applied.map(({ name, sha256 }) => [name, sha256]))
  for (const { name, sha256 } of migrations) {
    const before = hashes.get(name)
    if (before && before !== sha256) {
      throw new Error(`The migration ${name} was edited after it had been applied. Restore it and write a new one.`)
    }
  }
  return migrations.filter(({ name }) => !hashes.has(name))
}

async function takeLease(sql: Sql, holder: string) {
  for (;;) {
    const taken = await sql`
      insert into migration_lease (id, holder, expires_at)
      values (1, ${holder}, now() + make_interval(secs => ${leaseSeconds}))
      on conflict (id) do update set holder = excluded.holder, expires_at = excluded.expires_at
      where migration_lease.expires_at <= now()
      returning holder`
    if (taken.length > 0) return
    await delay(50)
  }
}

async function apply(sql: Sql, { name, text, sha256 }: Migration, holder: string) {
  await sql.begin(async (sql) => {
    const held = await sql`
      update migration_lease set expires_at = now() + make_interval(secs => ${leaseSeconds})
      where holder = ${holder} returning id`
    if (held.length === 0) throw new Error(`Another server took over the migrations before ${name}.`)
    await sql.unsafe(text)
    await sql`insert into migrations (name, sha256) values (${name}, ${sha256})`
  })
}
