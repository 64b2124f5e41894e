import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestBrowser } from '@passport/world/browser'
import { type RunningServer, run, runServer } from '@passport/world/process'

/** Creates an empty data directory, readable by PostgreSQL's own user when the benchmark runs as root. */
export function createDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'passport-bench-'))
  chmodSync(dataDir, 0o755)
  return dataDir
}

/**
 * Adds a generated directory to an empty data directory. Returns the password of the demo users and the output of the
 * seed.
 */
export async function seedDirectory(
  dataDir: string,
  size: { users: number; groups: number; orgs: number },
): Promise<{ password: string; output: string }> {
  const server = await runServer({ DATA_DIR: dataDir })
  await stop(server)
  const args = Object.entries(size).flatMap(([kind, count]) => [`--${kind}`, String(count)])
  const { output, code } = await run('commands/seed.ts', args, { DATA_DIR: dataDir, LOG_LEVEL: 'error' }).exited
  if (code !== 0) throw new Error(output)
  return { password: server.password, output }
}

/** Signs `ada` in through the forms and returns the `Cookie` header of the session. */
export async function signIn(url: string, password: string): Promise<string> {
  const browser = createTestBrowser(url)
  await browser.submit(await browser.open('/login'), { name: 'ada', password })
  const session = browser.cookies().find(({ name }) => name === 'passport')
  if (!session) throw new Error('The sign-in returned no session')
  return `${session.name}=${session.value}`
}

/** Stops a server and waits until it has exited. */
export async function stop({ kill, exited }: RunningServer) {
  kill('SIGTERM')
  await exited
}
