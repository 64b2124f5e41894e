import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort, startPeerDatabase } from './database.ts'
import { client, findPeer, type Provider, password, type SignIn, userCount } from './peer.ts'

export const keycloakVersion = '26.7.3'
export const keycloakDirectory = `keycloak-${keycloakVersion}`
const admin = { username: 'admin', password: 'the-password-of-the-measurement' }
const startTimeoutMs = 300_000

/** The realms: with a hash of one iteration, and as Keycloak creates them. */
const realms = { cheap: { passwordPolicy: 'hashAlgorithm(pbkdf2-sha256) and hashIterations(1)' }, default: {} }

/** Starts Keycloak in production mode, on PostgreSQL, with a realm for each cost of the hash. */
export async function startKeycloak(): Promise<Provider | undefined> {
  const directory = findPeer(keycloakDirectory)
  if (!directory) return undefined
  const database = await startPeerDatabase()
  const [port, managementPort] = [await findFreePort(), await findFreePort()]
  const url = `http://127.0.0.1:${port}`
  const options = {
    'db-url': `jdbc:postgresql://127.0.0.1:${database.port}/peer`,
    'db-username': 'passport',
    'db-password': 'unused',
    'db-pool-max-size': '20',
    'http-enabled': 'true',
    'http-host': '127.0.0.1',
    'http-port': String(port),
    'http-management-port': String(managementPort),
    hostname: url,
  }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const child = spawn(join(directory, 'bin/kc.sh'), ['start', '--optimized', ...args], {
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: admin.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: admin.password,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    // The script passes the signal on.
    child.kill('SIGTERM')
    await exited
    await database.stop()
  }
  try {
    await waitUntilStarted(child)
    await createRealms(url)
  } catch (error) {
    await stop()
    throw error
  }
  const signInAt = (realm: keyof typeof realms): SignIn => ({
    issuer: `${url}/realms/${realm}`,
    fields: (user) => ({ username: `user${user}`, password }),
  })
  return {
    issuer: `${url}/realms/cheap`,
    pid: child.pid ?? 0,
    database,
    clientCredentials: {},
    signIns: { cheap: signInAt('cheap'), default: signInAt('default') },
    stop,
  }
}

async function waitUntilStarted(child: ChildProcess) {
  let output = ''
  child.stdout?.on('data', (text) => {
    output = (output + text).slice(-10_000)
  })
  for (const startedAt = Date.now(); !/started in/.test(output); await delay(100))
    if (child.exitCode !== null || Date.now() - startedAt > startTimeoutMs)
      throw new Error(`Keycloak did not start: ${output}`)
}

async function createRealms(url: string) {
  const token = await getAdminToken(url)
  for (const [realm, policy] of Object.entries(realms)) {
    const response = await fetch(`${url}/admin/realms`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ realm, enabled: true, ...realmSettings, ...policy }),
    })
    if (response.status !== 201) throw new Error(`Realm ${realm}: ${response.status} ${await response.text()}`)
  }
}

/** Signs the administrator in. Keycloak answers 503 for a while after it has started. */
async function getAdminToken(url: string): Promise<string> {
  for (const startedAt = Date.now(); Date.now() - startedAt < startTimeoutMs; await delay(500)) {
    const answer = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...admin }),
    })
    if (answer.ok) return ((await answer.json()) as { access_token: string }).access_token
    await answer.text()
  }
  throw new Error('Keycloak is not ready')
}

const realmSettings = {
  // As with Passport; 5 minutes by default.
  accessTokenLifespan: 3600,
  sslRequired: 'none',
  // A refresh token is spent once, as with Passport.
  revokeRefreshToken: true,
  refreshTokenMaxReuse: 0,
  clients: [
    {
      clientId: client.id,
      secret: client.secret,
      redirectUris: [client.redirectUri],
      publicClient: false,
      serviceAccountsEnabled: true,
      standardFlowEnabled: true,
      attributes: { 'oauth2.device.authorization.grant.enabled': 'true' },
      // Introspection says that a token is inactive if the asking client is not in its audience.
      protocolMappers: [
        {
          name: 'audience',
          protocol: 'openid-connect',
          protocolMapper: 'oidc-audience-mapper',
          config: {
            'included.client.audience': client.id,
            'access.token.claim': 'true',
            'introspection.token.claim': 'true',
          },
        },
      ],
    },
  ],
  users: Array.from({ length: userCount }, (_, user) => ({
    username: `user${user}`,
    email: `user${user}@stage.example`,
    firstName: 'Bench',
    lastName: 'User',
    enabled: true,
    emailVerified: true,
    credentials: [{ type: 'password', value: password }],
  })),
}
