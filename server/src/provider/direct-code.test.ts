import { createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { createSender, normalise, type Outcome, readOutcome } from './test-both-ways.ts'
import { basic, moveToFormerTable, post, redirectUri, shopSecret, shopSettings, startShop } from './test-shop.ts'

// The exchange of codes, by the direct handler and by the library: the same requests have the same responses, and the
// same effect in the database. A code is spent once, so each way gets one of its own, for the same user and scopes.

/** A client whose library does not send PKCE, and whose users consent to nothing. */
const plain = {
  clientId: 'plain',
  clientName: 'Plain',
  clientSecret: shopSecret,
  redirectUris: ['https://plain.example/callback'],
  pkce: 'optional',
  consent: 'skip',
}
const { service, shop, signIn, buildAuthorizationRequest, followAuthorization } = await startShop({}, {}, [plain])
const { sql } = service
const send = createSender(service)
const ways = ['direct', 'library'] as const
type Way = (typeof ways)[number]

const request = (way: Way, init: RequestInit) => send('/connect/token', init, way === 'library')

interface Code {
  grantId: string
  body: URLSearchParams
}

const browsers = { eve: await signIn('eve'), dev: await signIn('dev') }

/** Obtains a code in a browser that is signed in. */
async function obtainCode(
  parameters: Record<string, string> = {},
  { clientId = 'shop', uri = redirectUri, browser = browsers.eve, challenge = true } = {},
): Promise<Code> {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: uri,
    response_type: 'code',
    scope: 'openid email',
    nonce: 'n',
    ...(challenge && {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }),
    ...parameters,
  })
  const url = await followAuthorization(browser, `${service.url}/connect/authorize?${query}`)
  const [row] = await sql<{ grantId: string }[]>`
    select grant_id from provider_artifacts where kind = 'AuthorizationCode' order by expires_at desc limit 1`
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: url.searchParams.get('code') ?? '',
    redirect_uri: uri,
    ...(challenge && { code_verifier: verifier }),
  })
  return { grantId: row?.grantId ?? '', body }
}

/** Reads and removes what was issued for a grant, without random values, and its codes. */
async function takeEffect(grantId: string) {
  const rows = await sql<{ kind: string; payload: object }[]>`
    delete from provider_artifacts where grant_id = ${grantId}
    returning kind, payload, account_id, consumed_at is not null as is_spent, successor_hash is not null as has_successor,
      sealed_value is not null as is_sealed, round(extract(epoch from expires_at - now()) / 60) as minutes`
  return rows.map((row) => normalise(row)).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
}

/** Does the same with a code of each way; expects equal outcomes and effects. */
async function expectSame(
  name: unknown,
  obtain: () => Promise<Code>,
  use: (way: Way, code: Code) => Promise<Outcome | (Outcome | undefined)[]>,
) {
  const results: unknown[] = []
  for (const way of ways) {
    const code = await obtain()
    results.push({ name, outcome: await use(way, code), effect: redact(await takeEffect(code.grantId), code) })
  }
  expect(results[0]).toEqual(results[1])
  return results[0] as { outcome: Outcome; effect: unknown[] }
}

/** The challenge of each code differs. */
const redact = (effect: unknown[], { body }: Code) => {
  const challenge = createHash('sha256')
    .update(body.get('code_verifier') ?? '')
    .digest('base64url')
  return JSON.parse(JSON.stringify(effect).replaceAll(challenge, 'challenge')) as unknown[]
}

const exchange = async (way: Way, { body }: Code) => readOutcome(await request(way, post(body)))

test.for([
  'openid profile email',
  'openid email api_vertex_core',
  'openid',
  'openid offline_access',
  'openid email offline_access api_vertex_core',
  'openid entitlements',
  'openid entitlements api_vertex_core',
  'openid connections profile',
])('a code for the scope %s has the same response and effect', async (scope) => {
  const { outcome, effect } = await expectSame(scope, () => obtainCode({ scope }), exchange)
  expect(outcome.status).toBe(200)
  // The code and both tokens.
  expect(effect).toHaveLength(3)
})

