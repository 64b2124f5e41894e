import {
  compareRows,
  obtainCode,
  obtainTokens,
  requestOwnToken,
  type Side,
  startBoth,
  type Tokens,
} from './test-both.ts'
import { methodRows } from './test-client-rows.ts'
import { createProofKey, type ProofChanges, type ProofKey } from './test-proof.ts'
import { basic, exchangeForm, post } from './test-requests.ts'

// User info (OpenID Connect Core, section 5.3), bearer tokens (RFC 6750) and proofs of a key (RFC 9449, section 7).

const both = await startBoth()
const path = '/connect/userinfo'
const [key, otherKey] = [await createProofKey(), await createProofKey()]

const authorize =
  (scheme: string, others: Record<string, string> = {}) =>
  (token: string) => ({
    headers: { authorization: `${scheme} ${token}`, ...others },
  })
const bearer = authorize('Bearer')
const bearerOf = (origin: string) => authorize('Bearer', { origin })
const inForm = (token: string, others = '') => post(`access_token=${token}${others}`, {})
/** Presents a token of the shop. */
const present =
  (scope: string, toInit: (token: string, tokens: Tokens) => RequestInit = bearer, suffix = '') =>
  async (side: Side) => {
    const tokens = await obtainTokens(side, scope)
    return side.send(path + suffix, toInit(tokens.access_token, tokens))
  }
const presentText =
  (authorization: string) =>
  ({ send }: Side) =>
    send(path, { headers: { authorization } })
/** Presents a token after the end of what it depends on. */
const presentAfter = (end: 'revoke' | 'signOut') => async (side: Side) => {
  const browser = await side.signIn('eve')
  const { access_token: token } = await obtainTokens(side, 'openid', browser)
  await (end === 'signOut' ? side.signOut(browser) : side.send('/connect/revocation', post({ token })))
  return side.send(path, bearer(token))
}

/** Obtains a token that is bound to the key. */
async function obtainBound(side: Side): Promise<string> {
  const proof = await key.prove('POST', `${side.issuer}/connect/token`)
  const form = exchangeForm(await obtainCode(side))
  const response = await side.send('/connect/token', post(form, { ...basic(), ...proof }))
  return ((await response.json()) as Tokens).access_token
}
interface Changes extends ProofChanges {
  by?: ProofKey
  /** The path of the proof. */
  for?: string
  method?: string
  scheme?: string
  isBound?: boolean
}
/** Presents a bound token with a proof. */
const prove =
  ({ by = key, for: proven = path, method = 'GET', scheme = 'DPoP', isBound = true, ...changes }: Changes = {}) =>
  async (side: Side) => {
    const token = isBound ? await obtainBound(side) : (await obtainTokens(side)).access_token
    const proof = await by.prove(method, side.issuer + proven, { token, ...changes })
    return side.send(path, authorize(scheme, proof)(token))
  }
async function proveTwice(side: Side): Promise<Response> {
  const token = await obtainBound(side)
  const request = authorize('DPoP', await key.prove('GET', side.issuer + path, { token }))(token)
  await side.send(path, request)
  return side.send(path, request)
}
/** Presents a bound token in some other way. */
const presentBound = (toInit: (token: string) => RequestInit) => async (side: Side) =>
  side.send(path, toInit(await obtainBound(side)))

const [ok, badRequest] = ['200', '400 invalid_request']
const [badToken, badProof] = ['401 invalid_token', '401 invalid_dpop_proof']
const own = 'permissions.read'
const ownOrigin = 'https://shop.example'
const preflight = {
  origin: ownOrigin,
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'authorization',
}

