import { request } from 'node:http'
import { Problem } from '@passport/contract/problem'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { type Listening, listen } from './listen.ts'

let listening: Listening | undefined
afterEach(() => listening?.stop())

interface Heard {
  status: number | undefined
  headers: Record<string, unknown>
  body: string
}

/** `fetch` sends no host that is none. */
const ask = (address: string, headers: Record<string, string> = {}) =>
  new Promise<Heard>((resolve, reject) => {
    const sent = request(`${address}/passport/discovery?x=1`, { headers }, async (incoming) => {
      const chunks = await incoming.toArray()
      resolve({ status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(chunks).toString() })
    })
    sent.on('error', reject).end()
  })

test('who comes before the application is there hears it as a problem that can be traced', async () => {
  listening = await listen(0, '127.0.0.1', 'https://id.example')
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const { status, headers, body } = await ask(listening.address, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` })
  expect(status).toBe(503)
  expect(headers).toMatchObject({
    'content-type': 'application/problem+json',
    'retry-after': '1',
    'api-supported-versions': '1',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': expect.any(String),
    'x-trace-id': traceId,
  })
  expect(JSON.parse(body)).toEqual({
    type: 'https://id.example/problems/starting',
    title: 'Service Unavailable',
    status: 503,
    detail: 'The server is starting.',
    instance: '/passport/discovery',
    code: 'starting',
    traceId,
  })
})

test('a request whose host is none is told so in the same way', async () => {
  listening = await listen(0, '127.0.0.1', 'https://id.example')
  const { status, headers, body } = await ask(listening.address, { host: 'a b/c' })
  expect(status).toBe(400)
  const problem = z.parse(Problem, JSON.parse(body))
  expect(problem).toMatchObject({ code: 'malformed-request', detail: expect.any(String) })
  expect(headers).toMatchObject({
    'x-trace-id': problem.traceId,
    'x-content-type-options': 'nosniff',
    'api-supported-versions': '1',
  })
})
