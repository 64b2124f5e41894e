import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startTestService, type TestService } from '../test-service.ts'

const timeoutMs = 2_000

/** The number of requests by status, or `aborted` for a timeout of the client. */
type Outcomes = Record<string, number>

function createClient(url: string, cookie: string, path: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 5_000 })
  const { host, port } = new URL(url)
  // An IP address, because a name lookup for each connection would be the bottleneck.
  const options = { agent, host: '127.0.0.1', port, path, headers: { host, cookie } }
  const send = () =>
    new Promise<string>((resolve) => {
      const sent = request(options, (incoming) => {
        incoming.resume().on('end', () => resolve(String(incoming.statusCode)))
      })
      const timer = setTimeout(() => sent.destroy(), timeoutMs)
      sent.on('error', () => resolve('aborted'))
      sent.on('close', () => clearTimeout(timer))
      sent.end()
    })
  return { send, close: () => agent.destroy() }
}

/** Measures the capacity of the server in successful requests per second, with its database busy. */
async function measureCapacity(send: () => Promise<string>, seconds: number): Promise<number> {
  let succeeded = 0
  const end = Date.now() + seconds * 1_000
  const loop = async () => {
    while (Date.now() < end) if ((await send()) === '200') succeeded += 1
  }
  await Promise.all(Array.from({ length: 12 }, loop))
  return succeeded / seconds
}

/** Sends requests at a constant rate, regardless of their outcomes. */
async function sendAtRate(send: () => Promise<string>, perSecond: number, seconds: number): Promise<Outcomes> {
  const outcomes: Outcomes = {}
  const pending: Promise<void>[] = []
  const start = performance.now()
  for (let sent = 0; sent < perSecond * seconds; ) {
    const due = Math.floor(((performance.now() - start) / 1_000) * perSecond)
    for (; sent < due; sent++) {
      pending.push(
        send().then((outcome) => {
          outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        }),
      )
    }
    await delay(5)
  }
  await Promise.all(pending)
  return outcomes
}

/** Starts a service with four database connections, on which each statement that reads sessions takes 50 ms. */
async function startSlowService(): Promise<TestService> {
  const service = await startTestService({}, { maxConnections: 4 })
  for (const [kind, name] of [
    ['view', 'session_callers'],
    ['table', 'sessions'],
  ]) {
    await service.sql.unsafe(`alter ${kind} ${name} rename to quick_${name}`)
    await service.sql.unsafe(`create view ${name} as select * from quick_${name} where pg_sleep(0.05) is not null`)
  }
  return service
}

test.for([
  ['one slow statement', '/passport/apphelper/user'],
  ['two slow statements', '/passport/account/sessions'],
] as const)(
  'at three times the capacity, calls with %s succeed at 80 %% of the capacity or more',
  { timeout: 120_000 },
  async ([, path]) => {
    const service = await startSlowService()
    const { cookie } = await service.as('ada')
    const { send, close } = createClient(service.url, cookie, path)
    const capacity = await measureCapacity(send, 4)
    const healthStatuses: number[] = []
    const stopping = new AbortController()
    const healthChecks = (async () => {
      while (!stopping.signal.aborted) {
        healthStatuses.push((await fetch(`${service.url}/healthz`)).status)
        await delay(100)
      }
    })()
    const seconds = 10
    const outcomes = await sendAtRate(send, capacity * 3, seconds)
    stopping.abort()
    await healthChecks
    console.info(path, { capacity, outcomes })
    expect(outcomes['200']).toBeGreaterThanOrEqual(0.8 * capacity * seconds)
    expect(outcomes['503']).toBeGreaterThan(0)
    expect(new Set(healthStatuses)).toEqual(new Set([200]))
    await expect.poll(send).toBe('200')
    close()
  },
)
