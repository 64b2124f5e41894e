import { authorize, compareRows, obtainTokens, type Side, startBoth } from './test-both.ts'
import { authorizationPath, challenge, orders, otherUri, type Parameters, post, redirectUri } from './test-requests.ts'

// The authorization endpoint (RFC 6749, section 4.1; OpenID Connect Core, section 3.1.2), PKCE (RFC 7636), resource
// indicators (RFC 8707), the issuer in responses (RFC 9207) and response modes.

const both = await startBoth()
const passport = `${both.started.url}/passport`

/** Sends a request of a user with a session, or of a `stranger`, and follows it to the client or to a page. */
const ask =
  (
    changes: Parameters = {},
    { isStranger = false, suffix = '', answer = undefined as 'allow' | 'deny' | undefined } = {},
  ) =>
  (side: Side) =>
    authorize(side, authorizationPath(changes) + suffix, {
      ...(isStranger && { browser: side.createBrowser() }),
      ...(answer && { answer }),
    })
/** Sends the usual request with some text at its end. */
const append = (suffix: string, changes: Parameters = {}) => ask(changes, { suffix })
const askOther = (client_id: string, changes: Parameters = {}, options = {}) =>
  ask({ client_id, redirect_uri: otherUri, ...changes }, options)
/** Sends a request with an ID token of a user as the hint. */
const hint =
  (user: 'eve' | 'dev', changes: Parameters = {}) =>
  async (side: Side) => {
    const { id_token } = await obtainTokens(side, 'openid email', side.browsers[user])
    return ask({ id_token_hint: id_token, ...changes })(side)
  }
const askNative = (redirect_uri: string, changes: Parameters = {}, options = {}) =>
  ask({ client_id: 'native', redirect_uri, ...changes }, options)

const code = '303 code'
const [badRequest, badScope, badTarget] = ['303 invalid_request', '303 invalid_scope', '303 invalid_target']
const [badPage, badUri] = ['400 page invalid_request', '400 page invalid_redirect_uri']
const native = 'com.example.native:/callback'
const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined }
const stranger = { isStranger: true }
const [badType, allow] = ['303 unsupported_response_type fragment', { answer: 'allow' as const }]
const [none, posted] = [{ prompt: 'none' }, { response_mode: 'form_post' }]
const inFragment = { response_mode: 'fragment' }
const forged = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln'
const [, query = ''] = authorizationPath().split('?')
const asHtml = { headers: { accept: 'text/html' } }
const offline = { prompt: 'consent', scope: 'openid offline_access' }

