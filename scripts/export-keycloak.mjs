// node scripts/export-keycloak.mjs <folder of Keycloak 26> <file>: fills a realm of a real Keycloak and exports it with its
// users. It made the file that the tests of the import read; the passwords in it are those of nobody.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const [home, target] = process.argv.slice(2)
if (!home || !target) throw new Error('node scripts/export-keycloak.mjs <folder of Keycloak> <file>')

const port = 18080
const base = `http://127.0.0.1:${port}`
const data = mkdtempSync(join(tmpdir(), 'keycloak-'))
const database = ['--db=dev-file', `--db-url=jdbc:h2:file:${join(data, 'database')};NON_KEYWORDS=VALUE`]
const env = { ...process.env, KC_BOOTSTRAP_ADMIN_USERNAME: 'admin', KC_BOOTSTRAP_ADMIN_PASSWORD: 'admin' }
const kc = join(home, 'bin', 'kc.sh')

const server = spawn(kc, ['start-dev', `--http-port=${port}`, ...database], { env, stdio: 'inherit', detached: true })
try {
  await waitUntilReady()
  await fillRealm()
} finally {
  process.kill(-server.pid, 'SIGTERM')
  await once(server, 'exit')
}
const file = join(data, 'realm.json')
spawnSync(kc, ['export', '--realm=stage', '--users=same_file', `--file=${file}`, ...database], {
  env,
  stdio: 'inherit',
})
// The components contain the signing keys of the realm, which nothing reads.
const { components: _, ...realm } = JSON.parse(readFileSync(file, 'utf8'))
writeFileSync(target, `${JSON.stringify(realm, null, 2)}\n`)
rmSync(data, { recursive: true, force: true })

async function waitUntilReady() {
  for (let attempt = 0; attempt < 300; attempt++) {
    const response = await fetch(`${base}/realms/master`).catch(() => undefined)
    if (response?.ok) return
    await setTimeout(1000)
  }
  throw new Error('Keycloak did not start.')
}

