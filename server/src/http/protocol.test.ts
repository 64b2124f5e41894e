import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService } from '../test-service.ts'
import { createAdmission } from './admission.ts'
import { createLoadLimiter } from './load.ts'
import { csrf } from './problems.ts'
import { createProtocolRoutes } from './protocol.ts'

const service = await startTestService()
const server = createServer()
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
onFileEnd(() => new Promise((resolve) => void server.close(resolve)))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const http = { ...service.services.http, publicUrl: url }
const completed: object[] = []
const limits = { alwaysAdmitted: 1, maxAdmitted: 1, maxWaitMs: 1_000, minMeasuredMs: 250 }
const admit = createAdmission(http, createLoadLimiter(limits))
const record = (_incoming: unknown, _visit: unknown, path: string, { route, status, code }: Record<string, unknown>) =>
  completed.push({ path, route, status, code })
const { protocol, respond } = createProtocolRoutes(http, record as never, admit, record as never)
let held: PromiseWithResolvers<void> | undefined

protocol('/echo', {
  methods: {
    GET: ({ path, query }) => ({ status: 200, headers: { 'Set-Cookie': ['a=1', 'b=2'] }, body: `${path} ${query}` }),
    POST: async ({ readForm }) => ({ status: 200, headers: {}, body: String(await readForm()) }),
  },
  preflight: () => ({ 'Access-Control-Allow-Methods': 'GET,POST' }),
})
protocol('/below/*', { methods: { GET: ({ path }) => ({ status: 303, headers: { Location: path } }) } })
protocol('/refused', {
  methods: {
    GET: () => {
      throw csrf()
    },
  },
})
protocol('/broken', {
  methods: {
    GET: () => {
      throw new Error('a secret detail')
    },
  },
})
protocol('/held', {
  methods: {
    GET: async () => {
      await held?.promise
      return { status: 200, headers: {} }
    },
  },
})
server.on('request', async (incoming, outgoing) => {
  if (!(await respond(incoming, outgoing))) outgoing.writeHead(404).end('framework')
})

const send = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(url + path, { redirect: 'manual', ...init })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const form = (body: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
})

test('a request gets the response of its endpoint, with the headers of every response', async () => {
  const { status, headers, text } = await send('/echo?a=b%20c')
  expect([status, text]).toEqual([200, '/echo a=b%20c'])
  expect(headers.get('x-trace-id')).toMatch(/^[\da-f]{32}$/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect((await send('/echo', form('a=1&b=%C3%A9'))).text).toBe('a=1&b=%C3%A9')
  expect(completed.slice(-2)).toEqual([
    { path: '/echo', route: '/echo', status: 200, code: undefined },
    { path: '/echo', route: '/echo', status: 200, code: undefined },
  ])
})

test('HEAD has the headers of GET, and no body', async () => {
  const { status, headers, text } = await send('/echo?a', { method: 'HEAD' })
  expect([status, headers.get('content-length'), text]).toEqual([200, '7', ''])
})

test('OPTIONS lists the methods, and other methods get 405', async () => {
  const options = await send('/echo', { method: 'OPTIONS' })
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, POST, HEAD, OPTIONS'])
  expect(options.headers.get('access-control-allow-methods')).toBe('GET,POST')
  const put = await send('/refused', { method: 'PUT' })
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
})

test('a path one segment below is matched, and no other', async () => {
  expect((await send('/below/abc')).headers.get('location')).toBe('/below/abc')
  for (const path of ['/below', '/below/a/b', '/Echo', '/echo/', '/echo/a'])
    expect(await send(path)).toMatchObject({ status: 404, text: 'framework' })
})

test('what cannot be stored is refused before the endpoint', async () => {
  for (const [path, init] of [
    ['/echo?a=%00', {}],
    ['/below/%00', {}],
    ['/below/%ff', {}],
    ['/echo', form('a=%00')],
  ] as const)
    expect(JSON.parse((await send(path, init)).text)).toMatchObject({ status: 400, code: 'invalid-text' })
})

test('an error is a problem for programs and a page for browsers, without its details', async () => {
  expect(JSON.parse((await send('/refused')).text)).toMatchObject({ status: 403, instance: '/refused' })
  const page = await send('/refused', { headers: { accept: 'text/html' } })
  expect([page.status, page.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
  const broken = await send('/broken')
  expect(JSON.parse(broken.text)).toMatchObject({ status: 500, code: 'internal-error' })
  expect(broken.text).not.toContain('secret detail')
})

test('a request for another host is refused', async () => {
  const status = await new Promise((resolve, reject) => {
    const sent = request(`${url}/echo`, { headers: { host: 'other.example' } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject).end()
  })
  expect(status).toBe(421)
})

test('a request above the load limit is refused until another one has ended', async () => {
  held = Promise.withResolvers()
  const first = fetch(`${url}/held`)
  await expect.poll(async () => (await send('/echo')).status).toBe(503)
  expect(JSON.parse((await send('/echo')).text)).toMatchObject({ status: 503, code: 'overloaded' })
  expect((await send('/echo', { headers: { accept: 'text/html' } })).text).toContain('Too many requests at once')
  held.resolve()
  expect((await first).status).toBe(200)
  expect((await send('/echo')).status).toBe(200)
})
