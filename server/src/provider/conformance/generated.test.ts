import fc from 'fast-check'
import { expect, test } from 'vitest'
import { authorize, obtainCode, obtainTokens, type Side, startBoth } from './test-both.ts'
import { expectEqual, type Outcome, readOutcome } from './test-outcome.ts'
import * as requests from './test-requests.ts'
import {
  authorizationPath,
  basic,
  challenge,
  exchangeForm,
  otherUri,
  type Parameters,
  post,
  redirectUri,
} from './test-requests.ts'

// Generated requests have the same outcome at the service and at the library.

const { service, library } = await startBoth()

/**
 * Compares two outcomes. Of several errors in a request each side finds another one first; the tables have requests with
 * one error.
 */
async function expectSame(request: (side: Side) => Promise<Response>): Promise<void> {
  const ours = await readOutcome(service.send, await request(service))
  const theirs = await readOutcome(library.send, await request(library))
  if (isError(ours) && isError(theirs)) expect(whereOf(ours)).toEqual(whereOf(theirs))
  else expectEqual(ours, theirs)
}

const isError = ({ summary }: Outcome) => /^(?:30\d|40\d)(?! code)/.test(summary)
/** Returns where an error is shown: to the client in its response mode, or to the user. */
const whereOf = ({ summary }: Outcome) => summary.replace(/\b[a-z]+_[a-z_]+\b(?<!form_post)/, 'error')

/** Returns a share of the usual number of runs, in per cent. */
const runs = (percent: number) => Math.ceil(((fc.readConfigureGlobal().numRuns ?? 100) * percent) / 100)

/** Chooses each parameter from its values; undefined leaves it out. */
const choose = (choices: Record<string, (string | undefined)[]>): fc.Arbitrary<Parameters> =>
  fc.record(Object.fromEntries(Object.entries(choices).map(([name, values]) => [name, fc.constantFrom(...values)])))

/** A text as an application may send it. NUL is refused before any endpoint. */
const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((value) => !value.includes('\0'))
const pick = (...values: (string | undefined)[]) => fc.constantFrom(...values)

const credentials = fc.record({
  header: fc.option(
    fc.oneof(
      fc.constantFrom(basic(), basic('market'), basic('shop', 'wrong'), basic('game', ''), basic('nobody')),
      fc.record({ authorization: fc.base64String().map((value) => `Basic ${value}`) }),
      fc.record({ authorization: fc.constantFrom('Bearer x', 'Basic', 'basic  x', 'DPoP x') }),
    ),
    { freq: 3, nil: {} },
  ),
  client_id: pick(undefined, undefined, 'shop', 'game', 'nobody', ''),
  client_secret: pick(undefined, undefined, requests.secret, 'wrong', ''),
})
type Credentials = typeof credentials extends fc.Arbitrary<infer Value> ? Value : never
const authenticate = ({ header, ...form }: Credentials, body: Parameters) => post({ ...body, ...form }, { ...header })

test('requests for codes', async () => {
  const choices = choose({
    client_id: ['shop', 'shop', 'plain', 'asking', 'nagging', 'native', 'nobody', '', undefined],
    redirect_uri: [
      redirectUri,
      redirectUri,
      otherUri,
      'com.example.native:/callback',
      `${redirectUri}#x`,
      '',
      undefined,
    ],
    response_type: ['code', 'code', 'code', 'token', 'code id_token', 'none', '', undefined],
    response_mode: [undefined, undefined, 'query', 'fragment', 'form_post', 'x', ''],
    scope: ['openid', 'openid email', 'email', 'openid orders.read', 'openid offline_access', 'a"', '', undefined],
    code_challenge: [challenge, challenge, 'short', '', undefined],
    code_challenge_method: ['S256', 'S256', 'plain', '', undefined],
    nonce: ['n', '', undefined],
    prompt: [undefined, undefined, 'none', 'login', 'consent', 'none consent', 'x', ''],
    max_age: [undefined, undefined, '0', '3600', '-1', 'x', ''],
    resource: [undefined, undefined, requests.orders, 'https://none.example', 'x', ''],
    request: [undefined, undefined, undefined, 'x', ''],
  })
  const request = fc.record({ choices, state: fc.option(text, { nil: undefined }), isStranger: fc.boolean() })
  const property = fc.asyncProperty(request, async ({ choices, state, isStranger }) => {
    // The library says that the mode is wrong for the type, which is not supported in any mode.
    fc.pre(choices['response_mode'] !== 'query' || !choices['response_type']?.includes('token'))
    const path = authorizationPath({ ...choices, state })
    await expectSame((side) => authorize(side, path, isStranger ? { browser: side.createBrowser() } : {}))
  })
  await fc.assert(property)
})

test('requests for codes with any text as a parameter', async () => {
  const usual = Object.fromEntries(new URL(authorizationPath(), 'http://x').searchParams)
  const name = fc.constantFrom(...Object.keys(usual))
  const property = fc.asyncProperty(name, text, async (name, value) => {
    await expectSame((side) => authorize(side, authorizationPath({ [name]: value })))
    // Without the parameter, the header names the client of a pushed request.
    if (name !== 'client_id') await expectSame((side) => side.send('/connect/par', post({ ...usual, [name]: value })))
  })
  await fc.assert(property, { numRuns: runs(60) })
})

test('requests for tokens', async () => {
  const choices = choose({
    grant_type: ['authorization_code', 'authorization_code', 'refresh_token', 'client_credentials', 'x', '', undefined],
    code: ['own', 'own', 'x', '', undefined],
    refresh_token: ['own', 'own', 'x', '', undefined],
    redirect_uri: [redirectUri, redirectUri, otherUri, '', undefined],
    code_verifier: [requests.verifier, requests.verifier, 'w'.repeat(43), 'short', '', undefined],
    scope: [undefined, 'openid', 'openid profile', 'permissions.read', 'a"', ''],
    resource: [undefined, undefined, requests.orders, 'x', ''],
  })
  const property = fc.asyncProperty(choices, credentials, async (form, credentials) => {
    await expectSame(async (side) => {
      const browser = await side.signIn('eve')
      const code = form['code'] === 'own' ? await obtainCode(side, {}, browser) : form['code']
      const refreshes = form['grant_type'] === 'refresh_token' && form['refresh_token'] === 'own'
      const { refresh_token } = refreshes ? await obtainTokens(side, undefined, browser) : form
      return side.send(
        '/connect/token',
        authenticate(credentials, { ...exchangeForm(''), ...form, code, refresh_token }),
      )
    })
  })
  await fc.assert(property, { numRuns: runs(80) })
})

const scopes = new Map([
  ['own', 'openid email'],
  ['of the API', 'openid api_vertex_core'],
])

test('requests about tokens', async () => {
  const request = fc.record({
    path: fc.constantFrom('/connect/introspect', '/connect/revocation'),
    token: fc.oneof(fc.constantFrom('own', 'own', 'of the API', ''), text),
    token_type_hint: pick(undefined, 'access_token', 'refresh_token', 'x', ''),
  })
  const property = fc.asyncProperty(request, credentials, async ({ path, token, ...form }, credentials) => {
    await expectSame(async (side) => {
      const scope = scopes.get(token)
      // The library keeps no more than 1,000 sessions and tokens.
      const value = scope ? (await obtainTokens(side, scope, await side.signIn('eve'))).access_token : token
      return side.send(path, authenticate(credentials, { ...form, token: value }))
    })
  })
  await fc.assert(property)
})
