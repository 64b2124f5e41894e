import * as connections from '../connections/store.ts'
import type { Sql } from '../database/sql.ts'
import { entClaim } from '../entitlements/effective.ts'
import type { Services } from '../feature.ts'
import type { ProtocolEndpoint, ProtocolRequest, ProtocolResponse } from '../http/protocol.ts'
import { isStructured, readAccessToken } from '../oauth/access-token.ts'
import { type ClaimedUser, pickClaims, toUserClaims } from '../oauth/claims.ts'
import { InvalidProof, type Proof, proofAlgorithms, verifyProof } from '../oauth/dpop.ts'
import { OAuthError, type OAuthErrorCode } from '../oauth/oauth-error.ts'
import { readParameters } from '../oauth/parameters.ts'
import { parseScopes } from '../oauth/scopes.ts'
import { readEndpointForm } from './client-endpoint.ts'
import { epochSeconds } from './lifetimes.ts'
import { isAllowedOrigin } from './origins.ts'
import { isFirstUse } from './presentation.ts'
import { corsHeadersOf, createPreflight } from './protocol-cors.ts'
import { toOAuthError } from './protocol-error.ts'
import type { LiveUserToken, TokenStore } from './token-store.ts'

type Scheme = 'Bearer' | 'DPoP'

/** What a request presents. */
interface Presented {
  token: string
  /** The proof for a token that is bound to a key (RFC 9449, section 7.1). */
  proof: string | undefined
  /** Limits the claims to those of these scopes. */
  scope: string | undefined
}

/**
 * Creates the user info endpoint (OpenID Connect Core, section 5.3), for tokens of no API, and those of Passport's own. One
 * statement reads the token, its grant, its session and its user.
 */
