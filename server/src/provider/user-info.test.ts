import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { recordStatements } from '../test-statements.ts'
import { shopSecret, startShop } from './test-shop.ts'
import { issueTokens } from './test-token-states.ts'

const started = await startShop()
const { service, shop, signIn, buildAuthorizationRequest, followAuthorization, signInToShop } = started
const userInfoUrl = `${service.url}/connect/userinfo`

/** Requests user info with a token in the header, by GET and POST, and in a form (RFC 6750, sections 2.1 and 2.2). */
const presentations = {
  'GET with a header': (token: string) => fetch(userInfoUrl, { headers: { authorization: `Bearer ${token}` } }),
  'POST with a header': (token: string) =>
    fetch(userInfoUrl, { method: 'POST', headers: { authorization: `Bearer ${token}` } }),
  'POST with a form': (token: string) =>
    fetch(userInfoUrl, { method: 'POST', body: new URLSearchParams({ access_token: token }) }),
}

/** Signs eve in with a token that is bound to a key. */
async function signInWithDpop(scope: string) {
  const DPoP = client.getDPoPHandle(shop, await client.randomDPoPKeyPair())
  const { url, checks } = await buildAuthorizationRequest({ scope })
  const redirected = await followAuthorization(await signIn('eve'), url)
  return { DPoP, tokens: await client.authorizationCodeGrant(shop, redirected, checks, undefined, { DPoP }) }
}

describe.for([
  ['an opaque token', 'openid email'],
  ['a JWT', 'openid email api_vertex_core'],
] as const)('user info with %s', ([, scope]) => {
  test('is the same by header and by form', async () => {
    const tokens = await signInToShop(await signIn('eve'), { scope })
    const claims = { sub: tokens.claims()?.sub, email: 'eve@passport.example', email_verified: true }
    for (const [name, present] of Object.entries(presentations)) {
      const response = await present(tokens.access_token)
      expect([name, response.status, await response.json()]).toEqual([name, 200, claims])
    }
    await client.tokenRevocation(shop, tokens.access_token)
    for (const [name, present] of Object.entries(presentations)) {
      const response = await present(tokens.access_token)
      expect([name, response.status, await response.json()]).toMatchObject([name, 401, { error: 'invalid_token' }])
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm=.*error="invalid_token"/)
    }
  })

  test('that is bound to a key needs a proof, and is refused without one', async () => {
    const { DPoP, tokens } = await signInWithDpop(scope)
    expect(tokens.token_type).toBe('dpop')
    const sub = tokens.claims()?.sub ?? ''
    expect((await client.fetchUserInfo(shop, tokens.access_token, sub, { DPoP }))['email']).toBe('eve@passport.example')
    for (const [name, present] of Object.entries(presentations))
      expect([name, (await present(tokens.access_token)).status]).toEqual([name, 401])
  })

  test('in both the header and the form is refused', async () => {
    const { access_token: token } = await signInToShop(await signIn('eve'), { scope })
    const headers = { authorization: `Bearer ${token}` }
    const body = new URLSearchParams({ access_token: token })
    const response = await fetch(userInfoUrl, { method: 'POST', headers, body })
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }])
  })
})

