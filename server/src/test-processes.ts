import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestBrowser } from '@passport/world/browser'
import { type Running, type RunningServer, run as runAlone, runServer } from '@passport/world/process'
import { afterAll, afterEach, beforeAll, inject } from 'vitest'
import type { Sql } from './database/sql.ts'
import { testSecret } from './test-database.ts'

/** The server and its commands as processes of their own, on a data directory that the tests of a file share. */
export interface TestProcesses {
  dataDir: string
  /** Runs a file of `server/src`. */
  run: (file: string, args?: string[], env?: Record<string, string>) => Running
  /** Starts the server on a free port and waits until it is ready. */
  startServer: (env?: Record<string, string>) => Promise<RunningServer>
}

/** Every process stops after the test that started it, and the data directory goes after the last one. */
export function useProcesses(): TestProcesses {
  const running: Running[] = []
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
  // A server that is killed would leave its database running.
  afterEach(() => Promise.all(running.splice(0).map((one) => stop(one, 'SIGTERM'))), 60_000)
  afterAll(() => rmSync(processes.dataDir, { recursive: true, force: true }))
  return processes
}

/** An empty directory that PostgreSQL accepts when the tests run as root. */
export function newDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'passport-start-'))
  chmodSync(dataDir, 0o755)
  return dataDir
}

/** Sends a signal and waits for the end. */
export async function stop({ kill, ended }: Running, signal: NodeJS.Signals) {
  const since = Date.now()
  kill(signal)
  const { code } = await ended
  return { code, seconds: (Date.now() - since) / 1000 }
}

/** Whether someone can sign in by password. */
export async function canSignIn(url: string, name: string, password: string): Promise<boolean> {
  const browser = createTestBrowser(url)
  const page = await browser.submit(await browser.open('/login'), { name, password })
  return page.url.includes('/app/login')
}

/** The settings by which a process uses a test database instead of an embedded one, which takes a second to start. */
export async function databaseSettings(sql: Sql): Promise<Record<string, string>> {
  const [row] = await sql<{ name: string }[]>`select current_database() as name`
  const url = `postgres://passport@localhost/${row?.name}?host=${encodeURIComponent(inject('socketDirectory'))}`
  return { DATABASE_URL: url, PASSPORT_SECRET: testSecret }
}
