import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import type { RunningServer } from '@passport/world/process'
import { expect, test } from 'vitest'
import { isAlive } from '../database/embedded-cleanup.ts'
import { homeOf } from '../database/embedded-home.ts'
import { stop, useProcesses } from '../test-processes.ts'

const secret = 'the secret of the application under load'
const clients = [{ clientId: 'gate', clientName: 'Gate', clientSecret: secret, scopes: ['permissions.read'] }]
const processes = useProcesses()
const start = (env = {}) => processes.startServer({ WEB_CONCURRENCY: '2', CLIENTS: JSON.stringify(clients), ...env })

/** The reason of a request without a response. */
const lost = 'lost'

/** Requests tokens over eight kept connections until it is stopped; returns how many, and what failed. */
function startLoad({ url }: RunningServer) {
  const agent = new Agent({ keepAlive: true })
  const load = { answered: 0, failures: [] as string[], isStopping: false }
  const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'permissions.read' }).toString()
  const headers = {
    authorization: `Basic ${btoa(`gate:${encodeURIComponent(secret)}`)}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const send = () =>
    new Promise<void>((resolve) => {
      const fail = (reason: string) => {
        load.failures.push(reason)
        resolve()
      }
      const outgoing = request(`${url}/connect/token`, { agent, method: 'POST', headers }, (incoming) => {
        incoming.resume()
        incoming.on('error', (error) => fail(error.message))
        incoming.on('end', () => {
          if (incoming.statusCode !== 200) return fail(String(incoming.statusCode))
          load.answered += 1
          resolve()
        })
      })
      outgoing.setTimeout(20_000, () => outgoing.destroy(new Error(lost)))
      outgoing.on('error', (error) => fail(error.message))
      outgoing.end(form)
    })
  const running = Array.from({ length: 8 }, async () => {
    while (!load.isStopping) await send()
  })
  return {
    load,
    end: async () => {
      load.isStopping = true
      await Promise.all(running)
      agent.destroy()
    },
  }
}

const readChildren = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
const findWorkers = ({ pid }: RunningServer) =>
  readChildren(pid).filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('main.ts'))
const readPostmaster = () =>
  Number(readFileSync(join(homeOf(processes.dataDir), 'tables/postmaster.pid'), 'utf8').split('\n')[0])
const countLines = ({ output }: RunningServer, message: string) => output().split(`"msg":"${message}"`).length - 1
const patient = { timeout: 60_000, interval: 20 }

test('a restart replaces all workers, one by one, and no request fails', async () => {
  const server = await start()
  const former = findWorkers(server)
  const { load, end } = startLoad(server)
  await expect.poll(() => load.answered, patient).toBeGreaterThan(50)
  process.kill(server.pid, 'SIGUSR2')
  await expect.poll(() => countLines(server, 'worker-restarted'), patient).toBe(2)
  const before = load.answered
  await expect.poll(() => load.answered, patient).toBeGreaterThan(before + 50)
  await end()
  expect(load.failures).toEqual([])
  const current = findWorkers(server)
  expect(current).toHaveLength(2)
  expect(current.filter((pid) => former.includes(pid))).toEqual([])
  console.log(`restart of 2 workers under 8 clients: ${load.answered} answered, ${load.failures.length} failed`)
}, 180_000)

test('a killed worker is replaced, and PostgreSQL and the other worker go on', async () => {
  const server = await start()
  const postmaster = readPostmaster()
  const { load, end } = startLoad(server)
  await expect.poll(() => load.answered, patient).toBeGreaterThan(50)
  process.kill(findWorkers(server)[0] ?? 0, 'SIGKILL')
  await expect.poll(() => countLines(server, 'worker-replaced'), patient).toBe(1)
  const failed = [...load.failures]
  const before = load.answered
  await expect.poll(() => load.answered, patient).toBeGreaterThan(before + 50)
  await end()
  // Each client had one request in the killed process at most, and one connection on its way to it, which Node gives to
  // no other process: it stays open without a response.
  expect(load.failures.length).toBeLessThanOrEqual(16)
  expect(load.failures.filter((reason) => reason !== lost)).toEqual(failed.filter((reason) => reason !== lost))
  expect([findWorkers(server).length, readPostmaster()]).toEqual([2, postmaster])
}, 120_000)

test('after SIGTERM all workers serve requests for DRAIN_SECONDS, and a second one ends them at once', async () => {
  const server = await start({ DRAIN_SECONDS: '600' })
  const { load, end } = startLoad(server)
  await expect.poll(() => load.answered, patient).toBeGreaterThan(50)
  server.kill('SIGTERM')
  const readReadiness = async () => (await fetch(`${server.url}/readyz`)).status
  const readTwice = async () => [await readReadiness(), await readReadiness()]
  await expect.poll(readTwice, patient).toEqual([503, 503])
  const before = load.answered
  await expect.poll(() => load.answered, patient).toBeGreaterThan(before + 50)
  await end()
  expect(load.failures).toEqual([])
  const { code, seconds } = await stop(server, 'SIGTERM')
  expect(code).toBe(0)
  expect(seconds).toBeLessThan(10)

  const short = await start({ DRAIN_SECONDS: '2' })
  const drained = await stop(short, 'SIGTERM')
  expect(drained.code).toBe(0)
  expect(drained.seconds).toBeGreaterThan(1.9)
  expect(drained.seconds).toBeLessThan(12)
}, 120_000)

test('a stop ends all workers and PostgreSQL, and so does the loss of the primary process', async () => {
  const stopped = await start()
  const workers = findWorkers(stopped)
  const postmaster = readPostmaster()
  const { code, seconds } = await stop(stopped, 'SIGTERM')
  expect([code, workers.map(isAlive), isAlive(postmaster)]).toEqual([0, [false, false], false])
  expect(seconds).toBeLessThan(10)

  const killed = await start()
  const orphans = findWorkers(killed)
  killed.kill('SIGKILL')
  await expect.poll(() => orphans.map(isAlive), patient).toEqual([false, false])
  // The next start takes over the PostgreSQL that nobody stopped.
  expect(findWorkers(await start())).toHaveLength(2)
}, 120_000)
