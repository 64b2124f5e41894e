import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestBrowser } from '@passport/world/browser'
import { type RunningProcess, type RunningServer, run as runAlone, runServer } from '@passport/world/process'
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

/** Stops each process after the test that started it, and deletes the data directory after the last test. */
export function useProcesses(): TestProcesses {
  const running: RunningProcess[] = []
  const processes: TestProcesses = {
    dataDir: '',
    run: (file, args = [], env = {}) => {
      const started = runAlone(file, args, { DATA_DIR: processes.dataDir, PORT: '0', ...env })
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
    processes.dataDir = newDataDir()
  })
  // Killing a server would leave its database running.
  afterEach(() => Promise.all(running.splice(0).map((process) => stop(process, 'SIGTERM'))), 60_000)
  afterAll(() => rmSync(processes.dataDir, { recursive: true, force: true }))
  return processes
}

/** Creates an empty directory that PostgreSQL accepts when the tests run as root. */
export function newDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'passport-start-'))
  chmodSync(dataDir, 0o755)
  return dataDir
}

/** Sends a signal and waits for the exit. */
export async function stop({ kill, exited }: RunningProcess, signal: NodeJS.Signals) {
  const startedAt = Date.now()
  kill(signal)
  const { code } = await exited
  return { code, seconds: (Date.now() - startedAt) / 1000 }
}

/** Reports whether a user can sign in by password. */
export async function canSignIn(url: string, name: string, password: string): Promise<boolean> {
  const browser = createTestBrowser(url)
  const page = await browser.submit(await browser.open('/login'), { name, password })
  return page.url.includes('/app/login')
}

/** Settings that point a process to a test database instead of an embedded one, which takes a second to start. */
export async function databaseSettings(sql: Sql): Promise<Record<string, string>> {
  const [row] = await sql<{ name: string }[]>`select current_database() as name`
  const url = `postgres://passport@localhost/${row?.name}?host=${encodeURIComponent(inject('socketDirectory'))}`
  return { DATABASE_URL: url, PASSPORT_SECRET: testSecret }
}
