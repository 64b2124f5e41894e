import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { readGuideBlocks, runShell } from '../docs/test-guide.ts'
import { testSecret } from '../test-database.ts'
import { canSignIn, createDatabaseEnvironment, useProcesses } from '../test-processes.ts'
import { createTestDatabase } from '../test-service.ts'
import { openDatabase, type Sql } from './sql.ts'
import { type Clusters, createClusters, isPostgresInstalled, newest, oldest } from './test-clusters.ts'

const processes = useProcesses()
let clusters: Clusters
beforeEach(() => {
  clusters = createClusters()
})

const createEnvironment = (database: string) => ({
  DATABASE_URL: `postgres://passport@localhost/${database}?host=${encodeURIComponent(clusters.home)}`,
  PASSPORT_SECRET: testSecret,
})

function open(database: string) {
  const sql = openDatabase({ url: createEnvironment(database).DATABASE_URL }, { settings: { timezone: 'UTC' } })
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

async function createDatabase(name: string) {
  await open('postgres').unsafe(`create database ${name}`)
  return open(name)
}

/** The commands of the guide, in its order. */
const steps = ['back up', 'restore'] as const

/** Runs a command of the guide about backups, with the programs of Debian. */
async function runGuide(step: (typeof steps)[number], { DATABASE_URL = '' }: { DATABASE_URL?: string }) {
  const guide = readGuideBlocks('backups')
  const commands = steps.map(() => guide.take('sh'))
  expect(guide.listLeft()).toEqual([])
  const variable = step === 'back up' ? 'DATABASE_URL' : 'RESTORED_URL'
  await runShell(
    commands[steps.indexOf(step)] ?? '',
    { PATH: `${newest}:/usr/bin:/bin`, [variable]: DATABASE_URL },
    clusters.home,
  )
}

/** Adds a company and the demo users, signs one of them in, and returns their password. */
async function fill(env: Record<string, string>) {
  const { output } = await processes.run('commands/seed.ts', ['50'], env).exited
  const password = /with the password {2}(\S+)/.exec(output)?.[1] ?? ''
  await expectSignIn(env, password)
  return password
}

async function expectSignIn(env: Record<string, string>, password: string) {
  const server = await processes.startServer(env)
  expect(await canSignIn(server.url, 'ada', password)).toBe(true)
  server.kill('SIGTERM')
  expect((await server.exited).code).toBe(0)
}

/** Returns the export of the directory, and the content of the tables. */
async function readAll(env: Record<string, string>, sql: Sql) {
  const file = join(processes.dataDir, 'export.json')
  const exported = await processes.run('commands/config.ts', ['export', file], env).exited
  expect(exported).toMatchObject({ code: 0 })
  return { directory: readFileSync(file, 'utf8'), tables: await readTables(sql) }
}

/** Returns the number of rows of each table, and a hash of them. */
async function readTables(sql: Sql) {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`
  const rows = tables.map(async ({ name }) => [
    name,
    ...(await sql.unsafe(`select count(*)::integer, sum(hashtext(t::text)) from ${name} t`)),
  ])
  return Object.fromEntries(await Promise.all(rows))
}

test.runIf(isPostgresInstalled).for([
  ['public', ''],
  ['identity', '&search_path=identity'],
] as const)(
  'pg_restore restores a dump of the schema %s, also into the embedded PostgreSQL',
  { timeout: 300_000 },
  async ([schema, parameter]) => {
    await clusters.create(oldest, 'source')
    await clusters.start(oldest, 'source')
    const source = await createDatabase('source')
    await source.unsafe(`create schema if not exists ${schema}`)
    const withSchema = (env: Record<string, string>) => ({ ...env, DATABASE_URL: `${env['DATABASE_URL']}${parameter}` })
    const sourceSettings = withSchema(createEnvironment('source'))
    const password = await fill(sourceSettings)
    const before = await readAll(sourceSettings, source)
    expect(before.tables[`${schema}.users`]).toMatchObject({ count: 54 })
    await runGuide('back up', createEnvironment('source'))

    const embedded = await createTestDatabase({}, 'template0')
    for (const [sql, settings] of [
      [await createDatabase('restored'), createEnvironment('restored')],
      [embedded, await createDatabaseEnvironment(embedded)],
    ] as const) {
      await runGuide('restore', settings)
      const target = withSchema(settings)
      expect(await readAll(target, sql)).toEqual(before)
      await expectSignIn(target, password)
    }
  },
)

// With one version, pg_upgrade copies the schema in the same way as to a later one.
test.runIf(isPostgresInstalled)('pg_upgrade keeps everything', { timeout: 300_000 }, async () => {
  await clusters.create(oldest, 'source')
  const stop = await clusters.start(oldest, 'source')
  const source = await createDatabase('source')
  const env = createEnvironment('source')
  const password = await fill(env)
  const before = await readAll(env, source)
  await source.end()
  await stop()

  await clusters.create(newest, 'upgraded')
  const options = ['-U', 'passport', '-b', oldest, '-B', newest, '-d', 'source', '-D', 'upgraded']
  await clusters.run(`${newest}/pg_upgrade`, options)
  await clusters.start(newest, 'upgraded')
  expect(await readAll(env, open('source'))).toEqual(before)
  await expectSignIn(env, password)
})
