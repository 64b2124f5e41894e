import { generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { recordStatements } from '../test-statements.ts'
import { basic, post, startShop } from './test-shop.ts'
import { createProof, requestTokens } from './test-tokens.ts'

const { service } = await startShop()
const { sql } = service
const grant = { grant_type: 'client_credentials', scope: 'permissions.read' }
const request = (init: RequestInit) => requestTokens(service, init)

describe('a token of a client', () => {
  const audience = `${service.url}/passport`
  it.for([
    ['its scope', post(grant), 200, undefined],
    ['its scope twice', post({ ...grant, scope: 'permissions.read permissions.read' }), 200, undefined],
    ['its resource', post({ ...grant, resource: audience }), 200, undefined],
    ['a refresh token besides', post({ ...grant, refresh_token: 'x' }), 200, undefined],
    ['a large parameter', post({ ...grant, a: 'b'.repeat(9000) }), 200, undefined],
    ['a scope that it does not have', post({ ...grant, scope: 'permissions.write' }), 400, 'invalid_scope'],
    ['a scope of users', post({ ...grant, scope: 'openid' }), 400, 'invalid_scope'],
    ['the API itself', post({ ...grant, scope: 'api_vertex_core' }), 400, 'invalid_scope'],
    ['an unknown scope', post({ ...grant, scope: 'unknown' }), 400, 'invalid_scope'],
    ['no scope', post({ grant_type: 'client_credentials' }), 400, 'invalid_scope'],
    ['a malformed scope', post({ ...grant, scope: 'a"b' }), 400, 'invalid_scope'],
    ['a scope with two spaces', post({ ...grant, scope: 'a  b' }), 400, 'invalid_scope'],
    ['another resource', post({ ...grant, resource: 'https://other.example' }), 400, 'invalid_target'],
    ['a client without the grant', post(grant, basic('market')), 400, 'unauthorized_client'],
    ['a public client', post({ ...grant, client_id: 'game' }, {}), 400, 'unauthorized_client'],
    ['an unknown client', post(grant, basic('nobody')), 401, 'invalid_client'],
    ['a wrong secret', post(grant, basic('shop', 'wrong')), 401, 'invalid_client'],
  ] as const)('with %s', async ([, init, status, error]) => {
    const outcome = await request(init)
    expect([outcome.status, outcome.error]).toEqual([status, error])
    if (error === undefined)
      expect(outcome).toMatchObject({
        scope: 'permissions.read',
        token_type: 'Bearer',
        access_token: expect.any(String),
      })
    expect(outcome.refresh_token).toBeUndefined()
    const stored = await sql`delete from provider_artifacts where kind = 'ClientCredentials'`
    expect(stored.count).toBe(status === 200 ? 1 : 0)
  })

  it('takes one statement', async () => {
    const statements = await recordStatements(sql, async () => {
      expect(await request(post(grant))).toMatchObject({ status: 200 })
    })
    expect(statements).toHaveLength(1)
  })

  it('is bound to the key of a proof, which is accepted once', async () => {
    const keys = await generateKeyPair('ES256')
    const dpop = await createProof(service, keys)
    expect(await request(post(grant, { ...basic(), dpop }))).toMatchObject({ status: 200, token_type: 'DPoP' })
    expect(await request(post(grant, { ...basic(), dpop }))).toMatchObject({ status: 400, error: 'invalid_dpop_proof' })
  })
})
