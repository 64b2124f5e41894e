import { getCorsStack, listCorsOrigins, listCorsStacks, putCorsStack } from '@passport/contract/cors'
import { createGroup } from '@passport/contract/groups'
import { findOriginError } from '@passport/contract/origin'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

const configured = 'https://configured.example'
const saved = 'https://saved.example'

let service: TestService
let ada: Visitor

beforeAll(async () => {
  const origins = { dev: [configured], live: ['https://live.example'] }
  service = await startTestService({ STACK: 'dev', CORS_ORIGINS: JSON.stringify(origins) })
  ada = await service.as('ada')
})

const put = (origins: string[] | null, stack = 'dev', options: { ifMatch?: string } = {}) =>
  ada.call(putCorsStack, { params: { stack }, body: { origins } }, options)
const allowedBy = async (origin: string, from = service, path = '/passport/groups') =>
  (await fetch(`${from.url}${path}`, { headers: { origin } })).headers.get('access-control-allow-origin')
const list = async (path: string) => (await fetch(`${service.url}${path}`)).json()

describe('the allowed origins of a stack', () => {
  test('are the saved ones over the configuration, on every process, and can be reset', async () => {
    const other = await startTestService({ STACK: 'dev' }, { sharedWith: service })
    expect(await allowedBy(configured)).toBe(configured)
    expect(await put([saved, 'http://localhost:5173', saved])).toMatchObject({
      stack: 'dev',
      isOwn: true,
      isSaved: true,
      origins: ['http://localhost:5173', saved],
      configured: [configured],
      revision: 1,
      updatedBy: { id: ada.id },
    })
    expect(await allowedBy(saved)).toBe(saved)
    expect(await allowedBy(configured)).toBeNull()
    expect(await list('/cors/origins')).toEqual(['http://localhost:5173', saved])
    expect(await list('/passport/stacks/dev/metadata/corsorigins')).toEqual(['http://localhost:5173', saved])
    await expect.poll(() => allowedBy(saved, other)).toBe(saved)
    expect(await put(null)).toMatchObject({ isSaved: false, origins: [configured], revision: 2 })
    expect(await allowedBy(configured)).toBe(configured)
    expect(await allowedBy(saved)).toBeNull()
    await expect.poll(() => allowedBy(saved, other)).toBeNull()
  })

  test('count only for the stack of this server', async () => {
    await put(['https://elsewhere.example'], 'live')
    expect(await list('/passport/stacks/live/metadata/corsorigins')).toEqual(['https://elsewhere.example'])
    expect(await allowedBy('https://elsewhere.example')).toBeNull()
    await put(['https://new.example'], 'staging')
    expect((await ada.call(listCorsStacks, {})).map(({ stack }) => stack)).toEqual(['dev', 'live', 'staging'])
    await put(null, 'staging')
    expect((await fetch(`${service.url}/passport/stacks/staging/metadata/corsorigins`)).status).toBe(404)
    await expect(put(null, 'unknown')).rejects.toMatchObject({ status: 404 })
    await put(null, 'live')
  })

  test('honour If-Match, and record what changed', async () => {
    const { revision } = await put([saved])
    await expect(put([], 'dev', { ifMatch: `"${revision - 1}"` })).rejects.toMatchObject({ status: 412 })
    await put([], 'dev', { ifMatch: `"${revision}"` })
    expect(await ada.call(getCorsStack, { params: { stack: 'dev' } })).toMatchObject({ origins: [], isSaved: true })
    const [event] = await service.sql`
      select target_id, before, after from audit_events where action = 'cors.changed' order by id desc limit 1`
    expect(event).toEqual({ targetId: 'dev', before: { origins: [saved] }, after: { origins: [] } })
    await put(null)
  })

  test.for([
    'https://app.example/',
    'https://app.example/path',
    'https://app.example:443',
    'HTTPS://app.example',
    'https://bücher.example',
    'https://user@app.example',
    'app.example',
    '*',
    'null',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://*.example',
    'https://app.example\nAccess-Control-Allow-Credentials: true',
    `https://${'a'.repeat(300)}.example`,
  ])('cannot contain %j', async (origin) => {
    await expect(put([saved, origin])).rejects.toMatchObject({
      status: 400,
      body: { errors: [{ field: 'origins[1]', code: expect.any(String) }] },
    })
    expect(await list('/cors/origins')).toEqual([configured])
  })

  test('are exactly what a browser sends', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        expect(findOriginError(new URL(url).origin)).toBeUndefined()
      }),
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (findOriginError(text) === undefined) expect(new URL(text).origin).toBe(text)
      }),
    )
    expect(findOriginError('https://app.example/')).toBe('Must be an origin: write https://app.example')
  })
})

describe('an allowed origin', () => {
  beforeAll(async () => {
    await put([saved])
  })

  test('never gets credentials', async () => {
    for (const init of [
      { headers: { origin: saved } },
      { headers: { origin: saved, cookie: ada.cookie } },
      { method: 'OPTIONS', headers: { origin: saved, 'access-control-request-method': 'POST' } },
      { method: 'OPTIONS', headers: { origin: saved, 'access-control-request-headers': 'cookie' } },
    ]) {
      const { headers } = await fetch(`${service.url}/passport/groups`, init)
      expect(headers.get('access-control-allow-origin')).toBe(saved)
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      expect(headers.get('access-control-allow-headers') ?? '').not.toMatch(/cookie|\*/i)
    }
  })

  test('never passes the check for forged requests', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const response = await ada.fetch(createGroup.path, {
        method: 'POST',
        headers: { origin: saved, 'sec-fetch-site': site, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Forged' }),
      })
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({ code: 'csrf' })
    }
    // A browser without fetch metadata.
    const response = await fetch(`${service.url}${createGroup.path}`, {
      method: 'POST',
      headers: { origin: saved, cookie: ada.cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Forged' }),
    })
    expect(response.status).toBe(403)
    expect((await service.sql`select from groups where name = 'Forged'`).count).toBe(0)
  })

  test('is no redirect URI', async () => {
    const parameters = new URLSearchParams({
      client_id: 'passport-dev-tokens',
      redirect_uri: `${saved}/callback`,
      response_type: 'code',
      scope: 'openid',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })
    const response = await fetch(`${service.url}/connect/authorize?${parameters}`, { redirect: 'manual' })
    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
    const signIn = await ada.fetch(`/login?returnUrl=${encodeURIComponent(saved)}`)
    expect(signIn.headers.get('location') ?? '').not.toContain(saved)
  })

  test('is no target of a form, and in no policy of a page', async () => {
    for (const path of ['/terms', '/login?idp=nobody', '/app/', '/join/nothing']) {
      const { headers } = await fetch(`${service.url}${path}`, { headers: { origin: saved, accept: 'text/html' } })
      expect(headers.get('content-security-policy')).not.toContain('saved.example')
    }
    const { headers } = await fetch(`${service.url}/terms`)
    expect(headers.get('content-security-policy')).toContain("form-action 'self'")
  })

  test('is listed by the public calls for anyone', async () => {
    const response = await fetch(`${service.url}${listCorsOrigins.path}`, {
      headers: { origin: 'https://anyone.example' },
    })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toEqual([saved])
  })
})
