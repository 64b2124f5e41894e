import { request } from 'node:http'
import { connect } from 'node:net'
import { signOut } from '@passport/contract/accounts'
import { endpoints } from '@passport/contract/api'
import { Problem } from '@passport/contract/problem'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
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
      detail: 'Sign in first.',
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

describe('whatever is sent', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value))
  const bodies = fc.oneof(json, fc.string({ unit: 'binary' }), fc.constantFrom('', '{', '"\\ud800"', '"\\u0000"'))
  const types = fc.constantFrom(
    'application/json',
    'text/plain',
    'text/html',
    '',
    'application/json; charset=latin1',
    'multipart/form-data',
  )
  const parameters = fc.oneof(
    fc.constantFrom('me', '%', '%ff', '..', '%2e%2e', 'a%00b', '%E0%A4%A', '😀'),
    fc.string({ unit: 'binary' }).map(encodeLoosely),
  )
  const queries = fc.oneof(
    fc.constantFrom('', 'limit=0', 'limit=x', 'limit=1&limit=2', 'after=%00', 'api-version=%ff'),
    fc.string().map((text) => encodeURIComponent(text)),
  )
  const calls = [...endpoints.values()].filter(({ path }) => path !== signOut.path && !path.includes('revokeothers'))

  test('the answer is one of the contract, and never a 500', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...calls),
        parameters,
        queries,
        types,
        bodies,
        async (endpoint, parameter, query, type, body) => {
          const path = endpoint.path.replace(/\{\w+(\.\.\.)?\}/g, () => parameter)
          const hasBody = endpoint.method !== 'GET'
          const response = await ada.fetch(`${path}?${query}`, {
            method: endpoint.method,
            ...(hasBody && { body, headers: { 'content-type': type } }),
          })
          expect(response.status).toBeLessThan(500)
          if (response.status < 400) return
          expect(response.headers.get('content-type')).toBe('application/problem+json')
          z.parse(Problem, await response.json())
        },
      ),
      { numRuns: 400 },
    )
  })

  const pages = [
    '/login',
    '/login/callback/*',
    '/idp/login/*',
    '/idp/endsession',
    '/idp/authorize',
    '/idp/authorize/*',
    '/idp/token',
    '/idp/userinfo',
    '/connect/interaction/*',
    '/connect/interaction/*/consent',
    '/connect/endsession',
    '/connect/endsession/confirm',
    '/connect/authorize',
    '/connect/authorize/*',
    '/connect/token',
    '/connect/par',
    '/connect/introspect',
    '/connect/revocation',
    '/connect/userinfo',
    '/connect/jwks',
    '/.well-known/openid-configuration',
  ]
  const texts = fc.oneof(
    fc.constantFrom('%00', 'a%00b', '%ff', '%ED%A0%80', '%', '', 'local', 'game', 'openid', 'query', 'login'),
    fc.string({ unit: 'binary' }).map(encodeLoosely),
  )
  const names = fc.constantFrom(
    ...['idp', 'interaction', 'returnUrl', 'prompt', 'state', 'code', 'iss', 'error', 'name', 'password', 'seal'],
    ...['client_id', 'redirect_uri', 'scope', 'nonce', 'login_hint', 'token', 'refresh_token', 'id_token_hint', 'wish'],
  )
  /** One that is right but for what is put in its place, so that it gets as far as where things are kept. */
  const authorization = {
    client_id: 'game',
    redirect_uri: 'https://game.example/callback',
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  }
  const fields = fc.tuple(fc.boolean(), fc.dictionary(names, texts, { maxKeys: 6 })).map(([isAuthorization, changed]) =>
    Object.entries({ ...(isAuthorization && authorization), ...changed })
      .map(([name, value]) => `${name}=${value}`)
      .join('&'),
  )
  const credentials = fc.oneof(
    fc.constant(''),
    texts.map((id) => `Basic ${Buffer.from(`${id}:secret`).toString('base64')}`),
    texts.map((token) => `Bearer ${token}`),
  )

  test('a page and the protocol answer anything with less than a 500', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...pages),
        texts,
        fields,
        fc.option(fields, { nil: undefined }),
        credentials,
        async (page, part, query, form, authorization) => {
          const response = await stranger.fetch(`${page.replace('*', part)}?${query}`, {
            headers: {
              'sec-fetch-dest': 'document',
              ...(authorization && { authorization }),
              ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
            },
            ...(form !== undefined && { method: 'POST', body: form }),
          })
          expect(response.status).toBeLessThan(500)
          await response.text()
        },
      ),
      { numRuns: 600 },
    )
  })

  test.for([
    ['a callback of a provider with NUL in its name', '/login/callback/%00', undefined],
    ['a path of the protocol with NUL', '/connect/authorize/%00', undefined],
    ['a path of the protocol that cannot be decoded', '/connect/authorize/%ff', undefined],
    ['a callback with NUL in its state', '/login/callback/local?state=%00', undefined],
    ['a nonce with NUL', `/connect/authorize?${new URLSearchParams({ ...authorization, nonce: '\0' })}`, undefined],
    ['a nonce with NUL in a form', '/connect/authorize', new URLSearchParams({ ...authorization, nonce: '\0' })],
    ['a nonce with NUL, pushed', '/connect/par', new URLSearchParams({ ...authorization, nonce: '\0' })],
    ['a name with NUL', '/idp/login/x', new URLSearchParams({ name: '\0', password: 'x' })],
  ] as const)('%s is refused', async ([, path, body]) => {
    const headers = { 'sec-fetch-dest': 'document', accept: 'text/html' }
    const response = await stranger.fetch(path, { headers, ...(body && { method: 'POST', body }) })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('holds a NUL')])
  })

  test('a request that waits no more is refused, whatever comes along with its address', async () => {
    const response = await stranger.fetch('/connect/authorize/gone?client_id=game&redirect_uri=', {
      headers: { 'sec-fetch-dest': 'document' },
    })
    expect(response.status).toBe(400)
  })

  test('a client with NUL in its name is one that nobody knows', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const body = new URLSearchParams({
      token: 'x',
      grant_type: 'refresh_token',
      client_assertion: `${part({ alg: 'HS256' })}.${part({ iss: 'a\0b', sub: 'a\0b' })}.c2ln`,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    })
    for (const path of ['/connect/token', '/connect/introspect', '/connect/par']) {
      const response = await stranger.fetch(path, { method: 'POST', body })
      expect([response.status, await response.json()]).toEqual([
        401,
        expect.objectContaining({ error: 'invalid_client' }),
      ])
    }
  })

  test.for([
    ['to the protocol', '/connect/introspect', 'application/x-www-form-urlencoded'],
    ['to a page', '/idp/login/x', 'application/x-www-form-urlencoded'],
    ['to the API', '/passport/account/logins/link', 'application/json'],
  ] as const)('a body %s that breaks off is no failure of ours', async ([, path, type]) => {
    const answered = async () => {
      const figures = await (await stranger.fetch('/metrics')).text()
      const count = (status: string) =>
        [
          ...figures.matchAll(new RegExp(`http_requests_total\\{method="POST",status="${status}"\\} (\\d+)`, 'g')),
        ].reduce((sum, [, times]) => sum + Number(times), 0)
      return { refused: count('4..'), failed: count('5..') }
    }
    const before = await answered()
    const { host, port, origin } = new URL(service.url)
    const socket = connect(Number(port), '127.0.0.1')
    const headers = { host, origin, cookie: ada.cookie, 'content-type': type, 'content-length': '1000' }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.write([`POST ${path} HTTP/1.1`, ...lines, '', '{"idp":'].join('\r\n'), () => socket.destroy())
    await expect.poll(answered, { timeout: 10_000 }).toEqual({ refused: before.refused + 1, failed: before.failed })
  })

  test('a request that is no HTTP costs its own connection only', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'PUT', 'FOO', ''),
        fc.string({ maxLength: 60 }),
        async (method, noise) => {
          await new Promise<void>((resolve) => {
            const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
            socket.on('error', () => resolve())
            socket.on('close', () => resolve())
            socket.on('data', () => socket.end())
            socket.end(`${method} /passport/${noise} HTTP/1.1\r\nHost: ${noise}\r\nConnection: close\r\n\r\n`)
          })
        },
      ),
      { numRuns: 60 },
    )
    expect((await stranger.fetch('/healthz')).status).toBe(200)
  })
})

function encodeLoosely(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    return '%ED%A0%80'
  }
}
