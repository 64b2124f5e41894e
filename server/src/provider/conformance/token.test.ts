import { compareRows, obtainCode, obtainTokens, type Side, startBoth, type Tokens } from './test-both.ts'
import { clientRows } from './test-client-rows.ts'
import { createProofKey, type ProofChanges } from './test-proof.ts'
import { basic, exchangeForm, orders, otherUri, type Parameters, post, redirectUri, secret } from './test-requests.ts'

// The token endpoint (RFC 6749, sections 3.2 to 6), PKCE (RFC 7636), resource indicators (RFC 8707) and proofs of a key
// (RFC 9449, section 5).

const both = await startBoth()
const path = '/connect/token'
const [key, otherKey] = [await createProofKey(), await createProofKey()]
const passport = `${both.started.url}/passport`

type Headers = Record<string, string> | ((side: Side) => Promise<Record<string, string>>)
const send = async (side: Side, body: Parameters | string, headers: Headers = basic()) =>
  side.send(path, post(body, typeof headers === 'function' ? await headers(side) : headers))
/** The headers of the shop with a proof of a key. */
const prove =
  (by = key, changes: ProofChanges = {}) =>
  async (side: Side) => ({ ...basic(), ...(await by.prove('POST', side.issuer + path, changes)) })

/** Exchanges a new code, with some other parameters. */
const exchange =
  (changes: Parameters = {}, asked: Parameters = {}, headers: Headers = basic()) =>
  async (side: Side) =>
    send(side, exchangeForm(await obtainCode(side, asked), changes), headers)
/** Exchanges a code after an event. */
const exchangeAfter = (event: 'refusal' | 'exchange' | 'signOut') => async (side: Side) => {
  const browser = await side.signIn('eve')
  const form = exchangeForm(await obtainCode(side, {}, browser))
  if (event === 'signOut') await side.signOut(browser)
  else await send(side, event === 'refusal' ? { ...form, code_verifier: 'w'.repeat(43) } : form)
  return send(side, form)
}
/** Exchanges a code of another client than the shop. */
const exchangeOther = (client_id: string, changes: Parameters = {}, asked: Parameters = {}) =>
  exchange({ redirect_uri: otherUri, ...changes }, { client_id, redirect_uri: otherUri, ...asked }, basic(client_id))
const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined }

/** Uses a refresh token, with some other parameters. */
const refreshBy = (side: Side, { refresh_token }: Tokens, changes: Parameters = {}, headers?: Headers) =>
  send(side, { grant_type: 'refresh_token', refresh_token, ...changes }, headers)
/** Uses the refresh token of a new session, with some other parameters. */
const refresh =
  (changes: Parameters = {}, scope?: string, headers?: Headers) =>
  async (side: Side) =>
    refreshBy(side, await obtainTokens(side, scope, await side.signIn('eve')), changes, headers)
/** Uses a refresh token after a change of what it depends on. */
const refreshAfter =
  (change: 'signOut' | 'revoke' | 'refresh', scope = 'openid email') =>
  async (side: Side) => {
    const browser = await side.signIn('eve')
    const tokens = await obtainTokens(side, scope, browser)
    if (change === 'signOut') await side.signOut(browser)
    if (change === 'revoke') await side.send('/connect/revocation', post({ token: tokens.refresh_token }))
    const next = change === 'refresh' ? ((await (await refreshBy(side, tokens)).json()) as Tokens) : tokens
    return refreshBy(side, next)
  }
const requestOwn =
  (scope: string | undefined, changes: Parameters = {}, headers?: Headers) =>
  (side: Side) =>
    send(side, { grant_type: 'client_credentials', scope, ...changes }, headers)

const form = async () => ({ grant_type: 'client_credentials', scope: 'permissions.read' })
compareRows(both, 'clients', clientRows({ path, form, success: '200' }))

const [ok, badRequest, badGrant] = ['200', '400 invalid_request', '400 invalid_grant']
const [badScope, badTarget, badProof] = ['400 invalid_scope', '400 invalid_target', '400 invalid_dpop_proof']
const apiScope = 'openid email api_vertex_core'
const refreshForm = 'grant_type=refresh_token&refresh_token=a'
const ordersScope = 'openid orders.read'
const own = 'permissions.read'