compareRows(both, 'user info', [
  ...methodRows(path, ['PUT', 'DELETE']),
  ['has the subject', ok, present('openid')],
  ['has the profile', ok, present('openid profile')],
  ['has the email address', ok, present('openid email')],
  ['has the claims of all scopes', ok, present('openid profile email')],
  ['has the claims for offline access', ok, present('openid profile offline_access')],
  ['has the claims of the scope parameter', ok, present('openid profile email', bearer, '?scope=openid%20email')],
  ['reads the scheme in another letter case', ok, present('openid', authorize('bEARER'))],
  ['accepts POST with the header', ok, present('openid', (token) => ({ method: 'POST', ...bearer(token) }))],
  ['accepts the token in the form', ok, present('openid', (token) => inForm(token))],
  ["accepts a token of Passport's API", ok, present('openid email api_vertex_core')],
  ['lets pages of the client read the response', ok, present('openid', bearerOf(ownOrigin))],
  ['refuses pages of others', badRequest, present('openid', bearerOf('https://evil.example'))],
  ['lets pages of other clients read the response', ok, present('openid', bearerOf('https://game.example'))],
  ['allows pages to send requests', '204', ({ send }) => send(path, { method: 'OPTIONS', headers: preflight })],
  ['answers HEAD', ok, present('openid', (token) => ({ method: 'HEAD', ...bearer(token) }))],
  ['refuses a token in the query', badRequest, present('openid', () => ({}), '?access_token=x')],
  ['refuses header and form', badRequest, present('openid', (token) => ({ ...inForm(token), ...bearer(token) }))],
  ['refuses a repeated token', badRequest, present('openid', (token) => inForm(token, '&access_token=x'))],
  ['requires a token', badToken, ({ send }) => send(path)],
  ['requires a token in the form', badToken, ({ send }) => send(path, post({}, {}))],
  ['refuses another scheme', badRequest, presentText('Basic abc')],
  ['refuses a scheme without a token', badRequest, presentText('Bearer')],
  ['refuses two spaces', badRequest, presentText('Bearer  abc')],
  ['refuses an unknown token', badToken, presentText(`Bearer ${'x'.repeat(43)}`)],
  ['refuses a foreign JWT', badToken, presentText('Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln')],
  ['refuses a refresh token', badToken, present('openid', (_, { refresh_token }) => bearer(refresh_token))],
  ['refuses an ID token', badToken, present('openid', (_, { id_token }) => bearer(id_token))],
  ['refuses a token of a client', badToken, async (side) => side.send(path, bearer(await requestOwnToken(side, own)))],
  ['refuses a token of another API', badToken, present('openid orders.read')],
  ['refuses a token without openid', '403 insufficient_scope', present('email')],
  ['refuses a further scope parameter', '403 insufficient_scope', present('openid email', bearer, '?scope=profile')],
  ['refuses a revoked token', badToken, presentAfter('revoke')],
  ['refuses a token of an ended session', badToken, presentAfter('signOut')],

  ['accepts a proof of the key', ok, prove()],
  ['accepts a proof 240 s old', ok, prove({ ageSeconds: 240 })],
  ['ignores the query of the URL of a proof', ok, prove({ for: `${path}?x#y` })],
  ['refuses a proof 310 s old', badProof, prove({ ageSeconds: 310 })],
  ['refuses a proof 60 s ahead', badProof, prove({ ageSeconds: -60 })],
  ['refuses a proof without a time', badProof, prove({ claims: { iat: undefined } })],
  ['refuses a proof without an id', badProof, prove({ claims: { jti: undefined } })],
  ['refuses a proof for another method', badProof, prove({ method: 'POST' })],
  ['refuses a proof for another URL', badProof, prove({ for: '/connect/token' })],
  ['refuses a proof for another token', badProof, prove({ token: 'x' })],
  ['refuses a proof without a token', badProof, prove({ claims: { ath: undefined } })],
  ['refuses a proof of another type', badProof, prove({ header: { typ: 'JWT' } })],
  ['refuses a proof that another key has signed', badProof, prove({ header: { jwk: { ...otherKey.jwk } } })],
  ['refuses a proof of another key', badToken, prove({ by: otherKey })],
  ['refuses a text as a proof', badProof, presentBound(authorize('DPoP', { dpop: 'x' }))],
  ['refuses a bound token without a proof', badToken, presentBound(bearer)],
  ['refuses a bound token of the scheme Bearer', badRequest, prove({ scheme: 'Bearer' })],
  ['refuses the scheme DPoP without a proof', badRequest, presentBound(authorize('DPoP'))],
  ['refuses a repeated proof', badProof, proveTwice],
  ['refuses a proof beside an unbound token', badToken, prove({ isBound: false })],
])