export function createUserInfo(services: Services, { findAccessToken }: TokenStore): ProtocolEndpoint {
  const { sql, config, http, clients, issuer } = services
  const { publicUrl } = config

  async function respond(request: ProtocolRequest): Promise<ProtocolResponse> {
    const { origin } = request.incoming.headers
    const corsHeaders = await createCorsHeaders(origin)
    try {
      const presented = await readPresented(request)
      const token = await findValid(presented, request)
      if (!('Access-Control-Allow-Origin' in corsHeaders))
        throw new OAuthError('invalid_request', `origin ${origin} not allowed for client: ${token.clientId}`)
      return toJson(200, corsHeaders, await readUserInfo(token, presented.scope))
    } catch (thrown) {
      const error = addChallenge(toOAuthError(thrown, request, http))
      // A resource server responds with 401 (RFC 9449, section 7.1).
      const status = error.code === 'invalid_dpop_proof' ? 401 : error.status
      return { ...toJson(status, { ...corsHeaders, ...error.headers }, error.toParameters()), code: error.code }
    }
  }

  /** Returns the headers by which pages of clients, and of the configured origins, may read the response. */
  async function createCorsHeaders(origin: string | undefined): Promise<Record<string, string>> {
    if (origin === undefined || isAllowedOrigin(http, origin, [])) return corsHeadersOf(origin)
    const origins = await clients.origins().catch((): string[] => [])
    return origins.includes(origin) ? corsHeadersOf(origin) : { Vary: 'Origin' }
  }

  /** Reads the token of the header or of the form (RFC 6750, section 2). */
  async function readPresented(request: ProtocolRequest): Promise<Presented> {
    const { incoming, query } = request
    const isForm = incoming.method === 'POST'
    const parameters = readParameters(isForm ? await readEndpointForm(request) : new URLSearchParams(query))
    if (new URLSearchParams(query).has('access_token'))
      throw new OAuthError('invalid_request', 'access tokens must not be provided via query parameter')
    const { authorization, dpop } = incoming.headers
    const [inForm, scope] = [parameters.get('access_token'), parameters.get('scope')]
    const proof = dpop === undefined ? undefined : String(dpop)
    if (authorization !== undefined && inForm !== undefined)
      throw new OAuthError('invalid_request', 'access token must only be provided using one mechanism')
    if (authorization !== undefined) return { token: readHeader(authorization, proof), proof, scope }
    if (inForm === undefined) throw refuseWithoutToken()
    if (proof !== undefined)
      throw refuse('DPoP', 'invalid_request', '`DPoP` tokens must be provided via an authorization header')
    return { token: inForm, proof, scope }
  }

  /** Returns the token of the header `Authorization`. */
  function readHeader(authorization: string, proof: string | undefined): string {
    const [, scheme = '', token] = /^(bearer|dpop) ([^ ]+)$/i.exec(authorization) ?? []
    if (token === undefined) throw new OAuthError('invalid_request', 'invalid authorization header value format')
    const isDpop = scheme.toLowerCase() === 'dpop'
    if (isDpop && proof === undefined) throw refuse('DPoP', 'invalid_request', '`DPoP` header not provided')
    if (!isDpop && proof !== undefined)
      throw refuse('DPoP', 'invalid_request', 'authorization header scheme must be `DPoP` when DPoP is used')
    return token
  }

  /** Finds a presented token. Throws `invalid_token`, `insufficient_scope` and `invalid_dpop_proof`. */
  async function findValid({ token, proof }: Presented, request: ProtocolRequest): Promise<LiveUserToken> {
    const scheme = proof === undefined ? 'Bearer' : 'DPoP'
    const proven = proof === undefined ? undefined : await verify(proof, token, request)
    const id = await readId(token)
    const found = id === undefined ? undefined : await findAccessToken(id)
    // The token of an API is a JWT. Its id alone is no token.
    if (!found || (found.audience !== undefined && !isStructured(token)))
      throw refuse(scheme, 'invalid_token', 'the access token is invalid, expired or revoked')
    if (found.jkt === undefined && proven)
      throw refuse('DPoP', 'invalid_token', 'the access token is not bound to a key, but a proof was provided')
    if (found.jkt !== proven?.jkt)
      throw refuse('DPoP', 'invalid_token', 'the access token requires a proof of the key that it is bound to')
    if (proven && !(await isFirstUse(sql, proven)))
      throw refuse('DPoP', 'invalid_dpop_proof', 'the DPoP proof was used before')
    if (!found.scopes.includes('openid') || !found.grantedScopes.includes('openid'))
      throw refuse(scheme, 'insufficient_scope', 'access token missing openid scope', 'openid')
    return found
  }

  /** Returns the id of a token; undefined for an invalid JWT, and for one of another API. */
  async function readId(token: string): Promise<string | undefined> {
    return isStructured(token) ? (await readAccessToken(token, publicUrl, await issuer.keys()))?.jti : token
  }

  async function verify(proof: string, accessToken: string, { incoming, path }: ProtocolRequest): Promise<Proof> {
    const { method = '' } = incoming
    try {
      return await verifyProof(proof, { method, url: publicUrl + path, accessToken, now: epochSeconds() })
    } catch (error) {
      throw error instanceof InvalidProof ? refuse('DPoP', 'invalid_dpop_proof', error.message) : error
    }
  }

  /** Returns the claims of the scopes that the token has, and the user still grants. */
  async function readUserInfo({ user, scopes, grantedScopes }: LiveUserToken, scope?: string): Promise<object> {
    const requested = scope === undefined ? scopes : parseScopes(scope)
    if (!requested) throw new OAuthError('invalid_request', 'scope contains invalid characters')
    const missing = requested.filter((name) => !scopes.includes(name)).join(' ')
    if (missing) throw refuse('Bearer', 'insufficient_scope', 'access token missing requested scope', missing)
    const covered = requested.filter((name) => grantedScopes.includes(name))
    return pickClaims(await readClaims(sql, user, covered), covered)
  }

  /** Adds a challenge to a refusal that has none, except of a failure of the server. */
  const addChallenge = (error: OAuthError): OAuthError =>
    error.status >= 500 || 'WWW-Authenticate' in error.headers ? error : refuse('Bearer', error.code, error.message)

  /** Creates a refusal with its challenge (RFC 6750, section 3; RFC 9449, section 7.1). */
  function refuse(scheme: Scheme, code: OAuthErrorCode, description: string, scope?: string): OAuthError {
    const members = scope === undefined ? {} : { scope }
    const { error, error_description } = new OAuthError(code, description).toParameters()
    const challenge = formatChallenge(scheme, { error, error_description, ...members })
    return new OAuthError(code, description, { members, headers: { 'WWW-Authenticate': challenge } })
  }

  /** Creates the refusal of a request without a token, which names both schemes. */
  function refuseWithoutToken(): OAuthError {
    const challenge = `${formatChallenge('Bearer', {})}, ${formatChallenge('DPoP', {})}`
    return new OAuthError('invalid_token', 'no access token provided', { headers: { 'WWW-Authenticate': challenge } })
  }

  function formatChallenge(scheme: Scheme, parameters: Record<string, string>): string {
    const all = { realm: publicUrl, ...parameters, ...(scheme === 'DPoP' && { algs: proofAlgorithms.join(' ') }) }
    const formatted = Object.entries(all).map(([name, value]) => `${name}="${value}"`)
    return `${scheme} ${formatted.join(', ')}`
  }

  return { methods: { GET: respond, POST: respond }, preflight: createPreflight('GET,POST') }
}

/** Returns the claims about a user with these scopes, and possibly others. Some scopes take a statement of their own. */
export async function readClaims(sql: Sql, user: ClaimedUser, scopes: string[]): Promise<object> {
  const [connected, entitlements] = [
    scopes.includes('connections') ? await connections.list(sql, user.id) : undefined,
    scopes.includes('entitlements') ? await entClaim(sql, user.id) : undefined,
  ]
  return {
    ...toUserClaims(user),
    ...(connected && {
      connections: Object.fromEntries(connected.map(({ connector, externalId }) => [connector, externalId])),
    }),
    ...entitlements,
  }
}

const toJson = (status: number, headers: Record<string, string>, body: object): ProtocolResponse => ({
  status,
  headers: { ...headers, 'Cache-Control': 'no-store', 'Content-Type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
})
