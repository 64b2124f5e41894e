import fc from 'fast-check'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { afterAll, expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { createSender, normalise, type Outcome, readOutcome } from './test-both-ways.ts'
import { basic, moveToFormerTable, post, shopSecret, shopSettings, startShop } from './test-shop.ts'

// Token requests, of the direct handlers and of the library: the same requests have the same responses, and the same
// effect in the database. A request spends what it presents, so two tokens of the same origin are used in the same way.

const { service, shop, signIn, signInToShop, buildAuthorizationRequest, followAuthorization } = await startShop()
const { sql } = service
const send = createSender(service)

type Way = 'direct' | 'library'
const ways = ['direct', 'library'] as const

const request = (way: Way, init: RequestInit) => send('/connect/token', init, way === 'library')

/** Signs a user in, in a new browser; returns the refresh token and its grant. */
async function signInFor(scope: string, user: 'eve' | 'dev' = 'eve') {
  const { refresh_token: token = '' } = await signInToShop(await signIn(user), { scope })
  const [row] = await sql<{ grantId: string }[]>`
    select grant_id from provider_artifacts where kind = 'RefreshToken' order by expires_at desc limit 1`
  return { token, grantId: row?.grantId ?? '' }
}

/** Reads what is stored of a grant, without random values; the most recent last. */
async function readEffect(grantId: string) {
  const rows = await sql<{ kind: string; payload: object }[]>`
    select kind, payload, account_id, consumed_at is not null as is_spent, successor_hash is not null as has_successor,
      sealed_value is not null as is_sealed, grant_id is not null as has_grant,
      round(extract(epoch from expires_at - now()) / 60) as minutes
    from provider_artifacts
    where grant_id = ${grantId} and kind <> 'AuthorizationCode'
    order by kind, expires_at, consumed_at nulls last`
  return rows.map((row) => normalise(row))
}

/** A chain of refresh tokens, of which each request uses one. */
interface Chain {
  grantId: string
  tokens: string[]
}

const startChain = async (scope: string, user?: 'eve' | 'dev'): Promise<Chain> => {
  const { token, grantId } = await signInFor(scope, user)
  return { grantId, tokens: [token] }
}

/** Presents a token of the chain; negative numbers count from its end. */
async function refresh(
  way: Way,
  chain: Chain,
  index = -1,
  change: (body: URLSearchParams) => RequestInit = (body) => post(`${body}`),
) {
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: chain.tokens.at(index) ?? '' })
  const response = await request(way, change(body))
  const { refresh_token: successor } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { refresh_token?: string }
  if (successor && !chain.tokens.includes(successor)) chain.tokens.push(successor)
  return readOutcome(response)
}

/** Does the same with two chains, one for each way; expects equal outcomes and effects. */
async function expectSame(
  name: unknown,
  scope: string,
  use: (way: Way, chain: Chain) => Promise<Outcome | Outcome[] | undefined>,
  user?: 'eve' | 'dev',
) {
  const results: unknown[] = []
  for (const way of ways) {
    const chain = await startChain(scope, user)
    results.push({ name, outcome: await use(way, chain), effect: await readEffect(chain.grantId) })
  }
  expect(results[0]).toEqual(results[1])
  return results[0] as { outcome: Outcome; effect: unknown[] }
}

test.for([
  'openid profile email',
  'openid email api_vertex_core',
  'openid',
  'openid entitlements',
  'openid entitlements api_vertex_core',
  'openid connections profile',
])('a refresh for the scope %s has the same response and effect', async (scope) => {
  const { outcome, effect } = await expectSame(scope, scope, async (way, chain) => {
    const outcomes = [await refresh(way, chain), await refresh(way, chain)]
    return outcomes
  })
  expect(outcome).toMatchObject([{ status: 200 }, { status: 200 }])
  // Two spent refresh tokens, their successor, and three access tokens.
  expect(effect).toHaveLength(6)
})