test('a code has the same result in every state', async () => {
  const states: Record<string, (code: Code) => Promise<unknown>> = {
    'saved by the former release': ({ grantId }) => moveToFormerTable(sql, grantId),
    expired: ({ grantId }) => sql`update provider_artifacts set expires_at = now() where grant_id = ${grantId}`,
    'spent a second ago': ({ grantId }) => sql`
      update provider_artifacts set consumed_at = now() - interval '1 second' where grant_id = ${grantId}`,
    'with an unknown field': ({ grantId }) => sql`
      update provider_artifacts set payload = payload || '{"further": 1}' where grant_id = ${grantId}`,
    'of another client': ({ grantId }) => sql`
      update provider_artifacts set payload = payload || '{"clientId": "market"}' where grant_id = ${grantId}`,
    'bound to a key': ({ grantId }) => sql`
      update provider_artifacts set payload = payload || '{"dpopJkt": "abc"}' where grant_id = ${grantId}`,
    'with a plain challenge': ({ grantId }) => sql`
      update provider_artifacts set payload = payload || '{"codeChallengeMethod": "plain"}' where grant_id = ${grantId}`,
    'for a removed API': ({ grantId }) => sql`
      update provider_artifacts set payload = payload || '{"resource": "https://gone.example"}' where grant_id = ${grantId}`,
    'for several APIs': ({ grantId }) => sql`
      update provider_artifacts set payload = payload || jsonb_build_object('resource', jsonb_build_array(${`${service.url}/passport`}::text, 'https://other.example'))
      where grant_id = ${grantId}`,
  }
  const scope = 'openid email api_vertex_core'
  for (const [state, change] of Object.entries(states))
    await expectSame(
      state,
      () => obtainCode({ scope }),
      async (way, code) => {
        await change(code)
        return exchange(way, code)
      },
    )
})

test('a code has the same result after the end of its session, of its grant, and of its user', async () => {
  const ends: Record<string, () => Promise<unknown>> = {
    'ended session': () => sql`delete from provider_artifacts where kind = 'Session'`,
    'ended grant': () => sql`delete from provider_artifacts where kind = 'Grant'`,
    'disabled user': () => sql`update users set disabled_at = now() where username = 'dev'`,
  }
  for (const [name, end] of Object.entries(ends))
    for (const scope of ['openid email', 'openid offline_access']) {
      const obtain = async () => {
        await sql`update users set disabled_at = null where username = 'dev'`
        return obtainCode({ scope }, { browser: await signIn('dev') })
      }
      await expectSame([name, scope], obtain, async (way, code) => {
        await end()
        return exchange(way, code)
      })
    }
  await sql`update users set disabled_at = null where username = 'dev'`
  browsers.eve = await signIn('eve')
})

test('a code has the same result for every kind of request', async () => {
  const changes: Record<string, (body: URLSearchParams) => RequestInit> = {
    'secret in the form': (body) => {
      body.set('client_id', 'shop')
      body.set('client_secret', shopSecret)
      return post(body, {})
    },
    'a wrong secret': (body) => post(body, basic('shop', 'wrong')),
    'no client': (body) => post(body, {}),
    'another client': (body) => post(body, basic('market')),
    'a public client': (body) => post(`${body}&client_id=game`, {}),
    'another redirect URI': (body) => post(`${body}`.replace('callback', 'other')),
    'no redirect URI': (body) => post(without(body, 'redirect_uri')),
    'no verifier': (body) => post(without(body, 'code_verifier')),
    'another verifier': (body) => post(`${without(body, 'code_verifier')}&code_verifier=${'x'.repeat(43)}`),
    'a short verifier': (body) => post(`${without(body, 'code_verifier')}&code_verifier=x`),
    'a long verifier': (body) => post(`${without(body, 'code_verifier')}&code_verifier=${'x'.repeat(129)}`),
    'a verifier of other characters': (body) =>
      post(`${without(body, 'code_verifier')}&code_verifier=${'%2B'.repeat(50)}`),
    'no code': (body) => post(without(body, 'code')),
    'another code': (body) => post(`${without(body, 'code')}&code=${'x'.repeat(43)}`),
    'a scope': (body) => post(`${body}&scope=openid`),
    'a malformed scope': (body) => post(`${body}&scope=%22`),
    'a resource': (body) => post(`${body}&resource=${encodeURIComponent(`${service.url}/passport`)}`),
    'another resource': (body) => post(`${body}&resource=https%3A%2F%2Fother.example`),
    'a repeated code': (body) => post(`${body}&code=x`),
    'a repeated grant type': (body) => post(`${body}&grant_type=x`),
    'an unknown parameter': (body) => post(`${body}&further=1`),
    'an empty parameter': (body) => post(`${body}&further=`),
    'a malformed proof': (body) => post(body, { ...basic(), dpop: 'x' }),
    'an allowed origin': (body) => post(body, { ...basic(), origin: 'https://shop.example' }),
    'another origin': (body) => post(body, { ...basic(), origin: 'https://evil.example' }),
    JSON: (body) => post(JSON.stringify(Object.fromEntries(body)), { ...basic(), 'content-type': 'application/json' }),
  }
  for (const [name, change] of Object.entries(changes))
    await expectSame(
      name,
      () => obtainCode(),
      async (way, { body }) => readOutcome(await request(way, change(new URLSearchParams(body)))),
    )
})

function without(body: URLSearchParams, name: string): URLSearchParams {
  body.delete(name)
  return body
}

