import { compareRows, obtainTokens, requestOwnToken, type Side, startBoth, type Tokens } from './test-both.ts'
import { clientRows } from './test-client-rows.ts'
import { basic, type Parameters, post } from './test-requests.ts'

// OAuth 2.0 Token Revocation (RFC 7009).

const both = await startBoth()
const path = '/connect/revocation'

const revoke = ({ send }: Side, body: Parameters | string, as?: string) => send(path, post(body, basic(as)))
const obtainNew = async (side: Side, scope: string) => obtainTokens(side, scope, await side.signIn('eve'))

const obtainAccess = async (side: Side) => ({ token: (await obtainNew(side, 'openid')).access_token })

/** Revokes a new token of the shop, and then introspects one of the same user. */
const readAfter =
  (revoked: keyof Tokens, read: keyof Tokens, { scope = 'openid email', as = 'shop', ...others }: Parameters = {}) =>
  async (side: Side) => {
    const tokens = await obtainNew(side, scope)
    await revoke(side, { token: tokens[revoked], ...others }, as)
    return side.send('/connect/introspect', post({ token: tokens[read] }))
  }
const revokeAccess = (changes?: Parameters) => readAfter('access_token', 'access_token', changes)
const revokeRefresh = (changes?: Parameters) => readAfter('refresh_token', 'refresh_token', changes)
const [active, inactive] = ['200 active=true', '200 active=false']
const scope = 'openid email api_vertex_core'

compareRows(both, 'clients', clientRows({ path, form: async () => ({ token: 'unknown' }), success: '200' }))

compareRows(both, 'revocation', [
  ['revokes an access token', inactive, revokeAccess()],
  ['revokes an access token for an API', inactive, revokeAccess({ scope })],
  ['revokes a refresh token', inactive, revokeRefresh()],
  ['revokes the access token of a refresh token', inactive, readAfter('refresh_token', 'access_token')],
  ['keeps the refresh token of an access token', active, readAfter('access_token', 'refresh_token')],
  ['revokes a refresh token for offline access', inactive, revokeRefresh({ scope: 'openid offline_access' })],
  ['keeps the tokens of an ID token', active, readAfter('id_token', 'access_token')],
  ['keeps the access token of another client', active, revokeAccess({ as: 'market' })],
  ['keeps the token of another client that may read it', active, revokeAccess({ scope, as: 'market' })],
  ['keeps the refresh token of another client', active, revokeRefresh({ as: 'market' })],
  ['finds a token without its hint', inactive, revokeRefresh({ token_type_hint: 'access_token' })],
  ['finds a token with an unknown hint', inactive, revokeAccess({ token_type_hint: 'x' })],
  ['finds a token with an empty hint', inactive, revokeAccess({ token_type_hint: '' })],
  [
    'revokes a token of a client',
    inactive,
    async (side) => {
      const token = await requestOwnToken(side, 'permissions.read')
      await revoke(side, { token })
      return side.send('/connect/introspect', post({ token }))
    },
  ],
  ['succeeds', '200', async (side) => revoke(side, await obtainAccess(side))],
  ['succeeds for another client', '200', async (side) => revoke(side, await obtainAccess(side), 'market')],
  [
    'succeeds twice',
    '200',
    async (side) => {
      const token = await obtainAccess(side)
      await revoke(side, token)
      return revoke(side, token)
    },
  ],
  ['succeeds for a public client', '200', (side) => side.send(path, post({ token: 'x', client_id: 'game' }, {}))],
  ['succeeds for an unknown token', '200', (side) => revoke(side, { token: 'x'.repeat(43) })],
  ['succeeds for a long text', '200', (side) => revoke(side, { token: 'x'.repeat(9000) })],
  ['succeeds for a foreign JWT', '200', (side) => revoke(side, { token: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln' })],
  ['requires a token', '400 invalid_request', (side) => revoke(side, {})],
  ['takes an empty token for none', '400 invalid_request', (side) => revoke(side, { token: '' })],
  ['refuses a repeated token', '400 invalid_request', (side) => revoke(side, 'token=a&token=b')],
])
