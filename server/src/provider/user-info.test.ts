import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { shopSecret, startShop } from './test-shop.ts'

const { service, shop, signIn, buildAuthorizationRequest, followAuthorization, signInToShop } = await startShop()
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
