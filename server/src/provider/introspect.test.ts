import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { basic, post, shopSecret, shopSettings, startShop } from './test-shop.ts'
import { issueTokens } from './test-token-states.ts'

const started = await startShop()
const { service, signIn, signInToShop } = started
const { sql } = service
let tokens: Record<string, string> = {}
beforeAll(async () => {
  tokens = await issueTokens(started)
}, 120_000)

const introspect = (token: string, headers: Record<string, string> = basic(), url = service.url) =>
  fetch(`${url}/connect/introspect`, post({ token }, headers))
const read = async (name: string, as?: string) =>
  (await introspect(tokens[name] ?? '', basic(as))).json() as Promise<Record<string, unknown>>

/** The tokens that are active for their own client. */
const active = [
  'valid',
  'a refresh token',
  'of a spent refresh token',
  'bound to a key',
  'saved by the former release',
  ...['valid (JWT)', 'a refresh token (JWT)', 'of a spent refresh token (JWT)', 'bound to a key (JWT)'],
  'saved by the former release (JWT)',
  'of the client',
  ...['for openid connections', 'for openid entitlements', 'for openid offline_access'],
]
/** The access tokens of Passport's API, which any client with a secret may introspect, as its resource server. */
const ofApi = [...active.filter((name) => name.endsWith('(JWT)') && !name.includes('a refresh token')), 'of the client']

describe('a token is active', () => {
  test('for its client as long as it is valid, and otherwise discloses nothing', async () => {
    for (const name of Object.keys(tokens)) {
      const description = await read(name)
      if (name === 'a personal one') continue
      expect([name, description['active']]).toEqual([name, active.includes(name)])
      if (description['active'] === false) expect(description).toEqual({ active: false })
    }
  })

  test('for another client if it is an access token of an API that this one is a resource server of', async () => {
    const others = []
    for (const name of Object.keys(tokens)) if ((await read(name, 'market'))['active']) others.push(name)
    expect(others.filter((name) => !name.includes('personal')).sort()).toEqual([...ofApi].sort())
  })

  test('with what it says about its user, client, scopes, audience, session and key', async () => {
    const ofUser = {
      active: true,
      sub: expect.any(String),
      client_id: 'shop',
      sid: expect.any(String),
      iss: service.url,
      iat: expect.any(Number),
      exp: expect.any(Number),
    }
    const aud = `${service.url}/passport`
    const scope = 'openid profile email'
    const ofApiScope = 'openid email api_vertex_core'
    expect(await read('valid')).toEqual({ ...ofUser, scope, token_type: 'Bearer' })
    expect(await read('a refresh token')).toEqual({ ...ofUser, scope })
    expect(await read('valid (JWT)')).toEqual({ ...ofUser, aud, scope: ofApiScope, token_type: 'Bearer' })
    const cnf = { jkt: expect.stringMatching(/^[\w-]{43}$/) }
    expect(await read('bound to a key (JWT)')).toEqual({ ...ofUser, aud, scope: ofApiScope, token_type: 'DPoP', cnf })
    const { sub: _sub, sid: _sid, ...ofClient } = ofUser
    const ownScope = 'permissions.read'
    expect(await read('of the client')).toEqual({ ...ofClient, aud, scope: ownScope, token_type: 'Bearer' })
  })
})

test('a request without a token is refused, and a hint of its type changes nothing', async () => {
  const send = async (form: string) => {
    const response = await fetch(`${service.url}/connect/introspect`, post(form))
    return [response.status, await response.json()]
  }
  for (const form of ['', 'token=', 'token_type_hint=access_token'])
    expect([form, await send(form)]).toMatchObject([form, [400, { error: 'invalid_request' }]])
  expect(await send('token=a&token=b')).toMatchObject([400, { error: 'invalid_request' }])
  for (const hint of ['access_token', 'refresh_token', 'x'])
    expect(await send(`token=${tokens['valid']}&token_type_hint=${hint}`)).toMatchObject([200, { active: true }])
})

test('a client without a secret may introspect its own tokens, and no one without authentication any', async () => {
  const asPublic = await fetch(
    `${service.url}/connect/introspect`,
    post({ token: tokens['valid (JWT)'] ?? '', client_id: 'game' }, {}),
  )
  expect(await asPublic.json()).toEqual({ active: false })
  for (const headers of [{}, basic('shop', 'wrong'), basic('nobody'), { authorization: 'Bearer x' }]) {
    const response = await introspect(tokens['valid'] ?? '', headers as Record<string, string>)
    expect([headers, [400, 401].includes(response.status)]).toEqual([headers, true])
  }
})

test('a page of the client may read the response, and another page may not', async () => {
  const send = (origin: string) => introspect(tokens['valid'] ?? '', { ...basic(), origin })
  const own = await send('https://shop.example')
  expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, 'https://shop.example'])
  const foreign = await send('https://evil.example')
  expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([400, null])
})

test.for([
  ['an access token', 'valid'],
  ['a JWT', 'valid (JWT)'],
  ['a refresh token', 'a refresh token'],
  ['a token of a client', 'of the client'],
  ['a revoked token', 'revoked'],
  ['a text that is no token', 'two words'],
] as const)('%s takes one statement', async ([, name]) => {
  expect(await recordStatements(sql, () => read(name))).toHaveLength(1)
})

test('requests at the same time share statements, and each gets the response for its token', async () => {
  const names = Object.keys(tokens).filter((name) => !name.includes('personal'))
  const alone = []
  for (const name of names) alone.push(await read(name))
  let together: unknown[] = []
  const statements = await recordStatements(sql, async () => {
    together = await Promise.all(names.map((name) => read(name)))
  })
  expect(together).toEqual(alone)
  expect(statements.length).toBeLessThan(names.length / 2)
})

test('a revocation by another process counts from the next request on', async () => {
  const other = await startTestService(shopSettings, { sharedWith: service })
  const { access_token: token } = await signInToShop(await signIn('eve'))
  const isActive = async () => ((await (await introspect(token)).json()) as { active: boolean }).active
  expect(await isActive()).toBe(true)
  await fetch(`${other.url}/connect/revocation`, post({ token }, basic('shop', shopSecret)))
  expect(await isActive()).toBe(false)
})
