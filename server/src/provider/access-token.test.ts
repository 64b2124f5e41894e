import { createHash } from 'node:crypto'
import { getCurrentUser } from '@passport/contract/current-user'
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { shopSecret, startShop } from './test-shop.ts'

const { service, shop, signIn, buildAuthorizationRequest, followAuthorization, signInToShop, fetchWithToken } =
  await startShop()

describe('an access token for the API', () => {
  test('is a JWT with subject, roles, audience and lifetime', async () => {
    const { access_token: token } = await signInToShop(await signIn('ada'), {
      scope: 'openid profile email api_vertex_core',
    })
    const ada = await service.as('ada')
    const claims = decodeJwt(token)
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' })
    expect(claims).toMatchObject({
      sub: ada.id,
      iss: service.url,
      aud: `${service.url}/passport`,
      client_id: 'shop',
      scope: 'openid profile email api_vertex_core',
      roles: ['Passport.Admin', 'Passport.Developer'],
      orgs: [],
    })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600)
  })

  test('is accepted by bearer endpoints, with the current roles', async () => {
    const { access_token: token } = await signInToShop(await signIn('dev'), { scope: 'openid api_vertex_core' })
    const response = await fetchWithToken(token, getCurrentUser.path)
    expect(await response.json()).toMatchObject({
      claims: { preferred_username: 'dev' },
      roles: ['Passport.Developer'],
    })
    const preference = await fetch(`${service.url}/passport/preferences/me/by.Token`, {
      method: 'PUT',
      body: 'yes',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
    })
    expect(preference.status).toBe(204)
  })

  test('does not make its holder an administrator', async () => {
    const { access_token: token } = await signInToShop(await signIn('ada'), { scope: 'openid api_vertex_core' })
    const { id } = await service.as('eve')
    const rejected = await fetchWithToken(token, `/passport/preferences/${id}`)
    expect(await rejected.json()).toMatchObject({ status: 403, code: 'not-yours' })
  })

  test('ends with its grant', async () => {
    const { access_token: token } = await signInToShop(await signIn('dev'), { scope: 'openid api_vertex_core' })
    expect((await fetchWithToken(token)).status).toBe(200)
    const { id } = await service.as('dev')
    await service.sql`delete from provider_artifacts where kind = 'Grant' and account_id = ${id}`
    expect((await fetchWithToken(token)).status).toBe(401)
  })

  test('that is bound to a key is accepted only with a proof for the request, once', async () => {
    const keys = await client.randomDPoPKeyPair()
    const DPoP = client.getDPoPHandle(shop, keys)
    const { url: authorizationUrl, checks } = await buildAuthorizationRequest({ scope: 'openid api_vertex_core' })
    const response = await followAuthorization(await signIn('dev'), authorizationUrl)
    const tokens = await client.authorizationCodeGrant(shop, response, checks, undefined, { DPoP })
    const { access_token: token } = tokens
    expect(decodeJwt(token)['cnf']).toEqual({ jkt: await DPoP.calculateThumbprint() })

    const target = new URL(getCurrentUser.path, service.url)
    const resourceResponse = await client.fetchProtectedResource(shop, token, target, 'GET', undefined, undefined, {
      DPoP,
    })
    expect(resourceResponse.status).toBe(200)
    expect(await client.fetchUserInfo(shop, token, tokens.claims()?.sub ?? '', { DPoP })).toMatchObject({
      sub: tokens.claims()?.sub,
    })
    expect((await fetchWithToken(token)).status).toBe(401)
    expect((await fetchWithToken(token, '/connect/userinfo')).status).toBe(401)

    const sendProof = async (proof: Record<string, unknown>) => {
      const ath = createHash('sha256').update(token).digest('base64url')
      const claims = { jti: crypto.randomUUID(), htm: 'GET', htu: target.href, ath, ...proof }
      const dpop = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(keys.publicKey) })
        .setIssuedAt(typeof proof['iat'] === 'number' ? proof['iat'] : undefined)
        .sign(keys.privateKey)
      return (await fetch(target, { headers: { authorization: `DPoP ${token}`, dpop } })).status
    }
    const jti = crypto.randomUUID()
    expect(await sendProof({ jti })).toBe(200)
    expect(await sendProof({ jti })).toBe(401)
    expect(await sendProof({ htm: 'POST' })).toBe(401)
    expect(await sendProof({ htu: `${service.url}/passport/discovery` })).toBe(401)
    expect(await sendProof({ ath: 'another' })).toBe(401)
    expect(await sendProof({ iat: Math.floor(Date.now() / 1000) - 301 })).toBe(401)
  })

  test('is rejected by the account endpoints', async () => {
    const { access_token: token } = await signInToShop(await signIn('ada'), { scope: 'openid api_vertex_core' })
    for (const path of ['/passport/account/sessions', '/passport/account/logins', '/passport/account/activity']) {
      expect(await (await fetchWithToken(token, path)).json()).toMatchObject({
        status: 403,
        code: 'bearer-not-accepted',
      })
    }
  })

  test('is accepted by userinfo, introspection and revocation', async () => {
    const tokens = await signInToShop(await signIn('eve'), { scope: 'openid email api_vertex_core' })
    const { access_token: token } = tokens
    const sub = tokens.claims()?.sub ?? ''
    expect(await client.fetchUserInfo(shop, token, sub)).toEqual({
      sub,
      email: 'eve@passport.example',
      email_verified: true,
    })
    expect(await client.tokenIntrospection(shop, token)).toMatchObject({
      active: true,
      sub,
      scope: 'openid email api_vertex_core',
    })
    await client.tokenRevocation(shop, token)
    expect(await client.tokenIntrospection(shop, token)).toEqual({ active: false })
    expect((await fetchWithToken(token, '/connect/userinfo')).status).toBe(401)
    const rejected = await fetchWithToken(token)
    expect([rejected.status, rejected.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
  })

  test('with the scope connections opens the ids of connected accounts in userinfo, and nothing else does', async () => {
    const { id } = await service.as('eve')
    await service.sql`
      insert into connections (id, user_id, connector, external_id, label)
      values ('c1', ${id}, 'metahorizon', '5978973908802860', 'NightOwl42')`
    const readConnections = async (scope: string) => {
      const tokens = await signInToShop(await signIn('eve'), { scope })
      expect(tokens.claims()).not.toHaveProperty('connections')
      return (await client.fetchUserInfo(shop, tokens.access_token, id))['connections']
    }
    const expected = { metahorizon: '5978973908802860' }
    expect(await readConnections('openid connections')).toEqual(expected)
    expect(await readConnections('openid connections api_vertex_core')).toEqual(expected)
    expect(await readConnections('openid profile')).toBeUndefined()
  })

  test('of another client is active in introspection by a client with a secret; other tokens are not', async () => {
    const market = await client.discovery(new URL(service.url), 'market', {}, client.ClientSecretBasic(shopSecret), {
      execute: [client.allowInsecureRequests],
    })
    const game = await client.discovery(new URL(service.url), 'game', {}, client.None(), {
      execute: [client.allowInsecureRequests],
    })
    const browser = await signIn('eve')
    const forApi = await signInToShop(browser, { scope: 'openid api_vertex_core' })
    const forUserInfo = await signInToShop(browser, { scope: 'openid' })
    const clientToken = await client.clientCredentialsGrant(shop, { scope: 'permissions.read' })
    const introspectAs = async (resourceServer: client.Configuration) => {
      const tokens = [
        forApi.access_token,
        clientToken.access_token,
        forUserInfo.access_token,
        forApi.refresh_token ?? '',
      ]
      const responses = await Promise.all(tokens.map((token) => client.tokenIntrospection(resourceServer, token)))
      for (const response of responses) if (!response.active) expect(response).toEqual({ active: false })
      return responses.map(({ active }) => active)
    }
    expect(await introspectAs(shop)).toEqual([true, true, true, true])
    expect(await introspectAs(market)).toEqual([true, true, false, false])
    expect(await introspectAs(game)).toEqual([false, false, false, false])
  })

  test('is accepted by introspection and revocation in a form of several chunks', async () => {
    const { access_token: token } = await signInToShop(await signIn('eve'), { scope: 'openid api_vertex_core' })
    const send = async (path: string) => {
      const form = Buffer.from(new URLSearchParams({ token }).toString())
      const body = new ReadableStream({
        async start(controller) {
          for (const chunk of [form.subarray(0, 7), form.subarray(7)]) {
            controller.enqueue(chunk)
            await new Promise(setImmediate)
          }
          controller.close()
        },
      })
      const authorization = `Basic ${Buffer.from(`shop:${encodeURIComponent(shopSecret)}`).toString('base64')}`
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
      return fetch(service.url + path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
    }
    expect(await (await send('/connect/introspect')).json()).toMatchObject({ active: true, client_id: 'shop' })
    expect((await send('/connect/revocation')).status).toBe(200)
    expect(await (await send('/connect/introspect')).json()).toEqual({ active: false })
  })

  test.for(['that is not a token', 'forged', 'without the scope of the API', 'that is an ID token'] as const)(
    '%s is rejected',
    async (kind) => {
      const { access_token, id_token = '' } = await signInToShop(await signIn('eve'))
      const tokens = {
        'that is not a token': 'nonsense',
        forged: await forgeToken(),
        'without the scope of the API': access_token,
        'that is an ID token': id_token,
      }
      expect((await fetchWithToken(tokens[kind])).status).toBe(401)
    },
  )
})

async function forgeToken(): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256')
  const jwt = new SignJWT({ scope: 'api_vertex_core', jti: 'x', sub: (await service.as('ada')).id })
  return jwt
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
    .setIssuer(service.url)
    .setAudience(`${service.url}/passport`)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)
}
