import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'

let probeCount = 0
const countProbes = (statement: string) => void (statement.includes('transaction_read_only') && probeCount++)
const service = await startTestService({}, { onStatement: countProbes })
beforeEach(() => {
  probeCount = 0
})

/** Sends the lines of a request without a body; returns the status and all that follows. */
async function send(...lines: string[]) {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.write([...lines, 'Connection: close', '', ''].join('\r\n'))
  const response = await text(socket)
  return { status: Number(response.split(' ')[1]), response }
}

test.for([
  ['HTTP/1.0 without Host', 'HTTP/1.0'],
  ['HTTP/1.1 without Host', 'HTTP/1.1'],
  ['an address as Host', 'HTTP/1.1', 'Host: 10.0.0.5:3000'],
  ['another Host', 'HTTP/1.0', 'Host: other.example'],
  ['an empty Host', 'HTTP/1.1', 'Host:'],
  ['a Host that is no name', 'HTTP/1.1', 'Host: a b/c'],
] as const)('health checks are answered in %s', async ([, version, ...headers]) => {
  for (const method of ['GET', 'HEAD', 'OPTIONS'])
    expect((await send(`${method} /healthz ${version}`, ...headers)).status).toBe(method === 'OPTIONS' ? 204 : 200)
  expect(probeCount).toBe(0)
  const ready = await send(`GET /readyz?from=balancer ${version}`, ...headers)
  expect(ready).toMatchObject({ status: 200, response: expect.stringMatching(/\r\n\r\n\{"status":"ok"\}$/) })
  expect(probeCount).toBe(1)
})

test.for([
  ['a health check with two Host headers', 'GET /readyz HTTP/1.1', 'Host: a', 'Host: a'],
  ['a health check with two Host headers in HTTP/1.0', 'GET /healthz HTTP/1.0', 'Host: a', 'Host: a'],
  ['another request without Host', 'GET /connect/jwks HTTP/1.0'],
  ['another request without Host in HTTP/1.1', 'GET /readyz/ HTTP/1.1'],
] as const)('%s is rejected', async ([, ...lines]) => {
  expect(await send(...lines)).toMatchObject({ status: 400, response: expect.stringContaining('malformed-request') })
})
