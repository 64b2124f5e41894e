import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { discover } from '@passport/contract/discovery'
import { getVersion } from '@passport/contract/info'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from './test-service.ts'

// The public endpoints: discovery, version, origins, health.

let service: TestService
const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers })

beforeAll(async () => {
  const origins = { dev: ['https://b.example', 'https://a.example'], prod: [] }
  service = await startTestService({ CORS_ORIGINS: JSON.stringify(origins), BRAND_NAME: 'Stage <Test>' })
})

test('discovery returns the brand, the issuer and the identity providers', async () => {
  const anonymous = await service.as(undefined)
  const metadata = await anonymous.call(discover, { query: {} })
  expect(metadata).toMatchObject({
    brandName: 'Stage <Test>',
    stack: 'dev',
    authority: service.url,
    issuer: service.url,
    apiVersions: ['1'],
    identityProviders: [{ id: 'local', name: 'Passport', kind: 'local' }],
  })
  expect((await get('/passport/discovery')).headers.get('cache-control')).toBe('public, max-age=300')
  const document = await fetch(metadata.openidConfiguration)
  expect(await document.json()).toMatchObject({ issuer: metadata.issuer })
})

describe('the version', () => {
  test('is the same on each of its paths', async () => {
    const version = await (await service.as(undefined)).call(getVersion, {})
    expect(version).toMatchObject({
      name: 'passport',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      stack: 'dev',
      apiVersions: ['1'],
    })
    expect(version.informationalVersion).toMatch(/^\d+\.\d+\.\d+(\+[0-9a-f]{7})?$/)
    for (const path of ['/info/version', '/api/info/version']) expect(await (await get(path)).json()).toEqual(version)
  })

  test('has the commit and its time, not the time of the checkout', async () => {
    const root = new URL('../../', import.meta.url)
    const runGit = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? ''
    const isCheckout = existsSync(new URL('.git', root)) && runGit('--version') !== ''
    const { commit, buildTime } = await (await service.as(undefined)).call(getVersion, {})
    expect(commit).toBe(isCheckout ? runGit('rev-parse', 'HEAD') : null)
    expect(buildTime).toBe(
      isCheckout ? new Date(Number(runGit('log', '-1', '--format=%ct')) * 1000).toISOString() : null,
    )
  })

  test.for([
    ['text/plain', 'text/plain; charset=utf-8'],
    ['text/plain;q=0.5, application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['image/png', 'application/json'],
  ] as const)('with Accept: %s is sent as %s', async ([accept, type]) => {
    const response = await get('/passport/info/version', { accept })
    expect(response.headers.get('content-type')).toBe(type)
  })

  test('is sent with an ETag and revalidated with 304', async () => {
    const etag = (await get('/passport/info/version')).headers.get('etag') ?? ''
    expect((await get('/passport/info/version', { 'if-none-match': etag })).status).toBe(304)
    const plain = await get('/passport/info/version', { accept: 'text/plain', 'if-none-match': etag })
    expect(plain.status).toBe(200)
  })
})

describe('the origins', () => {
  test('of this stack are public and sorted', async () => {
    const response = await get('/cors/origins', { origin: 'https://anywhere.example' })
    expect(await response.json()).toEqual(['https://a.example', 'https://b.example'])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('cache-control')).toBe('public, max-age=300, stale-while-revalidate=600')
  })

  test('allow conditional requests from any origin, with a preflight', async () => {
    const response = await fetch(`${service.url}/cors/origins`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://anywhere.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match,x-api-version',
      },
    })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(response.headers.get('access-control-allow-headers')).toMatch(/If-None-Match.*x-api-version/)
    const getResponse = await get('/cors/origins', { origin: 'https://anywhere.example' })
    expect(getResponse.headers.get('access-control-expose-headers')).toContain('ETag')
  })

  test.for([
    ['dev', 200],
    ['prod', 200],
    ['nowhere', 404],
    ['constructor', 404],
    ['Not-Valid', 400],
  ] as const)('of the stack %s have status %i', async ([stack, status]) => {
    expect((await get(`/passport/stacks/${stack}/metadata/corsorigins`)).status).toBe(status)
  })
})

test('liveness and readiness are public', async () => {
  expect(await (await get('/healthz')).json()).toEqual({ status: 'ok' })
  expect(await (await get('/readyz')).json()).toEqual({ status: 'ok' })
})

test('the served OpenAPI document is the committed one', async () => {
  const response = await get('/passport/openapi.json')
  const committed = await import('../../docs/openapi.json', { with: { type: 'json' } })
  expect(await response.json()).toEqual(committed.default)
})
