import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { startTestService } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { rotateKeys } from './keys.ts'

const service = await startTestService()
const send = (path: string, init: RequestInit = {}) => fetch(service.url + path, init)
const metadataPaths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']
const paths = [...metadataPaths, '/connect/jwks']
const origin = 'https://shop.example'

test('both metadata documents are the same, with every endpoint at the public URL', async () => {
  const [first, second] = await Promise.all(metadataPaths.map(async (path) => (await send(path)).json()))
  expect(second).toEqual(first)
  const urls = Object.entries(first as Record<string, unknown>).filter(([name]) =>
    /_(?:endpoint|uri|iframe)$/.test(name),
  )
  expect(urls).toHaveLength(10)
  for (const [name, url] of urls)
    expect([name, url]).toEqual([name, expect.stringContaining(`${service.url}/connect/`)])
  expect(first).toMatchObject({ issuer: service.url, service_documentation: `${service.url}/docs` })
})

test('the key set has the public parts of the signing keys only', async () => {
  const response = await send('/connect/jwks')
  expect(response.headers.get('content-type')).toBe('application/jwk-set+json; charset=utf-8')
  const { keys } = (await response.json()) as { keys: Record<string, string>[] }
  const members = {
    ES256: ['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use'],
    RS256: ['kty', 'n', 'e', 'kid', 'alg', 'use'],
  }
  expect(keys.map(({ alg }) => alg).sort()).toEqual(Object.keys(members))
  for (const key of keys) expect(Object.keys(key)).toEqual(members[key['alg'] as keyof typeof members])
})

test.for(paths)('%s is a document for programs of any origin', async (path) => {
  const response = await send(path)
  const etag = response.headers.get('etag') ?? ''
  const body = await response.text()
  expect(etag).toMatch(/^"[\w-]{22}"$/)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'x-trace-id': expect.stringMatching(/^[0-9a-f]{32}$/),
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, no-cache',
    'access-control-allow-origin': '*',
    vary: 'Origin',
    'content-length': String(Buffer.byteLength(body)),
  })
  for (const name of ['content-security-policy', 'x-frame-options', 'referrer-policy'])
    expect(response.headers.has(name)).toBe(false)
  const requests: [RequestInit, number, string][] = [
    [{ method: 'HEAD' }, 200, ''],
    [{ headers: { origin } }, 200, body],
    [{ headers: { accept: 'text/html' } }, 200, body],
    [{ headers: { 'if-none-match': '"other"' } }, 200, body],
    [{ headers: { 'if-none-match': etag } }, 304, ''],
    [{ headers: { 'if-none-match': `"other", W/${etag}`, origin } }, 304, ''],
    [{ headers: { 'if-none-match': '*' } }, 304, ''],
    [{ method: 'HEAD', headers: { 'if-none-match': etag } }, 304, ''],
  ]
  for (const query of ['', '?a=1']) {
    for (const [init, status, text] of requests) {
      const sent = await send(path + query, init)
      expect([query, init, sent.status, await sent.text()]).toEqual([query, init, status, text])
      expect(sent.headers.get('etag')).toBe(etag)
      const isOfPage = 'origin' in (init.headers ?? {})
      expect(sent.headers.get('access-control-allow-origin')).toBe(isOfPage ? origin : '*')
      if (status === 200) expect(sent.headers.get('content-length')).toBe(String(Buffer.byteLength(body)))
    }
  }
})

test.for(paths)('%s is read only, and answers preflight requests of any page', async (path) => {
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const { status, headers } = await send(path, { method })
    expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, HEAD, OPTIONS'])
  }
  const preflight = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-a' }
  const { status, headers } = await send(path, { method: 'OPTIONS', headers: preflight })
  expect([status, Object.fromEntries(headers)]).toMatchObject([
    204,
    {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': 'x-a',
      'access-control-max-age': '3600',
    },
  ])
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
  const metadata = await send(metadataPaths[0] ?? '')
  try {
    await rotateKeys(sql, services.vault, 'passport', Date.now() + 89 * 24 * 60 * 60 * 1000 + 1000)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    const after = await send('/connect/jwks')
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect(((await after.json()) as { keys: unknown[] }).keys).toHaveLength(4)
    expect((await send('/connect/jwks')).headers.get('etag')).toBe(after.headers.get('etag'))
    expect((await send(metadataPaths[0] ?? '')).headers.get('etag')).toBe(metadata.headers.get('etag'))
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
