import { once } from 'node:events'
import { connect } from 'node:net'
import { endpoint, json } from '@passport/contract/endpoint'
import { getLiveness, getReadiness } from '@passport/contract/health'
import { entity } from '@passport/contract/request-body'
import { pino } from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { createAdmission } from './admission.ts'
import { createBaseApp } from './base-app.ts'
import type { HttpContext } from './http-context.ts'
import { listen } from './listen.ts'
import { createLoadLimiter } from './load.ts'
import { mountOn } from './mount.ts'
import { html } from './page.ts'
import { servePagesOn } from './pages.ts'
import { serveOn } from './serve.ts'

let service: TestService
let cookie: string

beforeAll(async () => {
  service = await startTestService()
  cookie = (await service.as('ada')).cookie
})

const Anything = z.object({ name: z.string() })
const waitForGate = endpoint('GET', '/passport/gate', { summary: '', access: 'signedIn', returns: json(Anything) })
const sendBody = endpoint('PUT', '/passport/body', {
  summary: '',
  access: 'anyone',
  body: entity(Anything),
  returns: json(Anything),
})

/** Starts an application for two concurrent requests, with routes that count their calls and wait for the test. */
async function start() {
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line) => void lines.push(line) })
  const listening = await listen(0, '127.0.0.1', 'http://localhost')
  onFileEnd(listening.stop)
  const url = `http://localhost:${listening.port}`
  const [handled, waiting] = [createGate(), createGate()]
  const { identify } = service.services.http
  const http: HttpContext = {
    ...service.services.http,
    publicUrl: url,
    log,
    identify: {
      ...identify,
      bySession: async (token) => {
        await waiting.pass()
        return identify.bySession(token)
      },
    },
    limitAddress: () => async () => {
      await waiting.pass()
      return {}
    },
  }
  const statuses: number[] = []
  const limits = { alwaysAdmitted: 2, maxAdmitted: 2, maxWaitMs: 1_000, minMeasuredMs: 250 }
  const app = createBaseApp(
    http,
    (_incoming, _visit, _path, { status }) => statuses.push(status),
    createAdmission(http, createLoadLimiter(limits)),
  )
  const closed: Promise<unknown>[] = []
  app.use(async (c, next) => {
    closed.push(once(c.env.outgoing, 'close'))
    await next()
  })
  const serve = serveOn(app, http, () => Promise.reject(new Error('no keys here')))
  serve(getLiveness, () => ({ status: 'ok' as const }))
  serve(getReadiness, () => ({ status: 'ok' as const }))
  serve(waitForGate, async () => {
    await handled.pass()
    return { name: 'gate' }
  })
  serve(sendBody, ({ body }) => body)
  servePagesOn(app, http)('GET', '/page', async () => {
    await handled.pass()
    return { title: 'Page', body: html`<h1>Page</h1>` }
  })
  const mount = mountOn(app, http)
  mount(
    '/mount',
    async (_incoming, outgoing) => {
      await handled.pass()
      outgoing.end('mount')
    },
    { rateLimit: { name: 'mount', requests: 1, perSeconds: 1 } },
  )
  mount(
    '/stream',
    async (_incoming, outgoing) => {
      outgoing.write('begin')
      await handled.pass()
      outgoing.end('end')
    },
    { isStream: true },
  )
  listening.useApp(app)
  const send = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { cookie, ...init.headers } })
  return { port: listening.port, send, handled, waiting, statuses, closed, lines }
}

/** Creates a gate that counts arrivals, and lets them pass once it is open. */
function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const state = { arrivals: 0 }
  const pass = () => {
    state.arrivals += 1
    return promise
  }
  return { state, pass, open: resolve }
}

