import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from './database.ts'
import { findPeer, type Provider } from './peer.ts'

export const glewlwydDirectory = 'glewlwyd-2.7.5'

/** Starts glewlwyd from Debian's package, on SQLite as the package proposes. Only its documents are measured. */
export async function startGlewlwyd(): Promise<Provider | undefined> {
  const root = findPeer(glewlwydDirectory)
  if (!root) return undefined
  const directory = mkdtempSync(join(tmpdir(), 'passport-bench-glewlwyd-'))
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const tables = join(directory, 'tables')
  const database = new DatabaseSync(tables)
  database.exec(readFileSync(join(root, 'usr/share/dbconfig-common/data/glewlwyd/install/sqlite3'), 'utf8'))
  database.close()
  const modules = Object.entries({ user: 'user', client: 'client', user_auth_scheme: 'scheme', plugin: 'plugin' })
  const settings = {
    port,
    bind_address: '127.0.0.1',
    external_url: url,
    login_url: 'login.html',
    api_prefix: 'api',
    log_mode: 'console',
    log_level: 'ERROR',
    cookie_domain: 'localhost',
    session_key: 'GLEWLWYD2_SESSION_ID',
    login_api_enabled: true,
    admin_scope: 'g_admin',
    profile_scope: 'g_profile',
    user_middleware_module_path: join(root, 'usr/lib/glewlwyd/user'),
    ...Object.fromEntries(modules.map(([kind, path]) => [`${kind}_module_path`, join(root, 'usr/lib/glewlwyd', path)])),
    hash_algorithm: 'SHA512',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  const configuration = join(directory, 'glewlwyd.conf')
  writeFileSync(configuration, `${lines.join('\n')}\ndatabase = { type = "sqlite3"; path = "${tables}"; };\n`)
  const child = spawn(join(root, 'usr/bin/glewlwyd'), ['--config-file', configuration], {
    env: { ...process.env, LD_LIBRARY_PATH: join(root, 'usr/lib/x86_64-linux-gnu') },
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await addIssuer(url, () => child.exitCode === null)
  } catch (error) {
    await stop()
    throw error
  }
  return { issuer: `${url}/api/oidc`, pid: child.pid ?? 0, clientCredentials: {}, signIns: {}, stop }
}

/** Signs its first administrator in and adds an OpenID Connect plug-in. */
async function addIssuer(url: string, isRunning: () => boolean) {
  const headers = { 'content-type': 'application/json' }
  const signIn = () =>
    fetch(`${url}/api/auth/`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ username: 'admin', password: 'password' }),
    }).catch(() => undefined)
  let signedIn = await signIn()
  while (!signedIn?.ok) {
    if (!isRunning()) throw new Error('glewlwyd did not start')
    await delay(100)
    signedIn = await signIn()
  }
  const cookie = signedIn.headers.getSetCookie().map((line) => line.split(';')[0])
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const parameters = {
    iss: url,
    'jwt-type': 'rsa',
    'jwt-key-size': '256',
    key: privateKey,
    cert: publicKey,
    'access-token-duration': 3600,
    'refresh-token-duration': 1_209_600,
    'code-duration': 600,
    'refresh-token-rolling': true,
    'allow-non-oidc': true,
    'auth-type-code-enabled': true,
    'auth-type-client-enabled': true,
    'auth-type-refresh-enabled': true,
    scope: [],
  }
  const added = await fetch(`${url}/api/mod/plugin/`, {
    method: 'POST',
    headers: { ...headers, cookie: cookie.join('; ') },
    body: JSON.stringify({ module: 'oidc', name: 'oidc', display_name: 'Bench', parameters, enabled: true }),
  })
  if (!added.ok) throw new Error(`glewlwyd: ${added.status} ${await added.text()}`)
}
