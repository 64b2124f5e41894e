import { request } from 'node:http'
import { signOut } from '@passport/contract/accounts'
import { endpoints } from '@passport/contract/api'
import { confirmDeviceAuthorization } from '@passport/contract/device-authorization'
import type { Endpoint } from '@passport/contract/endpoint'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

let service: TestService
let ada: Visitor
let anonymous: Visitor

beforeAll(async () => {
  const origins = { dev: ['https://stage.example', 'https://app.example'], prod: ['https://prod.example'] }
  const game = { clientId: 'game', clientName: 'Game', redirectUris: ['https://game.example/callback'] }
  service = await startTestService({
    LOCAL_DIRECTORY_ISSUER: 'on',
    CORS_ORIGINS: JSON.stringify(origins),
    CLIENTS: JSON.stringify([game]),
    TRUSTED_PROXIES: '127.0.0.1',
    ALLOWED_HOSTS: 'passport:3000, 10.0.0.7:3000',
  })
  ada = await service.as('ada')
  anonymous = await service.as(undefined)
})

describe('a response', () => {
  test('to a failed request is problem+json with a code and the trace id', async () => {
    const response = await anonymous.fetch('/passport/apphelper/user', {
      headers: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
    })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.headers.get('x-trace-id')).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
    expect(await response.json()).toEqual({
      type: `${service.url}/problems/not-signed-in`,
      title: 'Unauthorized',
      status: 401,
      detail: 'Sign in first, or send an access token as `Authorization: Bearer`.',
      instance: '/passport/apphelper/user',
      code: 'not-signed-in',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      supportCode: expect.stringMatching(/^(?!4BF9-2F35)[0-9A-F]{4}-[0-9A-F]{4}$/),
    })
  })

  test('has headers against script execution, framing, sniffing and caching', async () => {
    const { headers } = await ada.fetch('/passport/apphelper/user')
    expect(Object.fromEntries(headers)).toMatchObject({
      'api-supported-versions': '1',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'x-trace-id': expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    expect(headers.get('etag')).toBeNull()
  })

  test('to a request for an unsupported API version is 400', async () => {
    for (const version of ['?api-version=1', '?api-version=1.0']) {
      expect((await anonymous.fetch(`/passport/discovery${version}`)).status).toBe(200)
    }
    for (const version of ['?api-version=2', '?api-version=']) {
      const response = await anonymous.fetch(`/passport/discovery${version}`)
      expect(await response.json()).toMatchObject({
        status: 400,
        code: 'api-version-unsupported',
        errors: [{ field: 'api-version' }],
      })
    }
    const byHeader = await anonymous.fetch('/passport/discovery', { headers: { 'x-api-version': '3' } })
    expect(byHeader.status).toBe(400)
  })

  test.for([
    '/.well-known/openid-configuration',
    '/connect/jwks',
    '/connect/checksession',
    '/idp/.well-known/openid-configuration',
    '/metrics',
  ])('to HEAD of %s, which the framework does not send, is sent once', async (path) => {
    const consoleError = vi.spyOn(console, 'error')
    onTestFinished(() => consoleError.mockRestore())
    const [got, response] = [await anonymous.fetch(path), await anonymous.fetch(path, { method: 'HEAD' })]
    expect([response.status, await response.text()]).toEqual([got.status, ''])
    expect(response.headers.get('content-type')).toBe(got.headers.get('content-type'))
    expect(response.headers.get('x-trace-id')).not.toBeNull()
    expect(consoleError).not.toHaveBeenCalled()
  })

  test('to HEAD of an endpoint has no body', async () => {
    const response = await ada.fetch('/passport/apphelper/user', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

describe('a path', () => {
  test.for([
    '/passport/nothing',
    '/join/x/y/z',
    '/info/nothing',
    '/api/nothing',
    '/cors/nothing',
    '/connect/nothing',
    '/elsewhere',
  ])('such as %s that does not exist gets a 404 problem, even if the client prefers HTML', async (path) => {
    const response = await anonymous.fetch(path, { headers: { accept: 'text/html' } })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({ status: 404, code: 'not-found' })
  })

  test('lists its methods in the 405 to another one', async () => {
    const response = await ada.fetch('/passport/apphelper/user', { method: 'DELETE' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, OPTIONS, HEAD'])
    expect(await response.json()).toMatchObject({ code: 'method-not-allowed' })
  })
})

describe('an unsafe call with the session', () => {
  const post = (headers: Record<string, string>) =>
    fetch(`${service.url}${signOut.path}`, {
      method: 'POST',
      headers: { cookie: ada.cookie, 'content-type': 'application/json', ...headers },
      body: '{"everywhere":"not a boolean"}',
    })

  test.for([
    ['from another site is rejected', { 'sec-fetch-site': 'cross-site' }, 403],
    ['from another origin on the same site is rejected', { 'sec-fetch-site': 'same-site' }, 403],
    ['from another site with our origin is rejected', { 'sec-fetch-site': 'cross-site', origin: 'ours' }, 403],
    ['from a configured origin is rejected', { origin: 'https://stage.example' }, 403],
    ['without an origin is rejected', {}, 403],
    ['from our own page is accepted', { 'sec-fetch-site': 'same-origin' }, 400],
    ['initiated by the user is accepted', { 'sec-fetch-site': 'none' }, 400],
    ['from our own page in an old browser is accepted', { origin: 'ours' }, 400],
  ] as const)('%s', async ([, headers, status]) => {
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value === 'ours' ? service.url : value]),
    )
    const response = await post(sent)
    expect(await response.json()).toMatchObject({ status, ...(status === 403 && { code: 'csrf' }) })
  })

  test('may read if it comes from another site', async () => {
    const response = await fetch(`${service.url}/passport/apphelper/user`, {
      headers: { cookie: ada.cookie, 'sec-fetch-site': 'cross-site' },
    })
    expect(response.status).toBe(200)
  })
})

describe('another origin', () => {
  const from = (origin: string, init: RequestInit = {}) =>
    fetch(`${service.url}/passport/discovery`, { ...init, headers: { origin, ...init.headers } })

  test('that is configured may read responses to requests without cookies', async () => {
    const { headers } = await from('https://stage.example')
    expect(headers.get('access-control-allow-origin')).toBe('https://stage.example')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('vary')).toContain('Origin')
  })

  test.for(['https://evil.example', 'https://prod.example', 'null'])(
    'that is not configured, such as %s, may not read responses',
    async (origin) => {
      expect((await from(origin)).headers.get('access-control-allow-origin')).toBeNull()
    },
  )

  test('gets the allowed methods and headers in a preflight response', async () => {
    const { status, headers } = await from('https://app.example', { method: 'OPTIONS' })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-methods')).toBe('GET, OPTIONS, HEAD')
    expect(headers.get('access-control-allow-headers')).toContain('Authorization')
  })

  test('may read the userinfo only if it is configured', async () => {
    const send = (origin: string) =>
      fetch(`${service.url}/connect/userinfo`, { headers: { origin, authorization: 'Bearer a.b.c' } })
    expect((await send('https://app.example')).headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect((await send('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('a request for another host name', () => {
  const send = (path: string, headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const sent = request(
        `${service.url}${path}`,
        { headers: { host: 'id.stage.example', ...headers } },
        (incoming) => {
          let text = ''
          incoming.on('data', (chunk) => {
            text += chunk
          })
          incoming.on('end', () => resolve({ status: incoming.statusCode, text }))
        },
      )
      sent.on('error', reject)
      sent.end()
    })

  test('gets 421 with the setting to change', async () => {
    const { status, text } = await send('/app/', { accept: 'text/html' })
    expect(status).toBe(421)
    expect(text).toContain('PUBLIC_URL=http://id.stage.example')
    expect(text).toContain(`href="${service.url}/app/"`)
    expect((await send('/app/seal.svg', {})).status).toBe(200)
    expect((await send('/app/index.html', {})).status).toBe(421)
    const program = await send('/passport/discovery', {})
    expect(JSON.parse(program.text)).toMatchObject({ status: 421, code: 'wrong-host' })
  })

  test('is accepted from programs in the network if it is allowed', async () => {
    const sendInside = (path: string, headers: Record<string, string> = {}) =>
      send(path, { host: 'passport:3000', ...headers })
    const authorization = 'Bearer unknown'
    // The token is invalid, but the host name is accepted.
    expect((await sendInside('/passport/apphelper/user', { authorization })).status).toBe(401)
    expect((await sendInside('/passport/apphelper/user', { authorization: 'DPoP unknown' })).status).toBe(401)
    for (const path of ['/.well-known/openid-configuration', '/connect/jwks'])
      expect((await sendInside(path)).status).toBe(200)
    expect((await sendInside('/connect/userinfo')).status).toBe(401)
    const discovery = JSON.parse((await sendInside('/.well-known/openid-configuration')).text)
    expect(discovery.token_endpoint).toBe(`${service.url}/connect/token`)

    expect((await sendInside('/passport/apphelper/user')).status).toBe(421)
    expect((await sendInside('/passport/apphelper/user', { authorization, cookie: 'passport=x' })).status).toBe(421)
    expect((await sendInside('/connect/authorize')).status).toBe(421)
    expect((await sendInside('/app/', { accept: 'text/html' })).status).toBe(421)
    expect((await sendInside('/login', { accept: 'text/html' })).status).toBe(421)
    expect((await send('/passport/apphelper/user', { host: 'passport:3001', authorization })).status).toBe(421)
    expect((await send('/passport/apphelper/user', { host: 'evil.example', authorization })).status).toBe(421)
  })

  test('is accepted for monitoring', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await send(path, {})).status).toBe(200)
  })

  test('is accepted from a trusted proxy that forwards the right name', async () => {
    const { host } = new URL(service.url)
    expect((await send('/passport/discovery', { 'x-forwarded-host': host })).status).toBe(200)
  })
})

describe('a body', () => {
  const post = (init: RequestInit) =>
    ada.fetch('/passport/account/logins/link', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...init,
    })

  test('that is invalid is rejected with a specific code', async () => {
    expect((await post({ body: 'x', headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect(await (await post({ body: '{' })).json()).toMatchObject({ status: 400, code: 'invalid-json' })
    expect(await (await post({ body: '\ufeff{"idp":7}' })).json()).toMatchObject({
      status: 400,
      code: 'invalid-request',
      errors: [{ field: 'idp', code: 'invalid-type', message: 'Invalid input: expected string, received number' }],
    })
    expect(await (await post({ body: '{"idp":"a\\u0000b"}' })).json()).toMatchObject({
      errors: [{ field: 'idp', code: 'invalid-text' }],
    })
    const deep = `{"idp":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
    expect(await (await post({ body: deep })).json()).toMatchObject({
      status: 400,
      errors: [{ field: 'idp', code: 'too-deep' }],
    })
    expect((await post({ body: 'x'.repeat(101 * 1024) })).status).toBe(413)
  })

  test('without a Content-Length is rejected', async () => {
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"idp":"local"}'))
        controller.close()
      },
    })
    const response = await post({ body: stream, duplex: 'half' } as RequestInit)
    expect(await response.json()).toMatchObject({ status: 411, code: 'length-required' })
  })
})

test('a rate limit counts per caller, and its 429 has the headers RateLimit and Retry-After', async () => {
  const dev = await service.as('dev')
  const link = (visitor: Visitor) =>
    visitor.fetch('/passport/account/logins/link', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"idp":"nowhere"}',
    })
  const responses: Response[] = []
  for (let index = 0; index < 11; index++) responses.push(await link(dev))
  expect(responses.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(404))
  const rejected = responses[10]
  expect(rejected?.status).toBe(429)
  expect(Number(rejected?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(rejected?.headers.get('ratelimit-policy')).toBe('"default";q=10;w=60')
  expect(rejected?.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/)
  expect((await link(await service.as('eve'))).status).toBe(404)
})

describe('the metrics', () => {
  const readSeries = async (name: string) => {
    const { text } = await service.services.metrics.read()
    return text.split('\n').filter((line) => line.startsWith(name))
  }

  test('count requests by the pattern of their route, not by their path', async () => {
    await ada.fetch('/passport/groups/secret-of-a-group')
    await ada.fetch('/passport/apphelper/user', { method: 'PUT' })
    await anonymous.fetch('/idp/login/secret-of-a-login')
    await anonymous.fetch('/connect/authorize/secret-of-a-request')
    await anonymous.fetch('/app/secret-of-a-page')
    await anonymous.fetch('/secret-of-nothing')
    const counted = (await readSeries('http_requests_total')).join('\n')
    expect(counted).toContain('{method="GET",route="/passport/groups/{id}",status="404"} 1')
    expect(counted).toContain('{method="PUT",route="none",status="405"} 1')
    expect(counted).toMatch(/\{method="GET",route="\/idp\/login\/\{uid\}",status="4\d\d"\} 1/)
    expect(counted).toMatch(/\{method="GET",route="\/connect\/authorize\/\*",status="4\d\d"\} 1/)
    expect(counted).toMatch(/route="\/app\/\*"/)
    expect(counted).toContain('{method="GET",route="none",status="404"}')
    const durations = (await readSeries('http_request_duration_seconds_count')).join('\n')
    expect(durations).toContain('{method="GET",route="/passport/groups/{id}"} 1')
    expect(counted + durations).not.toContain('secret-of')
  })

  test('count all unusual methods as one', async () => {
    for (const method of ['PROPFIND', 'MKCOL', 'PURGE']) await anonymous.fetch('/passport/discovery', { method })
    const counted = (await readSeries('http_requests_total')).join('\n')
    expect(counted).toContain('{method="other",route="none",status="405"} 3')
    expect(counted).not.toMatch(/PROPFIND|MKCOL|PURGE/)
  })

  test('omit a gauge that cannot be read', async () => {
    let read = () => Promise.resolve(7)
    service.services.metrics.addGauge('passport_test_seconds', 'A gauge of this test', () => read())
    expect(await readSeries('passport_test')).toEqual(['passport_test_seconds 7'])
    read = () => Promise.reject(new Error('unreadable'))
    expect(await readSeries('passport_test')).toEqual([])
  })
})

test('a rate limit by address counts an IPv6 network as one subscriber', async () => {
  const confirmFrom = async (ip: string) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': ip }
    const response = await anonymous.fetch(confirmDeviceAuthorization.path, { method: 'POST', headers, body: '{}' })
    return response.status
  }
  const { requests } = confirmDeviceAuthorization.rateLimit
  for (let index = 1; index <= requests; index++)
    expect(await confirmFrom(`2001:db8:1:2::${index.toString(16)}`)).toBe(400)
  expect(await confirmFrom('2001:db8:1:2:ffff::1')).toBe(429)
  expect(await confirmFrom('2001:db8:1:3::1')).toBe(400)
})

describe('the address of a client behind a trusted proxy', () => {
  /** `fetch` would join the lines of a header. */
  const signIn = (headers: Record<string, string | string[]>) =>
    new Promise<void>((resolve, reject) => {
      const sent = request(`${service.url}/login`, { headers }, (incoming) => {
        incoming.resume().on('end', resolve)
      })
      sent.on('error', reject).end()
    })
  const listCountedAddresses = async () => {
    const rows = await service.sql<{ key: string }[]>`select key from rate_limits where key like 'login:%' order by key`
    return rows.map(({ key }) => key)
  }

  test.for([
    ['a Forwarded of its own', { forwarded: 'for=7.7.7.7', 'x-forwarded-for': '203.0.113.9' }],
    ['several lines of X-Forwarded-For', { 'x-forwarded-for': ['7.7.7.7', '8.8.8.8, 9.9.9.9', '203.0.113.9'] }],
  ] as const)('cannot be changed by %s', async ([, headers]) => {
    await service.sql`delete from rate_limits`
    await signIn(headers as never)
    expect(await listCountedAddresses()).toEqual(['login:203.0.113.9/32'])
  })
})

describe('an address with too many requests', () => {
  const from = (ip: string, path: string, accept: string) =>
    anonymous.fetch(path, { headers: { accept, 'x-forwarded-for': ip } })
  const exhaust = () => service.sql`update rate_limits set points = 300`

  test.for([
    ['/login', 'text/html'],
    ['/login/callback/local?state=x', 'text/html'],
    ['/connect/authorize?client_id=nobody', 'text/html'],
    ['/idp/authorize?client_id=nobody', 'text/html'],
    ['/connect/authorize?client_id=nobody', 'application/json'],
  ] as const)('gets 429 for %s as %s, and other addresses do not', async ([path, accept]) => {
    expect((await from('203.0.113.9', path, accept)).status).not.toBe(429)
    await exhaust()
    const rejected = await from('203.0.113.9', path, accept)
    expect(rejected.status).toBe(429)
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(rejected.headers.get('content-type')).toContain(accept === 'text/html' ? 'text/html' : 'problem+json')
    expect((await from('203.0.113.10', path, accept)).status).not.toBe(429)
    await service.sql`delete from rate_limits`
  })

  test('is not counted for local callers of a local server', async () => {
    await from('127.0.0.1', '/login', 'text/html')
    const counted = await service.sql`select key from rate_limits where key like 'login:%'`
    expect(counted).toHaveLength(0)
  })
})

describe('the app', () => {
  test('is at /app/, to which / and /app redirect', async () => {
    for (const path of ['/', '/app']) {
      const response = await anonymous.fetch(`${path}?x=1`)
      expect([response.status, response.headers.get('location')]).toEqual([302, '/app/?x=1'])
    }
  })

  test('has a 404 problem, not a document, for a missing asset', async () => {
    const response = await anonymous.fetch('/app/assets/gone-123.js')
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
  })
})

test('requests get 503 at most while the database connections are lost, and succeed afterwards', async () => {
  const dev = await service.as('dev')
  const kill = () => service.sql`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  const responses = await Promise.all([
    kill(),
    ...Array.from({ length: 20 }, () => dev.fetch('/passport/apphelper/user')),
  ])
  for (const response of responses.slice(1) as Response[]) expect([200, 503]).toContain(response.status)
  expect((await dev.fetch('/passport/apphelper/user')).status).toBe(200)
})

test('an endpoint without a preview rejects a preview request', async () => {
  const body = JSON.stringify({ name: 'Dry run' })
  const headers = { 'Content-Type': 'application/json', Origin: service.url }
  const response = await ada.fetch('/passport/groups?preview=true', { method: 'POST', headers, body })
  expect(await response.json()).toMatchObject({ status: 400, errors: [{ field: 'preview', code: 'no-preview' }] })
})

test.for([
  ['groups?Preview=true', { name: 'Dry run' }, 'Preview', 'no-preview'],
  ['admin/users?preveiw=true', { displayname: 'Dry run' }, 'preveiw', 'unknown-parameter'],
] as const)('a misspelt preview parameter, as in %s, is rejected', async ([pathAndQuery, content, field, code]) => {
  const body = JSON.stringify(content)
  const headers = { 'Content-Type': 'application/json', Origin: service.url }
  const response = await ada.fetch(`/passport/${pathAndQuery}`, { method: 'POST', headers, body })
  expect(await response.json()).toMatchObject({ status: 400, errors: [{ field, code }] })
})

test('every endpoint with a preview parameter is declared to have previews', () => {
  const hasPreviewParameter = ({ query }: Endpoint) =>
    'preview' in ((query as { shape?: object } | undefined)?.shape ?? {})
  for (const endpoint of endpoints.values())
    expect([endpoint.path, hasPreviewParameter(endpoint)]).toEqual([endpoint.path, endpoint.previews !== undefined])
})
