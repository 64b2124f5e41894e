import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'
import { openSharedDatabase } from './open.ts'
import { kill, startInChildProcess, useTestDirectory } from './test-embedded.ts'

const directory = useTestDirectory()
let notices: string[]
beforeEach(() => {
  notices = []
})
const onNotice = (line: string) => notices.push(line)
const open = () => openSharedDatabase({ databaseUrl: undefined, dataDir: directory.dataDir }, { onNotice })
const start = (options = {}) => startEmbeddedPostgres(directory.dataDir, { onNotice, ...options })

test('commands use the database of the first, which waits for them before it ends it', async () => {
  const first = await open()
  const second = await open()
  const isClosed = first.close().then(() => true)
  await expect.poll(() => notices).toEqual([expect.stringMatching(/^Waiting for .+ \(process \d+\), which uses the/)])
  // It does not join a database that is ending.
  const third = open()
  await expect.poll(() => notices.length).toBe(2)
  expect(await second.sql`select 1 as one`).toEqual([{ one: 1 }])
  await second.close()
  expect(await isClosed).toBe(true)
  const { sql, close } = await third
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  await close()
})

test('a server waits for a command that uses the data, or until it is stopped', async () => {
  const command = await open()
  const stopping = new AbortController()
  const stopped = start({ stopping: stopping.signal })
  await expect.poll(() => notices).toEqual([expect.stringMatching(/^Waiting for .+ to end, which uses /)])
  stopping.abort()
  await expect(stopped).rejects.toBe(stopping.signal.reason)
  const started = start()
  await expect.poll(() => notices.length).toBe(2)
  await command.close()
  await (await started).stop()
})

test('a command waits for the database that a server creates, and keeps it until it has ended', async () => {
  const [server, command] = await Promise.all([start(), open()])
  const isStopped = server.stop().then(() => true)
  await expect.poll(() => notices.length).toBe(1)
  expect(await command.sql`select 1 as one`).toEqual([{ one: 1 }])
  await command.close()
  expect(await isStopped).toBe(true)
})

test('a killed owner leaves PostgreSQL to its guests, for which the next owner waits', async () => {
  const child = await startInChildProcess(directory)
  const guest = await open()
  await kill(child)
  const next = open()
  await expect.poll(() => notices).toEqual([expect.stringMatching(/^Waiting for .+ to end, which uses /)])
  expect(await guest.sql`select 1 as one`).toEqual([{ one: 1 }])
  await guest.close()
  const { sql, close } = await next
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  await close()
})

test('a killed command delays nobody', async () => {
  const server = await start()
  const guest = join(directory.dataDir, 'guest-4194305.json')
  writeFileSync(guest, JSON.stringify({ pid: 4_194_305, startedAt: '1', name: 'npm run seed' }))
  await server.stop()
  expect(notices).toEqual([])
  expect(existsSync(guest)).toBe(false)
})
