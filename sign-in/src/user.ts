import { nowInSeconds } from './clock.ts'

/** The user's claims: those of the ID token without the protocol claims, and those of user-info. */
export interface Profile {
  sub: string
  name?: string
  preferred_username?: string
  /** The time of the last authentication, s since 1970. */
  auth_time?: number
  azp?: string
  sid?: string
  [claim: string]: unknown
}

/** The fields of a user; `null` marks revoked tokens. */
export interface UserFields {
  id_token?: string | undefined
  session_state?: string | null | undefined
  access_token?: string | null | undefined
  refresh_token?: string | null | undefined
  token_type?: string | null | undefined
  scope?: string | undefined
  profile: Profile
  /** The expiry of the access token, s since 1970. */
  expires_at?: number | null | undefined
  /** The application's `state` of the request; it is not stored. */
  state?: unknown
}

/** A signed-in user. */
export class User implements UserFields {
  declare readonly id_token: string | undefined
  declare readonly session_state: string | null | undefined
  declare readonly access_token: string | null | undefined
  declare readonly refresh_token: string | null | undefined
  declare readonly token_type: string | null | undefined
  declare readonly scope: string | undefined
  declare readonly profile: Profile
  declare readonly expires_at: number | null | undefined
  declare readonly state: unknown

  constructor(fields: UserFields) {
    Object.assign(this, fields)
  }

  /** The remaining lifetime of the access token, s; negative once expired. */
  get expires_in(): number | undefined {
    return this.expires_at ? this.expires_at - nowInSeconds() : undefined
  }

  /** Whether the access token has expired; undefined without a known expiry. */
  get expired(): boolean | undefined {
    return this.expires_in === undefined ? undefined : this.expires_in <= 0
  }

  get scopes(): string[] {
    return this.scope?.split(' ') ?? []
  }
}

/** Serializes a user for storage. */
export function writeUser(user: User): string {
  const { id_token, session_state, access_token, refresh_token, token_type, scope, profile, expires_at } = user
  return JSON.stringify({
    id_token,
    session_state,
    access_token,
    refresh_token,
    token_type,
    scope,
    profile,
    expires_at,
  })
}

/** Parses a stored user; null for anything invalid. */
export function readUser(text: string | null): User | null {
  try {
    const fields = JSON.parse(text ?? 'null') as UserFields | null
    return fields?.profile?.sub ? new User(fields) : null
  } catch {
    return null
  }
}

const protocolClaims = new Set(['nonce', 'at_hash', 'iat', 'nbf', 'exp', 'aud', 'iss', 'c_hash'])
/** Renewals are compared with these claims, so user-info must not change them. */
const signInClaims = new Set(['sub', 'auth_time', 'azp', 'sid'])

/** Returns the profile of an ID token, with its protocol claims only if `isFiltered` is false. */
export function toProfile(claims: { sub: string; [claim: string]: unknown }, isFiltered = true): Profile {
  return Object.fromEntries(
    Object.entries(claims).filter(([name]) => !isFiltered || !protocolClaims.has(name)),
  ) as Profile
}

/** Adds the claims of user-info. A claim with different values becomes a list of both. */
export function addClaims(profile: Profile, claims: Record<string, unknown>, mergeObjects: boolean): Profile {
  const merged: Record<string, unknown> = { ...profile }
  for (const [name, values] of Object.entries(claims)) {
    if (signInClaims.has(name) && name in profile) continue
    for (const value of Array.isArray(values) ? values : [values])
      merged[name] = mergeClaim(merged[name], value, mergeObjects)
  }
  return merged as Profile
}

function mergeClaim(existing: unknown, value: unknown, mergeObjects: boolean): unknown {
  if (!existing) return value
  if (Array.isArray(existing)) return existing.includes(value) ? existing : [...existing, value]
  if (existing === value) return existing
  if (mergeObjects && isObject(existing) && isObject(value)) return addClaims(existing as Profile, value, true)
  return [existing, value]
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
