import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { Problem } from '@passport/contract/problem'
import { Hono } from 'hono'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import type { CompletedRequest } from './activity.ts'
import type { Environment } from './environment.ts'
import { type Listening, listen } from './listen.ts'
import { createUnparsedRecorder } from './parser-errors.ts'

let listening: Listening
let lines: string[]
let counted: CompletedRequest[]
let gate: PromiseWithResolvers<void>
beforeEach(async () => {
  lines = []
  counted = []
  gate = Promise.withResolvers()
  const log = pino({ base: null }, { write: (line) => void lines.push(line) })
  const app = new Hono<Environment>()
  app.onError((_error, c) => c.text('cut off', 400))
  app.get('/', (c) => c.text(`host ${c.req.header('host')}`))
  app.post('/', async (c) => c.text(await c.req.text()))
  app.get('/slow', async (c) => {
    await gate.promise
    return c.text('slow')
  })
  listening = await listen(0, '127.0.0.1', 'http://localhost')
  listening.useApp(app, { recordUnparsed: createUnparsedRecorder(log, (request) => counted.push(request)) })
})
afterEach(() => listening.stop())

const open = () => connect(listening.port, '127.0.0.1')

/** Sends lines and returns the responses until the server closes the connection. */
async function converse(sent: string[], socket: Socket = open()) {
  socket.write(sent.join('\r\n'))
  return splitResponses(await text(socket))
}

const splitResponses = (received: string) =>
  received.split(/(?=HTTP\/1\.1 )/).map((response) => {
    const [head = '', body = ''] = response.split('\r\n\r\n')
    const [line = '', ...headers] = head.split('\r\n')
    return { status: Number(line.split(' ')[1]), headers: headers.join('\n').toLowerCase(), body }
  })

/** The code of a problem in a response, which is complete. */
function readProblem({ headers, body }: { headers: string; body: string }) {
  expect(headers).toContain(`content-length: ${Buffer.byteLength(body)}`)
  expect(headers).toContain('content-type: application/problem+json')
  expect(headers).toContain('connection: close')
  const problem = z.parse(Problem, JSON.parse(body))
  expect(headers).toContain(`x-trace-id: ${problem.traceId}`)
  return problem
}

const get = ['GET / HTTP/1.1', 'Host: a', '', '']
const withCookies = (bytes: number, ...headers: string[]) => [
  'GET / HTTP/1.1',
  'Host: a',
  ...headers,
  `Cookie: ${'a=b;'.repeat(bytes / 4)}`,
  '',
  '',
]
const readLog = () => lines.map((line) => JSON.parse(line))

describe('a request with more than 32 KB of headers', () => {
  test('gets a page that names the cookies, in a browser', async () => {
    for (const accept of [['Accept: text/html,*/*;q=0.8'], []]) {
      const [response] = await converse(withCookies(40_000, ...accept))
      expect(response?.status).toBe(431)
      expect(response?.headers).toContain('content-type: text/html; charset=utf-8')
      expect(response?.headers).toContain("content-security-policy: default-src 'none'")
      expect(response?.body).toContain('<h1>Too many cookies</h1>')
    }
  })

  test('gets a problem as a client of the API, a line in the log and a count', async () => {
    const [response] = await converse(withCookies(40_000, 'Accept: */*'))
    expect(response?.status).toBe(431)
    const problem = response && readProblem(response)
    expect(problem).toMatchObject({ code: 'headers-too-large', detail: expect.stringContaining('cookies') })
    expect(readLog()).toMatchObject([
      {
        msg: 'request-not-parsed',
        status: 431,
        code: 'headers-too-large',
        reason: 'HPE_HEADER_OVERFLOW',
        ip: '127.0.0.1',
        traceId: problem?.traceId,
        supportCode: problem?.supportCode,
      },
    ])
    expect(counted).toMatchObject([{ method: 'other', route: 'none', status: 431, code: 'headers-too-large' }])
  })

  test('is not one with 31 KB', async () => {
    const [response] = await converse(withCookies(31_000, 'Connection: close'))
    expect(response?.status).toBe(200)
  })
})

test.for([
  ['nonsense', ['nonsense', '', '']],
  ['a line without a colon', ['GET / HTTP/1.1', 'Host: a', 'Header', '', '']],
  ['two lengths', ['POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 2', '', 'a']],
  ['a length and chunks', ['POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked', '', '1']],
  ['an invalid chunk', ['POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', '', 'x', '']],
  ['no host', ['GET / HTTP/1.1', '', '']],
  ['two hosts', ['GET / HTTP/1.1', 'Host: a', 'Host: b', '', '']],
  ['two equal hosts', ['GET / HTTP/1.1', 'Host: a', 'hOsT: a', '', '']],
  ['two hosts in HTTP/1.0', ['GET / HTTP/1.0', 'Host: a', 'Host: a', '', '']],
] as const)('a request with %s gets 400 and a line in the log', async ([, sent]) => {
  const [response, ...others] = await converse([...sent])
  expect([response?.status, others]).toEqual([400, []])
  expect(response && readProblem(response)).toMatchObject({ code: 'malformed-request' })
  expect(readLog()).toMatchObject([{ msg: 'request-not-parsed', status: 400, code: 'malformed-request' }])
})

test.for([
  ['an unknown expectation', ['GET / HTTP/1.1', 'Host: a', 'Expect: tea', '', ''], 417, 'expectation-failed'],
  ['CONNECT', ['CONNECT a:443 HTTP/1.1', 'Host: a', '', ''], 405, 'method-not-allowed'],
  [
    'long extensions of a chunk',
    ['POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', '', `1;${'a'.repeat(20_000)}`, 'a', ''],
    413,
    'too-large',
  ],
] as const)('%s gets a problem', async ([, sent, status, code]) => {
  const [response] = await converse([...sent])
  expect(response?.status).toBe(status)
  expect(response && readProblem(response)).toMatchObject({ code })
})

test('an error after other requests of a connection gets its response after theirs', async () => {
  const socket = open()
  const received = converse(
    [...get.slice(0, 3), 'GET /slow HTTP/1.1', 'Host: a', '', ...get.slice(0, 3), 'nonsense', '', ''],
    socket,
  )
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(0)
  gate.resolve()
  expect((await received).map(({ status, body }) => [status, body.slice(0, 6)])).toEqual([
    [200, 'host a'],
    [200, 'slow'],
    [200, 'host a'],
    [400, '{"type'],
  ])
})

test('a client that goes on sending gets the response', async () => {
  const socket = open()
  socket.write(withCookies(40_000, 'Accept: */*').join('\r\n'))
  const sending = setInterval(() => socket.write('a'.repeat(10_000)), 1)
  socket.on('error', () => {})
  const [chunk] = await once(socket, 'data')
  clearInterval(sending)
  expect(splitResponses(String(chunk)).map(({ status }) => status)).toEqual([431])
  socket.destroy()
})

test('many of them have ten lines in the log, and the next one the number of the others', async () => {
  for (let index = 0; index < 13; index++) await converse(['nonsense', '', ''])
  expect(lines).toHaveLength(10)
  expect(counted).toHaveLength(13)
})
