import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { findFreePort } from '@passport/world/port'
import type { RunningServer } from '@passport/world/process'
import { expect, test } from 'vitest'
import { canSignIn, createDatabaseEnvironment, stop, useProcesses } from './test-processes.ts'
import { createTestDatabase } from './test-service.ts'

const processes = useProcesses()

/** Starts a server that drains for longer than any test runs. */
const startPatient = async (env = {}) =>
  processes.startServer({
    ...(await createDatabaseEnvironment(await createTestDatabase())),
    DRAIN_SECONDS: '600',
    ...env,
  })

const bodyLength = 'grant_type=client_credentials'.length

/** Sends a request over a connection of the agent. */
const send = ({ url }: { url: string }, path: string, agent: Agent, headers = {}) =>
  new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
    const receive = (incoming: IncomingMessage) =>
      incoming
        .resume()
        .once('end', () => resolve({ status: incoming.statusCode, connection: incoming.headers.connection }))
    request(url + path, { agent, headers }, receive)
      .on('error', reject)
      .end()
  })

async function readReadiness({ url }: RunningServer) {
  const response = await fetch(`${url}/readyz`)
  const { code }: { code?: string } = JSON.parse(await response.text())
  return { status: response.status, code }
}

/** Opens a connection and begins a request, whose body is missing. */
async function beginRequest({ url }: RunningServer) {
  const { host, port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  const form = `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${bodyLength}\r\nExpect: 100-continue`
  socket.write(`POST /connect/token HTTP/1.1\r\nHost: ${host}\r\n${form}\r\n\r\n`)
  await once(socket, 'data')
  return socket
}

test('after SIGTERM requests are served, and their responses close the connection', async () => {
  const server = await startPatient()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  expect(await send(server, '/connect/jwks', agent)).toEqual({ status: 200, connection: 'keep-alive' })
  const inProgress = await beginRequest(server)
  server.kill('SIGTERM')
  await expect.poll(() => readReadiness(server)).toEqual({ status: 503, code: 'stopping' })
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)

  // The first one is sent on the connection that was open before.
  for (const [path, headers, status] of [
    ['/connect/jwks', {}, 200],
    ['/connect/jwks', { 'if-none-match': '*' }, 304],
    ['/.well-known/openid-configuration', {}, 200],
    ['/passport/apphelper/user', {}, 401],
    ['/connect/userinfo', {}, 401],
    ['/login', { accept: 'text/html' }, 200],
    ['/readyz', {}, 503],
  ] as const)
    expect([path, await send(server, path, agent, headers)]).toEqual([path, { status, connection: 'close' }])
  expect(await canSignIn(server.url, 'ada', server.password)).toBe(true)

  inProgress.write('grant_type=client_credentials')
  expect(await text(inProgress)).toMatch(/^HTTP\/1\.1 400 .*\r\nConnection: close\r\n.*"invalid_request"/s)

  // Of requests that a client sends at once, the last response closes the connection.
  const { host, port } = new URL(server.url)
  const socket = connect(Number(port), '127.0.0.1')
  const paths = ['/connect/jwks', '/passport/apphelper/user', '/connect/jwks', '/healthz', '/connect/jwks']
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`).join(''))
  const responses = (await text(socket)).split(/(?=HTTP\/1\.1 )/)
  expect(responses.map((response) => response.slice(9, 12))).toEqual(['200', '401', '200', '200', '200'])
  expect(responses.map((response) => /^connection: (.*)$/im.exec(response)?.[1])).toEqual([
    ...Array(4).fill('keep-alive'),
    'close',
  ])

  const { code, seconds } = await stop(server, 'SIGTERM')
  expect(code).toBe(0)
  expect(seconds).toBeLessThan(15)
  expect(server.output()).toContain('"drainSeconds":600,"msg":"draining"')
})

test('SIGINT, which a terminal sends, ends the server without a drain', async () => {
  const server = await startPatient()
  const { code, seconds } = await stop(server, 'SIGINT')
  expect(code).toBe(0)
  expect(seconds).toBeLessThan(15)
  expect(server.output()).not.toContain('draining')
})

test('the port is closed until the server is ready, and after DRAIN_SECONDS', async () => {
  const port = String(await findFreePort())
  const env = await createDatabaseEnvironment(await createTestDatabase({}, 'template1'))
  const server = processes.run('main.ts', [], { ...env, PORT: port, DRAIN_SECONDS: '1' })
  const agent = new Agent({ keepAlive: true })
  const readStatus = () =>
    send({ url: `http://localhost:${port}` }, '/readyz', agent)
      .then(({ status }) => status)
      .catch(() => undefined)
  let status: number | undefined
  while (status === undefined) status = await readStatus()
  expect(status).toBe(200)
  await server.waitForOutput(/"msg":"ready"/)
  // The open connection of the agent does not delay the end.
  const { code, seconds } = await stop(server, 'SIGTERM')
  expect(code).toBe(0)
  expect(seconds).toBeGreaterThan(0.9)
  expect(seconds).toBeLessThan(15)
  expect(await readStatus()).toBeUndefined()
})
