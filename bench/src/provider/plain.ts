import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { findFreePort, startPeerDatabase } from './database.ts'
import { type Provider, password } from './peer.ts'

/** Starts `oidc-provider` with the adapter of `plain-server.ts`. */
export async function startPlain(): Promise<Provider> {
  const database = await startPeerDatabase()
  const port = await findFreePort()
  const url = `postgres://passport@127.0.0.1:${database.port}/peer`
  const file = fileURLToPath(new URL('plain-server.ts', import.meta.url))
  const child = spawn(process.execPath, [file, String(port), url], { stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = once(child, 'exit')
  await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => Promise.reject(new Error('oidc-provider did not start'))),
  ])
  const issuer = `http://127.0.0.1:${port}`
  return {
    issuer,
    pid: child.pid ?? 0,
    database,
    clientCredentials: { resource: 'urn:bench', scope: 'bench' },
    signIns: { cheap: { issuer, fields: (user) => ({ login: `user${user}`, password }) } },
    stop: async () => {
      child.kill('SIGTERM')
      await exited
      await database.stop()
    },
  }
}
