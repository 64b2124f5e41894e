import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startTestService, type TestService } from '../test-service.ts'

const timeoutMs = 2_000

/** Counts requests by status; those whose client gave up are `left`. */
type Outcomes = Record<string, number>

function createClient(url: string, cookie: string, path: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 5_000 })
  const { host, port } = new URL(url)
  // By address: a name lookup for each connection would be the bottleneck.
  const options = { agent, host: '127.0.0.1', port, path, headers: { host, cookie } }
  const send = () =>
    new Promise<string>((resolve) => {
      const sent = request(options, (incoming) => {
        incoming.resume().on('end', () => resolve(String(incoming.statusCode)))
      })
      const timer = setTimeout(() => sent.destroy(), timeoutMs)
      sent.on('error', () => resolve('left'))
      sent.on('close', () => clearTimeout(timer))
      sent.end()
    })
  return { send, close: () => agent.destroy() }
}

/** Measures the capacity of the server: as many concurrent requests as keep its database busy, for some seconds. */
async function measureCapacity(send: () => Promise<string>, seconds: number): Promise<number> {
  let succeeded = 0
  const end = Date.now() + seconds * 1_000
  const loop = async () => {
    while (Date.now() < end) if ((await send()) === '200') succeeded += 1
  }
  await Promise.all(Array.from({ length: 12 }, loop))
  return succeeded / seconds
}

/** Sends a constant rate of requests, whatever their outcome. */
async function offer(send: () => Promise<string>, perSecond: number, seconds: number): Promise<Outcomes> {
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

/** Each statement that reads sessions sleeps 50 ms on one of four connections. */
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
  'three times the capacity of calls with %s gives 80 %% of the successful responses',
  { timeout: 120_000 },
  async ([, path]) => {
    const service = await startSlowService()
    const { cookie } = await service.as('ada')
    const { send, close } = createClient(service.url, cookie, path)
    const capacity = await measureCapacity(send, 4)
    const health: number[] = []
    const watching = new AbortController()
    const watched = (async () => {
      while (!watching.signal.aborted) {
        health.push((await fetch(`${service.url}/healthz`)).status)
        await delay(100)
      }
    })()
    const seconds = 10
    const outcomes = await offer(send, capacity * 3, seconds)
    watching.abort()
    await watched
    console.info(path, { capacity, outcomes })
    expect(outcomes['200']).toBeGreaterThanOrEqual(0.8 * capacity * seconds)
    expect(outcomes['503']).toBeGreaterThan(0)
    expect(new Set(health)).toEqual(new Set([200]))
    await expect.poll(send).toBe('200')
    close()
  },
)
