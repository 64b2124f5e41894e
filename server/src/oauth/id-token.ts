import { pickClaims } from './claims.ts'

interface NewIdToken {
  issuer: string
  clientId: string
  /** The claims about the user, of which the token has those that `scopes` cover. */
  userClaims: object
  scopes: string[]
  nonce: string | undefined
  /** The public id of the session. */
  sid: string | undefined
  /** How and when the user authenticated; an identity provider may not report the time, which is then 0. */
  authTime: number | undefined
  amr: string[] | undefined
  acr: string | undefined
  /** The current time in seconds since 1970. */
  now: number
  lifetimeSec: number
}

/**
 * Returns the claims of an ID token (OpenID Connect Core, section 2). Every one has `azp`, and how and when the user
 * authenticated, as far as that is known.
 */
export function toIdTokenClaims(token: NewIdToken): Record<string, unknown> {
  const { issuer, clientId, userClaims, scopes, nonce, sid, authTime, amr, acr, now, lifetimeSec } = token
  const authentication = Object.entries({ auth_time: authTime, amr, acr }).filter(([, value]) => isKnown(value))
  return {
    ...pickClaims(userClaims, scopes),
    ...(nonce !== undefined && { nonce }),
    ...(sid !== undefined && { sid }),
    azp: clientId,
    ...Object.fromEntries(authentication),
    aud: clientId,
    exp: now + lifetimeSec,
    iat: now,
    iss: issuer,
  }
}

/** Reports whether a claim about the authentication is known. */
export const isKnown = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))
