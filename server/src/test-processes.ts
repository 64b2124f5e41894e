import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestBrowser } from '@passport/world/browser'
import { type RunningProcess, type RunningServer, run as runProcess, runServer } from '@passport/world/process'
import { afterAll, afterEach, beforeAll, inject } from 'vitest'
import type { Sql } from './database/sql.ts'
import { testSecret } from './test-database.ts'

/** Runs the server and its commands as separate processes, on a data directory that the tests of a file share. */
export interface TestProcesses {
  dataDir: string
  /** Runs a file of `server/src`. */
  run: (file: string, args?: string[], env?: Record<string, string>) => RunningProcess
  /** Starts the server on a free port and waits until it is ready. */
  startServer: (env?: Record<string, string>) => Promise<RunningServer>
}

/**
 * Creates the data directory of a test file, stops its processes after each test, and deletes the directory at the end.
 */
export function useProcesses(): TestProcesses {
  const running: RunningProcess[] = []
  const processes: TestProcesses = {
    dataDir: '',
    run: (file, args = [], env = {}) => {
      const started = runProcess(file, args, { DATA_DIR: processes.dataDir, PORT: '0', ...env })
      running.push(started)
      return started
    },
    startServer: async (env = {}) => {
      const server = await runServer({ DATA_DIR: processes.dataDir, ...env })
      running.push(server)
      return server
    },
  }
  beforeAll(() => {
    processes.dataDir = createDataDir()
  })
  // SIGKILL would leave the embedded PostgreSQL running.
  afterEach(() => Promise.all(running.splice(0).map((process) => stop(process, 'SIGTERM'))), 60_000)
  afterAll(() => rmSync(processes.dataDir, { recursive: true, force: true }))
  return processes
}

/** Creates an empty directory, readable by PostgreSQL's own user when the tests run as root. */
export function createDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'passport-start-'))
  chmodSync(dataDir, 0o755)
  return dataDir
}

/** Sends a signal; returns the exit code and the seconds until the exit. */
export async function stop({ kill, exited }: RunningProcess, signal: NodeJS.Signals) {
  const startedAt = Date.now()
  kill(signal)
  const { code } = await exited
  return { code, seconds: (Date.now() - startedAt) / 1000 }
}

/** Reports whether a user can sign in with a password. */
export async function canSignIn(url: string, name: string, password: string): Promise<boolean> {
  const browser = createTestBrowser(url)
  const page = await browser.submit(await browser.open('/login'), { name, password })
  // A successful sign-in ends at the console's page /app/login.
  return page.url.includes('/app/login')
}

/**
 * Returns the environment variables that make a process use a test database, which is faster than starting an embedded
 * one.
 */
export async function createDatabaseEnvironment(sql: Sql): Promise<Record<string, string>> {
  const [row] = await sql<{ name: string }[]>`select current_database() as name`
  const url = `postgres://passport@localhost/${row?.name}?host=${encodeURIComponent(inject('socketDirectory'))}`
  return { DATABASE_URL: url, PASSPORT_SECRET: testSecret }
}
