import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareResponse, sendPrepared } from './prepared.ts'

const found = prepareResponse({
  ...{ status: 200, body: '{"name":"Zoë"}', encoding: 'utf8' },
  headers: ['Content-Type', 'application/json', 'Content-Length', '15'],
})
const notModified = prepareResponse({ status: 304, headers: ['ETag', '"a"'], body: '', encoding: 'latin1' })
const trace = 'ab'.repeat(16)

const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
  if (incoming.url === '/slow') {
    setImmediate(() => outgoing.end('slow'))
    return
  }
  sendPrepared(incoming.headers['if-none-match'] ? notModified : found, trace, incoming, outgoing)
})
let port = 0

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Sends requests in one packet, and returns all that comes until the server closes the connection. */
function converse(requests: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(requests.map((request) => `${request.replaceAll('\n', '\r\n')}\r\n\r\n`).join(''))
  return text(socket)
}

const get = (path = '/', ...headers: string[]) => [`GET ${path} HTTP/1.1`, 'Host: a', ...headers].join('\n')
const last = get('/', 'Connection: close')

test('a response has all headers and the body', async () => {
  const [first = ''] = (await converse([get(), last])).split('HTTP/1.1').slice(1)
  expect(first).toMatch(/^ 200 OK\r\n/)
  expect(first).toContain('\r\nContent-Type: application/json\r\n')
  expect(first).toContain('\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n')
  expect(first).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/)
  expect(first).toContain(`\r\nx-trace-id: ${trace}\r\n\r\n{"name":"Zoë"}`)
})

test('the requests of a connection are answered in their order, even if they came together', async () => {
  const answers = await converse([get(), get('/slow'), get('/', 'If-None-Match: "a"'), get(), last])
  expect(answers.match(/HTTP\/1\.1 [\w ]+|slow|\{.*?\}/g)).toEqual([
    'HTTP/1.1 200 OK',
    '{"name":"Zoë"}',
    'HTTP/1.1 200 OK',
    'slow',
    'HTTP/1.1 304 Not Modified',
    'HTTP/1.1 200 OK',
    '{"name":"Zoë"}',
    'HTTP/1.1 200 OK',
    '{"name":"Zoë"}',
  ])
})

test('a connection that the client does not keep open is closed after the response', async () => {
  expect(await converse([last])).toMatch(/\r\nConnection: close\r\n[\s\S]*\{"name":"Zoë"\}$/)
  expect(await converse(['GET / HTTP/1.0'])).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*\{"name":"Zoë"\}$/)
})

test('HEAD has no body, and neither has a response that was not modified', async () => {
  const answers = await converse(['HEAD / HTTP/1.1\nHost: a', get('/', 'If-None-Match: "a"', 'Connection: close')])
  expect(answers.match(/HTTP\/1\.1 [\w ]+|\{/g)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 304 Not Modified'])
})

test('an open connection takes further requests one after the other', async () => {
  const socket = connect(port, '127.0.0.1')
  for (let round = 0; round < 5; round++) {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(String((await once(socket, 'data'))[0])).toContain('Zoë')
  }
  socket.destroy()
})
