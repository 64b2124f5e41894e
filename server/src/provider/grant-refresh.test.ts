import fc from 'fast-check'
import * as client from 'openid-client'
import { afterAll, describe, expect, it } from 'vitest'
import { startTestService } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { basic, moveToFormerTable, post, shopSecret, shopSettings, startShop } from './test-shop.ts'
import { requestTokens, type TokenOutcome } from './test-tokens.ts'

const { service, signIn, signInToShop } = await startShop()
const { sql } = service
const request = (init: RequestInit) => requestTokens(service, init)

/** A chain of refresh tokens, of which each request uses one. */
interface Chain {
  grantId: string
  tokens: string[]
}

async function startChain(scope: string, user: 'eve' | 'dev' = 'eve'): Promise<Chain> {
  const { refresh_token: token = '' } = await signInToShop(await signIn(user), { scope })
  const [row] = await sql<{ grantId: string }[]>`
    select grant_id from provider_artifacts where kind = 'RefreshToken' order by expires_at desc limit 1`
  return { grantId: row?.grantId ?? '', tokens: [token] }
}

/** Presents a token of the chain; negative numbers count from its end. */
async function refresh(
  chain: Chain,
  index = -1,
  change: (body: URLSearchParams) => RequestInit = (body) => post(body),
) {
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: chain.tokens.at(index) ?? '' })
  const outcome = await request(change(body))
  const { refresh_token: successor } = outcome
  if (successor && !chain.tokens.includes(successor)) chain.tokens.push(successor)
  return outcome
}

const refusal = { status: 400, error: 'invalid_grant' }