compareRows(both, 'token', [
  ['requires a grant type', badRequest, (side) => send(side, { code: 'x' })],
  ['takes an empty grant type for none', badRequest, (side) => send(side, { grant_type: '' })],
  ['refuses an unknown grant type', '400 unsupported_grant_type', (side) => send(side, { grant_type: 'password' })],
  ['refuses the implicit grant', '400 unsupported_grant_type', (side) => send(side, { grant_type: 'implicit' })],
  ['refuses a repeated grant type', badRequest, (side) => send(side, 'grant_type=a&grant_type=b')],
  ['refuses a grant type of other clients', '400 unauthorized_client', requestOwn(own, {}, basic('market'))],
  ['refuses the client before the grant type', '401 invalid_client', (side) => send(side, {}, basic('nobody'))],

  ['exchanges a code', ok, exchange()],
  ['exchanges a code for the claims of a profile', ok, exchange({}, { scope: 'openid profile email' })],
  ['exchanges a code for openid alone', ok, exchange({}, { scope: 'openid' })],
  ['exchanges a code without a nonce', ok, exchange({}, { nonce: undefined })],
  ['exchanges a code without openid', ok, exchange({}, { scope: 'email', nonce: undefined })],
  ['exchanges a code for offline access', ok, exchange({}, { scope: 'openid offline_access', prompt: 'consent' })],
  ["exchanges a code for Passport's API", ok, exchange({}, { scope: apiScope })],
  ['exchanges a code for another API', ok, exchange({}, { scope: ordersScope })],
  ['exchanges a code for a resource', ok, exchange({}, { scope: `${ordersScope} orders.write`, resource: orders })],
  ['exchanges a code for the granted resource', ok, exchange({ resource: orders }, { scope: ordersScope })],
  ['exchanges a code for one of two APIs', ok, exchange({ resource: orders }, { scope: `${apiScope} orders.read` })],
  ['exchanges a code for the first of two APIs', ok, exchange({}, { scope: `${apiScope} orders.read` })],
  ['signs the ID token by the algorithm of the client', ok, exchangeOther('rsa')],
  ['exchanges a code by the secret in the form', ok, exchange({ client_id: 'shop', client_secret: secret }, {}, {})],
  ['ignores a scope at the exchange', ok, exchange({ scope: 'openid' })],
  ['ignores a malformed scope at the exchange', ok, exchange({ scope: 'a"b' })],
  ['ignores a further parameter', ok, exchange({ further: '1' })],
  ['refuses a resource that was not granted', badTarget, exchange({ resource: orders })],
  ['refuses an unknown resource', badTarget, exchange({ resource: 'https://none.example' }, { scope: ordersScope })],
  ['requires a code', badRequest, exchange({ code: undefined })],
  ['takes an empty code for none', badRequest, exchange({ code: '' })],
  ['refuses an unknown code', badGrant, exchange({ code: 'x'.repeat(43) })],
  ['refuses a code of other characters', badGrant, exchange({ code: 'é €' })],
  ['refuses a repeated code', badRequest, (side) => send(side, 'grant_type=authorization_code&code=a&code=b')],
  ['refuses the code of another client', badGrant, exchange({}, {}, basic('market'))],
  ['refuses the code of another client to a public one', badGrant, exchange({ client_id: 'game' }, {}, {})],
  ['requires the redirect URI', badRequest, exchange({ redirect_uri: undefined })],
  ['refuses another redirect URI', badGrant, exchange({ redirect_uri: 'https://shop.example/other' })],
  ['refuses a redirect URI with a slash more', badGrant, exchange({ redirect_uri: `${redirectUri}/` })],
  ['requires the verifier', badGrant, exchange({ code_verifier: undefined })],
  ['takes an empty verifier for none', badGrant, exchange({ code_verifier: '' })],
  ['refuses another verifier', badGrant, exchange({ code_verifier: 'w'.repeat(43) })],
  ['refuses a short verifier', badRequest, exchange({ code_verifier: 'v'.repeat(42) })],
  ['refuses a long verifier', badRequest, exchange({ code_verifier: 'v'.repeat(129) })],
  ['refuses a verifier of other characters', badRequest, exchange({ code_verifier: '+'.repeat(43) })],
  ['exchanges a code without PKCE', ok, exchangeOther('plain', { code_verifier: undefined }, withoutPkce)],
  ['refuses a verifier without a challenge', badGrant, exchangeOther('plain', {}, withoutPkce)],
  ['spends nothing for a refused exchange', ok, exchangeAfter('refusal')],
  ['refuses a code twice', badGrant, exchangeAfter('exchange')],
  ['refuses a code of an ended session', badGrant, exchangeAfter('signOut')],

  ['refreshes tokens', ok, refresh()],
  ['refreshes tokens for offline access', ok, refresh({}, 'openid offline_access')],
  ["refreshes tokens for Passport's API", ok, refresh({}, apiScope)],
  ['refreshes tokens for another API', ok, refresh({}, 'openid orders.read orders.write')],
  ['refreshes tokens for fewer scopes', ok, refresh({ scope: 'openid' }, 'openid profile email')],
  ['refreshes tokens for fewer scopes of an API', ok, refresh({ scope: 'orders.read' }, `${ordersScope} orders.write`)],
  ['refreshes tokens without an ID token', ok, refresh({ scope: 'email' }, 'openid email')],
  ['refreshes tokens for the granted resource', ok, refresh({ resource: orders }, ordersScope)],
  ['refreshes tokens by the successor', ok, refreshAfter('refresh')],
  ['refreshes tokens for offline access after the session', ok, refreshAfter('signOut', 'openid offline_access')],
  ['takes an empty scope for none', ok, refresh({ scope: '' })],
  ['refuses to refresh for a further scope', badScope, refresh({ scope: 'openid profile' }, 'openid email')],
  ['refuses to refresh for a malformed scope', badScope, refresh({ scope: 'a"b' })],
  ['refuses to refresh for another resource', badTarget, refresh({ resource: passport }, ordersScope)],
  ['requires a refresh token', badRequest, refresh({ refresh_token: undefined })],
  ['refuses an unknown refresh token', badGrant, refresh({ refresh_token: 'x'.repeat(43) })],
  ['refuses a repeated refresh token', badRequest, (side) => send(side, `${refreshForm}&refresh_token=b`)],
  ['refuses the refresh token of another client', badGrant, refresh({}, undefined, basic('market'))],
  ['refuses another refresh token to a public client', badGrant, refresh({ client_id: 'game' }, undefined, {})],
  ['refuses a revoked refresh token', badGrant, refreshAfter('revoke')],
  ['refuses a refresh token of an ended session', badGrant, refreshAfter('signOut')],
  [
    'refuses an access token as a refresh token',
    badGrant,
    async (side) => refresh({ refresh_token: (await obtainTokens(side)).access_token })(side),
  ],

  ['issues a token of a client', ok, requestOwn(own)],
  ['issues a token of a client for several scopes', ok, requestOwn(`${own} permissions.write`)],
  ['issues a token of a client for repeated scopes', ok, requestOwn(`${own} ${own}`)],
  ['issues a token of a client for a resource', ok, requestOwn(own, { resource: passport })],
  ['ignores a refresh token of another grant', ok, requestOwn(own, { refresh_token: 'x' })],
  ['requires a scope of a client', badScope, requestOwn(undefined)],
  ['refuses a scope that the client does not have', badScope, requestOwn('entitlements.write')],
  ['refuses a scope of users', badScope, requestOwn('openid')],
  ['refuses an unknown scope', badScope, requestOwn('unknown')],
  ['refuses a scope of an API that the client does not have', badScope, requestOwn('orders.read')],
  ['refuses a malformed scope of a client', badScope, requestOwn('a"b')],
  ['refuses two spaces in a scope', badScope, requestOwn(`${own}  permissions.write`)],
  ['refuses an unknown resource of a client', badTarget, requestOwn(own, { resource: 'https://none.example' })],
  ['refuses a resource of other clients', badTarget, requestOwn('closed', { resource: 'https://closed.example' })],
  ['refuses a resource that is no URI', badTarget, requestOwn(own, { resource: 'orders' })],
  ['refuses a resource with a fragment', badTarget, requestOwn(own, { resource: `${passport}#x` })],
  ['refuses an own token of a public client', '400 unauthorized_client', requestOwn(own, { client_id: 'game' }, {})],

  ['binds the tokens of a code to a key', ok, exchange({}, {}, prove())],
  ['binds the tokens of an API to a key', ok, exchange({}, { scope: apiScope }, prove())],
  ['binds the tokens of a refresh to a key', ok, refresh({}, undefined, prove())],
  ['binds the token of a client to a key', ok, requestOwn(own, {}, prove())],
  ['binds a code to a key', ok, exchange({}, { dpop_jkt: key.jkt }, prove())],
  ['refuses a bound code without a proof', badGrant, exchange({}, { dpop_jkt: key.jkt })],
  ['refuses a bound code with another key', badGrant, exchange({}, { dpop_jkt: key.jkt }, prove(otherKey))],
  ['refuses a text as a proof', badProof, exchange({}, {}, { ...basic(), dpop: 'x' })],
  ['refuses a proof that is too old', badProof, exchange({}, {}, prove(key, { ageSeconds: 310 }))],
  ['refuses a proof 60 s ahead', badProof, exchange({}, {}, prove(key, { ageSeconds: -60 }))],
  ['refuses a proof for another URL', badProof, exchange({}, {}, prove(key, { claims: { htu: both.started.url } }))],
  ['refuses a proof for another method', badProof, exchange({}, {}, prove(key, { claims: { htm: 'GET' } }))],
  [
    'refuses a repeated proof',
    badProof,
    async (side) => {
      const headers = await prove()(side)
      await requestOwn(own, {}, headers)(side)
      return requestOwn(own, {}, headers)(side)
    },
  ],
])
