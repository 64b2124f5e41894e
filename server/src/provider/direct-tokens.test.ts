import fc from 'fast-check'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { issuePersonalToken } from '../personal-tokens/test-personal-token.ts'
import { personalTokenForm } from '../prefixed-token.ts'
import { startTestService } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { createSender, readOutcome } from './test-both-ways.ts'
import { basic, formType, moveToFormerTable, post, shopSecret, shopSettings, startShop } from './test-shop.ts'

// Introspection and user info, of the direct handlers and of the library: the same requests have the same responses.

const { service, shop, signIn, signInToShop, buildAuthorizationRequest, followAuthorization } = await startShop()
const { sql } = service
const send = createSender(service)

const requestClientToken = async (scope: string) => (await client.clientCredentialsGrant(shop, { scope })).access_token

/** The tokens, by their state. */
const tokens: Record<string, string> = {
  'an unknown one': 'u'.repeat(43),
  'an unknown personal one': personalTokenForm.generate(),
  'a short text': 'x',
  'a long text': 'y'.repeat(9000),
  'a foreign JWT': 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl',
  'an encrypted JWT': 'eyJhbGciOiJFUzI1NiJ9.a.b.c.d',
  spaces: 'two words',
  NUL: 'a\0b',
}

beforeAll(async () => {
  for (const scope of ['openid profile email', 'openid email api_vertex_core', 'openid offline_access']) {
    const { access_token, refresh_token = '' } = await signInToShop(await signIn('eve'), { scope })
    Object.assign(tokens, { [`access ${scope}`]: access_token, [`refresh ${scope}`]: refresh_token })
  }
  tokens['of the client'] = await requestClientToken('permissions.read')
  for (const scope of ['openid connections', 'openid entitlements'])
    tokens[`access ${scope}`] = (await signInToShop(await signIn('eve'), { scope })).access_token
  for (const scope of ['openid email', 'openid email api_vertex_core']) {
    const DPoP = client.getDPoPHandle(shop, await client.randomDPoPKeyPair())
    const { url, checks } = await buildAuthorizationRequest({ scope })
    const redirected = await followAuthorization(await signIn('eve'), url)
    const { access_token } = await client.authorizationCodeGrant(shop, redirected, checks, undefined, { DPoP })
    tokens[`bound to a key, ${scope}`] = access_token
  }
  // Each of these states is set by the service itself, except those that take time.
  for (const [suffix, scope] of [
    ['', 'openid email'],
    [' (JWT)', 'openid email api_vertex_core'],
  ] as const) {
    const get = async (name: 'eve' | 'dev' = 'eve') => (await signInToShop(await signIn(name), { scope })).access_token
    const revoked = await get()
    await client.tokenRevocation(shop, revoked)
    const browser = await signIn('eve')
    const ended = await signInToShop(browser, { scope })
    const signOut = await browser.open('/connect/endsession')
    await browser.submit(signOut, {})
    const spent = await signInToShop(await signIn('eve'), { scope })
    await client.refreshTokenGrant(shop, spent.refresh_token ?? '')
    Object.assign(tokens, {
      [`revoked${suffix}`]: revoked,
      [`of an ended session${suffix}`]: ended.access_token,
      [`refresh of an ended session${suffix}`]: ended.refresh_token,
      [`spent${suffix}`]: spent.refresh_token,
      [`of a disabled user${suffix}`]: await get('dev'),
    })
    const change = async (name: string, statement: (grantId: string) => Promise<unknown>) => {
      tokens[`${name}${suffix}`] = await get()
      const [row] = await sql<{ grantId: string }[]>`
        select grant_id from provider_artifacts where kind = 'AccessToken' order by (payload->>'iat')::int desc, expires_at desc limit 1`
      await statement(row?.grantId ?? '')
    }
    await change('expired', (grant) => sql`update provider_artifacts set expires_at = now() where grant_id = ${grant}`)
    await change(
      'with an unknown field',
      (grant) => sql`
      update provider_artifacts set payload = payload || '{"rar": []}' where grant_id = ${grant}`,
    )
    await change('saved by the former release', (grant) => moveToFormerTable(sql, grant))
    await change(
      'of an unknown client',
      (grant) => sql`
      update provider_artifacts set payload = payload || '{"clientId": "nobody"}' where grant_id = ${grant}`,
    )
  }
  await sql`update users set disabled_at = now() where username = 'dev'`
})

/** Expects equal responses of both ways to a request. */
async function expectSame(path: string, request: RequestInit, name: unknown) {
  const [direct, byLibrary] = [await send(path, request), await send(path, request, true)]
  expect([name, await readOutcome(direct)]).toEqual([name, await readOutcome(byLibrary)])
  return direct.status
}

