import { findFreePort } from '@passport/world/port'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabaseEnvironment, useProcesses } from '../test-processes.ts'
import { createTestDatabase } from '../test-service.ts'
import { addLoadUser, loadSettings, startLoad } from './test-load.ts'
import { isProxyInstalled, startProxy } from './test-proxies.ts'

const processes = useProcesses()

test('no request fails while three servers behind HAProxy are restarted one by one', async ({ skip }) => {
  if (!isProxyInstalled('HAProxy')) skip('HAProxy is not installed')
  const env = {
    ...(await createDatabaseEnvironment(await createTestDatabase())),
    ...loadSettings,
    // The default.
    DRAIN_SECONDS: '10',
  }
  const password = await addLoadUser(processes, env)
  const ports: number[] = []
  for (let count = 0; count < 3; count++) ports.push(await findFreePort())
  const start = (port: number) => processes.startServer({ ...env, PORT: String(port) })
  const servers = await Promise.all(ports.map(start))
  const proxy = await startProxy(
    'HAProxy',
    ports.map((port) => `127.0.0.1:${port}` as const),
  )
  onTestFinished(proxy.stop)

  const load = startLoad(proxy, password)
  for (const [index, port] of ports.entries()) {
    servers[index]?.kill('SIGTERM')
    expect(await servers[index]?.exited).toMatchObject({ code: 0 })
    await start(port)
    await expect.poll(() => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status)).toBe(200)
  }
  await expect.poll(() => load.requests, { timeout: 120_000 }).toBeGreaterThan(1_000)
  await load.end()
  console.log(`restart of 3 servers behind HAProxy: ${load.format()}`)
  expect(load.failures).toEqual([])
  expect(load.answered.signIns).toBeGreaterThan(50)
}, 400_000)
