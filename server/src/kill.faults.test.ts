import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Call, caller } from '@passport/contract/call'
import * as permissions from '@passport/contract/permissions'
import { listPreferences, putPreference } from '@passport/contract/preferences'
import { createTestBrowser } from '@passport/world/browser'
import { runServer } from '@passport/world/process'
import { afterAll, expect, test } from 'vitest'
import { homeOf, socketsOf } from './database/embedded-home.ts'
import { openDatabase } from './database/sql.ts'
import { databaseQuestions } from './engine-trials/database-questions.ts'
import {
  findStored,
  killedSchema,
  type RelationshipWriter,
  someQuestion,
  startRelationshipWriter,
  writeRelationshipsUntilDeath,
} from './engine-trials/relationship-writer.ts'

/**
 * Kills the server while six clients write preferences and relationships, in every second round its database with it, and
 * starts it again: nothing that was acknowledged may be missing, what was deleted stays so, relationships in memory answer
 * as those in the database, and every start must succeed. `KILL_ROUNDS=60 npm run faults -- kill` asks for 60 rounds.
 */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 5)
const writesPerRound = 200
const keysPerClient = 40
const relationshipWritesPerRound = 60
const checksPerRound = 1000

const dataDir = mkdtempSync(join(tmpdir(), 'passport-kill-'))
chmodSync(dataDir, 0o755)
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const start = (port: string) => runServer({ DATA_DIR: dataDir, PORT: port })

/** One who writes: what was acknowledged for each key, and what may have been written besides. */
interface Client {
  call: Call
  prefix: string
  acknowledged: Map<string, string>
  attempted: Map<string, string>
  writes: number
}

async function signIn(url: string, name: string, password: string, prefix: string): Promise<Client> {
  const browser = createTestBrowser(url)
  const page = await browser.submit(await browser.open('/login'), { name, password })
  expect(page.url).toContain('/app/login')
  const call = caller(url, async (request) =>
    browser.send(request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(request.method !== 'GET' && { body: await request.text() }),
    }),
  )
  return { call, prefix, acknowledged: new Map(), attempted: new Map(), writes: 0 }
}

const writesOf = (clients: { writes: number }[]) => clients.reduce((sum, { writes }) => sum + writes, 0)

/** Writes without a pause until the server is gone. */
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
  const stored = await client.call(listPreferences, { params: { userId: 'me' } })
  const values = new Map(stored.map(({ key, value }) => [key, value]))
  for (const [key, value] of client.acknowledged) {
    // What was on its way when the server died may have come through or not.
    expect([value, client.attempted.get(key)]).toContain(values.get(key))
    client.acknowledged.set(key, values.get(key) ?? '')
  }
}

async function expectEveryRelationship(writer: RelationshipWriter) {
  const { stored, allowed } = await findStored(writer)
  expect(allowed).toContainEqual(stored)
}

/** The server answers from memory once it counts what it has there; the database is asked by this process itself. */
async function expectGraphsToAgree(call: Call) {
  await expect.poll(async () => (await call(permissions.getPermissionStatus, {})).counts).not.toBeNull()
  const questions = Array.from({ length: checksPerRound }, someQuestion)
  const ofMemory = await call(permissions.checkPermissionsInBulk, { body: { items: questions } })
  const sql = openDatabase({ socketDirectory: socketsOf(dataDir), database: 'passport', user: 'passport' })
  const ofDatabase = await databaseQuestions(sql).checkBulk(questions)
  await sql.end()
  expect(ofMemory.checkedAt).toBe(ofDatabase.checkedAt)
  const told = ofMemory.items.map((answer, at) => [
    questions[at],
    'error' in answer ? answer.error.code : [answer.permissionship, answer.partialCaveatMissing],
  ])
  const expected = ofDatabase.answers.map((answer, at) => [
    questions[at],
    'fault' in answer ? answer.fault.code : [answer.permissionship, answer.missing],
  ])
  expect(told).toEqual(expected)
  const kinds = new Set(told.map(([, answer]) => String(answer)))
  expect([...kinds]).toEqual(expect.arrayContaining(['hasPermission,', 'noPermission,']))
}

test(
  `${rounds} rounds`,
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
    await call(permissions.putPermissionSchema, { body: { text: killedSchema } })
    const related = ['r', 's'].map((prefix) => startRelationshipWriter(call, prefix))
    for (let round = 0; round < rounds; round++) {
      const writing = [...clients.map(writeUntilDeath), ...related.map(writeRelationshipsUntilDeath)]
      const enough = writesOf(clients) + writesPerRound + Math.random() * 100
      const enoughRelated = writesOf(related) + relationshipWritesPerRound
      await expect.poll(() => writesOf(clients), { interval: 5 }).toBeGreaterThan(enough)
      await expect.poll(() => writesOf(related), { interval: 5 }).toBeGreaterThan(enoughRelated)
      const postmaster = Number(readFileSync(join(homeOf(dataDir), 'tables/postmaster.pid'), 'utf8').split('\n')[0])
      server.kill('SIGKILL')
      if (round % 2 === 1) process.kill(postmaster, 'SIGKILL')
      await Promise.all(writing)
      server = await start(port)
      for (const client of clients) await expectNothingLost(client)
      for (const writer of related) await expectEveryRelationship(writer)
      await expectGraphsToAgree(call)
    }
    const total = writesOf(clients)
    expect(total).toBeGreaterThan(rounds * 20)
    console.log(`${rounds} kills, ${total} writes of preferences and ${writesOf(related)} of relationships, none lost`)
    server.kill('SIGTERM')
    await server.ended
  },
  60_000 + rounds * 20_000,
)
