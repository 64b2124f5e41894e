import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '@passport/world/port'
import { expect, onTestFinished, test } from 'vitest'
import { addLoadUser, loadSettings, startLoad } from '../http/test-load.ts'
import { isProxyInstalled, startProxy } from '../http/test-proxies.ts'
import { testSecret } from '../test-database.ts'
import { useProcesses } from '../test-processes.ts'
import { openDatabase } from './sql.ts'
import { createClusters, isPostgresInstalled, newest } from './test-clusters.ts'
import { startTestProxy } from './test-proxy.ts'

const processes = useProcesses()

test('no request fails during a planned switchover of the primary', async ({ skip }) => {
  if (!isPostgresInstalled) skip('PostgreSQL is not installed')
  if (!isProxyInstalled('HAProxy')) skip('HAProxy is not installed')
  const [former, next] = [createClusters(), createClusters()]
  await former.create(newest, 'tables')
  const stopFormer = await former.start(newest, 'tables')
  await next.run(`${newest}/pg_basebackup`, [
    '-h',
    former.home,
    '-U',
    'passport',
    '-D',
    'tables',
    '--no-sync',
    '-X',
    'stream',
  ])
  next.makeReplica('tables', former.home)
  await next.start(newest, 'tables')

  const proxy = await startTestProxy(former.home)
  const superuser = openDatabase({ url: proxy.url('postgres') }, { maxConnections: 1 })
  await superuser`create database passport`
  await superuser.end()
  const port = String(await findFreePort())
  const env = { ...loadSettings, DATABASE_URL: proxy.url('passport'), PASSPORT_SECRET: testSecret, PORT: port }
  const server = await processes.startServer(env)
  const password = await addLoadUser(processes, env)
  const balancer = await startProxy('HAProxy', [`127.0.0.1:${Number(port)}`])
  onTestFinished(balancer.stop)

  const load = startLoad(balancer, password)
  const patient = { timeout: 120_000 }
  await expect.poll(() => load.requests, patient).toBeGreaterThan(400)
  const startedAt = performance.now()
  await stopFormer()
  // The proxy still leads to the former primary, which becomes a replica, as until the next health check.
  former.makeReplica('tables', next.home)
  await former.start(newest, 'tables')
  await delay(1_500)
  await next.run(`${newest}/pg_ctl`, ['promote', '-w', '-D', 'tables'])
  proxy.switchTo(next.home)
  const seconds = (performance.now() - startedAt) / 1000
  const before = load.requests
  await expect.poll(() => load.requests, patient).toBeGreaterThan(Math.max(1_000, before + 400))
  await load.end()
  console.log(`switchover in ${seconds.toFixed(1)} s: ${load.format()}`)
  expect(load.failures, server.output()).toEqual([])
}, 300_000)
