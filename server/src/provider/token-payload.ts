import type { TokenKind } from './live-token-store.ts'

// The protocol library defines what is stored of tokens and grants. Only what is listed here is understood; anything
// else, such as the key that a token is bound to, is for the library.

/** The kinds that are understood. */
type PayloadKind = TokenKind | 'AuthorizationCode'

const sharedFields = ['iat', 'exp', 'kind', 'clientId', 'scope']
const userFields = ['gty', 'grantId', 'sessionUid', 'expiresWithSession', 'accountId', 'sid']
const authorizationFields = ['acr', 'amr', 'authTime', 'nonce', 'resource']
const knownFields: Record<PayloadKind, ReadonlySet<string>> = {
  AuthorizationCode: new Set([
    ...sharedFields,
    ...userFields,
    ...authorizationFields,
    ...['codeChallenge', 'codeChallengeMethod', 'redirectUri'],
  ]),
  ClientCredentials: new Set([...sharedFields, 'aud']),
  AccessToken: new Set([...sharedFields, ...userFields, 'aud']),
  RefreshToken: new Set([...sharedFields, ...userFields, ...authorizationFields, 'rotations', 'iiat']),
}

/** The stored fields of a code or a token. Times are in seconds since 1970; scopes are separated by spaces. */
export interface TokenPayload {
  kind: PayloadKind
  clientId: string
  iat: number
  exp: number
  scope?: string
  aud?: string | undefined
  gty?: string | undefined
  grantId?: string | undefined
  sessionUid?: string | undefined
  expiresWithSession?: boolean | undefined
  accountId?: string | undefined
  sid?: string | undefined
  acr?: string | undefined
  amr?: string[] | undefined
  authTime?: number
  nonce?: string | undefined
  resource?: string | string[]
  rotations?: number
  iiat?: number
  codeChallenge?: string
  codeChallengeMethod?: string
  redirectUri?: string
}

/** Reads what is stored of a code or a token; undefined if it is not fully understood, or has expired. */
export function readTokenPayload(kind: PayloadKind, payload: Record<string, unknown>): TokenPayload | undefined {
  const { clientId, iat, exp, scope = '', kind: storedKind } = payload
  const isUnderstood =
    storedKind === kind &&
    typeof clientId === 'string' &&
    typeof iat === 'number' &&
    typeof exp === 'number' &&
    typeof scope === 'string' &&
    Object.keys(payload).every((field) => knownFields[kind].has(field))
  return isUnderstood && exp > Date.now() / 1000 ? (payload as unknown as TokenPayload) : undefined
}

/** What a user granted: the scopes of OpenID Connect, and by API those of the API. */
export interface GrantedScopes {
  openIdScopes: string[]
  scopesOf: (audience: string) => string[]
}

const grantFields = new Set(['iat', 'exp', 'kind', 'clientId', 'accountId', 'openid', 'resources'])
const splitScopes = (scope: unknown): string[] => (typeof scope === 'string' && scope !== '' ? scope.split(' ') : [])

/** Reads what is stored of a grant; undefined if it is not fully understood, or has expired. */
export function readGrantPayload(payload: Record<string, unknown>): GrantedScopes | undefined {
  const openid = (payload['openid'] ?? {}) as Record<string, unknown>
  const resources = (payload['resources'] ?? {}) as Record<string, unknown>
  const isUnderstood =
    Object.keys(payload).every((field) => grantFields.has(field)) &&
    Object.keys(openid).every((field) => field === 'scope') &&
    Number(payload['exp']) > Date.now() / 1000
  if (!isUnderstood) return undefined
  return {
    openIdScopes: splitScopes(openid['scope']),
    scopesOf: (audience) => splitScopes(resources[audience]),
  }
}
