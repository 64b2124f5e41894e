import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { CheckQuestion } from '@passport/permissions/engine'
import { printRelationship } from '@passport/permissions/relationship-text'
import { type RunningServer, runServer } from '@passport/world/process'
import { startBare } from './bare-process.ts'
import { residentMegabytes } from './memory.ts'
import { middleOfAll } from './percentile.ts'
import { benchClient, clientWith, type PermissionClient, signInClient } from './permission-client.ts'
import { lookupSizes, permissionRelationships, permissionSchema } from './permission-data.ts'
import type { Figures } from './permission-figures.ts'
import { type Call, postAll } from './permission-load.ts'
import type { KnownQuestions } from './permission-questions.ts'
import { measureWrites } from './permission-writes.ts'
import { stop } from './server.ts'

/** So many at once are not told one by one, which is faster; many more would be too much for the memory of a server. */
const perImport = 200_000

/** What a server of its own, on an embedded PostgreSQL of its own, answers over HTTP. */
export async function measurePermissionService(relationships: number, known: KnownQuestions): Promise<Figures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'passport-bench-'))
  chmodSync(dataDir, 0o755)
  const env = {
    DATA_DIR: dataDir,
    PASSPORT_SECRET: 'what seals the keys of a server that is measured',
    CLIENTS: JSON.stringify([benchClient]),
    NODE_COMPILE_CACHE: 'node_modules/.cache/compile',
  }
  let server = await runServer(env)
  try {
    const figures: Figures = { residentBefore: residentMegabytes(server.pid) }
    const client = await signInClient(server)
    figures['load'] = relationships / (await load(client, relationships))
    await stop(server)
    const started = await startCold(env, client)
    server = started.server
    Object.assign(figures, started.figures)
    await measureQuestions(started.client, server.pid, known, figures)
    Object.assign(figures, await measureWrites(started.client, env))
    return figures
  } finally {
    await stop(server)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Imports all; the seconds that it takes, without those that making the files takes. */
async function load({ call }: PermissionClient, relationships: number): Promise<number> {
  await call('PUT', '/schema', { text: permissionSchema })
  let seconds = 0
  let lines: string[] = []
  const send = async () => {
    const file = `relationships: |-\n${lines.join('')}`
    lines = []
    // A connection that the server closed while the lines were made is noticed now, and not used for it.
    await setTimeout(10)
    const since = performance.now()
    await call('POST', '/import', file)
    seconds += (performance.now() - since) / 1000
  }
  for (const relationship of permissionRelationships(relationships)) {
    lines.push(`  ${printRelationship(relationship)}\n`)
    if (lines.length === perImport) await send()
  }
  if (lines.length > 0) await send()
  return seconds
}

/** Starts a server on the data that is there; the token is of the one before, which had the same address. */
async function startCold(env: Record<string, string>, before: PermissionClient) {
  const port = new URL(before.url).port
  const since = performance.now()
  const server: RunningServer = await runServer({ ...env, PORT: port })
  const ready = (performance.now() - since) / 1000
  const client = clientWith(server.url, before.headers['authorization']?.replace('Bearer ', '') ?? '')
  while ((await client.call('GET', '/status'))['counts'] === null) await setTimeout(10)
  const coldStart = (performance.now() - since) / 1000
  return { server, client, figures: { ready, coldStart, resident: residentMegabytes(server.pid) } }
}

const sixteen = { connections: 16, amount: 20_000 }

async function measureQuestions(client: PermissionClient, pid: number, known: KnownQuestions, figures: Figures) {
  const [hits, misses] = [known.hits.slice(0, 2000), known.misses.slice(0, 2000)]
  const single = [...hits.map((one) => singleCall(one, 'has')), ...misses.map((one) => singleCall(one, 'no'))]
  const one = await postAll(client, pid, '/check', shuffled(single), sixteen)
  Object.assign(figures, { single: one.perCoreSecond, singleWall: one.perSecond, singleP99: one.p99Ms })
  figures['bare'] = await bareChecks(client, single)
  const bulk = Array.from({ length: 4 }, (_, at) => bulkCall(known, at * 500))
  const many = await postAll(client, pid, '/checkbulk', bulk, { connections: 4, amount: 200 })
  Object.assign(figures, { bulk: many.perCoreSecond * 1000, bulkWall: many.perSecond * 1000 })
  for (const size of lookupSizes) {
    const subject = { type: 'user', id: `reader-${size}` }
    const ofSubject = { resourceType: 'document', permission: 'view', subject }
    figures[`resources${size}Whole`] = await everyPage(client, '/lookupresources', ofSubject, size)
    const ofResource = {
      resource: { type: 'document', id: `popular-${size}` },
      permission: 'view',
      subjectType: 'user',
    }
    figures[`subjects${size}Whole`] = await everyPage(client, '/lookupsubjects', ofResource, size)
  }
}

/** The same calls of a server that does nothing: so much of a core do Node and the machine take for themselves. */
async function bareChecks(client: PermissionClient, calls: Call[]): Promise<number> {
  const headers = { ...client.headers, 'content-type': 'application/json' }
  const like = await fetch(client.addressOf('/check'), { method: 'POST', headers, body: calls[0]?.body ?? '' })
  const bare = await startBare(like)
  try {
    const asked = calls.slice(0, 100).map(({ body }) => ({ body, isRight: () => true }))
    return (await postAll(clientWith(bare.url, ''), bare.pid, '/check', asked, sixteen)).perCoreSecond
  } finally {
    bare.stop()
  }
}

const singleCall = (question: CheckQuestion, answer: 'has' | 'no'): Call => ({
  body: JSON.stringify(question),
  isRight: (text) => text.includes(`"permissionship":"${answer}Permission"`),
})

/** Five hundred of both kinds in turn. */
function bulkCall({ hits, misses }: KnownQuestions, from: number): Call {
  const items = hits.slice(from, from + 500).flatMap((hit, at) => [hit, misses[from + at]])
  return {
    body: JSON.stringify({ items }),
    isRight: (text) => {
      const { items: answers } = JSON.parse(text) as { items: { permissionship: string }[] }
      const isRight = ({ permissionship }: { permissionship: string }, at: number) =>
        permissionship === (at % 2 === 0 ? 'hasPermission' : 'noPermission')
      return answers.length === items.length && answers.every(isRight)
    },
  }
}

/** Yes and no in turn. */
const shuffled = (calls: Call[]) =>
  calls.map((_, at) => calls[(at % 2) * (calls.length / 2) + Math.floor(at / 2)] as Call)

/** The middle of five, each with all pages of a thousand; throws where fewer are found than must be. */
async function everyPage({ call }: PermissionClient, path: string, question: object, atLeast: number) {
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const since = performance.now()
    let found = 0
    let cursor: unknown
    do {
      const page = await call('POST', path, { ...question, limit: 1000, ...(cursor != null && { cursor }) })
      found += (page['items'] as unknown[]).length
      cursor = page['cursor']
    } while (cursor != null)
    times.push(performance.now() - since)
    if (found < atLeast) throw new Error(`${path} found ${found} of ${atLeast}`)
  }
  return middleOfAll(times)
}
