import fc from 'fast-check'
import { calculateJwkThumbprint, decodeJwt, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { startTestService } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { basic, moveToFormerTable, post, redirectUri, shopSecret, shopSettings, startShop } from './test-shop.ts'
import { createChallenge, createProof, requestTokens, type TokenOutcome } from './test-tokens.ts'

/** A client whose library does not send PKCE, and whose users consent to nothing. */
const plain = {
  clientId: 'plain',
  clientName: 'Plain',
  clientSecret: shopSecret,
  redirectUris: ['https://plain.example/callback'],
  pkce: 'optional',
  consent: 'skip',
}
const { service, signIn, followAuthorization } = await startShop({}, {}, [plain])
const { sql } = service
const browsers = { eve: await signIn('eve'), dev: await signIn('dev') }
const gameUri = 'https://game.example/callback'

interface Code {
  grantId: string
  body: URLSearchParams
}

/** Obtains a code in a browser that is signed in. */
async function obtainCode(
  parameters: Record<string, string> = {},
  { clientId = 'shop', uri = redirectUri, browser = browsers.eve, hasChallenge = true } = {},
): Promise<Code> {
  const challenge = createChallenge()
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: uri,
    response_type: 'code',
    scope: 'openid email',
    nonce: 'n',
    ...(hasChallenge && challenge.parameters),
    ...parameters,
  })
  const url = await followAuthorization(browser, `${service.url}/connect/authorize?${query}`)
  const [row] = await sql<{ grantId: string }[]>`
    select grant_id from provider_artifacts where kind = 'AuthorizationCode' order by expires_at desc limit 1`
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: url.searchParams.get('code') ?? '',
    redirect_uri: uri,
    ...(hasChallenge && { code_verifier: challenge.verifier }),
  })
  return { grantId: row?.grantId ?? '', body }
}

const request = (init: RequestInit) => requestTokens(service, init)
const exchange = ({ body }: Code, headers?: Record<string, string>) => request(post(body, headers))
const refresh = (token = '') => request(post({ grant_type: 'refresh_token', refresh_token: token }))
const isSpent = async ({ grantId }: Code) => {
  const [row] = await sql<{ isSpent: boolean }[]>`
    select consumed_at is not null as is_spent from provider_artifacts
    where kind = 'AuthorizationCode' and grant_id = ${grantId} order by expires_at desc limit 1`
  return row?.isSpent
}