describe('a refresh', () => {
  it.for(['openid profile email', 'openid email api_vertex_core', 'openid', 'openid connections profile'])(
    'for the scope %s has the same scope, and a new refresh token each time',
    async (scope) => {
      const chain = await startChain(scope)
      for (let round = 0; round < 2; round++) {
        const tokens = await refresh(chain)
        expect(tokens).toMatchObject({ status: 200, token_type: 'Bearer', id_token: expect.any(String) })
        expect(tokens.scope?.split(' ').sort()).toEqual(scope.split(' ').sort())
      }
      expect(new Set(chain.tokens).size).toBe(3)
    },
  )

  const state = (change: object) => (chain: Chain) =>
    sql`update provider_artifacts set payload = payload || ${sql.json(change as never)} where grant_id = ${chain.grantId}`
  const states: [string, (chain: Chain) => Promise<unknown>, object][] = [
    ['of the release before', ({ grantId }) => moveToFormerTable(sql, grantId), { status: 200 }],
    ['with unknown fields', state({ rotations: 'many', further: 1 }), { status: 200 }],
    [
      'that has expired',
      ({ grantId }) => sql`update provider_artifacts set expires_at = now() where grant_id = ${grantId}`,
      refusal,
    ],
    ['without its grant', () => sql`delete from provider_artifacts where kind = 'Grant'`, refusal],
    ['of an ended session', () => sql`delete from provider_artifacts where kind = 'Session'`, refusal],
    ['of another client', state({ clientId: 'market' }), refusal],
    ['that is bound to a key', state({ jkt: 'abc' }), refusal],
    ['for a removed API', state({ resource: 'https://gone.example' }), { status: 400, error: 'invalid_target' }],
  ]
  it.for(states)('of a token %s', async ([, change, expected]) => {
    const chain = await startChain('openid email api_vertex_core')
    await change(chain)
    expect(await refresh(chain)).toMatchObject(expected)
  })

  it('is refused while the user is disabled', async () => {
    const chain = await startChain('openid email', 'dev')
    await sql`update users set disabled_at = now() where username = 'dev'`
    const outcome = await refresh(chain)
    await sql`update users set disabled_at = null where username = 'dev'`
    expect(outcome).toMatchObject(refusal)
    expect(await refresh(chain)).toMatchObject({ status: 200 })
  })

  const requests: [string, (body: URLSearchParams) => RequestInit, object][] = [
    [
      'the secret in the form',
      (body) => post(`${body}&client_id=shop&client_secret=${encodeURIComponent(shopSecret)}`, {}),
      { status: 200 },
    ],
    ['a wrong secret', (body) => post(body, basic('shop', 'wrong')), { status: 401, error: 'invalid_client' }],
    ['no client', (body) => post(body, {}), { status: 400, error: 'invalid_request' }],
    ['another client', (body) => post(body, basic('market')), refusal],
    ['a public client', (body) => post(`${body}&client_id=game`, {}), refusal],
    ['fewer scopes', (body) => post(`${body}&scope=openid`), { status: 200, scope: 'openid' }],
    [
      'further scopes',
      (body) => post(`${body}&scope=openid%20profile`),
      { status: 400, error: 'invalid_scope', scope: 'profile' },
    ],
    ['a malformed scope', (body) => post(`${body}&scope=%22`), { status: 400, error: 'invalid_scope' }],
    ['an empty scope', (body) => post(`${body}&scope=`), { status: 200, scope: 'openid email' }],
    [
      'a resource that was not granted',
      (body) => post(`${body}&resource=https%3A%2F%2Fa.example`),
      { status: 400, error: 'invalid_target' },
    ],
    ['a repeated token', (body) => post(`${body}&refresh_token=x`), { status: 400, error: 'invalid_request' }],
    ['an unknown parameter', (body) => post(`${body}&further=1`), { status: 200 }],
    [
      'a malformed proof',
      (body) => post(body, { ...basic(), dpop: 'x' }),
      { status: 400, error: 'invalid_dpop_proof' },
    ],
    ['an allowed origin', (body) => post(body, { ...basic(), origin: 'https://shop.example' }), { status: 200 }],
    [
      'another origin',
      (body) => post(body, { ...basic(), origin: 'https://evil.example' }),
      { status: 400, error: 'invalid_request' },
    ],
    ['another token', () => post({ grant_type: 'refresh_token', refresh_token: 'x'.repeat(43) }), refusal],
    ['no token', () => post({ grant_type: 'refresh_token' }), { status: 400, error: 'invalid_request' }],
  ]
  it('has the result of its kind, and a refused one spends nothing', async () => {
    const chain = await startChain('openid email')
    for (const [name, change, expected] of requests) {
      const before = chain.tokens.length
      const outcome = await refresh(chain, -1, change)
      expect({ name, ...outcome }).toMatchObject({ name, ...expected })
      expect([name, chain.tokens.length - before]).toEqual([name, outcome.status === 200 ? 1 : 0])
    }
    expect(await refresh(chain)).toMatchObject({ status: 200 })
  })

  it('with fewer scopes keeps the others for the next one, and has no ID token without openid', async () => {
    const chain = await startChain('openid profile email')
    const narrowed = await refresh(chain, -1, (body) => post(`${body}&scope=email`))
    expect(narrowed).toMatchObject({ status: 200, scope: 'email' })
    expect(narrowed.id_token).toBeUndefined()
    expect(await refresh(chain)).toMatchObject({ scope: 'openid profile email', id_token: expect.any(String) })
  })

  it('returns the unused successor again for 10 seconds; any other second use ends the grant', async () => {
    const steps = fc.array(fc.constantFrom('last', 'last', 'previous', 'first', 'ten seconds later', 'revocation'), {
      minLength: 2,
      maxLength: 6,
    })
    const scopes = fc.constantFrom('openid email', 'openid api_vertex_core')
    const property = fc.asyncProperty(scopes, steps, async (scope, names) => {
      const chain = await startChain(scope)
      let [hasEnded, isLate] = [false, false]
      for (const name of names) {
        if (name === 'ten seconds later') {
          await sql`
            update provider_artifacts set consumed_at = consumed_at - interval '11 seconds' where grant_id = ${chain.grantId}`
          isLate = true
          continue
        }
        if (name === 'revocation') {
          await fetch(`${service.url}/connect/revocation`, post({ token: chain.tokens.at(-1) ?? '' }))
          hasEnded = true
          continue
        }
        const count = chain.tokens.length
        const index = name === 'last' ? count - 1 : name === 'previous' ? count - 2 : 0
        if (index < 0) continue
        const isLast = index === count - 1
        const isRepeated = index === count - 2 && !isLate
        const outcome: TokenOutcome = await refresh(chain, index)
        const isAccepted = !hasEnded && (isLast || isRepeated)
        expect([names, name, outcome.status]).toEqual([names, name, isAccepted ? 200 : 400])
        if (isAccepted && isRepeated && !isLast) expect(outcome.refresh_token).toBe(chain.tokens.at(-1))
        if (isLast && isAccepted) isLate = false
        hasEnded ||= !isAccepted
      }
    })
    await fc.assert(property, { numRuns: 12 })
  })

  it('has an ID token of the algorithm that the client is registered with', async () => {
    const { tokens } = await startChain('openid email')
    await sql`update clients set id_token_signing_alg = 'RS256' where client_id = 'shop'`
    afterAll(() => sql`update clients set id_token_signing_alg = 'ES256' where client_id = 'shop'`)
    const rs256 = { client_id: 'shop', id_token_signed_response_alg: 'RS256' }
    await expect.poll(async () => (await service.services.clients.find('shop'))?.idTokenSigningAlg).toBe('RS256')
    const registered = await client.discovery(
      new URL(service.url),
      'shop',
      rs256,
      client.ClientSecretBasic(shopSecret),
      {
        execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
      },
    )
    const refreshed = await client.refreshTokenGrant(registered, tokens[0] ?? '')
    expect(refreshed.claims()?.aud).toBe('shop')
  })

  it.for(['openid email', 'openid api_vertex_core'])('for the scope %s takes two statements', async (scope) => {
    const chain = await startChain(scope)
    const statements = await recordStatements(sql, async () => {
      expect(await refresh(chain)).toMatchObject({ status: 200 })
    })
    expect(statements).toHaveLength(2)
  })

  it('of 16 at once spends the token once, also by two processes', async () => {
    const other = await startTestService(shopSettings, { sharedWith: service })
    for (const scope of ['openid email', 'openid profile', 'openid api_vertex_core']) {
      const { tokens, grantId } = await startChain(scope)
      const init = post({ grant_type: 'refresh_token', refresh_token: tokens[0] ?? '' })
      const outcomes = await Promise.all(
        Array.from({ length: 16 }, (_, index) => requestTokens(index % 2 ? other : service, init)),
      )
      // A lost race returns the successor of the winner (decision 0040), or is refused.
      const successors = new Set(outcomes.flatMap(({ refresh_token }) => refresh_token ?? []))
      expect(successors.size).toBe(1)
      const unspent = await sql`
        select from provider_artifacts where kind = 'RefreshToken' and grant_id = ${grantId} and consumed_at is null`
      expect(unspent.count).toBe(1)
      const [successor = ''] = successors
      expect(await request(post({ grant_type: 'refresh_token', refresh_token: successor }))).toMatchObject({
        status: 200,
      })
    }
  })
})
