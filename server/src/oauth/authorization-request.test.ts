import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkAuthorizationRequest,
  type RequestingClient,
  readAuthorizationRequest,
  readRequestedScopes,
} from './authorization-request.ts'
import { OAuthError } from './oauth-error.ts'

const redirectUri = 'https://shop.example/callback'
const shop: RequestingClient = {
  redirectUris: [redirectUri],
  isConfidential: true,
  grantTypes: ['authorization_code', 'refresh_token'],
  pkce: 'required',
}
const usual = {
  client_id: 'shop',
  redirect_uri: redirectUri,
  response_type: 'code',
  scope: 'openid email',
  state: 'a state & more',
  nonce: 'n-0S6_WzA2Mj',
  code_challenge: 'c'.repeat(43),
  code_challenge_method: 'S256',
}
type Changes = Record<string, string | undefined>

const toParameters = (changes: Changes = {}) =>
  new Map(Object.entries({ ...usual, ...changes }).filter((entry): entry is [string, string] => entry[1] !== undefined))

function codeOf(work: () => unknown): string {
  try {
    work()
    return 'valid'
  } catch (error) {
    if (error instanceof OAuthError) return error.code
    throw error
  }
}

const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined }

describe('an authorization request', () => {
  test.for<[string, Changes, Partial<RequestingClient>, at: string, pushed?: string]>([
    ['as usual', {}, {}, 'valid'],
    ['without state and nonce', { state: undefined, nonce: undefined }, {}, 'valid'],
    ['with a state of 2,048 characters', { state: 's'.repeat(2048), nonce: 'n'.repeat(2048) }, {}, 'valid'],
    ['with unknown parameters', { further: '1', claims: 'x' }, {}, 'valid'],
    ['with a request object', { request: 'x.y.z' }, {}, 'request_not_supported'],
    ['with a foreign request_uri', { request_uri: 'https://shop.example/r' }, {}, 'request_uri_not_supported'],
    ['with registration', { registration: '{}' }, {}, 'registration_not_supported'],
    ['with response_mode=fragment', { response_mode: 'fragment' }, {}, 'valid'],
    ['with response_mode=form_post', { response_mode: 'form_post' }, {}, 'valid'],
    ['with response_mode=web_message', { response_mode: 'web_message' }, {}, 'unsupported_response_mode'],
    ['without response_type', { response_type: undefined }, {}, 'invalid_request'],
    ['with response_type=token', { response_type: 'token' }, {}, 'unsupported_response_type'],
    ['with response_type=code id_token', { response_type: 'code id_token' }, {}, 'unsupported_response_type'],
    ['of a client without the grant', {}, { grantTypes: ['client_credentials'] }, 'unauthorized_client'],
    ['without a redirect URI', { redirect_uri: undefined }, {}, 'invalid_request'],
    ['for another redirect URI', { redirect_uri: `${redirectUri}/` }, {}, 'invalid_redirect_uri', 'invalid_request'],
    ['with prompt=none', { prompt: 'none' }, {}, 'valid'],
    ['with prompt=login consent', { prompt: 'login consent' }, {}, 'valid'],
    ['with prompt=none login', { prompt: 'none login' }, {}, 'invalid_request'],
    ['with an unknown prompt', { prompt: 'create' }, {}, 'invalid_request'],
    ['with a malformed scope', { scope: 'openid "' }, {}, 'invalid_scope'],
    ['with two spaces in the scope', { scope: 'openid  email' }, {}, 'invalid_scope'],
    ['without a scope', { scope: undefined, nonce: undefined }, {}, 'valid'],
    ['with a nonce without openid', { scope: 'email' }, {}, 'invalid_request'],
    ['with max_age without openid', { scope: 'email', nonce: undefined, max_age: '1' }, {}, 'invalid_request'],
    ['without PKCE', withoutPkce, {}, 'invalid_request'],
    ['without PKCE of a client that may', withoutPkce, { pkce: 'optional' }, 'valid'],
    ['without PKCE of a public client', withoutPkce, { pkce: 'optional', isConfidential: false }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, {}, 'invalid_request'],
    ['with a challenge without method', { code_challenge_method: undefined }, {}, 'invalid_request'],
    ['with a method without challenge', { code_challenge: undefined }, { pkce: 'optional' }, 'invalid_request'],
    ['with a short challenge', { code_challenge: 'c'.repeat(42) }, {}, 'invalid_request'],
    ['with a long challenge', { code_challenge: 'c'.repeat(129) }, {}, 'invalid_request'],
    ['with a challenge of other characters', { code_challenge: '+'.repeat(43) }, {}, 'invalid_request'],
    ['with max_age=0', { max_age: '0' }, {}, 'valid'],
    ['with a negative max_age', { max_age: '-1' }, {}, 'invalid_request'],
    ['with max_age of more than a number', { max_age: '1e99' }, {}, 'invalid_request'],
    ['with a thumbprint', { dpop_jkt: 'k'.repeat(43) }, {}, 'valid'],
    ['with a malformed thumbprint', { dpop_jkt: 'k' }, {}, 'invalid_request'],
  ])('%s', ([, changes, client, expected, pushed = expected]) => {
    const check = (endpoint: 'authorization' | 'push') =>
      codeOf(() => checkAuthorizationRequest(endpoint, toParameters(changes), { ...shop, ...client }))
    expect([check('authorization'), check('push')]).toEqual([expected, pushed])
  })

  test('is read with its defaults', () => {
    expect(readAuthorizationRequest(toParameters(), shop)).toEqual({
      clientId: 'shop',
      redirectUri,
      responseMode: 'query',
      scopes: ['openid', 'email'],
      state: usual.state,
      nonce: usual.nonce,
      challenge: usual.code_challenge,
      dpopJkt: undefined,
      prompts: new Set(),
      maxAge: undefined,
      idTokenHint: undefined,
    })
  })

  test('with max_age=0 demands a sign-in, even if it is silent', () => {
    const { prompts, maxAge } = readAuthorizationRequest(toParameters({ max_age: '0', prompt: 'none' }), shop)
    expect([[...prompts], maxAge]).toEqual([['none', 'login'], undefined])
  })

  test('of any combination of parameters is valid, or fails with an error of the specifications', () => {
    const values: Record<string, (string | undefined)[]> = {
      response_type: ['code', 'token', undefined],
      response_mode: [undefined, 'query', 'form_post', 'jwt'],
      redirect_uri: [redirectUri, 'https://evil.example/', undefined],
      scope: ['openid', 'email', ' ', undefined],
      prompt: [undefined, 'none', 'login', 'none login', 'x'],
      code_challenge: [usual.code_challenge, 'x', undefined],
      code_challenge_method: ['S256', 'plain', undefined],
      max_age: [undefined, '0', '60', 'x'],
      request: [undefined, undefined, 'x'],
    }
    const changes = fc.record(
      Object.fromEntries(Object.entries(values).map(([name, each]) => [name, fc.constantFrom(...each)])),
    )
    const property = fc.property(changes, fc.constantFrom('required' as const, 'optional' as const), (each, pkce) => {
      const client = { ...shop, pkce }
      if (codeOf(() => checkAuthorizationRequest('authorization', toParameters(each), client)) !== 'valid') return
      const read = readAuthorizationRequest(toParameters(each), client)
      expect(client.redirectUris).toContain(read.redirectUri)
      expect(read.challenge !== undefined || pkce === 'optional').toBe(true)
      expect(read.prompts.has('none') && read.prompts.size > (each['max_age'] === '0' ? 2 : 1)).toBe(false)
      expect(read.maxAge).not.toBe(0)
    })
    fc.assert(property, { numRuns: 3_000 })
  })
})

describe('the scope offline_access', () => {
  const scope = 'openid offline_access'

  test('counts only if the user is asked for consent, and the client gets refresh tokens', () => {
    const read = (changes: Changes, client: Partial<RequestingClient> = {}) =>
      readAuthorizationRequest(toParameters({ scope, ...changes }), { ...shop, ...client }).scopes
    expect(read({ prompt: 'consent' })).toEqual(['openid', 'offline_access'])
    expect(read({ prompt: 'login consent' })).toEqual(['openid', 'offline_access'])
    expect(read({})).toEqual(['openid'])
    expect(read({ prompt: 'consent' }, { grantTypes: ['authorization_code'] })).toEqual(['openid'])
  })

  test('counts for a device, whose user is always asked', () => {
    expect(readRequestedScopes('device', new Map([['scope', scope]]), shop)).toEqual(['openid', 'offline_access'])
    expect(readRequestedScopes('device', new Map([['scope', scope]]), { grantTypes: [] })).toEqual(['openid'])
  })
})
