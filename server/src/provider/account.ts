import type { Account, KoaContextWithOIDC } from 'oidc-provider'
import type { Sql } from '../database/sql.ts'
import * as users from '../users/store.ts'

/** The claims of each scope (OpenID Connect Core, section 5.4). */
export const claimsByScope = {
  openid: ['sub'],
  profile: ['name', 'preferred_username'],
  email: ['email', 'email_verified'],
}

/** Returns an account for the protocol library; undefined for a disabled user, which invalidates all their tokens. */
export async function findAccount(sql: Sql, _ctx: KoaContextWithOIDC, id: string): Promise<Account | undefined> {
  const user = await users.find(sql, id)
  if (!user || user.disabledAt !== null) return undefined
  return { accountId: id, claims: () => claimsOf(user) }
}

/** Returns the claims about a user; unset fields have none. */
export function claimsOf(user: users.User) {
  return {
    sub: user.id,
    ...(user.displayName !== null && { name: user.displayName }),
    ...(user.username !== null && { preferred_username: user.username }),
    ...(user.email !== null && { email: user.email, email_verified: user.emailVerified }),
  }
}
