import { request } from 'node:http'
import { signOut } from '@passport/contract/accounts'
import { endpoints } from '@passport/contract/api'
import type { Endpoint } from '@passport/contract/endpoint'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

let service: TestService
let ada: Visitor
let stranger: Visitor

beforeAll(async () => {
  const origins = { dev: ['https://stage.example', 'https://app.example'], prod: ['https://prod.example'] }
  const game = { clientId: 'game', clientName: 'Game', redirectUris: ['https://game.example/callback'] }
  service = await startTestService({
    CORS_ORIGINS: JSON.stringify(origins),
    CLIENTS: JSON.stringify([game]),
    TRUSTED_PROXIES: '127.0.0.1',
  })
  ada = await service.as('ada')
  stranger = await service.as(undefined)
})

describe('an answer', () => {
  test('tells what went wrong as problem+json, with a code and the trace id', async () => {
    const response = await stranger.fetch('/passport/apphelper/user', {
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
    })
  })

  test('carries what keeps it from being run, framed, guessed at or kept', async () => {
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

  test('is given for every version that there is and no other', async () => {
    for (const version of ['?api-version=1', '?api-version=1.0']) {
      expect((await stranger.fetch(`/passport/discovery${version}`)).status).toBe(200)
    }
    for (const version of ['?api-version=2', '?api-version=']) {
      const response = await stranger.fetch(`/passport/discovery${version}`)
      expect(await response.json()).toMatchObject({
        status: 400,
        code: 'api-version-unsupported',
        errors: [{ field: 'api-version' }],
      })
    }
    const byHeader = await stranger.fetch('/passport/discovery', { headers: { 'x-api-version': '3' } })
    expect(byHeader.status).toBe(400)
  })

  test.for([
    '/.well-known/openid-configuration',
    '/connect/jwks',
    '/connect/checksession',
    '/idp/.well-known/openid-configuration',
    '/metrics',
  ])('to HEAD of %s, which something else answers, is sent once', async (path) => {
    const complained = vi.spyOn(console, 'error')
    onTestFinished(() => complained.mockRestore())
    const [got, response] = [await stranger.fetch(path), await stranger.fetch(path, { method: 'HEAD' })]
    expect([response.status, await response.text()]).toEqual([got.status, ''])
    expect(response.headers.get('content-type')).toBe(got.headers.get('content-type'))
    expect(response.headers.get('x-trace-id')).not.toBeNull()
    expect(complained).not.toHaveBeenCalled()
  })

  test('to HEAD is the one to GET without its body', async () => {
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
  ])('that there is not, %s, is told as problem+json and never as a page', async (path) => {
    const response = await stranger.fetch(path, { headers: { accept: 'text/html' } })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({ status: 404, code: 'not-found' })
  })

  test('asked by a method that it has not says which it has', async () => {
    const response = await ada.fetch('/passport/apphelper/user', { method: 'DELETE' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, OPTIONS, HEAD'])
    expect(await response.json()).toMatchObject({ code: 'method-not-allowed' })
  })
})

describe('a forged call', () => {
  const post = (headers: Record<string, string>) =>
    fetch(`${service.url}${signOut.path}`, {
      method: 'POST',
      headers: { cookie: ada.cookie, 'content-type': 'application/json', ...headers },
      body: '{"everywhere":"not a boolean"}',
    })

  test.for([
    ['of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['of a neighbour on the same domain', { 'sec-fetch-site': 'same-site' }, 403],
    ['of another site that says it is ours', { 'sec-fetch-site': 'cross-site', origin: 'ours' }, 403],
    ['of a configured origin', { origin: 'https://stage.example' }, 403],
    ['that does not say where it is from', {}, 403],
    ['of our own page', { 'sec-fetch-site': 'same-origin' }, 400],
    ['that the person typed', { 'sec-fetch-site': 'none' }, 400],
    ['of our own page in an old browser', { origin: 'ours' }, 400],
  ] as const)('%s', async ([, headers, status]) => {
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value === 'ours' ? service.url : value]),
    )
    const response = await post(sent)
    expect(await response.json()).toMatchObject({ status, ...(status === 403 && { code: 'csrf' }) })
  })

  test('is no danger where it only reads', async () => {
    const response = await fetch(`${service.url}/passport/apphelper/user`, {
      headers: { cookie: ada.cookie, 'sec-fetch-site': 'cross-site' },
    })
    expect(response.status).toBe(200)
  })
})

describe('another origin', () => {
  const from = (origin: string, init: RequestInit = {}) =>
    fetch(`${service.url}/passport/discovery`, { ...init, headers: { origin, ...init.headers } })

  test('that is configured may read, never with the cookies of a person', async () => {
    const { headers } = await from('https://stage.example')
    expect(headers.get('access-control-allow-origin')).toBe('https://stage.example')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('vary')).toContain('Origin')
  })

  test.for(['https://evil.example', 'https://prod.example', 'null'])('that is not, %s, may not', async (origin) => {
    expect((await from(origin)).headers.get('access-control-allow-origin')).toBeNull()
  })

  test('that asks beforehand hears what it may do', async () => {
    const { status, headers } = await from('https://app.example', { method: 'OPTIONS' })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-methods')).toBe('GET, OPTIONS, HEAD')
    expect(headers.get('access-control-allow-headers')).toContain('Authorization')
  })

  test('may ask for the token endpoint only when it is configured', async () => {
    const ask = (origin: string) =>
      fetch(`${service.url}/connect/userinfo`, { headers: { origin, authorization: 'Bearer a.b.c' } })
    expect((await ask('https://app.example')).headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect((await ask('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('another host name', () => {
  const ask = (path: string, headers: Record<string, string>) =>
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

  test('is answered with the line to change, not with a redirect', async () => {
    const { status, text } = await ask('/app/', { accept: 'text/html' })
    expect(status).toBe(421)
    expect(text).toContain('PUBLIC_URL=http://id.stage.example')
    expect(text).toContain(`href="${service.url}/app/"`)
    expect((await ask('/app/seal.svg', {})).status).toBe(200)
    expect((await ask('/app/index.html', {})).status).toBe(421)
    const program = await ask('/passport/discovery', {})
    expect(JSON.parse(program.text)).toMatchObject({ status: 421, code: 'wrong-host' })
  })

  test('does not hide the server from whoever watches over it', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await ask(path, {})).status).toBe(200)
  })

  test('is the name the client asked for, where a trusted proxy says so', async () => {
    const { host } = new URL(service.url)
    expect((await ask('/passport/discovery', { 'x-forwarded-host': host })).status).toBe(200)
  })
})

describe('a body', () => {
  const post = (init: RequestInit) =>
    ada.fetch('/passport/account/logins/link', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...init,
    })

  test('of the wrong kind is refused by kind', async () => {
    expect((await post({ body: 'x', headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect(await (await post({ body: '{' })).json()).toMatchObject({ status: 400, code: 'invalid-json' })
    expect(await (await post({ body: '{"idp":7}' })).json()).toMatchObject({
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

  test('whose length is not told is refused', async () => {
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

test('a limit counts each caller, tells what is left, and says when to come back', async () => {
  const dev = await service.as('dev')
  const link = (visitor: Visitor) =>
    visitor.fetch('/passport/account/logins/link', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"idp":"nowhere"}',
    })
  const answers: Response[] = []
  for (let at = 0; at < 11; at++) answers.push(await link(dev))
  expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(404))
  const refused = answers[10]
  expect(refused?.status).toBe(429)
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused?.headers.get('ratelimit-policy')).toBe('"default";q=10;w=60')
  expect(refused?.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/)
  expect((await link(await service.as('eve'))).status).toBe(404)
})

describe('an address that asks too often', () => {
  const from = (ip: string, path: string, accept: string) =>
    stranger.fetch(path, { headers: { accept, 'x-forwarded-for': ip } })
  const exhaust = () => service.sql`update rate_limits set points = 300`

  test.for([
    ['/login', 'text/html'],
    ['/login/callback/local?state=x', 'text/html'],
    ['/connect/authorize?client_id=nobody', 'text/html'],
    ['/idp/authorize?client_id=nobody', 'text/html'],
    ['/connect/authorize?client_id=nobody', 'application/json'],
  ] as const)('for %s as %s is asked to come back, and no other one is', async ([path, accept]) => {
    expect((await from('203.0.113.9', path, accept)).status).not.toBe(429)
    await exhaust()
    const refused = await from('203.0.113.9', path, accept)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('content-type')).toContain(accept === 'text/html' ? 'text/html' : 'problem+json')
    expect((await from('203.0.113.10', path, accept)).status).not.toBe(429)
    await service.sql`delete from rate_limits`
  })

  test('is not counted where it is of this machine and the server is for no other', async () => {
    await from('127.0.0.1', '/login', 'text/html')
    const counted = await service.sql`select key from rate_limits where key like 'login:%'`
    expect(counted).toHaveLength(0)
  })
})

describe('the app', () => {
  test('is at /app/, and what is before it leads there', async () => {
    for (const path of ['/', '/app']) {
      const response = await stranger.fetch(`${path}?x=1`)
      expect([response.status, response.headers.get('location')]).toEqual([302, '/app/?x=1'])
    }
  })

  test('has no document in the place of a file that is gone', async () => {
    const response = await stranger.fetch('/app/assets/gone-123.js')
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
  })
})

test('a database that is gone for a moment costs an error that says so, and nothing after it', async () => {
  const dev = await service.as('dev')
  const kill = () => service.sql`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  const answers = await Promise.all([
    kill(),
    ...Array.from({ length: 20 }, () => dev.fetch('/passport/apphelper/user')),
  ])
  for (const answer of answers.slice(1) as Response[]) expect([200, 503]).toContain(answer.status)
  expect((await dev.fetch('/passport/apphelper/user')).status).toBe(200)
})

test('what has no preview is not done where one is asked for', async () => {
  const body = JSON.stringify({ name: 'Only tried' })
  const headers = { 'Content-Type': 'application/json', Origin: service.url }
  const response = await ada.fetch('/passport/groups?preview=true', { method: 'POST', headers, body })
  expect(await response.json()).toMatchObject({ status: 400, errors: [{ field: 'preview', code: 'no-preview' }] })
})

test.for([
  ['groups?Preview=true', 'Preview', 'no-preview'],
  ['admin/users?preveiw=true', 'preveiw', 'unknown-parameter'],
])('what is asked to be tried only is not done for its spelling: %s', async ([address, field, code]) => {
  const body = JSON.stringify({ name: 'Only tried', email: 'only@tried.example', displayname: 'Only tried' })
  const headers = { 'Content-Type': 'application/json', Origin: service.url }
  const response = await ada.fetch(`/passport/${address}`, { method: 'POST', headers, body })
  expect(await response.json()).toMatchObject({ status: 400, errors: [{ field, code }] })
})

test('every endpoint that takes the query of a preview is known to have one', () => {
  const takes = ({ query }: Endpoint) => 'preview' in ((query as { shape?: object } | undefined)?.shape ?? {})
  for (const endpoint of endpoints.values())
    expect([endpoint.path, takes(endpoint)]).toEqual([endpoint.path, endpoint.previews ?? false])
})
