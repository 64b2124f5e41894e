import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { startTestService } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { rotateKeys } from './keys.ts'
import { createSender, readOutcome } from './test-both-ways.ts'

const service = await startTestService()
const send = createSender(service)
const paths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/connect/jwks']

test.for(paths)('%s is the same from memory and from the library', async (path) => {
  const etag = (await send(path)).headers.get('etag') ?? ''
  const requests: RequestInit[] = [
    {},
    { method: 'HEAD' },
    { method: 'OPTIONS' },
    { method: 'POST' },
    { method: 'DELETE' },
    { headers: { origin: 'https://shop.example' } },
    { headers: { 'if-none-match': etag } },
    { headers: { 'if-none-match': `"other", W/${etag}`, origin: 'https://shop.example' } },
    { headers: { 'if-none-match': '"other"' } },
    { headers: { 'if-none-match': '*' } },
    { method: 'HEAD', headers: { 'if-none-match': etag } },
    { headers: { accept: 'text/html' } },
  ]
  for (const request of requests) {
    const [direct, byLibrary] = [await send(path, request), await send(path, request, true)]
    expect(direct.headers.get('content-length')).toBe(byLibrary.headers.get('content-length'))
    expect([request, await readOutcome(direct)]).toEqual([request, await readOutcome(byLibrary)])
  }
  const { headers } = await send(path)
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-trace-id': expect.stringMatching(/^[0-9a-f]{32}$/),
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, no-cache',
    'access-control-allow-origin': '*',
  })
  // A document for programs is no page.
  for (const name of ['content-security-policy', 'x-frame-options', 'referrer-policy'])
    expect(headers.has(name)).toBe(false)
})

test('the documents are for the host of the public URL only, and their requests are counted', async () => {
  const metrics = async () => (await service.services.metrics.read()).text
  const count = async () =>
    Number(/requests_total\{method="GET",route="\/connect\/jwks",status="200"\} (\d+)/.exec(await metrics())?.[1])
  const { port } = new URL(service.url)
  // Responses to GET are counted once a second.
  const earlier = await count()
  await send('/connect/jwks')
  await expect.poll(count).not.toBe(earlier)
  const before = await count()
  expect(await sendRaw(port, 'GET /connect/jwks HTTP/1.1\r\nHost: evil.example\r\n\r\n')).toMatch(/^HTTP\/1.1 421 /)
  expect(await sendRaw(port, `GET /connect/jwks HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 200 /,
  )
  await expect.poll(count).toBe(before + 1)
})

test('the documents need no statement until the keys change, and have the new keys then', async () => {
  const { sql, services } = service
  expect(await recordStatements(sql, () => Promise.all(paths.map((path) => send(path))))).toEqual([])
  const before = await send('/connect/jwks')
  try {
    await rotateKeys(sql, services.vault, 'passport', Date.now() + 89 * 24 * 60 * 60 * 1000 + 1000)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    const after = await send('/connect/jwks')
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect(((await after.json()) as { keys: unknown[] }).keys).toHaveLength(4)
    expect((await send('/connect/jwks')).headers.get('etag')).toBe(after.headers.get('etag'))
  } finally {
    vi.useRealTimers()
  }
})

/** Sends a request as it is; returns the first part of the response. */
function sendRaw(port: string, text: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
  socket.once('error', reject).once('data', (data) => {
    resolve(data.toString())
    socket.destroy()
  })
  return promise
}
