import type { TestBrowser } from '@passport/world/browser'
import { compareRows, obtainTokens, requestOwnToken, type Side, startBoth, type Tokens } from './test-both.ts'
import { clientRows } from './test-client-rows.ts'
import { basic, type Parameters, post } from './test-requests.ts'

// OAuth 2.0 Token Introspection (RFC 7662).

const both = await startBoth()
const { sql } = both.started
const path = '/connect/introspect'

const introspect = ({ send }: Side, body: Parameters | string, as?: string) =>
  send(path, post(body, as === '' ? {} : basic(as)))
/** Introspects a token of the shop. */
const read =
  (name: keyof Tokens, scope?: string, { as = 'shop', ...others }: Parameters = {}) =>
  async (side: Side) =>
    introspect(side, { token: (await obtainTokens(side, scope))[name], ...others }, as)
const readText = (token: string) => (side: Side) => introspect(side, { token })
type Change = (side: Side, tokens: Tokens, browser: TestBrowser) => Promise<unknown>
/** Introspects a token after a change of what it depends on. */
const readAfter =
  (name: keyof Tokens, change: Change, scope = 'openid email') =>
  async (side: Side) => {
    const browser = await side.signIn('dev')
    const tokens = await obtainTokens(side, scope, browser)
    await change(side, tokens, browser)
    return introspect(side, { token: tokens[name] })
  }
async function readOfDisabled(side: Side): Promise<Response> {
  const { access_token: token } = await obtainTokens(side, 'openid', side.browsers.dev)
  await sql`update users set disabled_at = now() where username = 'dev'`
  const response = await introspect(side, { token })
  await sql`update users set disabled_at = null where username = 'dev'`
  return response
}
const [active, inactive] = ['200 active=true', '200 active=false']
const apiScope = 'openid email api_vertex_core'
const ordersScope = 'openid orders.read'
const revoke =
  (name: keyof Tokens): Change =>
  ({ send }, tokens) =>
    send('/connect/revocation', post({ token: tokens[name] }))
const signOut: Change = ({ signOut }, _tokens, browser) => signOut(browser)
const refresh: Change = ({ send }, { refresh_token }) =>
  send('/connect/token', post({ grant_type: 'refresh_token', refresh_token }))

compareRows(
  both,
  'clients',
  clientRows({
    path,
    form: async (side) => ({ token: (await obtainTokens(side)).access_token }),
    success: active,
  }),
)

compareRows(both, 'introspection', [
  ['reads an access token', active, read('access_token')],
  ['reads an access token for an API', active, read('access_token', apiScope)],
  ['reads a refresh token', active, read('refresh_token')],
  ['reads a refresh token for offline access', active, read('refresh_token', 'openid offline_access')],
  ['does not read an ID token', inactive, read('id_token')],
  [
    'reads a token of a client',
    active,
    async (side) => introspect(side, { token: await requestOwnToken(side, 'permissions.read') }),
  ],
  ['finds a token without its hint', active, read('refresh_token', undefined, { token_type_hint: 'access_token' })],
  ['finds a token with an unknown hint', active, read('access_token', undefined, { token_type_hint: 'x' })],
  ['ignores an empty hint', active, read('access_token', undefined, { token_type_hint: '' })],
  ['hides a token for user info from other clients', inactive, read('access_token', undefined, { as: 'market' })],
  ['hides a refresh token from other clients', inactive, read('refresh_token', apiScope, { as: 'market' })],
  ["reads a token of Passport's API for any client", active, read('access_token', apiScope, { as: 'rsa' })],
  ['hides the token of an API from other clients', inactive, read('access_token', ordersScope, { as: 'rsa' })],
  [
    'hides the token of an API from public clients',
    inactive,
    read('access_token', apiScope, { as: '', client_id: 'game' }),
  ],
  ['does not know a random token', inactive, readText('u'.repeat(43))],
  ['does not know a short text', inactive, readText('x')],
  ['does not know a long text', inactive, readText('x'.repeat(9000))],
  ['does not know two words', inactive, readText('two words')],
  ['does not know other characters', inactive, readText('€')],
  ['does not know a foreign JWT', inactive, readText('eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl')],
  ['requires a token', '400 invalid_request', (side) => introspect(side, {})],
  ['takes an empty token for none', '400 invalid_request', readText('')],
  ['refuses a repeated token', '400 invalid_request', (side) => introspect(side, 'token=a&token=b')],
  [
    'refuses a repeated hint',
    '400 invalid_request',
    (side) => introspect(side, `token=a${'&token_type_hint=a'.repeat(2)}`),
  ],
  ['knows a revoked access token', inactive, readAfter('access_token', revoke('access_token'))],
  ['knows a revoked refresh token', inactive, readAfter('refresh_token', revoke('refresh_token'))],
  ['knows the access token of a revoked refresh token', inactive, readAfter('access_token', revoke('refresh_token'))],
  ['knows a spent refresh token', inactive, readAfter('refresh_token', refresh)],
  ['reads an access token after a refresh', active, readAfter('access_token', refresh)],
  ['knows an access token of an ended session', inactive, readAfter('access_token', signOut)],
  ['knows an access token for an API of an ended session', inactive, readAfter('access_token', signOut, apiScope)],
  ['knows a refresh token of an ended session', inactive, readAfter('refresh_token', signOut)],
  [
    'reads a token for offline access after the session',
    active,
    readAfter('access_token', signOut, 'openid offline_access'),
  ],
  ['knows a token of a disabled user', inactive, readOfDisabled],
])
