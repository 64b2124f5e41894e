import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PermissionEngine, WatchEvent } from '@passport/permissions/engine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../test-service.ts'
import { streamChanges } from './watch-stream.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})

async function serving(answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void): Promise<number> {
  const server = createServer(answer)
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

test('who may watch no more is told no more', async () => {
  const max = await service.as('max')
  const port = await serving((incoming, outgoing) => {
    streamChanges(service.services, incoming, outgoing, { beatMs: 20 }).catch(() => outgoing.destroy())
  })
  const response = await fetch(`http://127.0.0.1:${port}`, { headers: { cookie: max.cookie } })
  const reader = response.body?.getReader()
  await reader?.read()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('still here')
  await service.sql`delete from role_members where user_id = ${max.id}`
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read());
})

test('whoever does not listen is told no more than fits on the way', async () => {
  const { cookie } = await service.as('ada')
  const all = 2000
  let told = 0
  let outgoing: ServerResponse | undefined
  const event: WatchEvent = {
    token: 'x',
    isSchemaChange: false,
    updates: Array.from({ length: 200 }, (_, at) => ({
      operation: 'touch',
      relationship: {
        resource: { type: 'document', id: `document-${at}` },
        relation: 'viewer',
        subject: { type: 'user', id: 'ann' },
      },
    })),
  }
  const watch: PermissionEngine['watch'] = async function* () {
    for (; told < all; told++) yield event
  }
  const permissions = { ...service.services.permissions, watch }
  const port = await serving((incoming, answer) => {
    outgoing = answer
    streamChanges({ ...service.services, permissions }, incoming, answer).catch(() => answer.destroy())
  })
  const asking = request({ port, host: '127.0.0.1', headers: { cookie } }).end()
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  await expect.poll(() => outgoing?.writableNeedDrain).toBe(true)
  expect(told).toBeLessThan(all)
  response.resume()
  await once(response, 'end')
  expect(told).toBe(all)
})
