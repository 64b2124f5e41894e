import { connect } from 'node:net'
import { signOut } from '@passport/contract/accounts'
import { endpoints } from '@passport/contract/api'
import { Problem } from '@passport/contract/problem'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

let service: TestService
let ada: Visitor
let anonymous: Visitor

beforeAll(async () => {
  const game = { clientId: 'game', clientName: 'Game', redirectUris: ['https://game.example/callback'] }
  service = await startTestService({ CLIENTS: JSON.stringify([game]), LOCAL_DIRECTORY_ISSUER: 'on' })
  ada = await service.as('ada')
  anonymous = await service.as(undefined)
})

describe('arbitrary requests', () => {
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

  test('to the API get a status below 500, or the 503 of an optional service, and errors of the contract', async () => {
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
          if (response.status < 400) return
          expect(response.headers.get('content-type')).toBe('application/problem+json')
          const { status, code } = z.parse(Problem, await response.json())
          expect(status < 500 || code === 'awsmp-not-configured', `${status} ${code}`).toBe(true)
        },
      ),
    )
  })

  const pages = [
    '/login',
    '/login/callback/*',
    '/idp/login/*',
    '/idp/interaction/*',
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
    '/problems/*',
    '/.well-known/openid-configuration',
  ]
  const texts = fc.oneof(
    fc.constantFrom('%00', 'a%00b', '%ff', '%ED%A0%80', '%', '', 'local', 'game', 'openid', 'query', 'login'),
    fc.string({ unit: 'binary' }).map(encodeLoosely),
  )
  const names = fc.constantFrom(
    ...['idp', 'interaction', 'returnUrl', 'prompt', 'state', 'code', 'iss', 'error', 'name', 'password', 'seal'],
    ...[
      'client_id',
      'redirect_uri',
      'scope',
      'nonce',
      'login_hint',
      'token',
      'refresh_token',
      'id_token_hint',
      'return',
    ],
  )
  /** A valid request except for the substituted value, so that it reaches the storage. */
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

  test('to pages and the protocol get a status below 500', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...pages),
        texts,
        fields,
        fc.option(fields, { nil: undefined }),
        credentials,
        async (page, part, query, form, authorization) => {
          const response = await anonymous.fetch(`${page.replace('*', part)}?${query}`, {
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
    )
  })

  test.for([
    ['a callback of a provider with NUL in its id', '/login/callback/%00', undefined],
    ['a path of the protocol with NUL', '/connect/authorize/%00', undefined],
    ['a path of the protocol that cannot be decoded', '/connect/authorize/%ff', undefined],
    ['a callback with NUL in its state', '/login/callback/local?state=%00', undefined],
    ['a nonce with NUL', `/connect/authorize?${new URLSearchParams({ ...authorization, nonce: '\0' })}`, undefined],
    ['a nonce with NUL in a form', '/connect/authorize', new URLSearchParams({ ...authorization, nonce: '\0' })],
    ['a nonce with NUL in a pushed request', '/connect/par', new URLSearchParams({ ...authorization, nonce: '\0' })],
    ['a name with NUL', '/idp/login/x', new URLSearchParams({ name: '\0', password: 'x' })],
  ] as const)('%s is rejected', async ([, path, body]) => {
    const headers = { 'sec-fetch-dest': 'document', accept: 'text/html' }
    const response = await anonymous.fetch(path, { headers, ...(body && { method: 'POST', body }) })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('must not contain a NUL')])
  })

  test('for an expired authorization request are rejected, even with the parameters of a new one', async () => {
    const response = await anonymous.fetch('/connect/authorize/gone?client_id=game&redirect_uri=', {
      headers: { 'sec-fetch-dest': 'document' },
    })
    expect(response.status).toBe(400)
  })

  test('with NUL in the client id are rejected, in every form of client authentication', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const assertion = {
      client_assertion: `${part({ alg: 'HS256' })}.${part({ iss: 'a\0b', sub: 'a\0b' })}.c2ln`,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    }
    const invalid = [400, expect.objectContaining({ error: 'invalid_request' })]
    const variants = [
      { headers: { authorization: `Basic ${btoa('a%00b:secret')}` }, named: {}, expected: invalid },
      { headers: { authorization: `Basic ${btoa('a\0b:secret')}` }, named: {}, expected: invalid },
      // This method is not supported, whatever the assertion says.
      { headers: {}, named: assertion, expected: [401, expect.objectContaining({ error: 'invalid_client' })] },
    ]
    for (const path of ['/connect/token', '/connect/introspect', '/connect/par'])
      for (const { headers, named, expected } of variants) {
        const body = new URLSearchParams({ token: 'x', grant_type: 'refresh_token', ...named })
        const response = await anonymous.fetch(path, { method: 'POST', headers, body })
        expect([response.status, await response.json()]).toEqual(expected)
      }
  })

  test.for([
    ['to the protocol', '/connect/introspect', 'application/x-www-form-urlencoded'],
    ['to a page', '/idp/login/x', 'application/x-www-form-urlencoded'],
    ['to the API', '/passport/account/logins/link', 'application/json'],
  ] as const)('with an interrupted body %s count as client errors', async ([, path, type]) => {
    const countErrors = async () => {
      const metrics = await (await anonymous.fetch('/metrics')).text()
      const count = (status: string) =>
        [
          ...metrics.matchAll(
            new RegExp(`http_requests_total\\{method="POST",route="[^"]+",status="${status}"\\} (\\d+)`, 'g'),
          ),
        ].reduce((sum, [, times]) => sum + Number(times), 0)
      return { clientErrors: count('4..'), serverErrors: count('5..') }
    }
    const before = await countErrors()
    const { host, port, origin } = new URL(service.url)
    const socket = connect(Number(port), '127.0.0.1')
    const headers = { host, origin, cookie: ada.cookie, 'content-type': type, 'content-length': '1000' }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.write([`POST ${path} HTTP/1.1`, ...lines, '', '{"idp":'].join('\r\n'), () => socket.destroy())
    const { clientErrors, serverErrors } = before
    await expect.poll(countErrors).toEqual({ clientErrors: clientErrors + 1, serverErrors })
  })

  test('that are not HTTP do not affect later requests', async () => {
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
      { numRuns: numRuns / 2 },
    )
    expect((await anonymous.fetch('/healthz')).status).toBe(200)
  })
})

function encodeLoosely(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    return '%ED%A0%80'
  }
}
