import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startClouds } from '@passport/world/entra/start-clouds'
import { guidOf } from '@passport/world/entra/tenants'
import { type RunningServer, runServer } from '@passport/world/process'
import { readCpuSeconds, readTreeCpuSeconds } from './cpu-time.ts'
import { percentile } from './percentile.ts'
import { createDataDir, signIn, stop } from './server.ts'
import { logPlans, measureQueryCost } from './shared-buffers.ts'
import { formatTable } from './table.ts'

const userCount = 1_000
/** Microsoft Entra sends a few requests at a time. */
const connections = 4

/**
 * Provisions 1,000 users by SCIM as Microsoft Entra does in an initial cycle: each is looked for by the object id, then
 * created, and all become members of a group. Then each is disabled.
 */
export async function measureScim(): Promise<string> {
  const load = await run(userCount, false)
  const counted = await run(userCount / 10, true)
  const perRequest = (kind: Kind) => (counted.statements[kind] / (userCount / 10)).toFixed(1)
  const toMs = (seconds: number) => `${((seconds * 1000) / userCount).toFixed(2)} ms`
  return formatTable([
    [`provisioned users: search, creation, disabling`, String(userCount)],
    ['time of search and creation', `${load.seconds.toFixed(1)} s`],
    ['CPU of the server, per user', toMs(load.serverCpu)],
    ['CPU of the database, per user', toMs(load.databaseCpu)],
    ['creation, p50', `${percentile(load.times, 0.5).toFixed(1)} ms`],
    ['creation, p99', `${percentile(load.times, 0.99).toFixed(1)} ms`],
    ['statements of a search', perRequest('search')],
    ['statements of a creation', perRequest('create')],
    ['statements of a disabling', perRequest('disable')],
    [`statements of ${userCount / 10} members in one request`, String(counted.statements.members)],
  ])
}

type Kind = 'search' | 'create' | 'members' | 'disable'

interface Measured {
  seconds: number
  serverCpu: number
  databaseCpu: number
  /** The times of creations, in milliseconds. */
  times: number[]
  statements: Record<Kind, number>
}

async function run(count: number, countsStatements: boolean): Promise<Measured> {
  const dataDir = createDataDir()
  const home = join(dataDir, 'postgres')
  const clouds = await startClouds(0, 'http://localhost', dataDir)
  const env = { DATA_DIR: dataDir, ENTRA_CLOUDS: JSON.stringify(clouds.map(({ configuration }) => configuration)) }
  try {
    const first = await runServer(env)
    const { password } = first
    const target = await createTarget(first)
    await stop(first)
    if (countsStatements) logPlans(home)
    const server = await runServer({ ...env, PORT: new URL(first.url).port })
    try {
      return await provision({ ...server, password }, target, home, count, countsStatements)
    } finally {
      await stop(server)
    }
  } finally {
    await Promise.all(clouds.map(({ entra }) => entra.stop()))
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Creates the organisation of a tenant and a SCIM token; returns its path and the token. */
async function createTarget(server: RunningServer): Promise<{ path: string; token: string }> {
  const headers = {
    cookie: await signIn(server.url, server.password),
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
  }
  const post = async (path: string, body: object) => {
    const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path} responded ${response.status}: ${await response.text()}`)
    return response.json()
  }
  const { org } = (await post('/passport/admin/orgs/entra', { domain: 'meridian.example' })) as { org: { id: string } }
  const { value } = (await post(`/passport/admin/orgs/${org.id}/scim/tokens`, { name: 'Bench', expiresInDays: 1 })) as {
    value: string
  }
  return { path: `/passport/scim/v2/${org.id}`, token: value }
}

async function provision(
  server: RunningServer,
  { path, token }: { path: string; token: string },
  home: string,
  count: number,
  countsStatements: boolean,
): Promise<Measured> {
  const send = async (method: string, resource: string, body?: object) => {
    const response = await fetch(server.url + path + resource, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${resource} responded ${response.status}: ${text}`)
    return (text === '' ? {} : JSON.parse(text)) as { id: string }
  }
  const names = Array.from({ length: count }, (_, index) => `user-${index}@meridian.example`)
  const ids: string[] = []
  const times: number[] = []
  const work: Record<Kind, () => Promise<unknown>> = {
    search: () =>
      each(names, (name) => send('GET', `/Users?filter=${encodeURIComponent(`externalId eq "${guidOf(name)}"`)}`)),
    create: () =>
      each(names, async (userName) => {
        const startedAt = performance.now()
        const { id } = await send('POST', '/Users', {
          externalId: guidOf(userName),
          userName,
          active: true,
          displayName: userName,
          name: { givenName: 'User', familyName: userName },
          emails: [{ type: 'work', primary: true, value: userName }],
        })
        times.push(performance.now() - startedAt)
        ids.push(id)
      }),
    members: async () => {
      const { id } = await send('POST', '/Groups', { displayName: 'Everyone', externalId: guidOf('Everyone') })
      const value = ids.map((id) => ({ value: id }))
      await send('PATCH', `/Groups/${id}`, { Operations: [{ op: 'Add', path: 'members', value }] })
    },
    disable: () =>
      each(ids, (id) =>
        send('PATCH', `/Users/${id}`, { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] }),
      ),
  }
  const [serverCpu, databaseCpu] = [readCpuSeconds(server.pid), readDatabaseCpuSeconds(home)]
  const statements = { search: 0, create: 0, members: 0, disable: 0 }
  const startedAt = performance.now()
  let seconds = 0
  for (const kind of ['search', 'create', 'members', 'disable'] as const) {
    if (countsStatements) statements[kind] = (await measureQueryCost(home, work[kind])).statements
    else await work[kind]()
    if (kind === 'create') seconds = (performance.now() - startedAt) / 1000
  }
  return {
    seconds,
    serverCpu: readCpuSeconds(server.pid) - serverCpu,
    databaseCpu: readDatabaseCpuSeconds(home) - databaseCpu,
    times,
    statements,
  }
}

/** Runs `work` for each item, over a few connections. */
async function each<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const remaining = [...items]
  const worker = async () => {
    for (let item = remaining.shift(); item !== undefined; item = remaining.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

function readDatabaseCpuSeconds(home: string): number {
  const [pid = ''] = readFileSync(join(home, 'tables/postmaster.pid'), 'utf8').split('\n')
  return readTreeCpuSeconds(Number(pid))
}