async function call(method, path, body) {
  const { access_token } = await (
    await fetch(`${base}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'password',
        client_id: 'admin-cli',
        username: 'admin',
        password: 'admin',
      }),
    })
  ).json()
  const response = await fetch(`${base}/admin/realms${path}`, {
    method,
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  if (response.status === 201) return response.headers.get('location')?.split('/').pop()
  const text = await response.text()
  return text ? JSON.parse(text) : undefined
}

async function fillRealm() {
  await call('POST', '', { realm: 'stage', enabled: true, organizationsEnabled: true, displayName: 'Stage' })
  const at = (path) => `/stage${path}`
  for (const [name, description] of [
    ['Stage.Editor', 'Edits stages'],
    ['stage-viewer', 'Sees stages'],
    ['passport.admin', 'Administers something else'],
    ['crew', ''],
  ])
    await call('POST', at('/roles'), { name, description })
  const role = (name) => call('GET', at(`/roles/${encodeURIComponent(name)}`))
  await call('POST', at('/roles/crew/composites'), [await role('Stage.Editor'), await role('stage-viewer')])
  const client = await call('POST', at('/clients'), {
    clientId: 'box-office',
    serviceAccountsEnabled: true,
    secret: 's',
  })
  await call('POST', at(`/clients/${client}/roles`), { name: 'seller', description: 'Sells tickets' })
  const seller = await call('GET', at(`/clients/${client}/roles/seller`))
  await call('POST', at('/identity-provider/instances'), {
    alias: 'harbour',
    providerId: 'oidc',
    config: {
      clientId: 'c',
      clientSecret: 's',
      authorizationUrl: 'https://login.harbour.example/authorize',
      tokenUrl: 'https://login.harbour.example/token',
      issuer: 'https://login.harbour.example',
    },
  })
  await call('POST', at('/identity-provider/instances'), {
    alias: 'lighthouse',
    providerId: 'oidc',
    config: {
      clientId: 'c',
      clientSecret: 's',
      authorizationUrl: 'https://lighthouse.example/authorize',
      tokenUrl: 'https://lighthouse.example/token',
      issuer: 'https://lighthouse.example',
    },
  })

  const staff = await call('POST', at('/groups'), { name: 'Staff', attributes: { floor: ['2'] } })
  const lighting = await call('POST', at(`/groups/${staff}/children`), { name: 'Lighting' })
  await call('POST', at('/groups'), { name: 'Guests' })
  await call('POST', at(`/groups/${staff}/role-mappings/realm`), [await role('stage-viewer')])
  await call('POST', at(`/groups/${lighting}/role-mappings/realm`), [await role('Stage.Editor')])

  const users = {}
  const add = async (username, fields, { password, algorithm, iterations } = {}) => {
    // New passwords are hashed as the realm says at that moment.
    if (password) {
      const policy = algorithm ? `hashAlgorithm(${algorithm}) and hashIterations(${iterations})` : ''
      await call('PUT', '/stage', { realm: 'stage', passwordPolicy: policy })
    }
    const credentials = password ? [{ type: 'password', value: password, temporary: false }] : []
    users[username] = await call('POST', at('/users'), { username, enabled: true, credentials, ...fields })
  }
  await add(
    'anna',
    { firstName: 'Anna', lastName: 'Berg', email: 'anna@northwind.example', emailVerified: true },
    { password: 'argon2 of anna' },
  )
  await add(
    'bert',
    { firstName: 'Bert', lastName: 'Olsen', email: 'bert@northwind.example' },
    { password: 'sha512 of bert', algorithm: 'pbkdf2-sha512', iterations: 210000 },
  )
  await add(
    'carla',
    { firstName: 'Carla', lastName: 'Diaz', email: 'carla@northwind.example' },
    { password: 'sha256 of carla', algorithm: 'pbkdf2-sha256', iterations: 27500 },
  )
  await add(
    'dmitri',
    { firstName: 'Дмитрий', lastName: 'Орлов', email: 'dmitri@northwind.example' },
    { password: 'sha1 of dmitri', algorithm: 'pbkdf2', iterations: 20000 },
  )
  await add(
    'emil',
    { firstName: 'Emil', email: 'emil@northwind.example' },
    { password: 'too many of emil', algorithm: 'pbkdf2-sha256', iterations: 2000001 },
  )
  await add(
    'frida@northwind.example',
    { firstName: 'Frida', email: 'frida@northwind.example', emailVerified: true },
    { password: 'argon2 of frida' },
  )
  await add('gone', { enabled: false, email: 'gone@northwind.example' })
  await add('hanna', { firstName: 'Hanna', requiredActions: ['UPDATE_PASSWORD'] })

  await call('POST', at(`/users/${users.anna}/role-mappings/realm`), [await role('crew')])
  await call('POST', at(`/users/${users.bert}/role-mappings/realm`), [await role('passport.admin')])
  await call('POST', at(`/users/${users.carla}/role-mappings/clients/${client}`), [seller])
  await call('PUT', at(`/users/${users.anna}/groups/${lighting}`))
  await call('PUT', at(`/users/${users.bert}/groups/${staff}`))
  await call('POST', at(`/users/${users.anna}/federated-identity/harbour`), {
    identityProvider: 'harbour',
    userId: 'anna-at-harbour',
    userName: 'anna',
  })
  await call('POST', at(`/users/${users.bert}/federated-identity/lighthouse`), {
    identityProvider: 'lighthouse',
    userId: 'bert-at-lighthouse',
    userName: 'bert',
  })

  const organization = await call('POST', at('/organizations'), {
    name: 'Northwind Traders',
    alias: 'northwind',
    domains: [{ name: 'northwind.example', verified: true }],
  })
  for (const name of ['anna', 'bert']) await call('POST', at(`/organizations/${organization}/members`), users[name])
}
