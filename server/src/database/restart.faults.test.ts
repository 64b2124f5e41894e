import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Call } from '@passport/contract/call'
import { listPreferences, putPreference } from '@passport/contract/preferences'
import { createTestBrowser } from '@passport/world/browser'
import { expect, test } from 'vitest'
import { createBrowserCall } from '../test-browser-call.ts'
import { useProcesses } from '../test-processes.ts'
import { homeOf } from './embedded-home.ts'
import { readPostmasterPid } from './test-embedded.ts'

/** `POSTMASTER_KILLS=5 npm run faults -- restart` reduces the number of kills. */
const killCount = Number(process.env['POSTMASTER_KILLS'] ?? 20)
const writerCount = 8
const writesBetweenKills = 40

const processes = useProcesses()

async function signIn(url: string, password: string): Promise<Call> {
  const browser = createTestBrowser(url)
  await browser.submit(await browser.open('/login'), { name: 'ada', password })
  return createBrowserCall(url, browser)
}

/** The progress of a client that writes one preference. A failed write may still have been stored. */
interface Writer {
  key: string
  acknowledged: string
  attempted: string
  writes: number
  failures: number
}

/** Writes until `signal` aborts; waits while `isPaused` returns true. */
async function write(call: Call, writer: Writer, isPaused: () => boolean, signal: AbortSignal) {
  for (let number = 0; !signal.aborted; number++) {
    while (isPaused()) await delay(5)
    writer.attempted = `${writer.key} ${number}`
    try {
      await call(putPreference, { params: { userId: 'me', key: writer.key }, body: writer.attempted })
      writer.acknowledged = writer.attempted
      writer.writes++
    } catch {
      writer.failures++
    }
  }
}

test(
  `no acknowledged write is lost in ${killCount} kills of the postmaster, and the server is ready again within 5 s`,
  async () => {
    const server = await processes.startServer()
    const call = await signIn(server.url, server.password)
    const writers = Array.from({ length: writerCount }, (_, index) => {
      return { key: `writer.${index}`, acknowledged: '', attempted: '', writes: 0, failures: 0 }
    })
    const total = (counter: 'writes' | 'failures') => writers.reduce((sum, writer) => sum + writer[counter], 0)
    /** Counts the values that are neither the last acknowledged nor the last attempted one. */
    const countLost = async () => {
      const stored = await call(listPreferences, { params: { userId: 'me' }, query: {} })
      const values = new Map(stored.map(({ key, value }) => [key, value]))
      return writers.filter(
        ({ key, acknowledged, attempted }) => ![acknowledged, attempted].includes(values.get(key) ?? ''),
      ).length
    }
    const abortController = new AbortController()
    let isPaused = false
    const pendingWrites = writers.map((writer) => write(call, writer, () => isPaused, abortController.signal))
    const recoverySeconds: number[] = []
    let lost = 0
    for (let kill = 0; kill < killCount; kill++) {
      const targetWrites = total('writes') + writesBetweenKills
      await expect.poll(() => total('writes'), { interval: 5 }).toBeGreaterThan(targetWrites)
      const killedPid = readPostmasterPid(processes.dataDir)
      process.kill(killedPid, 'SIGKILL')
      isPaused = true
      const killedAt = performance.now()
      await expect.poll(() => findPostmasterPid(), { interval: 10 }).not.toBe(killedPid)
      const fetchReadyStatus = async () => (await fetch(`${server.url}/readyz`)).status
      await expect.poll(fetchReadyStatus, { interval: 20 }).toBe(200)
      recoverySeconds.push((performance.now() - killedAt) / 1000)
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
      lost += await countLost()
      isPaused = false
    }
    abortController.abort()
    await Promise.all(pendingWrites)
    lost += await countLost()
    const sorted = recoverySeconds.toSorted((a, b) => a - b)
    const formatSeconds = (index: number) => `${sorted[index]?.toFixed(2)} s`
    console.log(
      `${killCount} kills of the postmaster: ${total('writes')} writes acknowledged, ${lost} lost, ${total('failures')} failed; ` +
        `ready again after ${formatSeconds(Math.floor(killCount / 2))} (median), ${formatSeconds(killCount - 1)} (slowest)`,
    )
    expect(lost).toBe(0)
    expect(sorted[Math.floor(killCount / 2)]).toBeLessThanOrEqual(5)
    // A busy machine occasionally needs longer.
    expect(sorted.at(-1)).toBeLessThanOrEqual(10)
  },
  60_000 + killCount * 30_000,
)

/** Returns the process id of the postmaster, or 0 if its file is missing. */
function findPostmasterPid(): number {
  try {
    return readPostmasterPid(processes.dataDir)
  } catch {
    return 0
  }
}

test('the server exits with code 1 and a message if PostgreSQL cannot be restarted', async () => {
  const server = await processes.startServer()
  const control = join(homeOf(processes.dataDir), 'tables/global/pg_control')
  const original = readFileSync(control)
  rmSync(control)
  process.kill(readPostmasterPid(processes.dataDir), 'SIGKILL')
  const { code, output } = await server.exited
  expect(code).toBe(1)
  expect(output).toContain('The embedded PostgreSQL failed to restart. Passport is stopping.')
  expect(output.match(/"database-not-restarted"/g)).toHaveLength(5)
  writeFileSync(control, original)
})