test('a client without PKCE has the same result', async () => {
  const obtain = (challenge: boolean) => () =>
    obtainCode(
      { scope: 'openid profile api_vertex_core' },
      { clientId: 'plain', uri: 'https://plain.example/callback', challenge },
    )
  const as = (way: Way, { body }: Code, verifier?: string) => {
    if (verifier !== undefined) body.set('code_verifier', verifier)
    return request(way, post(body, basic('plain'))).then(readOutcome)
  }
  const { outcome } = await expectSame('no challenge', obtain(false), (way, code) => as(way, code))
  expect(outcome.status).toBe(200)
  await expectSame('a verifier without a challenge', obtain(false), (way, code) => as(way, code, 'v'.repeat(43)))
  await expectSame('a challenge', obtain(true), (way, code) => as(way, code))
})

test('any sequence of exchanges has the same results', async () => {
  const sequence = fc.array(fc.constantFrom('exchange', 'exchange', 'four seconds later', 'refresh'), {
    minLength: 2,
    maxLength: 4,
  })
  const scope = fc.constantFrom('openid email', 'openid api_vertex_core', 'openid offline_access')
  const property = fc.asyncProperty(scope, sequence, async (scope, names) => {
    await expectSame(
      names,
      // A code that is presented again ends the grant, and so the session with it.
      async () => obtainCode({ scope }, { browser: await signIn('eve') }),
      async (way, code) => {
        const outcomes: (Outcome | undefined)[] = []
        let refreshToken = 'none'
        for (const name of names) {
          if (name === 'four seconds later')
            await sql`
              update provider_artifacts set consumed_at = consumed_at - interval '4 seconds' where grant_id = ${code.grantId}`
          else {
            const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken })
            const response = await request(way, post(name === 'refresh' ? body : code.body))
            const tokens = (await response.clone().json()) as { refresh_token?: string }
            refreshToken = tokens.refresh_token ?? refreshToken
            outcomes.push(await readOutcome(response))
          }
        }
        return outcomes
      },
    )
  })
  await fc.assert(property, { seed: 84, numRuns: 8 })
})

test('of 16 simultaneous exchanges of a code one gets tokens, also by two processes', async () => {
  const other = await startTestService(shopSettings, { sharedWith: service })
  const senders = [send, createSender(other)]
  for (const scope of ['openid email', 'openid offline_access', 'openid api_vertex_core']) {
    const { body, grantId } = await obtainCode({ scope })
    const startedAt = performance.now()
    const responses = await Promise.all(
      Array.from({ length: 16 }, (_, index) => senders[index % 2]?.('/connect/token', post(body))),
    )
    const bodies = await Promise.all(
      responses.map(async (response) => (await response?.json()) as { error?: string; refresh_token?: string }),
    )
    expect(bodies.filter(({ error }) => error === undefined)).toHaveLength(1)
    expect(bodies.filter(({ error }) => error === 'invalid_grant')).toHaveLength(15)
    // A code that is presented more than 3 seconds later counts as stolen, which takes a slow machine here.
    if (performance.now() - startedAt < 3000) {
      const refreshToken = bodies.find(({ refresh_token }) => refresh_token)?.refresh_token ?? ''
      const next = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken })
      expect((await request('direct', post(next))).status).toBe(200)
    }
    await takeEffect(grantId)
  }
})

test('an exchange takes two statements, and is traced as by the library', async () => {
  // The statements are recorded three times.
  const codes = [await obtainCode(), await obtainCode(), await obtainCode()]
  const statements = await recordStatements(sql, async () => {
    const code = codes.pop()
    expect(code && (await exchange('direct', code))).toMatchObject({ status: 200 })
  })
  expect(statements).toHaveLength(2)

  const traces: unknown[] = []
  for (const way of ways) {
    await exchange(way, await obtainCode())
    await service.services.traces.flush()
    const [row] = await sql<{ steps: { ms: number }[]; keys: string[] }[]>`
      select kind, result, reason, keys, provider, client_id, user_id, ip, user_agent, steps
      from sign_in_traces where kind = 'token' order by at desc, id desc limit 1`
    traces.push({ ...row, keys: row?.keys.length, steps: row?.steps.map((step) => ({ ...step, ms: 0 })) })
  }
  expect(traces[0]).toEqual(traces[1])
  expect(traces[0]).toMatchObject({ result: 'succeeded', clientId: 'shop', keys: 1 })
})

test('a proof of a key binds the tokens of a code, by the library', async () => {
  const DPoP = client.getDPoPHandle(shop, await client.randomDPoPKeyPair())
  const { url, checks } = await buildAuthorizationRequest({ scope: 'openid email' })
  const redirected = await followAuthorization(browsers.eve, url)
  const tokens = await client.authorizationCodeGrant(shop, redirected, checks, undefined, { DPoP })
  expect(tokens.token_type).toBe('dpop')
})
