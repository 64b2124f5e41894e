import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Problem } from '@passport/contract/problem'
import { Hono } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import type { Environment } from './environment.ts'
import { type Listening, listen, PortUnavailable } from './listen.ts'

let listening: Listening | undefined
afterEach(() => listening?.stop())

interface ReceivedResponse {
  status: number | undefined
  headers: Record<string, unknown>
  body: string
}

/** Sends a request, unlike `fetch` even with an invalid host name. */
const send = (url: string, headers: Record<string, string> = {}) =>
  new Promise<ReceivedResponse>((resolve, reject) => {
    const sent = request(`${url}/passport/discovery?x=1`, { headers }, async (incoming) => {
      const chunks = await incoming.toArray()
      resolve({ status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(chunks).toString() })
    })
    sent.on('error', reject).end()
  })

test('a request before the application is ready waits for it', async () => {
  listening = await listen(0, '127.0.0.1', 'https://id.example')
  const sent = send(listening.ownUrl)
  const app = new Hono<Environment>()
  app.get('/passport/discovery', (c) => c.text('found'))
  await new Promise((resolve) => connect(listening?.port ?? 0, '127.0.0.1', () => resolve(undefined)).end())
  listening.useApp(app)
  expect(await sent).toMatchObject({ status: 200, body: 'found' })
})

test('a request with an invalid host gets a problem with a trace id', async () => {
  listening = await listen(0, '127.0.0.1', 'https://id.example')
  listening.useApp(new Hono<Environment>())
  const { status, headers, body } = await send(listening.ownUrl, { host: 'a b/c' })
  expect(status).toBe(400)
  const problem = z.parse(Problem, JSON.parse(body))
  expect(problem).toMatchObject({ code: 'malformed-request', detail: expect.any(String) })
  expect(headers).toMatchObject({
    'x-trace-id': problem.traceId,
    'x-content-type-options': 'nosniff',
    'api-supported-versions': '1',
  })
})

describe('a slow client', () => {
  const limits = { headersTimeoutMs: 200, requestTimeoutMs: 400, checkEveryMs: 20, maxConnections: 3 }
  const header = 'POST /upload HTTP/1.1\r\nhost: localhost\r\ncontent-length: 6\r\n'

  /** Starts a server with an endpoint that reads the whole body, and with a stream that ends after `proceed`. */
  async function start(clientLimits = limits) {
    const { promise, resolve: proceed } = Promise.withResolvers<void>()
    const app = new Hono<Environment>()
    app.onError((_error, c) => c.text('cut off', 400))
    app.post('/upload', async (c) => c.text(`got ${await c.req.text()}`))
    app.get('/stream', () => {
      const parts = async function* () {
        yield new TextEncoder().encode('begin ')
        await promise
        yield new TextEncoder().encode('end')
      }
      return new Response(ReadableStream.from(parts()) as ReadableStream<Uint8Array<ArrayBuffer>>)
    })
    listening = await listen(0, '127.0.0.1', 'http://localhost', clientLimits)
    listening.useApp(app)
    return { port: listening.port, proceed }
  }

  function open(port: number) {
    const socket = connect(port, '127.0.0.1')
    const received = { text: '' }
    socket.setEncoding('utf8').on('data', (text) => {
      received.text += text
    })
    socket.on('error', () => {})
    return { socket, received, closed: once(socket, 'close') }
  }

  test.for([
    ['sends half a header', 'POST /upload HTTP/1.1\r\nhost:'],
    ['sends half a body', `${header}\r\nabc`],
  ] as const)('that %s gets 408 and is disconnected', async ([, text]) => {
    const { port } = await start()
    const client = open(port)
    client.socket.write(text)
    await client.closed
    expect(client.received.text).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('that opens a connection in advance is disconnected without a response, which it would take for that of a request', async () => {
    const { port } = await start()
    const client = open(port)
    await client.closed
    expect(client.received.text).toBe('')
  })

  test('can receive a response that takes longer than the limits of a request', async () => {
    const { port, proceed } = await start()
    const other = open(port)
    const client = open(port)
    client.socket.write('GET /stream HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
    await expect.poll(() => client.received.text).toContain('begin')
    other.socket.write(`${header}\r\nabc`)
    // Another client has exceeded both limits since.
    await other.closed
    proceed()
    await client.closed
    expect(client.received.text).toContain('end')
  })

  test('that sends its body in parts within the time limit gets a response', async () => {
    const { port } = await start({ ...limits, requestTimeoutMs: 30_000 })
    const client = open(port)
    client.socket.write(`${header}connection: close\r\n\r\nabc`)
    await once(client.socket, 'ready')
    client.socket.write('def')
    await client.closed
    expect(client.received.text).toContain('got abcdef')
  })

  test('is disconnected above the maximum number of connections', async () => {
    const { port } = await start({ ...limits, headersTimeoutMs: 30_000, requestTimeoutMs: 30_000 })
    const clients = [open(port), open(port), open(port)]
    await Promise.all(clients.map(({ socket }) => once(socket, 'connect')))
    const rejected = open(port)
    await rejected.closed
    expect(rejected.received.text).toBe('')
    for (const { socket } of clients) socket.destroy()
  })
})

test.for([
  [1, 'does-not-exist.invalid', 'HOST: does-not-exist.invalid cannot be used (getaddrinfo ENOTFOUND'],
  [0, '192.0.2.1', 'HOST: 192.0.2.1 cannot be used (listen EADDRNOTAVAIL'],
] as const)('port %i of %s cannot be opened, which names HOST', async ([port, host, line]) => {
  const opened = listen(port, host, 'https://id.example')
  await expect(opened).rejects.toThrow(PortUnavailable)
  await expect(opened).rejects.toThrow(line)
})

test('of the requests that one connection sends at once, 8 are in progress', async () => {
  const { promise, resolve: proceed } = Promise.withResolvers<void>()
  let inProgress = 0
  const app = new Hono<Environment>()
  app.get('/', async (c) => {
    inProgress++
    await promise
    return c.text('done')
  })
  app.get('/other', (c) => c.text('other'))
  listening = await listen(0, '127.0.0.1', 'http://localhost')
  listening.useApp(app)
  const socket = connect(listening.port, '127.0.0.1')
  const request = (last = '') => `GET / HTTP/1.1\r\nHost: localhost\r\n${last}\r\n`
  socket.write(request().repeat(99) + request('Connection: close\r\n'))
  await expect.poll(() => inProgress).toBe(8)
  expect(await (await fetch(`${listening.ownUrl}/other`)).text()).toBe('other')
  expect(inProgress).toBe(8)
  proceed()
  expect((await text(socket)).match(/done/g)).toHaveLength(100)
})