compareRows(both, 'authorization', [
  ['issues a code', code, ask()],
  ['issues a code without a state', code, ask({ state: undefined })],
  ['issues a code without a nonce', code, ask({ nonce: undefined })],
  ['issues a code for other scopes', code, ask({ scope: 'openid profile' })],
  ['issues a code for repeated scopes', code, ask({ scope: 'email openid email' })],
  ['issues a code without openid', code, ask({ scope: 'email', nonce: undefined })],
  ['refuses a request without a scope', '303 access_denied', ask({ scope: undefined, nonce: undefined })],
  ['issues a code for an API', code, ask({ scope: 'openid api_vertex_core' })],
  ['issues a code for two APIs', code, ask({ scope: 'openid api_vertex_core orders.read' })],
  ['issues a code for a resource', code, ask({ scope: 'openid orders.read', resource: orders })],
  [
    'issues a code for two resources',
    code,
    append(`&resource=${passport}`, { scope: 'openid orders.read api_vertex_core', resource: orders }),
  ],
  ['issues a code to a client without PKCE', code, askOther('plain', withoutPkce)],
  ['returns a state of other characters', code, ask({ state: 'ä €/?#&=+%25 🙂"\\' })],
  ['returns a state of 2,048 characters', code, ask({ state: 's'.repeat(2048), nonce: 'n'.repeat(2048) })],
  ['takes empty parameters for none', code, ask({ nonce: '', prompt: '', max_age: '', resource: '', request: '' })],
  ['ignores an unknown parameter', code, ask({ further: '1' })],
  ['ignores a repeated unknown parameter', code, append('&further=1&further=2')],
  ['ignores an unknown scope', code, ask({ scope: 'openid unknown' })],
  ['ignores offline access without prompt=consent', code, ask({ scope: 'openid offline_access' })],
  ['ignores the languages and the display', code, ask({ ui_locales: 'de', display: 'popup', acr_values: 'x' })],
  ['ignores a login hint of a signed-in user', code, ask({ login_hint: 'dev' })],
  ['ignores the claims parameter', code, ask({ claims: '{"id_token":{"email":null}}' })],
  ['accepts the form of a page', code, (side) => authorize(side, '/connect/authorize', { init: post(query, {}) })],

  ['shows a page without a client', badPage, ask({ client_id: undefined })],
  ['shows a page for an unknown client', '400 page invalid_client', ask({ client_id: 'nobody' })],
  ['shows a page for a repeated client', badPage, append('&client_id=shop')],
  ['shows a page without a redirect URI', badPage, ask({ redirect_uri: undefined })],
  ['shows a page for another redirect URI', badUri, ask({ redirect_uri: 'https://shop.example/x' })],
  ['shows a page for the URI of another client', badUri, ask({ redirect_uri: otherUri })],
  ['shows a page for a URI with a slash more', badUri, ask({ redirect_uri: `${redirectUri}/` })],
  ['shows a page for a URI with a query', badUri, ask({ redirect_uri: `${redirectUri}?x` })],
  ['shows a page for a URI in another letter case', badUri, ask({ redirect_uri: redirectUri.toUpperCase() })],
  ['shows a page for a URI with a fragment', badUri, ask({ redirect_uri: `${redirectUri}#x` })],
  ['shows a page for a repeated redirect URI', badPage, append('&redirect_uri=https://x.example')],
  ['shows an error without a URI', '400 page unsupported_response_type', ask({ redirect_uri: '', response_type: 'x' })],

  ['requires a response type', badRequest, ask({ response_type: undefined })],
  ['refuses the response type token', badType, ask({ response_type: 'token' })],
  ['refuses a hybrid response type', badType, ask({ response_type: 'code id_token' })],
  ['refuses a repeated response type', badRequest, append('&response_type=code')],
  ['refuses a repeated state', badRequest, append('&state=x')],
  ['refuses a repeated scope', badRequest, append('&scope=openid')],
  ['refuses a malformed scope', badScope, ask({ scope: 'openid "' })],
  ['refuses two spaces in a scope', badScope, ask({ scope: 'openid  email' })],
  ['refuses a nonce without openid', badRequest, ask({ scope: 'email' })],
  ['requires a challenge', badRequest, ask(withoutPkce)],
  ['requires a challenge of a public client', badRequest, askNative(native, withoutPkce)],
  ['refuses a plain challenge', badRequest, ask({ code_challenge_method: 'plain' })],
  ['refuses a challenge without a method', badRequest, ask({ code_challenge_method: undefined })],
  ['refuses a method without a challenge', badRequest, ask({ code_challenge: undefined })],
  ['refuses a short challenge', badRequest, ask({ code_challenge: 'short' })],
  ['refuses a challenge of other characters', badRequest, ask({ code_challenge: `${challenge.slice(1)}+` })],
  ['refuses a plain challenge without PKCE', badRequest, askOther('plain', { code_challenge_method: 'plain' })],
  ['refuses an unknown resource', badTarget, ask({ resource: 'https://none.example' })],
  ['refuses a resource that is no URI', badTarget, ask({ resource: 'orders' })],
  ['refuses a resource with a fragment', badTarget, ask({ scope: 'openid orders.read', resource: `${orders}#x` })],
  ['refuses a resource without a scope of it', badScope, ask({ resource: orders })],
  ['refuses a resource that excludes the client', badTarget, ask({ scope: 'openid closed' })],
  ['refuses a request object', '303 request_not_supported', ask({ request: 'x.y.z' })],
  ['refuses the URI of a request object', '303 request_uri_not_supported', ask({ request_uri: 'https://x.example' })],
  ['refuses a registration', '303 registration_not_supported', ask({ registration: '{}' })],

  ['uses the query on demand', code, ask({ response_mode: 'query' })],
  ['uses the fragment on demand', '303 code fragment', ask({ response_mode: 'fragment' })],
  ['uses a form on demand', '200 code form_post', ask({ response_mode: 'form_post' })],
  ['refuses in the fragment', badType, ask({ ...inFragment, response_type: 'x' })],
  ['refuses in a form', '400 invalid_request form_post', ask({ ...posted, ...withoutPkce })],
  ['refuses a request object in a form', '400 request_not_supported form_post', ask({ ...posted, request: 'x' })],
  ['refuses another response mode', '303 unsupported_response_mode', ask({ response_mode: 'web_message' })],
  ['refuses a repeated response mode', badRequest, append('&response_mode=fragment', { response_mode: 'query' })],

  ['asks a stranger to sign in', 'sign-in', ask({}, stranger)],
  ['asks a stranger to sign in with a hint', 'sign-in', ask({ login_hint: 'eve@passport.example' }, stranger)],
  ['asks to sign in again', 'sign-in', ask({ prompt: 'login' })],
  ['asks to sign in again before the consent', 'sign-in', ask({ prompt: 'login consent' })],
  ['asks for the account', 'sign-in', ask({ prompt: 'select_account' })],
  ['asks to sign in after the maximum age', 'sign-in', ask({ max_age: '0' })],
  ['issues a code within the maximum age', code, ask({ max_age: '3600' })],
  ['asks for consent on demand', 'consent', ask({ prompt: 'consent' })],
  ['asks for consent to offline access', 'consent', ask(offline)],
  ['asks for consent', 'consent', askOther('asking')],
  ['asks for consent each time', 'consent', askOther('nagging')],
  ['asks for consent to an API', 'consent', askOther('asking', { scope: 'openid orders.read' })],
  ['asks for consent of an app on a device', 'consent', askNative(native)],
  ['asks for consent of an app at any port', 'consent', askNative('http://127.0.0.1:54321/callback')],
  ['shows a page for another host of an app', badUri, askNative('http://localhost:54321/callback')],
  ['shows a page for a port of a web application', badUri, ask({ redirect_uri: 'https://shop.example:444/callback' })],
  ['issues a code after consent', code, askOther('nagging', {}, allow)],
  ['refuses after a denial', '303 access_denied', askOther('nagging', {}, { answer: 'deny' })],
  ['issues a code for offline access after consent', code, ask(offline, allow)],
  ['issues a code silently', code, ask(none)],
  ['refuses a stranger silently', '303 login_required', ask(none, stranger)],
  ['refuses a stranger in the fragment', '303 login_required fragment', ask({ ...none, ...inFragment }, stranger)],
  ['refuses an old sign-in silently', '303 login_required', ask({ ...none, max_age: '0' })],
  [
    'refuses without consent silently',
    '303 consent_required',
    askOther('asking', { ...none, scope: 'openid profile' }),
  ],
  ['refuses an app silently', '303 interaction_required', askNative(native, none)],
  ['refuses a silent sign-in', badRequest, ask({ prompt: 'none login' })],
  ['refuses an unknown prompt', badRequest, ask({ prompt: 'unknown' })],
  ['refuses a prompt in another letter case', badRequest, ask({ prompt: 'Login' })],
  ['refuses a negative age', badRequest, ask({ max_age: '-1' })],
  ['refuses an age that is no number', badRequest, ask({ max_age: 'x' })],
  ['accepts an ID token of the user', code, hint('eve')],
  ['accepts an ID token of the user silently', code, hint('eve', none)],
  ['asks for another account by an ID token', 'sign-in', hint('dev')],
  ['refuses another account silently', '303 login_required', hint('dev', none)],
  ['refuses a malformed ID token', badRequest, ask({ id_token_hint: 'x' })],
  ['refuses a forged ID token', badRequest, ask({ id_token_hint: forged })],

  [
    'refuses in JSON',
    '400 invalid_request',
    ({ send }) => send('/connect/authorize', { headers: { accept: 'application/json' } }),
  ],
  ['refuses more than 20 parameters', badRequest, append('&x=1'.repeat(20))],
  ['does not continue an unknown request', '400 page', ({ send }) => send('/connect/authorize/unknown', asHtml)],
])
