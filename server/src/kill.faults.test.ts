import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Call } from '@passport/contract/call'
import * as permissions from '@passport/contract/permissions'
import { listPreferences, putPreference } from '@passport/contract/preferences'
import { createTestBrowser } from '@passport/world/browser'
import { runServer } from '@passport/world/process'
import { afterAll, expect, test } from 'vitest'
import { homeOf, socketsOf } from './database/embedded-home.ts'
import { openDatabase } from './database/sql.ts'
import { createDatabaseCalls } from './engine-conformance/database-calls.ts'
import {
  findStored,
  killTestSchema,
  type RelationshipWriter,
  randomRequest,
  startRelationshipWriter,
  writeRelationshipsUntilDeath,
} from './engine-conformance/relationship-writer.ts'
import { createBrowserCall } from './test-browser-call.ts'

/** `KILL_ROUNDS=60 npm run faults -- kill` runs 60 rounds. */
const roundCount = Number(process.env['KILL_ROUNDS'] ?? 5)
const writesPerRound = 200
const keysPerClient = 40
const relationshipWritesPerRound = 60
const checksPerRound = 1000

const dataDir = mkdtempSync(join(tmpdir(), 'passport-kill-'))
chmodSync(dataDir, 0o755)
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const start = (port: string) => runServer({ DATA_DIR: dataDir, PORT: port })

/** A client that writes preferences. */
interface Client {
  call: Call
  prefix: string
  /** The last acknowledged value of each key. */
  acknowledged: Map<string, string>
  /** The last value sent for each key, which may have been stored without an acknowledgement. */
  attempted: Map<string, string>
  /** The number of writes sent. */
  writes: number
}

async function signIn(url: string, name: string, password: string, prefix: string): Promise<Client> {
  const browser = createTestBrowser(url)
  const page = await browser.submit(await browser.open('/login'), { name, password })
  expect(page.url).toContain('/app/login')
  return { call: createBrowserCall(url, browser), prefix, acknowledged: new Map(), attempted: new Map(), writes: 0 }
}

const countWrites = (clients: { writes: number }[]) => clients.reduce((sum, { writes }) => sum + writes, 0)

/** Writes without a pause until the server is killed. */
async function writeUntilDeath(client: Client) {
  for (;;) {
    const key = `${client.prefix}.${client.writes % keysPerClient}`
    const value = `${client.prefix} wrote ${client.writes++}`
    client.attempted.set(key, value)
    try {
      await client.call(putPreference, { params: { userId: 'me', key }, body: value })
    } catch {
      return
    }
    client.acknowledged.set(key, value)
  }
}

async function expectNothingLost(client: Client) {
  const stored = await client.call(listPreferences, { params: { userId: 'me' }, query: {} })
  const values = new Map(stored.map(({ key, value }) => [key, value]))
  for (const [key, value] of client.acknowledged) {
    // A write in progress when the server was killed may be stored or not.
    expect([value, client.attempted.get(key)]).toContain(values.get(key))
    client.acknowledged.set(key, values.get(key) ?? '')
  }
}

async function expectEveryRelationship(writer: RelationshipWriter) {
  const { stored, allowed } = await findStored(writer)
  expect(allowed).toContainEqual(stored)
}

/**
 * Expects the same results from the server, which checks in memory once its status reports counts, and from this
 * process, which checks in the database.
 */
async function expectGraphsToAgree(call: Call) {
  await expect.poll(async () => (await call(permissions.getPermissionStatus, {})).counts).not.toBeNull()
  const requests = Array.from({ length: checksPerRound }, randomRequest)
  const inMemory = await call(permissions.checkPermissionsInBulk, { body: { items: requests } })
  const sql = openDatabase({ socketDirectory: socketsOf(dataDir), database: 'passport', user: 'passport' })
  const inDatabase = await createDatabaseCalls(sql).checkBulk(requests)
  await sql.end()
  expect(inMemory.checkedAt).toBe(inDatabase.checkedAt)
  const actual = inMemory.items.map((result, index) => [
    requests[index],
    'error' in result ? result.error.code : [result.permissionship, result.partialCaveatMissing],
  ])
  const expected = inDatabase.results.map((result, index) => [
    requests[index],
    'error' in result ? result.error.code : [result.permissionship, result.missing],
  ])
  expect(actual).toEqual(expected)
  const results = new Set(actual.map(([, result]) => String(result)))
  expect([...results]).toEqual(expect.arrayContaining(['hasPermission,', 'noPermission,']))
}

/**
 * Kills the server while six clients write preferences and relationships, in every second round together with its
 * database, and restarts it. Every start must succeed. Acknowledged writes must persist, and deleted relationships must
 * stay deleted. The in-memory graph must agree with the database.
 */
test(
  `no acknowledged write is lost in ${roundCount} kills of the server`,
  async () => {
    let server = await start('0')
    const { port } = new URL(server.url)
    const writers = [
      ['ada', 'a'],
      ['dev', 'd'],
      ['eve', 'e'],
      ['ada', 'b'],
    ] as const
    const clients = await Promise.all(
      writers.map(([name, prefix]) => signIn(server.url, name, server.password, prefix)),
    )
    const [{ call }] = clients as [Client]
    await call(permissions.putPermissionSchema, { body: { text: killTestSchema } })
    const relationshipWriters = ['r', 's'].map((prefix) => startRelationshipWriter(call, prefix))
    for (let round = 0; round < roundCount; round++) {
      const writing = [...clients.map(writeUntilDeath), ...relationshipWriters.map(writeRelationshipsUntilDeath)]
      const targetWrites = countWrites(clients) + writesPerRound + Math.random() * 100
      const targetRelationshipWrites = countWrites(relationshipWriters) + relationshipWritesPerRound
      await expect.poll(() => countWrites(clients), { interval: 5 }).toBeGreaterThan(targetWrites)
      await expect
        .poll(() => countWrites(relationshipWriters), { interval: 5 })
        .toBeGreaterThan(targetRelationshipWrites)
      const postmaster = Number(readFileSync(join(homeOf(dataDir), 'tables/postmaster.pid'), 'utf8').split('\n')[0])
      server.kill('SIGKILL')
      if (round % 2 === 1) process.kill(postmaster, 'SIGKILL')
      await Promise.all(writing)
      server = await start(port)
      for (const client of clients) await expectNothingLost(client)
      for (const writer of relationshipWriters) await expectEveryRelationship(writer)
      await expectGraphsToAgree(call)
    }
    const total = countWrites(clients)
    expect(total).toBeGreaterThan(roundCount * 20)
    console.log(
      `${roundCount} kills, ${total} writes of preferences and ${countWrites(relationshipWriters)} of relationships, none lost`,
    )
    server.kill('SIGTERM')
    await server.exited
  },
  60_000 + roundCount * 20_000,
)
