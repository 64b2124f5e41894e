import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { atTheEnd } from '../test-endings.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { type DeviceNews, streamDeviceStatus } from './events.ts'

const path = '/passport/deviceauthorization/events'
let service: TestService

beforeAll(async () => {
  service = await startTestService()
})

test('one who leaves before the server hears of news is waited for no longer', async () => {
  const { promise: listens, resolve: listen } = Promise.withResolvers<void>()
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  let hearing = 0
  const news: DeviceNews = {
    on: async () => {
      hearing++
      ask()
      await listens
      return () => hearing--
    },
  }
  let work: Promise<void> | undefined
  const server = createServer((incoming, outgoing) => {
    work = streamDeviceStatus(service.services, news, incoming, outgoing)
  })
  atTheEnd(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { cookie } = await service.as('dev')
  const leaving = new AbortController()
  const headers = { cookie }
  const gone = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)))
  const { port } = server.address() as AddressInfo
  const answer = fetch(`http://127.0.0.1:${port}`, { headers, signal: leaving.signal }).catch(() => undefined)
  await asked
  leaving.abort()
  await Promise.all([answer, gone])
  expect(hearing).toBe(1)
  listen()
  await work
  expect(hearing).toBe(0)
})

test('a stop ends what is open, and does not wait for it', async () => {
  const dev = await service.as('dev')
  const stream = await dev.fetch(path)
  const reader = stream.body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: {"status":"none"}\n\n')
  const since = performance.now()
  await service.stop()
  // It would wait for five seconds for a request that may still end.
  expect(performance.now() - since).toBeLessThan(4500)
  expect(await reader?.read()).toMatchObject({ done: true })
})
