import { nowInSeconds } from './clock.ts'

/** What is known of the person: claims of the ID token without those of the protocol, and claims of user-info. */
export interface Profile {
  sub: string
  name?: string
  preferred_username?: string
  /** When the person was last asked to authenticate, s since 1970. */
  auth_time?: number
  azp?: string
  sid?: string
  [claim: string]: unknown
}

/** What a user is made of; `null` stands for what was revoked. */
export interface UserFields {
  id_token?: string | undefined
  session_state?: string | null | undefined
  access_token?: string | null | undefined
  refresh_token?: string | null | undefined
  token_type?: string | null | undefined
  scope?: string | undefined
  profile: Profile
  /** When the access token expires, s since 1970. */
  expires_at?: number | null | undefined
  /** What the application handed over with the request; it is not stored. */
  state?: unknown
}

/** Somebody who is signed in. */
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

  /** How long the access token is still good for, s; negative when it is not. */
  get expires_in(): number | undefined {
    return this.expires_at ? this.expires_at - nowInSeconds() : undefined
  }

  /** Undefined where no expiry is known. */
  get expired(): boolean | undefined {
    return this.expires_in === undefined ? undefined : this.expires_in <= 0
  }

  get scopes(): string[] {
    return this.scope?.split(' ') ?? []
  }
}

/** The JSON that is stored. */
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

/** Null for what is no user, however it came there. */
export function readUser(text: string | null): User | null {
  try {
    const fields = JSON.parse(text ?? 'null') as UserFields | null
    return fields?.profile?.sub ? new User(fields) : null
  } catch {
    return null
  }
}

const claimsOfTheProtocol = new Set(['nonce', 'at_hash', 'iat', 'nbf', 'exp', 'aud', 'iss', 'c_hash'])
/** A renewal is held against these, so user-info has no say in them. */
const claimsOfTheSignIn = new Set(['sub', 'auth_time', 'azp', 'sid'])

/** The profile that an ID token gives. */
export function profileOf(claims: { sub: string; [claim: string]: unknown }): Profile {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !claimsOfTheProtocol.has(name))) as Profile
}

/** Adds the claims of user-info. A claim that both have, with different values, becomes the list of both. */
export function addClaims(profile: Profile, more: Record<string, unknown>, mergeObjects: boolean): Profile {
  const merged: Record<string, unknown> = { ...profile }
  for (const [name, told] of Object.entries(more)) {
    if (claimsOfTheSignIn.has(name) && name in profile) continue
    for (const value of Array.isArray(told) ? told : [told]) merged[name] = both(merged[name], value, mergeObjects)
  }
  return merged as Profile
}

function both(known: unknown, value: unknown, mergeObjects: boolean): unknown {
  if (!known) return value
  if (Array.isArray(known)) return known.includes(value) ? known : [...known, value]
  if (known === value) return known
  if (mergeObjects && isObject(known) && isObject(value)) return addClaims(known as Profile, value, true)
  return [known, value]
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
