import { rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { type CheckRequest, printRelationship } from '@passport/permissions'
import { type RunningServer, runServer } from '@passport/world/process'
import type { KnownChecks } from './known-checks.ts'
import { readResidentMegabytes } from './memory.ts'
import { median } from './percentile.ts'
import { authenticateClient, benchClient, createClient, type PermissionClient } from './permission-client.ts'
import { generateRelationships, lookupSizes, permissionSchema } from './permission-data.ts'
import type { Figures } from './permission-figures.ts'
import { type Call, postAll } from './permission-load.ts'
import { measureWrites } from './permission-writes.ts'
import { createDataDir, stop } from './server.ts'
import { startBareServer } from './start-bare-server.ts'

/**
 * The size of an import. Changes of this size are not logged one by one, which is faster; much larger ones would exceed
 * the memory of a server.
 */
const relationshipsPerImport = 200_000

/** Measures a separate server with its own embedded PostgreSQL over HTTP. */
export async function measurePermissionService(relationshipCount: number, known: KnownChecks): Promise<Figures> {
  const dataDir = createDataDir()
  const env = {
    DATA_DIR: dataDir,
    PASSPORT_SECRET: 'the secret of the server under the benchmark',
    CLIENTS: JSON.stringify([benchClient]),
    NODE_COMPILE_CACHE: 'node_modules/.cache/compile',
  }
  let server = await runServer(env)
  try {
    const figures: Figures = { residentBefore: readResidentMegabytes(server.pid) }
    const client = await authenticateClient(server)
    figures['load'] = relationshipCount / (await loadRelationships(client, relationshipCount))
    await stop(server)
    const started = await startCold(env, client)
    server = started.server
    Object.assign(figures, started.figures)
    await measureRequests(started.client, server.pid, known, figures)
    Object.assign(figures, await measureWrites(started.client, env))
    return figures
  } finally {
    await stop(server)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Imports all relationships and returns the seconds it took, excluding the generation of the files. */
async function loadRelationships({ call }: PermissionClient, relationshipCount: number): Promise<number> {
  await call('PUT', '/schema', { text: permissionSchema })
  let seconds = 0
  let lines: string[] = []
  const send = async () => {
    const file = `relationships: |-\n${lines.join('')}`
    lines = []
    // Lets `fetch` notice that the server has closed a connection, so that it does not reuse the connection.
    await setTimeout(10)
    const startedAt = performance.now()
    await call('POST', '/import', file)
    seconds += (performance.now() - startedAt) / 1000
  }
  for (const relationship of generateRelationships(relationshipCount)) {
    lines.push(`  ${printRelationship(relationship)}\n`)
    if (lines.length === relationshipsPerImport) await send()
  }
  if (lines.length > 0) await send()
  return seconds
}

/** Starts a server on the existing data. Reuses the token that the previous server issued, which had the same URL. */
async function startCold(env: Record<string, string>, previousClient: PermissionClient) {
  const port = new URL(previousClient.url).port
  const startedAt = performance.now()
  const server: RunningServer = await runServer({ ...env, PORT: port })
  const ready = (performance.now() - startedAt) / 1000
  const client = createClient(server.url, previousClient.headers['authorization']?.replace('Bearer ', '') ?? '')
  while ((await client.call('GET', '/status'))['counts'] === null) await setTimeout(10)
  const coldStart = (performance.now() - startedAt) / 1000
  return { server, client, figures: { ready, coldStart, resident: readResidentMegabytes(server.pid) } }
}

const loadOptions = { connections: 16, amount: 20_000 }

async function measureRequests(client: PermissionClient, pid: number, known: KnownChecks, figures: Figures) {
  const [hits, misses] = [known.hits.slice(0, 2000), known.misses.slice(0, 2000)]
  const single = [
    ...hits.map((request) => createSingleCall(request, 'has')),
    ...misses.map((request) => createSingleCall(request, 'no')),
  ]
  const singleResult = await postAll(client, pid, '/check', interleave(single), loadOptions)
  Object.assign(figures, {
    single: singleResult.perCpuSecond,
    singleWall: singleResult.perSecond,
    singleP99: singleResult.p99Ms,
  })
  figures['bare'] = await measureBareServer(client, single)
  const bulk = Array.from({ length: 4 }, (_, index) => createBulkCall(known, index * 500))
  const bulkResult = await postAll(client, pid, '/checkbulk', bulk, { connections: 4, amount: 200 })
  Object.assign(figures, { bulk: bulkResult.perCpuSecond * 1000, bulkWall: bulkResult.perSecond * 1000 })
  for (const size of lookupSizes) {
    const subject = { type: 'user', id: `reader-${size}` }
    const resourcesRequest = { resourceType: 'document', permission: 'view', subject }
    figures[`resources${size}Whole`] = await measureAllPages(client, '/lookupresources', resourcesRequest, size)
    const subjectsRequest = {
      resource: { type: 'document', id: `popular-${size}` },
      permission: 'view',
      subjectType: 'user',
    }
    figures[`subjects${size}Whole`] = await measureAllPages(client, '/lookupsubjects', subjectsRequest, size)
  }
}

/** Measures the same calls against a bare server: the CPU time that Node.js and the operating system use. */
async function measureBareServer(client: PermissionClient, calls: Call[]): Promise<number> {
  const headers = { ...client.headers, 'content-type': 'application/json' }
  const sample = await fetch(client.urlOf('/check'), { method: 'POST', headers, body: calls[0]?.body ?? '' })
  const bare = await startBareServer(sample)
  try {
    const bareCalls = calls.slice(0, 100).map(({ body }) => ({ body, isExpected: () => true }))
    return (await postAll(createClient(bare.url, ''), bare.pid, '/check', bareCalls, loadOptions)).perCpuSecond
  } finally {
    bare.stop()
  }
}

const createSingleCall = (request: CheckRequest, expected: 'has' | 'no'): Call => ({
  body: JSON.stringify(request),
  isExpected: (text) => text.includes(`"permissionship":"${expected}Permission"`),
})

/** Creates a call with 500 checks of both kinds, alternating. */
function createBulkCall({ hits, misses }: KnownChecks, from: number): Call {
  const items = hits.slice(from, from + 500).flatMap((hit, index) => [hit, misses[from + index]])
  return {
    body: JSON.stringify({ items }),
    isExpected: (text) => {
      const { items: results } = JSON.parse(text) as { items: { permissionship: string }[] }
      const isExpected = ({ permissionship }: { permissionship: string }, index: number) =>
        permissionship === (index % 2 === 0 ? 'hasPermission' : 'noPermission')
      return results.length === items.length && results.every(isExpected)
    },
  }
}

/** Alternates the first half of the calls with the second. */
const interleave = (calls: Call[]) =>
  calls.map((_, index) => calls[(index % 2) * (calls.length / 2) + Math.floor(index / 2)] as Call)

/**
 * Returns the median time of five rounds in milliseconds, each with all pages of a thousand items. Throws if too few
 * items are found.
 */
async function measureAllPages({ call }: PermissionClient, path: string, request: object, minItems: number) {
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const startedAt = performance.now()
    let itemCount = 0
    let cursor: unknown
    do {
      const page = await call('POST', path, { ...request, limit: 1000, ...(cursor != null && { cursor }) })
      itemCount += (page['items'] as unknown[]).length
      cursor = page['cursor']
    } while (cursor != null)
    times.push(performance.now() - startedAt)
    if (itemCount < minItems) throw new Error(`${path} found ${itemCount} of ${minItems}`)
  }
  return median(times)
}