const authentications: Record<string, (body: string) => RequestInit> = {
  'secret in the header': (body) => post(body),
  'secret in the form': (body) =>
    post(`${body}&${new URLSearchParams({ client_id: 'shop', client_secret: shopSecret })}`, {}),
  'another client': (body) => post(body, basic('market')),
  'a public client': (body) => post(`${body}&client_id=game`, {}),
  'no client': (body) => post(body, {}),
  'an unknown client': (body) => post(`${body}&client_id=nobody`, {}),
  'a confidential client without a secret': (body) => post(`${body}&client_id=shop`, {}),
  'both ways': (body) => post(`${body}&client_secret=x`),
  'two client ids': (body) => post(`${body}&client_id=market`),
  'an equal client id': (body) => post(`${body}&client_id=shop`),
  'an allowed origin': (body) => post(body, { ...basic('shop'), origin: 'https://shop.example' }),
  'another origin': (body) => post(body, { ...basic('shop'), origin: 'https://evil.example' }),
  'an incomplete header': (body) => post(body, { authorization: 'Basic c2hvcA==' }),
  'a header that is not base64': (body) => post(body, { authorization: 'Basic c2hvc-' }),
  'a bearer header': (body) => post(body, { authorization: 'Bearer abc' }),
  'a malformed secret': (body) => post(body, { authorization: `Basic ${btoa('shop:%zz')}` }),
  'a proof': (body) => post(body, { ...basic('shop'), dpop: 'x' }),
  'another type': (body) => post(body, { ...basic('shop'), 'content-type': 'application/json' }),
  'a charset': (body) => post(body, { ...basic('shop'), 'content-type': `${formType}; charset=utf-8` }),
}
const forms: Record<string, (token: string) => string> = {
  plain: (token) => `${new URLSearchParams({ token })}`,
  'with a hint': (token) => `${new URLSearchParams({ token, token_type_hint: 'refresh_token' })}`,
  'with a wrong hint': (token) => `${new URLSearchParams({ token, token_type_hint: 'x' })}`,
  'with an unknown parameter': (token) => `${new URLSearchParams({ token, further: '1' })}`,
  'with a repeated token': (token) => `${new URLSearchParams({ token })}&token=x`,
  'with a repeated unknown parameter': (token) => `${new URLSearchParams({ token })}&a=1&a=2`,
  'with an empty token': () => 'token=',
  empty: () => '',
  'with a malformed parameter': (token) => `${new URLSearchParams({ token })}&a=%zz`,
  'with a large parameter': (token) => `${new URLSearchParams({ token })}&a=${'a'.repeat(6000)}`,
  'with too large a parameter': (token) => `${new URLSearchParams({ token })}&a=${'a'.repeat(17000)}`,
  'with many parameters': (token) => `${new URLSearchParams({ token })}${'&a=1'.repeat(30)}`,
}
const pick = (record: Record<string, unknown>) => fc.constantFrom(...Object.keys(record))

test('introspection is the same for every state of a token', async () => {
  const statuses = new Set<string>()
  for (const [state, token] of Object.entries(tokens)) {
    for (const as of ['shop', 'market']) {
      const request = post(`${new URLSearchParams({ token })}`, basic(as))
      statuses.add(`${await expectSame('/connect/introspect', request, [state, as])}`)
    }
  }
  expect(statuses).toContain('200')
})

test('introspection is the same for every kind of request', async () => {
  const property = fc.asyncProperty(pick(tokens), pick(forms), pick(authentications), async (token, shape, as) => {
    const body = forms[shape]?.(tokens[token] ?? '') ?? ''
    await expectSame('/connect/introspect', authentications[as]?.(body) ?? {}, [token, shape, as])
  })
  await fc.assert(property, { seed: 21, numRuns: 150 })
})