describe('requests above the limit', () => {
  test('are rejected before any work, except health checks', async () => {
    const { send, handled, waiting, lines } = await start()
    waiting.open()
    const admitted = [send('/passport/gate'), send('/passport/gate')]
    await expect.poll(() => handled.state.arrivals).toBe(2)
    const rejected = await send('/passport/gate')
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1'])
    expect(rejected.headers.get('content-type')).toBe('application/problem+json')
    expect(await rejected.json()).toMatchObject({ code: 'overloaded', instance: '/passport/gate' })
    const page = await send('/page', { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await page.text()).toContain('Try again in a second.')
    expect(waiting.state.arrivals).toBe(2)
    for (const path of ['/healthz', '/readyz']) expect((await send(path)).status).toBe(200)
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['overloaded'])

    handled.open()
    expect((await Promise.all(admitted)).map(({ status }) => status)).toEqual([200, 200])
    expect((await send('/passport/gate')).status).toBe(200)
  })

  test('are admitted while streams and slow bodies wait', async () => {
    const { send, port, handled, waiting } = await start()
    waiting.open()
    const streams = await Promise.all([1, 2, 3].map(() => send('/stream')))
    const sockets = [1, 2, 3].map(() => connect(port, '127.0.0.1'))
    for (const socket of sockets)
      socket.write(
        `PUT /passport/body HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json\r\ncontent-length: 15\r\n\r\n{"name":`,
      )
    const headers = { 'content-type': 'application/json' }
    const other = () => send('/passport/body', { method: 'PUT', headers, body: '{"name":"quick"}' })
    for (let index = 0; index < 5; index++) expect((await other()).status).toBe(200)
    for (const socket of sockets) {
      socket.write('"slow"}')
      expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 200 /)
      socket.destroy()
    }
    handled.open()
    expect(await Promise.all(streams.map((stream) => stream.text()))).toEqual(Array(3).fill('beginend'))
  })
})

describe('a request whose client has disconnected', () => {
  test.for(['/passport/gate', '/page', '/mount'])('to %s does not reach its handler', async (path) => {
    const { send, handled, waiting, statuses, closed, lines } = await start()
    const disconnect = new AbortController()
    const response = send(path, { signal: disconnect.signal }).catch(() => 'aborted')
    await expect.poll(() => waiting.state.arrivals).toBe(1)
    disconnect.abort()
    expect(await response).toBe('aborted')
    await Promise.all(closed)
    waiting.open()
    await expect.poll(() => statuses).toEqual([499])
    expect(handled.state.arrivals).toBe(0)
    expect(lines).toEqual([])

    handled.open()
    expect((await send(path)).status).toBe(200)
    expect(handled.state.arrivals).toBe(1)
  })

  test('before it is read causes no statement and no response, on any path that counts as load', async () => {
    const { port } = new URL(service.url)
    const paths = [
      '/passport/apphelper/user',
      '/passport/account/sessions',
      '/connect/userinfo',
      '/docs?q=key',
      '/login',
    ]
    const sendAndGo = async (path: string) => {
      const socket = connect(Number(port), '127.0.0.1')
      await once(socket, 'connect')
      // Both are in the queue of the server before it accepts the connection.
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\nCookie: ${cookie}\r\n\r\n`)
      socket.destroy()
    }
    const countByStatus = async () => {
      const { text } = await service.services.metrics.read()
      const sum = (pattern: RegExp) =>
        [...text.matchAll(pattern)].reduce((total, [, count]) => total + Number(count), 0)
      return { gone: sum(/status="499"\} (\d+)/g), all: sum(/http_requests_total\{.*\} (\d+)/g) }
    }
    const before = await countByStatus()
    const statements: string[] = []
    const { debug } = service.sql.options
    service.sql.options.debug = (_connection, text) => void statements.push(text)
    await Promise.all(Array.from({ length: 20 }, () => paths.map(sendAndGo)).flat())
    await expect.poll(countByStatus).toEqual({ gone: before.gone + 100, all: before.all + 100 })
    service.sql.options.debug = debug
    expect(statements.filter((text) => /session|user/i.test(text))).toEqual([])
  })
})