describe('the exchange of a code', () => {
  it.for([
    ['openid profile email', 'openid profile email'],
    ['openid email api_vertex_core', 'openid email api_vertex_core'],
    ['openid', 'openid'],
    // Offline access takes a question to the user.
    ['openid offline_access', 'openid'],
    ['openid connections profile', 'openid profile connections'],
  ] as const)('for the scope %s has tokens for %s', async ([requested, granted]) => {
    const tokens = await exchange(await obtainCode({ scope: requested }, { browser: await signIn('eve') }))
    expect(tokens).toMatchObject({ status: 200, token_type: 'Bearer', refresh_token: expect.any(String) })
    expect(tokens.scope?.split(' ').sort()).toEqual(granted.split(' ').sort())
    expect(tokens.headers.get('cache-control')).toBe('no-store')
    const isForApi = requested.includes('api_vertex_core')
    expect(tokens.access_token?.split('.')).toHaveLength(isForApi ? 3 : 1)
    const claims = decodeJwt(tokens.id_token ?? '')
    expect(claims).toMatchObject({ aud: 'shop', azp: 'shop', nonce: 'n', amr: ['pwd'], sid: expect.any(String) })
    expect('email' in claims).toBe(isForApi && requested.includes('email'))
  })

  const state = (change: object) => async (code: Code) => {
    await sql`update provider_artifacts set payload = payload || ${sql.json(change as never)} where grant_id = ${code.grantId}`
  }
  const spent = (seconds: number) => async (code: Code) => {
    await sql`
      update provider_artifacts set consumed_at = now() - make_interval(secs => ${seconds})
      where grant_id = ${code.grantId} and kind = 'AuthorizationCode'`
  }
  const refusals: [string, (code: Code) => Promise<unknown>, string][] = [
    [
      'has expired',
      ({ grantId }) => sql`update provider_artifacts set expires_at = now() where grant_id = ${grantId}`,
      'invalid_grant',
    ],
    ['was spent a second ago', spent(1), 'invalid_grant'],
    ['was spent four seconds ago', spent(4), 'invalid_grant'],
    ['is that of another client', state({ clientId: 'market' }), 'invalid_grant'],
    ['is bound to a key', state({ dpopJkt: 'abc' }), 'invalid_grant'],
    ['is for a removed API', state({ resource: 'https://gone.example' }), 'invalid_target'],
  ]
  it.for(refusals)('is refused if the code %s', async ([, change, error]) => {
    const code = await obtainCode({ scope: 'openid email api_vertex_core' }, { browser: await signIn('eve') })
    await change(code)
    expect(await exchange(code)).toMatchObject({ status: 400, error })
  })

  it('accepts a code of the release before, and one with an unknown field', async () => {
    for (const change of [state({ further: 1 }), ({ grantId }: Code) => moveToFormerTable(sql, grantId)]) {
      const code = await obtainCode()
      await change(code)
      expect(await exchange(code)).toMatchObject({ status: 200 })
    }
  })

  it('takes the first of several APIs, and any of them that the request names', async () => {
    const audience = `${service.url}/passport`
    const several = state({ resource: [audience, 'https://other.example'] })
    const scope = 'openid email api_vertex_core'
    for (const resource of [undefined, audience]) {
      const code = await obtainCode({ scope })
      await several(code)
      if (resource) code.body.set('resource', resource)
      const { access_token = '' } = await exchange(code)
      expect(decodeJwt(access_token)).toMatchObject({ aud: audience, scope })
    }
  })

  const ends: [string, () => Promise<unknown>][] = [
    ['session', () => sql`delete from provider_artifacts where kind = 'Session'`],
    ['grant', () => sql`delete from provider_artifacts where kind = 'Grant'`],
    ['user', () => sql`update users set disabled_at = now() where username = 'dev'`],
  ]
  it.for(ends)('is refused after the end of its %s', async ([, end]) => {
    const code = await obtainCode({}, { browser: await signIn('dev') })
    await end()
    const outcome = await exchange(code)
    await sql`update users set disabled_at = null where username = 'dev'`
    browsers.eve = await signIn('eve')
    expect(outcome).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await isSpent(code)).not.toBe(true)
  })

  const without = (body: URLSearchParams, name: string) => {
    body.delete(name)
    return body
  }
  const requests: [string, (body: URLSearchParams) => RequestInit, number, string | undefined][] = [
    [
      'the secret in the form',
      (body) => post(`${body}&client_id=shop&client_secret=${encodeURIComponent(shopSecret)}`, {}),
      200,
      undefined,
    ],
    ['a wrong secret', (body) => post(body, basic('shop', 'wrong')), 401, 'invalid_client'],
    ['no client', (body) => post(body, {}), 400, 'invalid_request'],
    ['another client', (body) => post(body, basic('market')), 400, 'invalid_grant'],
    ['a public client', (body) => post(`${body}&client_id=game`, {}), 400, 'invalid_grant'],
    ['another redirect URI', (body) => post(`${body}`.replace('callback', 'other')), 400, 'invalid_grant'],
    ['no redirect URI', (body) => post(without(body, 'redirect_uri')), 400, 'invalid_request'],
    ['no verifier', (body) => post(without(body, 'code_verifier')), 400, 'invalid_grant'],
    [
      'another verifier',
      (body) => post(`${without(body, 'code_verifier')}&code_verifier=${'x'.repeat(43)}`),
      400,
      'invalid_grant',
    ],
    ['a short verifier', (body) => post(`${without(body, 'code_verifier')}&code_verifier=x`), 400, 'invalid_request'],
    [
      'a long verifier',
      (body) => post(`${without(body, 'code_verifier')}&code_verifier=${'x'.repeat(129)}`),
      400,
      'invalid_request',
    ],
    [
      'a verifier of other characters',
      (body) => post(`${without(body, 'code_verifier')}&code_verifier=${'%2B'.repeat(50)}`),
      400,
      'invalid_request',
    ],
    ['no code', (body) => post(without(body, 'code')), 400, 'invalid_request'],
    ['an empty code', (body) => post(`${without(body, 'code')}&code=`), 400, 'invalid_request'],
    ['another code', (body) => post(`${without(body, 'code')}&code=${'x'.repeat(43)}`), 400, 'invalid_grant'],
    ['a scope', (body) => post(`${body}&scope=openid`), 200, undefined],
    ['a malformed scope', (body) => post(`${body}&scope=%22`), 200, undefined],
    [
      'a resource that was not granted',
      (body) => post(`${body}&resource=https%3A%2F%2Fother.example`),
      400,
      'invalid_target',
    ],
    [
      'two resources',
      (body) => post(`${body}&resource=https%3A%2F%2Fa.example&resource=https%3A%2F%2Fb.example`),
      400,
      'invalid_target',
    ],
    ['a repeated code', (body) => post(`${body}&code=x`), 400, 'invalid_request'],
    ['a repeated grant type', (body) => post(`${body}&grant_type=x`), 400, 'invalid_request'],
    [
      'another grant type',
      (body) => post(`${without(body, 'grant_type')}&grant_type=password`),
      400,
      'unsupported_grant_type',
    ],
    ['no grant type', (body) => post(without(body, 'grant_type')), 400, 'invalid_request'],
    [
      'a grant type that the client does not have',
      (body) => post(`${without(body, 'grant_type')}&grant_type=client_credentials`, basic('market')),
      400,
      'unauthorized_client',
    ],
    ['an unknown parameter', (body) => post(`${body}&further=1`), 200, undefined],
    ['an empty parameter', (body) => post(`${body}&further=`), 200, undefined],
    ['a malformed proof', (body) => post(body, { ...basic(), dpop: 'x' }), 400, 'invalid_dpop_proof'],
    ['an allowed origin', (body) => post(body, { ...basic(), origin: 'https://shop.example' }), 200, undefined],
    ['another origin', (body) => post(body, { ...basic(), origin: 'https://evil.example' }), 400, 'invalid_request'],
    [
      'JSON',
      (body) => post(JSON.stringify(Object.fromEntries(body)), { ...basic(), 'content-type': 'application/json' }),
      400,
      'invalid_request',
    ],
  ]
  it.for(requests)('with %s', async ([, change, status, error]) => {
    const code = await obtainCode()
    const outcome = await request(change(new URLSearchParams(code.body)))
    expect([outcome.status, outcome.error]).toEqual([status, error])
    if (error !== undefined) expect(outcome.error_description).toEqual(expect.any(String))
    // A refused request spends nothing.
    expect(await isSpent(code)).toBe(status === 200)
    if (status !== 200) expect(await exchange(code)).toMatchObject({ status: 200 })
  })

  it.for([
    ['no challenge', false, undefined, 200],
    ['a verifier without a challenge', false, 'v'.repeat(43), 400],
    ['its challenge', true, undefined, 200],
  ] as const)('of a client without PKCE with %s', async ([, hasChallenge, verifier, status]) => {
    const code = await obtainCode({}, { clientId: 'plain', uri: 'https://plain.example/callback', hasChallenge })
    if (verifier !== undefined) code.body.set('code_verifier', verifier)
    expect(await exchange(code, basic('plain'))).toMatchObject({ status })
  })

  it('that is repeated later than 3 s after the first ends the grant, and is refused in any case', async () => {
    const steps = fc.array(fc.constantFrom('exchange', 'exchange', 'four seconds later', 'refresh'), {
      minLength: 2,
      maxLength: 5,
    })
    const scopes = fc.constantFrom('openid email', 'openid api_vertex_core')
    const property = fc.asyncProperty(scopes, steps, async (scope, names) => {
      const code = await obtainCode({ scope }, { browser: await signIn('eve') })
      let [isExchanged, isLate, hasEnded] = [false, false, false]
      let refreshToken: string | undefined
      for (const name of names) {
        let outcome: TokenOutcome | undefined
        let isAccepted = false
        if (name === 'four seconds later') {
          await sql`
            update provider_artifacts set consumed_at = consumed_at - interval '4 seconds'
            where grant_id = ${code.grantId} and kind = 'AuthorizationCode'`
          isLate = isExchanged
        } else if (name === 'exchange') {
          outcome = await exchange(code)
          isAccepted = !isExchanged
          hasEnded ||= isExchanged && isLate
          isExchanged = true
        } else {
          outcome = await refresh(refreshToken ?? 'none')
          isAccepted = refreshToken !== undefined && !hasEnded
        }
        if (!outcome) continue
        expect([name, outcome.status, outcome.error]).toEqual([
          name,
          ...(isAccepted ? [200, undefined] : [400, 'invalid_grant']),
        ])
        refreshToken = outcome.refresh_token ?? refreshToken
      }
    })
    await fc.assert(property, { numRuns: 10 })
  })

  it('has one winner of 16 at once, also by two processes', async () => {
    const other = await startTestService(shopSettings, { sharedWith: service })
    for (const scope of ['openid email', 'openid api_vertex_core']) {
      const { body } = await obtainCode({ scope })
      const startedAt = performance.now()
      const outcomes = await Promise.all(
        Array.from({ length: 16 }, (_, index) => requestTokens(index % 2 ? other : service, post(body))),
      )
      expect(outcomes.filter(({ error }) => error === undefined)).toHaveLength(1)
      expect(outcomes.filter(({ error }) => error === 'invalid_grant')).toHaveLength(15)
      // A code that is presented more than 3 seconds later counts as stolen, which takes a slow machine here.
      if (performance.now() - startedAt >= 3000) continue
      expect(await refresh(outcomes.find(({ refresh_token }) => refresh_token)?.refresh_token)).toMatchObject({
        status: 200,
      })
    }
  })

  it('takes two statements, and is traced', async () => {
    // The statements are recorded three times.
    const codes = [await obtainCode(), await obtainCode(), await obtainCode()]
    const statements = await recordStatements(sql, async () => {
      const code = codes.pop()
      expect(code && (await exchange(code))).toMatchObject({ status: 200 })
    })
    expect(statements).toHaveLength(2)
    const refused = await obtainCode()
    await exchange(refused, basic('market'))
    // A refusal of the client's own code names its user.
    const elsewhere = new URLSearchParams(refused.body)
    elsewhere.set('redirect_uri', 'https://shop.example/other')
    await exchange({ ...refused, body: elsewhere })
    await service.services.traces.flush()
    const traces = await sql<{ steps: { name: string; isFailed: boolean }[] }[]>`
      select result, reason, client_id, cardinality(keys) as key_count, user_id is not null as has_user, steps
      from sign_in_traces where kind = 'token' order by at desc, id desc limit 3`
    expect(traces).toMatchObject([
      { result: 'failed', reason: 'invalid_grant', clientId: 'shop', keyCount: 1, hasUser: true },
      { result: 'failed', reason: 'invalid_grant', clientId: 'market', keyCount: 1, hasUser: false },
      { result: 'succeeded', clientId: 'shop', keyCount: 1, hasUser: true },
    ])
    expect(traces.map(({ steps }) => steps.map(({ name }) => name))).toEqual([
      ['request-received', 'client-authenticated', 'grant-checked'],
      ['request-received', 'client-authenticated', 'grant-checked'],
      ['request-received', 'client-authenticated', 'grant-checked', 'tokens-issued'],
    ])
  })
})

