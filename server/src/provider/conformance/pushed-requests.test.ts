import { authorize, compareRows, type Side, startBoth } from './test-both.ts'
import { clientRows } from './test-client-rows.ts'
import { createProofKey } from './test-proof.ts'
import { authorizationPath, basic, exchangeForm, otherUri, type Parameters, post } from './test-requests.ts'

// Pushed authorization requests (RFC 9126).

const both = await startBoth()
const path = '/connect/par'
const key = await createProofKey()

/** The parameters of the usual authorization request with some others. */
const usual = (changes: Parameters = {}): Parameters =>
  Object.fromEntries(new URL(authorizationPath(changes), 'http://any').searchParams)
const push =
  (changes: Parameters = {}, headers?: Record<string, string>) =>
  (side: Side) =>
    side.send(path, post(usual(changes), headers))
/** Pushes a request with a proof of the key. */
const pushBound = (changes?: Parameters) => async (side: Side) =>
  push(changes, { ...basic(), ...(await key.prove('POST', side.issuer + path)) })(side)
async function obtainUri(side: Side, changes?: Parameters, pushAs = push): Promise<string> {
  const response = await pushAs(changes)(side)
  return ((await response.json()) as { request_uri: string }).request_uri
}
/** Authorizes a pushed request, with further parameters of the request of the browser. */
const use =
  (pushed: Parameters = {}, sent: Parameters = {}, { isStranger = false } = {}) =>
  async (side: Side) => {
    const query = { client_id: 'shop', request_uri: await obtainUri(side, pushed), ...sent }
    const browser = isStranger ? side.createBrowser() : undefined
    return authorize(side, `/connect/authorize?${post(query).body}`, { browser })
  }
const [app, anyPort] = ['com.example.native:/callback', 'http://127.0.0.1:54321/callback']
const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined }
const ofPlain = { client_id: 'plain', redirect_uri: otherUri, ...withoutPkce }
const unknownUri = 'urn:ietf:params:oauth:request_uri:unknown'
const [created, badRequest, code] = ['201', '400 invalid_request', '303 code']

/** A pushed request names its client (RFC 9126, section 2.1), also where a case has none. */
const withoutName = new Set([
  'refuses an unknown client in Basic',
  'refuses Basic of a public client',
  'refuses a request without a client',
  'takes an empty client_id for none',
  'ignores client_id in the query',
])
const ofClients = clientRows({ path, form: async () => usual(), success: created })

compareRows(
  both,
  'clients',
  ofClients.filter(([rule]) => !withoutName.has(rule)),
)

compareRows(both, 'pushed requests', [
  ['accepts a request', created, push()],
  ['accepts a request that names its client in the header alone', created, push({ client_id: undefined })],
  ['accepts a request for an API', created, push({ scope: 'openid orders.read' })],
  ['accepts a request of a public client', created, push({ client_id: 'native', redirect_uri: app }, {})],
  ['accepts a request of an app at any port', created, push({ client_id: 'native', redirect_uri: anyPort }, {})],
  ['accepts a request without PKCE', created, push(ofPlain, basic('plain'))],
  ['accepts a request with prompt=none', created, push({ prompt: 'none' })],
  ['refuses a pushed URI', '400 request_uri_not_supported', push({ request_uri: unknownUri })],
  ['refuses a request object', '400 request_not_supported', push({ request: 'x.y.z' })],
  ['refuses a registration', '400 registration_not_supported', push({ registration: '{}' })],
  ['requires a redirect URI', badRequest, push({ redirect_uri: undefined })],
  ['refuses another redirect URI', badRequest, push({ redirect_uri: otherUri })],
  ['requires a response type', badRequest, push({ response_type: undefined })],
  ['refuses another response type', '400 unsupported_response_type', push({ response_type: 'token' })],
  ['refuses another response mode', '400 unsupported_response_mode', push({ response_mode: 'x' })],
  ['requires a challenge', badRequest, push(withoutPkce)],
  ['refuses a plain challenge', badRequest, push({ code_challenge_method: 'plain' })],
  ['refuses a malformed scope', '400 invalid_scope', push({ scope: 'a"b' })],
  ['refuses an unknown resource', '400 invalid_target', push({ resource: 'https://none.example' })],
  ['refuses an unknown prompt', badRequest, push({ prompt: 'x' })],
  ['refuses a malformed age', badRequest, push({ max_age: 'x' })],
  ['refuses a malformed ID token', badRequest, push({ id_token_hint: 'x' })],
  ['refuses a repeated state', badRequest, ({ send }) => send(path, post('client_id=shop&state=x&state=y'))],
  ['refuses a client of other grants', '400 unauthorized_client', push({ client_id: 'tv' }, {})],

  ['leads to a code', code, use()],
  ['leads to a code by the fragment', '303 code fragment', use({ response_mode: 'fragment' })],
  ['leads to a code by a form', '200 code form_post', use({ response_mode: 'form_post' })],
  ['ignores further parameters of the browser', code, use({}, { scope: 'openid', state: 'x', prompt: 'login' })],
  ['ignores a resource of the browser', code, use({}, { resource: 'https://none.example' })],
  ['asks a stranger to sign in', 'sign-in', use({}, {}, { isStranger: true })],
  ['asks to sign in again', 'sign-in', use({ prompt: 'login' })],
  ['refuses a stranger silently', '303 login_required', use({ prompt: 'none' }, {}, { isStranger: true })],
  ['shows a page for an unknown request', '400 page invalid_request_uri', use({}, { request_uri: unknownUri })],
  ['shows a page for the request of another client', '400 page invalid_request_uri', use({}, { client_id: 'market' })],
  ['shows a page without a client', '400 page invalid_request', use({}, { client_id: undefined })],
  [
    'refuses a request twice',
    '400 page invalid_request_uri',
    async (side) => {
      const request_uri = await obtainUri(side)
      await use({}, { request_uri })(side)
      return use({}, { request_uri })(side)
    },
  ],
  [
    'binds the code to the key of the proof',
    '400 invalid_grant',
    async (side) => {
      const request_uri = await obtainUri(side, {}, pushBound)
      const response = await use({}, { request_uri })(side)
      const bound = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? ''
      return side.send('/connect/token', post(exchangeForm(bound)))
    },
  ],
  ['refuses a proof of another key than dpop_jkt', badRequest, pushBound({ dpop_jkt: 'x'.repeat(43) })],
  ['refuses a text as a proof', '400 invalid_dpop_proof', push({}, { ...basic(), dpop: 'x' })],
])
