import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'
import { homeOf } from './embedded-home.ts'
import { openDatabase } from './sql.ts'

/** A data directory and the processes started on it; both are removed after each test. */
export interface TestDirectory {
  /** May be replaced by a subdirectory. */
  dataDir: string
  /** Killed after the test. */
  children: ChildProcess[]
}

/** Gives each test of the calling file its own data directory. */
export function useTestDirectory(): TestDirectory {
  const directory: TestDirectory = { dataDir: '', children: [] }
  let created: string
  beforeEach(() => {
    created = mkdtempSync(join(tmpdir(), 'passport-embedded-'))
    chmodSync(created, 0o755)
    directory.dataDir = created
  })
  afterEach(() => {
    for (const child of directory.children.splice(0)) child.kill('SIGKILL')
    rmSync(created, { recursive: true, force: true })
  })
  return directory
}

/** Starts the database, expects this many rows from earlier calls, adds one, and stops. */
export async function expectRowsKept(dataDir: string, expectedRows: number): Promise<void> {
  const postgres = await startEmbeddedPostgres(dataDir)
  const sql = openDatabase(postgres.address)
  await sql`create table if not exists kept (id integer)`
  const rows = await sql`select from kept`
  await sql`insert into kept values (1)`
  await sql.end()
  await postgres.stop()
  expect(rows).toHaveLength(expectedRows)
}

/** Starts the database in a process that a test can kill, to simulate a crash. */
export async function startInChildProcess({ dataDir, children }: TestDirectory): Promise<ChildProcess> {
  const script = `
    const { startEmbeddedPostgres } = await import('${new URL('./embedded.ts', import.meta.url)}')
    await startEmbeddedPostgres('${dataDir}')
    console.log('started')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return child
}

/** Kills a process and resolves once it has exited. */
export const kill = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })

/** Returns the process id of the PostgreSQL of a data directory; throws if there is none. */
export const readPostmasterPid = (dataDir: string): number =>
  Number(readFileSync(join(homeOf(dataDir), 'tables/postmaster.pid'), 'utf8').split('\n')[0])
