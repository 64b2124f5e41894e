import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'
import { limitPipelining, type PipelineLimits } from './pipelining.ts'
import { prepareResponse, sendPrepared } from './prepared.ts'

type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown

async function start(handle: Handle, limits?: PipelineLimits) {
  const server = createServer({ keepAliveTimeout: 65_000 }, limitPipelining(handle, limits).handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const open = async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  return { server, open }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const getLast = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const readBodies = async (socket: Socket) =>
  [...(await text(socket)).matchAll(/\r\n\r\n<(.*?)>/g)].map(([, body]) => body)
const respond = (outgoing: ServerResponse, body: string) => outgoing.end(`<${body}>`)

function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, open: resolve }
}

test('of 5,000 requests of one connection at most 8 are in progress, and the rest is not read', async () => {
  const gate = createGate()
  let [inProgress, most, bytesRead] = [0, 0, 0]
  const { open } = await start(async ({ url = '', socket }, outgoing) => {
    if (url === '/other') return respond(outgoing, url)
    most = Math.max(most, ++inProgress)
    bytesRead = socket.bytesRead
    await gate.promise
    respond(outgoing, url)
    inProgress--
  })
  const socket = await open()
  const paths = Array.from({ length: 5_000 }, (_, index) => `/${index}`)
  socket.write(paths.map((path) => (path === '/4999' ? getLast(path) : get(path))).join(''))
  await expect.poll(() => inProgress).toBe(8)
  for (let turn = 0; turn < 3; turn++) {
    const other = await open()
    other.write(getLast('/other'))
    expect(await readBodies(other)).toEqual(['/other'])
  }
  expect([inProgress, bytesRead <= 64 * 1024]).toEqual([8, true])
  gate.open()
  expect(await readBodies(socket)).toEqual(paths)
  expect(most).toBe(8)
})

test.for(['a page', 'a prepared response'])(
  'another connection has its turn after 8 requests for %s, which are answered at once',
  async (kind) => {
    const prepared = prepareResponse({ status: 200, headers: ['Content-Length', '3'], body: '<p>', encoding: 'latin1' })
    const handled: string[] = []
    const { open } = await start((incoming, outgoing) => {
      const { url = '' } = incoming
      handled.push(url)
      if (kind === 'a page') respond(outgoing, url)
      else sendPrepared(prepared, '', incoming, outgoing)
    })
    const [socket, other] = [await open(), await open()]
    socket.write(get('/page').repeat(999) + getLast('/last'))
    other.write(getLast('/other'))
    await Promise.all([readBodies(socket), readBodies(other)])
    expect(handled).toHaveLength(1_001)
    expect(handled.indexOf('/other')).toBeLessThanOrEqual(16)
    expect(handled.at(-1)).toBe('/last')
  },
)

test('requests of many connections have their turns one after the other', async () => {
  const handled: string[] = []
  const handle: Handle = ({ url = '' }, outgoing) => {
    handled.push(url)
    respond(outgoing, url)
  }
  const { open } = await start(handle)
  const sockets = await Promise.all(Array.from({ length: 10 }, open))
  for (const [index, socket] of sockets.entries()) socket.write(get(`/${index}`).repeat(99) + getLast(`/${index}`))
  await Promise.all(sockets.map(readBodies))
  expect(handled).toHaveLength(1_000)
  // The requests of the last connection arrive when some of the others are complete.
  const from = handled.indexOf('/9')
  const counts = Map.groupBy(handled.slice(from, from + 100), (url) => url)
  for (const { length } of counts.values()) expect(Math.abs(length - 10)).toBeLessThanOrEqual(1)
  expect(counts.size).toBe(10)
})

test('the requests that wait end with their connection', async () => {
  const gate = createGate()
  const handled: string[] = []
  const { server, open } = await start(async ({ url = '' }, outgoing) => {
    handled.push(url)
    if (url !== '/other') await gate.promise
    respond(outgoing, url)
  })
  const socket = await open()
  socket.write(get('/').repeat(100))
  await expect.poll(() => handled.length).toBe(8)
  socket.destroy()
  gate.open()
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(0)
  const other = await open()
  other.write(getLast('/other'))
  expect(await readBodies(other)).toEqual(['/other'])
  expect(handled.length).toBeLessThan(50)
})

test('a connection is closed that sends more than may wait', async () => {
  const gate = createGate()
  const { open } = await start(
    async (_incoming, outgoing) => {
      await gate.promise
      respond(outgoing, 'done')
    },
    { maxInProgress: 8, maxWaiting: 100 },
  )
  const [socket, greedy] = [await open(), await open()]
  socket.write(get('/').repeat(49) + getLast('/'))
  greedy.on('error', () => {}).write(get('/').repeat(200))
  await once(greedy.resume(), 'close')
  gate.open()
  expect(await readBodies(socket)).toHaveLength(50)
})

test('any requests of a connection are answered in their order, however they arrive', async () => {
  const prepared = prepareResponse({
    status: 200,
    headers: ['Content-Length', '4'],
    body: '</p>',
    encoding: 'latin1',
  })
  const { open } = await start(async (incoming, outgoing) => {
    const { url = '', method } = incoming
    if (url === '/p') return sendPrepared(prepared, '', incoming, outgoing)
    if (url.startsWith('/slow')) await new Promise(setImmediate)
    if (url.startsWith('/slower')) for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    respond(outgoing, method === 'POST' ? `${url} ${await text(incoming)}` : url)
  })
  const request = fc.oneof(
    fc.constantFrom('/', '/slow', '/slower', '/p').map((path) => ({ sent: get(path), answer: path })),
    fc.tuple(fc.constantFrom('/', '/slow'), fc.integer({ min: 0, max: 300 })).map(([path, size]) => ({
      sent: post(path, 'b'.repeat(size)),
      answer: `${path} ${'b'.repeat(size)}`,
    })),
  )
  const part = fc.integer({ min: 1, max: 3_000 })
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 60 }), fc.array(part, { maxLength: 20 }), async (list, sizes) => {
      const all = list.map(({ sent }) => sent).join('') + getLast('/last')
      const socket = (await open()).setNoDelay()
      const bodies = readBodies(socket)
      let at = 0
      for (const size of [...sizes, all.length]) {
        socket.write(all.slice(at, at + size))
        at += size
        await new Promise(setImmediate)
      }
      expect(await bodies).toEqual([...list.map(({ answer }) => answer), '/last'])
    }),
    { numRuns: 50 },
  )
})
