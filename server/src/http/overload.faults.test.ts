import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { basic, formType, shopSettings } from '../provider/test-shop.ts'
import { useProcesses } from '../test-processes.ts'
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

const queued = 400

/** Opens as many connections as the queue of a stopped server holds, each with a request. */
async function fillQueue(port: number, request: string): Promise<Socket[]> {
  const sockets = Array.from({ length: queued }, () => connect(port, '127.0.0.1').on('error', () => {}))
  await Promise.all(
    sockets.map(async (socket) => {
      await once(socket, 'connect')
      await new Promise((resolve) => socket.write(request, resolve))
    }),
  )
  return sockets
}

/** Returns the milliseconds until a request on a fresh connection has its response. */
async function timeFresh(port: number, request: string): Promise<number> {
  const startedAt = performance.now()
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  const [data] = await once(socket, 'data')
  socket.destroy()
  expect(String(data)).toMatch(/^HTTP\/1\.1 200 /)
  return performance.now() - startedAt
}

const processes = useProcesses()

test('behind 400 connections of clients that gave up, a fresh one waits less than half as long as behind live ones', {
  timeout: 120_000,
}, async () => {
  const server = await processes.startServer(shopSettings)
  const { host, port: portText } = new URL(server.url)
  const port = Number(portText)
  const form = 'grant_type=client_credentials&scope=permissions.read'
  const headers = `Host: ${host}\r\nAuthorization: ${basic().authorization}\r\nContent-Type: ${formType}\r\nContent-Length: ${form.length}`
  const request = `POST /connect/token HTTP/1.1\r\n${headers}\r\n\r\n${form}`
  const measureBehind = async (kind: 'gone' | 'live') => {
    server.kill('SIGSTOP')
    const sockets = await fillQueue(port, request)
    const responses = sockets.map((socket) => once(socket, kind === 'gone' ? 'close' : 'data'))
    if (kind === 'gone') for (const socket of sockets) socket.destroy()
    const fresh = timeFresh(port, request)
    // Its connection is in the queue, behind all others.
    await delay(50)
    const startedAt = performance.now()
    server.kill('SIGCONT')
    await fresh
    const ms = performance.now() - startedAt
    await Promise.all(responses)
    for (const socket of sockets) socket.destroy()
    return ms
  }
  // The first ones are compiled.
  for (let round = 0; round < 5; round++) await measureBehind('live')
  const times: Record<'gone' | 'live', number[]> = { gone: [], live: [] }
  for (let round = 0; round < 7; round++)
    for (const kind of ['gone', 'live'] as const) times[kind].push(await measureBehind(kind))
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
  const [gone, live] = [median(times.gone), median(times.live)]
  console.info(`a fresh connection: ${gone.toFixed(0)} ms behind gone clients, ${live.toFixed(0)} ms behind live ones`)
  expect(gone).toBeLessThan(live / 2)
})