test('user info is the same for every state of a token and every way to present it', async () => {
  const presentations: Record<string, (token: string) => RequestInit> = {
    header: (token) => ({ headers: { authorization: `Bearer ${token}` } }),
    'header of another case': (token) => ({ headers: { authorization: `bearer ${token}` } }),
    'POST with a header': (token) => ({ method: 'POST', headers: { authorization: `Bearer ${token}` } }),
    form: (token) => post(`${new URLSearchParams({ access_token: token })}`, {}),
    'form with a scope': (token) => post(`${new URLSearchParams({ access_token: token, scope: 'openid' })}`, {}),
    'form with a repeated token': (token) => post(`${new URLSearchParams({ access_token: token })}&access_token=x`, {}),
    'both header and form': (token) =>
      post(`${new URLSearchParams({ access_token: token })}`, { authorization: `Bearer ${token}` }),
    'an allowed origin': (token) => ({
      headers: { authorization: `Bearer ${token}`, origin: 'https://shop.example' },
    }),
    'another origin': (token) => ({ headers: { authorization: `Bearer ${token}`, origin: 'https://evil.example' } }),
    'two spaces': (token) => ({ headers: { authorization: `Bearer  ${token}` } }),
    'DPoP scheme': (token) => ({ headers: { authorization: `DPoP ${token}` } }),
    nothing: () => ({}),
    'another method': (token) => ({ method: 'PUT', headers: { authorization: `Bearer ${token}` } }),
  }
  const presentable = Object.entries(tokens).filter(([, token]) => !token.includes('\0'))
  const succeeded = new Set<string>()
  for (const [state, token] of presentable)
    if ((await expectSame('/connect/userinfo', presentations['header']?.(token) ?? {}, state)) === 200)
      succeeded.add(state)
  expect([...succeeded].sort()).toEqual([
    'access openid connections',
    'access openid email api_vertex_core',
    'access openid entitlements',
    'access openid offline_access',
    'access openid profile email',
    'saved by the former release',
    'saved by the former release (JWT)',
    'with an unknown field',
    'with an unknown field (JWT)',
  ])
  const states = fc.constantFrom(...presentable.map(([state]) => state))
  const property = fc.asyncProperty(states, pick(presentations), async (state, presentation) => {
    await expectSame('/connect/userinfo', presentations[presentation]?.(tokens[state] ?? '') ?? {}, [
      state,
      presentation,
    ])
  })
  await fc.assert(property, { seed: 22, numRuns: 120 })
})

test('requests at the same time share statements, and each gets the answer for its token', async () => {
  const others = await Promise.all(['eve', 'ada', 'max'].map(async (name) => signInToShop(await signIn(name))))
  Object.assign(tokens, Object.fromEntries(others.map(({ access_token }, index) => [`user ${index}`, access_token])))
  const presentable = Object.values(tokens).filter((token) => !token.includes('\0'))
  const requests = presentable.flatMap((token): [string, RequestInit][] => [
    ['/connect/introspect', post(`${new URLSearchParams({ token })}`)],
    ['/connect/userinfo', { headers: { authorization: `Bearer ${token}` } }],
  ])
  const ask = async ([path, request]: [string, RequestInit]) => readOutcome(await send(path, request))
  const alone = []
  for (const request of requests) alone.push(await ask(request))
  let together: unknown[] = []
  const statements = await recordStatements(sql, async () => {
    together = await Promise.all(requests.map(ask))
  })
  expect(together).toEqual(alone)
  const lookups = statements.filter((text) => text.includes('as asked'))
  expect(lookups.length).toBeLessThan(requests.length / 2)
})

test('a personal token is the same in introspection', async () => {
  const { value: token } = await issuePersonalToken(service, await service.as('eve'))
  for (const as of ['shop', 'market'])
    await expectSame('/connect/introspect', post(`${new URLSearchParams({ token })}`, basic(as)), as)
})

describe('one statement', () => {
  test.for([
    ['introspection of an access token', 'access openid profile email'],
    ['introspection of a JWT', 'access openid email api_vertex_core'],
    ['introspection of a refresh token', 'refresh openid profile email'],
    ['introspection of a token of a client', 'of the client'],
    ['introspection of a revoked token', 'revoked'],
  ])('answers %s', async ([, name = '']) => {
    const request = post(`${new URLSearchParams({ token: tokens[name] ?? '' })}`)
    const statements = await recordStatements(sql, () => send('/connect/introspect', request))
    expect(statements).toHaveLength(1)
  })

  test.for([
    ['user info with an opaque token', 'access openid profile email'],
    ['user info with a JWT', 'access openid email api_vertex_core'],
  ])('answers %s', async ([, name = '']) => {
    const request = { headers: { authorization: `Bearer ${tokens[name]}` } }
    const statements = await recordStatements(sql, () => send('/connect/userinfo', request))
    expect(statements).toHaveLength(1)
  })
})

test('a revocation by another process counts from the next request on', async () => {
  const other = await startTestService(shopSettings, { sharedWith: service })
  const token = (await signInToShop(await signIn('eve'))).access_token
  const read = async () => {
    const introspected = await send('/connect/introspect', post(`${new URLSearchParams({ token })}`))
    const userInfo = await send('/connect/userinfo', { headers: { authorization: `Bearer ${token}` } })
    return [((await introspected.json()) as { active: boolean }).active, userInfo.status]
  }
  expect(await read()).toEqual([true, 200])
  await createSender(other)('/connect/revocation', post(`${new URLSearchParams({ token })}`))
  expect(await read()).toEqual([false, 401])
})
