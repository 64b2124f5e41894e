import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signOut } from '@passport/contract/accounts'
import { beforeAll, expect, test } from 'vitest'
import { createStreamSlots } from '../http/stream-slots.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { createDeviceEvents, type DeviceEvents, streamDeviceStatus } from './events.ts'

const path = '/passport/deviceauthorization/events'
let service: TestService

beforeAll(async () => {
  service = await startTestService()
})

test('a client that disconnects while the server subscribes is unsubscribed', async () => {
  const { promise: ready, resolve: proceed } = Promise.withResolvers<void>()
  const { promise: subscribed, resolve: markSubscribed } = Promise.withResolvers<void>()
  let subscriptions = 0
  const events: DeviceEvents = {
    on: async () => {
      subscriptions++
      markSubscribed()
      await ready
      return () => subscriptions--
    },
  }
  let work: Promise<void> | undefined
  const server = createServer((incoming, outgoing) => {
    work = streamDeviceStatus(service.services, events, incoming, outgoing, { acquireSlot: createStreamSlots() })
  })
  onFileEnd(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { cookie } = await service.as('dev')
  const disconnect = new AbortController()
  const headers = { cookie }
  const closed = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)))
  const { port } = server.address() as AddressInfo
  const response = fetch(`http://127.0.0.1:${port}`, { headers, signal: disconnect.signal }).catch(() => undefined)
  await subscribed
  disconnect.abort()
  await Promise.all([response, closed])
  expect(subscriptions).toBe(1)
  proceed()
  await work
  expect(subscriptions).toBe(0)
})

/**
 * Starts a separate server for streams, so that the limits of the service stay available to the other tests. Returns a
 * function that opens a stream.
 */
async function startStreamServer(heartbeatMs?: number) {
  const { sql, log } = service.services
  const [events, acquireSlot] = [createDeviceEvents(sql, log), createStreamSlots()]
  const server = createServer((incoming, outgoing) => {
    streamDeviceStatus(service.services, events, incoming, outgoing, { acquireSlot, heartbeatMs }).catch((problem) =>
      outgoing.writeHead(problem.status).end(problem.code),
    )
  })
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return ({ cookie }: { cookie: string }) => fetch(`http://127.0.0.1:${port}`, { headers: { cookie } })
}

test('a stream ends soon after its session', async () => {
  const open = await startStreamServer(20)
  const eve = await service.as('eve')
  const reader = (await open(eve)).body?.getReader()
  let text = ''
  while (!text.includes('still here')) text += new TextDecoder().decode((await reader?.read())?.value)
  await eve.call(signOut, { body: {} })
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read());
})

test('a user may have 20 streams open in all their sessions together', async () => {
  const open = await startStreamServer()
  const [first, second, eve] = [await service.as('max'), await service.as('max'), await service.as('eve')]
  const streams = await Promise.all(Array.from({ length: 20 }, (_, index) => open(index % 2 ? first : second)))
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
  const rejected = await open(first)
  expect([rejected.status, await rejected.text()]).toEqual([429, 'too-many-streams'])
  expect((await open(eve)).status).toBe(200)
})

test('stopping the service ends open streams without waiting for them', async () => {
  const dev = await service.as('dev')
  const stream = await dev.fetch(path)
  const reader = stream.body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: {"status":"none"}\n\n')
  const startedAt = performance.now()
  await service.stop()
  // The service waits five seconds for other requests.
  expect(performance.now() - startedAt).toBeLessThan(4500)
  expect(await reader?.read()).toMatchObject({ done: true })
})
