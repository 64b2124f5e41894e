import { rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { type RunningServer, runNpmStart, runServer } from '@passport/world/process'
import { measureBundleBytes } from './bundle.ts'
import { findMedianResult, type LoadResult, runLoadTest, type TestedRequest } from './load-test.ts'
import { readResidentMegabytes } from './memory.ts'
import { createDataDir, signIn, stop } from './server.ts'
import { measureSignInSizes } from './sign-in-size.ts'
import { startBareServer } from './start-bare-server.ts'
import { formatTable, type Row } from './table.ts'

/** Waits until the garbage of the start is collected. */
const settle = () => setTimeout(2000)
const rounds = 3
const secondsPerRound = 5

/** Measures the running costs of Passport on this machine, and those of a bare server. Takes about a minute. */
export async function measureRunningCosts(): Promise<string> {
  const dataDir = createDataDir()
  const env = { DATA_DIR: dataDir, NODE_COMPILE_CACHE: 'node_modules/.cache/compile' }
  const cold = await measureDuration(() => runNpmStart(env))
  await stop(cold.result)
  const warm = await measureDuration(() => runNpmStart(env))
  await stop(warm.result)
  const server = await runServer(env)
  try {
    const polls = await measurePolls(server, cold.result.password)
    const rows: Row[] = [
      ['npm start to ready, empty data directory', `${cold.seconds.toFixed(1)} s`, '≤ 5 s', cold.seconds <= 5],
      ['npm start to ready, again', `${warm.seconds.toFixed(1)} s`, '≤ 1.5 s', warm.seconds <= 1.5],
      ['memory of the server, idle', `${polls.idle} MB`, '≤ 150 MB', polls.idle <= 150],
      ['memory of the server, after 10,000 polls', `${polls.polled} MB`, '≤ 150 MB', polls.polled <= 150],
      ['current user, polls/s', polls.ours.requestsPerSecond.toFixed(0)],
      ['  a bare node:http with the same bytes', polls.bare.requestsPerSecond.toFixed(0)],
      ['  ratio', (polls.ours.requestsPerSecond / polls.bare.requestsPerSecond).toFixed(2)],
      ['current user, p99', `${polls.ours.p99Ms} ms`],
      ['  a bare node:http with the same bytes', `${polls.bare.p99Ms} ms`],
      ['a device that waits, polls/s', polls.devices.requestsPerSecond.toFixed(0)],
      ['a device that waits, p99', `${polls.devices.p99Ms} ms`],
      ...(await measureSignInSizes()).map(([name, bytes]): Row => [`gzip: ${name}`, `${(bytes / 1000).toFixed(1)} kB`]),
      ...measureBundleBytes().map(([name, bytes]): Row => [`sent: ${name}`, `${(bytes / 1000).toFixed(1)} kB`]),
    ]
    return formatTable(rows)
  } finally {
    await stop(server)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/**
 * Measures memory before and after 10,000 polls, then both servers alternately, so that other load on the machine
 * affects both.
 */
async function measurePolls(server: RunningServer, password: string) {
  await settle()
  const idle = readResidentMegabytes(server.pid)
  const headers = { cookie: await signIn(server.url, password) }
  const poll = { url: `${server.url}/passport/apphelper/user`, headers }
  await runLoadTest(poll, { amount: 10_000 })
  const polled = readResidentMegabytes(server.pid)
  const bare = await startBareServer(await fetch(poll.url, { headers }))
  const device = await createDevicePoll(server.url)
  const passport: LoadResult[] = []
  const bareLoads: LoadResult[] = []
  const devices: LoadResult[] = []
  for (let round = 0; round < rounds; round++) {
    bareLoads.push(await runLoadTest({ url: bare.url, headers }, { duration: secondsPerRound }))
    passport.push(await runLoadTest(poll, { duration: secondsPerRound }))
    devices.push(await runLoadTest(device, { duration: secondsPerRound }))
  }
  bare.stop()
  return {
    idle,
    polled,
    ours: findMedianResult(passport),
    bare: findMedianResult(bareLoads),
    devices: findMedianResult(devices),
  }
}

/**
 * Returns the token request of a device that awaits approval. The response is `authorization_pending` or `slow_down`
 * (RFC 8628, section 3.5).
 */
async function createDevicePoll(url: string): Promise<TestedRequest> {
  const client = { client_id: 'passport-device-test' }
  const body = new URLSearchParams({ ...client, scope: 'openid' })
  const response = await fetch(`${url}/connect/deviceauthorization`, { method: 'POST', body })
  const { device_code } = (await response.json()) as { device_code: string }
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  return {
    url: `${url}/connect/token`,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...client, grant_type, device_code }).toString(),
    expectedStatus: 400,
  }
}

async function measureDuration<Result>(work: () => Promise<Result>) {
  const startedAt = performance.now()
  const result = await work()
  return { result, seconds: (performance.now() - startedAt) / 1000 }
}