test('a refresh has the same result for every state of the token', async () => {
  const scope = 'openid email api_vertex_core'
  const states: Record<string, (chain: Chain) => Promise<unknown>> = {
    'saved by the former release': ({ grantId }) => moveToFormerTable(sql, grantId),
    expired: ({ grantId }) => sql`update provider_artifacts set expires_at = now() where grant_id = ${grantId}`,
    'without its grant': () => sql`
      delete from provider_artifacts where kind = 'Grant' and (payload->>'iat')::int = (
        select max((payload->>'iat')::int) from provider_artifacts where kind = 'Grant')`,
    'of an ended session': () => sql`delete from provider_artifacts where kind = 'Session'`,
    'with an unknown field': ({ grantId }) => sql`
      update provider_artifacts set payload = payload || '{"rotations": "many", "further": 1}' where grant_id = ${grantId}`,
    'of another client': ({ grantId }) => sql`
      update provider_artifacts set payload = payload || '{"clientId": "market"}' where grant_id = ${grantId}`,
    'bound to a key': ({ grantId }) => sql`
      update provider_artifacts set payload = payload || '{"jkt": "abc"}' where grant_id = ${grantId}`,
    'for a removed API': ({ grantId }) => sql`
      update provider_artifacts set payload = payload || '{"resource": "https://gone.example"}' where grant_id = ${grantId}`,
    'for several APIs': ({ grantId }) => sql`
      update provider_artifacts set payload = payload || jsonb_build_object('resource', jsonb_build_array(${`${service.url}/passport`}::text, 'https://other.example'))
      where grant_id = ${grantId}`,
  }
  for (const [state, change] of Object.entries(states))
    await expectSame(state, scope, async (way, chain) => {
      await change(chain)
      return refresh(way, chain)
    })
})

test('a refresh has the same result for every kind of request', async () => {
  const scope = 'openid email'
  const changes: Record<string, (body: URLSearchParams) => RequestInit> = {
    'secret in the form': (body) =>
      post(`${body}&${new URLSearchParams({ client_id: 'shop', client_secret: shopSecret })}`, {}),
    'a wrong secret': (body) => post(`${body}`, basic('shop', 'wrong')),
    'no client': (body) => post(`${body}`, {}),
    'another client': (body) => post(`${body}`, basic('market')),
    'a public client': (body) => post(`${body}&client_id=game`, {}),
    'fewer scopes': (body) => post(`${body}&scope=openid`),
    'further scopes': (body) => post(`${body}&scope=openid%20profile`),
    'a malformed scope': (body) => post(`${body}&scope=%22`),
    'an empty scope': (body) => post(`${body}&scope=`),
    'a resource': (body) => post(`${body}&resource=${encodeURIComponent(`${service.url}/passport`)}`),
    'a repeated token': (body) => post(`${body}&refresh_token=x`),
    'a repeated grant type': (body) => post(`${body}&grant_type=x`),
    'an unknown parameter': (body) => post(`${body}&further=1`),
    'a malformed proof': (body) => post(`${body}`, { ...basic(), dpop: 'x' }),
    'an allowed origin': (body) => post(`${body}`, { ...basic(), origin: 'https://shop.example' }),
    'another origin': (body) => post(`${body}`, { ...basic(), origin: 'https://evil.example' }),
    'another token': () => post({ grant_type: 'refresh_token', refresh_token: 'x'.repeat(43) }),
    'no token': () => post({ grant_type: 'refresh_token' }),
    'another grant': (body) => post(`${body}`.replace('refresh_token', 'password')),
    JSON: (body) => post(JSON.stringify(Object.fromEntries(body)), { ...basic(), 'content-type': 'application/json' }),
  }
  const chains = { direct: await startChain(scope), library: await startChain(scope) }
  for (const [name, change] of Object.entries(changes)) {
    const outcomes = []
    for (const way of ways) outcomes.push({ name, outcome: await refresh(way, chains[way], -1, change) })
    expect(outcomes[0]).toEqual(outcomes[1])
  }
  expect(await readEffect(chains.direct.grantId)).toEqual(await readEffect(chains.library.grantId))
})