describe('a proof of a DPoP key', async () => {
  const [keys, otherKeys] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')]
  const jkt = await calculateJwkThumbprint(await exportJWK(keys.publicKey))
  const prove = async (claims?: Record<string, unknown>, pair = keys) => ({
    ...basic(),
    dpop: await createProof(service, pair, claims),
  })

  it('binds the access token, and the refresh token only of a public client', async () => {
    const scope = 'openid api_vertex_core'
    const tokens = await exchange(await obtainCode({ scope }), await prove())
    expect(tokens).toMatchObject({ status: 200, token_type: 'DPoP' })
    expect(decodeJwt(tokens.access_token ?? '')).toMatchObject({ cnf: { jkt } })
    expect(await refresh(tokens.refresh_token)).toMatchObject({ status: 200, token_type: 'Bearer' })

    const { body } = await obtainCode({ scope }, { clientId: 'game', uri: gameUri })
    body.set('client_id', 'game')
    const publicTokens = await request(post(body, { dpop: await createProof(service, keys) }))
    const form = { grant_type: 'refresh_token', refresh_token: publicTokens.refresh_token ?? '', client_id: 'game' }
    const refusal = { status: 400, error: 'invalid_grant' }
    expect(await request(post(form, {}))).toMatchObject(refusal)
    expect(await request(post(form, { dpop: await createProof(service, otherKeys) }))).toMatchObject(refusal)
    expect(await request(post(form, { dpop: await createProof(service, keys) }))).toMatchObject({ token_type: 'DPoP' })
  })

  it.for([
    ['of another key', { dpop_jkt: jkt }, undefined, otherKeys, 'invalid_grant'],
    ['for another URL', {}, { htu: 'https://other.example/connect/token' }, keys, 'invalid_dpop_proof'],
    ['for another method', {}, { htm: 'GET' }, keys, 'invalid_dpop_proof'],
    ['of the key that the authorization request names', { dpop_jkt: jkt }, undefined, keys, undefined],
  ] as const)('%s', async ([, parameters, claims, pair, error]) => {
    const code = await obtainCode({ ...parameters } as Record<string, string>)
    const outcome = await exchange(code, await prove(claims, pair))
    expect(outcome.error).toBe(error)
    expect(await isSpent(code)).toBe(error === undefined)
  })

  it('is required for a code that is bound to a key', async () => {
    expect(await exchange(await obtainCode({ dpop_jkt: jkt }))).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  it('is accepted once, and takes one statement more', async () => {
    const proof = { jti: crypto.randomUUID() }
    const [first, second] = [await obtainCode(), await obtainCode()]
    expect(await exchange(first, await prove(proof))).toMatchObject({ status: 200 })
    expect(await exchange(second, await prove(proof))).toMatchObject({ status: 400, error: 'invalid_dpop_proof' })
    expect(await isSpent(second)).toBe(false)
    const codes = [await obtainCode(), await obtainCode(), second]
    const headers = [await prove(), await prove(), await prove()]
    const statements = await recordStatements(sql, async () => {
      const code = codes.pop()
      expect(code && (await exchange(code, headers.pop()))).toMatchObject({ status: 200 })
    })
    expect(statements).toHaveLength(3)
  })
})