test('the token of a client opens no user info, by header or by form', async () => {
  const response = await fetch(`${service.url}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`shop:${encodeURIComponent(shopSecret)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'permissions.read' }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  for (const [name, present] of Object.entries(presentations))
    expect([name, (await present(token)).status]).toEqual([name, 401])
})

describe('a presented token', () => {
  let tokens: Record<string, string> = {}
  beforeAll(async () => {
    tokens = await issueTokens(started)
  }, 120_000)
  const send = async (token: string, { headers = {}, ...init }: RequestInit = {}, query = '') => {
    const authorization = { authorization: `Bearer ${token}` }
    const response = await fetch(userInfoUrl + query, { ...init, headers: { ...authorization, ...headers } })
    const body = (await response.json()) as Record<string, unknown>
    return { status: response.status, headers: response.headers, body, code: body['error'] }
  }
  const get = (name: string, init?: RequestInit) => send(tokens[name] ?? '', init)

  test('opens user info while it is valid, for no other API than this one, and unbound', async () => {
    const opening = ['for openid connections', 'for openid entitlements', 'for openid offline_access']
    for (const suffix of ['', ' (JWT)'])
      opening.push(...['valid', 'of a spent refresh token', 'saved by the former release'].map((name) => name + suffix))
    for (const name of Object.keys(tokens).filter((each) => each !== 'two words')) {
      const { status, code } = await get(name)
      expect([name, status, code]).toEqual(
        opening.includes(name) ? [name, 200, undefined] : [name, 401, 'invalid_token'],
      )
    }
  })

  test('is not the id of a JWT, which anyone with the token can read', async () => {
    expect((await send(decodeJwt(tokens['valid (JWT)'] ?? '').jti ?? '')).status).toBe(401)
  })

  test('has the claims of its scopes only', async () => {
    expect(Object.keys((await get('valid')).body)).toEqual([
      'sub',
      'name',
      'preferred_username',
      'email',
      'email_verified',
    ])
    expect(Object.keys((await get('valid (JWT)')).body)).toEqual(['sub', 'email', 'email_verified'])
    expect((await get('for openid connections')).body).toMatchObject({ connections: {} })
  })

  test('without the scope openid is refused with 403, and the scope that it lacks', async () => {
    await service.sql`
      update provider_artifacts set payload = jsonb_set(payload, '{scope}', '"email"')
      where kind = 'AccessToken' and id_hash = ${await hashOf(tokens['for openid offline_access'] ?? '')}`
    const { status, body, headers } = await get('for openid offline_access')
    expect([status, body]).toMatchObject([403, { error: 'insufficient_scope', scope: 'openid' }])
    expect(headers.get('www-authenticate')).toContain('scope="openid"')
  })

  test('is presented in one way, which is not the query', async () => {
    const token = tokens['valid'] ?? ''
    const form = (body: string): RequestInit => ({
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
    const without = (init: RequestInit = {}) => fetch(userInfoUrl, init).then(({ status }) => status)
    expect(await without(form(`access_token=${token}`))).toBe(200)
    expect(await without(form(`access_token=${token}&access_token=${token}`))).toBe(400)
    expect(await without(form('access_token='))).toBe(401)
    expect(await without()).toBe(401)
    expect((await send(token, form(`access_token=${token}`))).code).toBe('invalid_request')
    expect((await send(token, {}, `?access_token=${token}`)).code).toBe('invalid_request')
    expect((await send(token, { method: 'POST', headers: { 'content-type': 'application/json' } })).status).toBe(400)
    const schemes = { bearer: 200, BEARER: 200, 'Bearer ': 400, Basic: 400, DPoP: 400 }
    for (const [scheme, status] of Object.entries(schemes)) {
      const headers = { authorization: `${scheme} ${token}` }
      expect([scheme, (await send(token, { headers })).status]).toEqual([scheme, status])
    }
    expect((await send(token, { headers: { dpop: 'x' } })).code).toBe('invalid_request')
  })

  test('that is missing names both schemes, without an error of a token', async () => {
    const { status, headers } = await fetch(userInfoUrl)
    const realm = `realm="${service.url}"`
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer ${realm}, DPoP ${realm}, algs="ES256 Ed25519 EdDSA"`,
    ])
  })

  test('that is bound to a key is refused without its proof, with another one, and with one a second time', async () => {
    const { DPoP, tokens: bound } = await signInWithDpop('openid email')
    const proofs: string[] = []
    const recording = await client.discovery(new URL(service.url), 'shop', shopSecret, undefined, {
      execute: [client.allowInsecureRequests],
      [client.customFetch]: (url, { headers, ...init }) => {
        proofs.push(headers['dpop'] ?? '')
        return fetch(url, { ...init, headers } as RequestInit)
      },
    })
    await client.fetchUserInfo(recording, bound.access_token, client.skipSubjectCheck, { DPoP })
    const present = (dpop: string, token = bound.access_token) =>
      send('', { headers: { authorization: `DPoP ${token}`, dpop } })
    const again = await present(proofs.at(-1) ?? '')
    expect([again.status, again.code]).toEqual([401, 'invalid_dpop_proof'])
    expect(again.headers.get('www-authenticate')).toMatch(/^DPoP realm=.*error="invalid_dpop_proof".*algs="ES256/)
    expect((await present('x')).code).toBe('invalid_dpop_proof')
    // The proof is for another token.
    expect((await present(proofs.at(-1) ?? '', tokens['valid'])).code).toBe('invalid_dpop_proof')
    const unproven = await send(bound.access_token)
    expect([unproven.status, unproven.code]).toEqual([401, 'invalid_token'])
    expect(unproven.headers.get('www-authenticate')).toMatch(/^DPoP /)
  })

  test('is read by pages of applications and of the configured origins', async () => {
    for (const name of ['valid', 'valid (JWT)']) {
      for (const origin of ['https://shop.example', 'https://market.example', service.url]) {
        const { status, headers } = await get(name, { headers: { origin } })
        expect([origin, status, headers.get('access-control-allow-origin')]).toEqual([origin, 200, origin])
      }
      const { status, headers } = await get(name, { headers: { origin: 'https://evil.example' } })
      expect([name, status, headers.get('access-control-allow-origin')]).toEqual([name, 400, null])
    }
  })

  test.for(['valid', 'valid (JWT)'])('takes one statement: %s', async (name) => {
    expect(await recordStatements(service.sql, () => get(name))).toHaveLength(1)
  })

  test('shares its statement with others, and each gets its own claims', async () => {
    const users = ['eve', 'ada', 'max']
    const others = await Promise.all(users.map(async (user) => signInToShop(await signIn(user))))
    let bodies: unknown[] = []
    const statements = await recordStatements(service.sql, async () => {
      bodies = await Promise.all(others.map(async ({ access_token: token }) => (await send(token)).body))
    })
    expect(bodies).toMatchObject(users.map((username) => ({ preferred_username: username })))
    expect(statements).toHaveLength(1)
  })
})

async function hashOf(token: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))).toString('base64url')
}