test('any sequence of repeated and late refreshes has the same results', async () => {
  const steps: Record<string, (way: Way, chain: Chain) => Promise<Outcome | undefined>> = {
    last: (way, chain) => refresh(way, chain),
    previous: (way, chain) => refresh(way, chain, -2),
    first: (way, chain) => refresh(way, chain, 0),
    'ten seconds later': async (_way, { grantId }) => {
      await sql`
        update provider_artifacts set consumed_at = consumed_at - interval '11 seconds' where grant_id = ${grantId}`
      return undefined
    },
    revocation: async (_way, chain) => {
      await send('/connect/revocation', post({ token: chain.tokens.at(-1) ?? '' }))
      return undefined
    },
  }
  const sequence = fc.array(fc.constantFrom('last', 'last', 'previous', 'first', 'ten seconds later', 'revocation'), {
    minLength: 2,
    maxLength: 5,
  })
  const scope = fc.constantFrom('openid email', 'openid api_vertex_core', 'openid offline_access')
  const property = fc.asyncProperty(scope, sequence, async (scope, names) => {
    await expectSame(names, scope, async (way, chain) => {
      const outcomes: Outcome[] = []
      for (const name of names) {
        const outcome = await steps[name]?.(way, chain)
        if (outcome) outcomes.push(outcome)
      }
      return outcomes
    })
  })
  await fc.assert(property, { seed: 23, numRuns: 10 })
})

test('a token of a client has the same response and effect for every request', async () => {
  const requests: Record<string, RequestInit> = {
    'its scope': post({ grant_type: 'client_credentials', scope: 'permissions.read' }),
    'its scope twice': post({ grant_type: 'client_credentials', scope: 'permissions.read permissions.read' }),
    'a scope that it does not have': post({ grant_type: 'client_credentials', scope: 'permissions.write' }),
    'a scope of users': post({ grant_type: 'client_credentials', scope: 'openid' }),
    'the API itself': post({ grant_type: 'client_credentials', scope: 'api_vertex_core' }),
    'an unknown scope': post({ grant_type: 'client_credentials', scope: 'unknown' }),
    'no scope': post({ grant_type: 'client_credentials' }),
    'a malformed scope': post({ grant_type: 'client_credentials', scope: 'a"b' }),
    'a scope with two spaces': post({ grant_type: 'client_credentials', scope: 'permissions.read  permissions.read' }),
    'a resource': post({
      grant_type: 'client_credentials',
      scope: 'permissions.read',
      resource: `${service.url}/passport`,
    }),
    'another resource': post({
      grant_type: 'client_credentials',
      scope: 'permissions.read',
      resource: 'https://other.example',
    }),
    'a client without the grant': post(
      { grant_type: 'client_credentials', scope: 'permissions.read' },
      basic('market'),
    ),
    'a public client': post({ grant_type: 'client_credentials', scope: 'permissions.read', client_id: 'game' }, {}),
    'an unknown client': post({ grant_type: 'client_credentials', scope: 'permissions.read' }, basic('nobody')),
    'a wrong secret': post({ grant_type: 'client_credentials', scope: 'permissions.read' }, basic('shop', 'wrong')),
    'a refresh token besides': post({
      grant_type: 'client_credentials',
      scope: 'permissions.read',
      refresh_token: 'x',
    }),
    'a large parameter': post({ grant_type: 'client_credentials', scope: 'permissions.read', a: 'b'.repeat(9000) }),
  }
  const readTokens = async () => {
    const rows = await sql`
      select payload, account_id, grant_id, uid, sealed_id, sealed_value, consumed_at,
        round(extract(epoch from expires_at - now()) / 60) as minutes
      from provider_artifacts where kind = 'ClientCredentials'`
    await sql`delete from provider_artifacts where kind = 'ClientCredentials'`
    return rows.map((row) => normalise(row))
  }
  for (const [name, init] of Object.entries(requests)) {
    const outcomes = []
    for (const way of ways)
      outcomes.push({ name, outcome: await readOutcome(await request(way, init)), stored: await readTokens() })
    expect(outcomes[0]).toEqual(outcomes[1])
  }
})

