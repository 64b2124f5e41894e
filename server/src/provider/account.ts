import type { Account, KoaContextWithOIDC } from 'oidc-provider'
import * as connections from '../connections/store.ts'
import type { Sql } from '../database/sql.ts'
import { entClaim } from '../entitlements/effective.ts'
import * as users from '../users/store.ts'
import { findReadUser } from './request-state.ts'

/** The claims of each scope (OpenID Connect Core, section 5.4). */
export const claimsByScope = {
  openid: ['sub'],
  profile: ['name', 'preferred_username'],
  email: ['email', 'email_verified'],
  connections: ['connections'],
  entitlements: ['ent', 'ent_truncated'],
}

/** Returns an account for the protocol library; undefined for a disabled user, which invalidates all their tokens. */
export async function findAccount(sql: Sql, ctx: KoaContextWithOIDC, id: string): Promise<Account | undefined> {
  const user = findReadUser(ctx, id) ?? (await users.find(sql, id))
  if (!user || user.disabledAt !== null) return undefined
  return {
    accountId: id,
    claims: (use, scope) => (use === 'userinfo' ? readClaims(sql, user, scope.split(' ')) : claimsOf(user)),
  }
}

/** Returns the claims for user info with these scopes, and possibly others. */
export async function readClaims(sql: Sql, user: users.User, scopes: string[]) {
  const [connected, entitlements] = [
    scopes.includes('connections') ? await connections.list(sql, user.id) : undefined,
    scopes.includes('entitlements') ? await entClaim(sql, user.id) : undefined,
  ]
  return {
    ...claimsOf(user),
    ...(connected && {
      connections: Object.fromEntries(connected.map(({ connector, externalId }) => [connector, externalId])),
    }),
    ...entitlements,
  }
}

/** Returns the claims about a user; unset fields have none. */
export function claimsOf(user: Omit<users.User, 'disabledAt'>) {
  return {
    sub: user.id,
    ...(user.displayName !== null && { name: user.displayName }),
    ...(user.username !== null && { preferred_username: user.username }),
    ...(user.email !== null && { email: user.email, email_verified: user.emailVerified }),
  }
}

/** Returns those of the claims that scopes cover, and of these only `names` if they are given. */
export function pickClaims(claims: object, scopes: string[], names?: string[]): Record<string, unknown> {
  const covered = new Set<string>(scopes.flatMap((scope) => claimsByScope[scope as keyof typeof claimsByScope] ?? []))
  return Object.fromEntries(
    Object.entries(claims).filter(([name]) => covered.has(name) && (names === undefined || names.includes(name))),
  )
}
