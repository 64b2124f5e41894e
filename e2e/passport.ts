import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startOidcProvider } from '@passport/world/oidc-provider/provider'

/** A whole Passport of one's own: the real server with its embedded database, and a second identity provider. */
export interface Passport {
  url: string
  password: string
  stop: () => Promise<void>
}

const root = fileURLToPath(new URL('..', import.meta.url))
const harbourClient = { clientId: 'passport', clientSecret: 'the-secret-of-the-tests-at-harbour' }

/** Starts it as `npm start` does, on an empty data directory, with `max` beside the demonstration people. */
export async function startPassport(env: Record<string, string> = {}): Promise<Passport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'passport-e2e-'))
  chmodSync(dataDir, 0o755)
  const port = await freePort()
  const url = `http://localhost:${port}`
  const harbour = await startOidcProvider({ ...harbourClient, redirectUri: `${url}/login/callback/harbour` })
  const providers = [
    { id: 'local', kind: 'local', name: 'Passport' },
    { id: 'harbour', kind: 'oidc', name: 'Harbour ID', issuer: harbour.issuer, ...harbourClient, signUp: 'open' },
  ]
  const settings = {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: dataDir,
    PORT: String(port),
    IDENTITY_PROVIDERS: JSON.stringify(providers),
    ...env,
  }
  const server = run('server/src/main.ts', [], settings)
  await server.says(/Try next/)
  const password = /shown this once: {2}(\S+)/.exec(server.output())?.[1] ?? ''
  await addMax(settings)
  return {
    url,
    password,
    stop: async () => {
      server.child.kill('SIGTERM')
      await server.ended
      await harbour.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The password of `max`, who is an administrator and no developer; it is set when the server has started. */
export let maxPassword = ''

async function addMax(settings: Record<string, string>) {
  const added = run('server/src/commands/password.ts', ['max', '--add', 'Max Weber', 'max@passport.example'], settings)
  await added.ended
  maxPassword = /is now {2}(\S+)/.exec(added.output())?.[1] ?? ''
  const [, issuer = '', subject = ''] = /admin -- grant (\S+) (\S+)/.exec(added.output()) ?? []
  await run('server/src/commands/admin.ts', ['grant', issuer, subject], settings).ended
}

function run(file: string, args: string[], env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [join(root, file), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let heard: () => void = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text
      heard()
    })
  }
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const says = async (pattern: RegExp) => {
    while (!pattern.test(output)) {
      const isOver = await Promise.race([
        ended.then(() => true),
        new Promise<void>((resolve) => (heard = resolve)).then(() => false),
      ])
      if (isOver && !pattern.test(output)) throw new Error(`It ended before it said ${pattern}: ${output}`)
    }
  }
  return { child, ended, says, output: () => output }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