test('an ID token of a refresh has the algorithm that the client is registered with', async () => {
  const { token } = await signInFor('openid email')
  await sql`update clients set id_token_signing_alg = 'RS256' where client_id = 'shop'`
  afterAll(() => sql`update clients set id_token_signing_alg = 'ES256' where client_id = 'shop'`)
  const rs256 = { client_id: 'shop', id_token_signed_response_alg: 'RS256' }
  await expect.poll(async () => (await service.services.clients.find('shop'))?.idTokenSigningAlg).toBe('RS256')
  const registered = await client.discovery(new URL(service.url), 'shop', rs256, client.ClientSecretBasic(shopSecret), {
    execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
  })
  const tokens = await client.refreshTokenGrant(registered, token)
  expect(tokens.claims()?.aud).toBe('shop')
})

test.for([
  ['a token of a client', 1],
  ['a refresh for user info', 2],
  ['a refresh for an API', 2],
] as const)('%s takes at most %i statements', async ([name, limit]) => {
  let { token } = await signInFor(name.endsWith('API') ? 'openid api_vertex_core' : 'openid email')
  const isRefresh = name.startsWith('a refresh')
  const statements = await recordStatements(sql, async () => {
    const body = isRefresh
      ? { grant_type: 'refresh_token', refresh_token: token }
      : { grant_type: 'client_credentials', scope: 'permissions.read' }
    const response = (await (await request('direct', post(body))).json()) as {
      access_token: string
      refresh_token?: string
    }
    expect(response.access_token).toBeTypeOf('string')
    token = response.refresh_token ?? token
  })
  expect(statements).toHaveLength(limit)
})

test('a refresh by a disabled user has the same result', async () => {
  await expectSame(
    'disabled',
    'openid email',
    async (way, chain) => {
      await sql`update users set disabled_at = now() where username = 'dev'`
      const outcome = await refresh(way, chain)
      await sql`update users set disabled_at = null where username = 'dev'`
      return outcome
    },
    'dev',
  )
})

test('a proof of a key binds the new access token both ways', async () => {
  const key = await client.randomDPoPKeyPair()
  for (const scope of ['openid email', 'openid api_vertex_core']) {
    const DPoP = client.getDPoPHandle(shop, key)
    const { url, checks } = await buildAuthorizationRequest({ scope })
    const redirected = await followAuthorization(await signIn('eve'), url)
    const first = await client.authorizationCodeGrant(shop, redirected, checks, undefined, { DPoP })
    const second = await client.refreshTokenGrant(shop, first.refresh_token ?? '', undefined, { DPoP })
    expect(second.token_type).toBe('dpop')
    if (scope.includes('api')) expect(decodeJwt(second.access_token)).toHaveProperty('cnf')
  }
})

test('of 16 simultaneous refreshes of a token one spends it, also by two processes', async () => {
  const other = await startTestService(shopSettings, { sharedWith: service })
  const senders = [send, createSender(other)]
  for (const scope of ['openid email', 'openid offline_access', 'openid profile', 'openid email profile']) {
    const { token, grantId } = await signInFor(scope)
    const init = post({ grant_type: 'refresh_token', refresh_token: token })
    const responses = await Promise.all(
      Array.from({ length: 16 }, (_, index) => senders[index % 2]?.('/connect/token', init)),
    )
    const bodies = await Promise.all(
      responses.map(async (response) => (await response?.json()) as { refresh_token?: string }),
    )
    // A lost race returns the successor of the winner (decision 0040), or is refused.
    const successors = new Set(bodies.flatMap(({ refresh_token }) => refresh_token ?? []))
    expect(successors.size).toBe(1)
    const unspent = await sql`
      select from provider_artifacts where kind = 'RefreshToken' and grant_id = ${grantId} and consumed_at is null`
    expect(unspent.count).toBe(1)
    const [successor = ''] = successors
    const next = await request('direct', post({ grant_type: 'refresh_token', refresh_token: successor }))
    expect(next.status).toBe(200)
  }
})
