import type { Account, KoaContextWithOIDC } from 'oidc-provider'
import type { Sql } from '../database/sql.ts'
import * as users from '../users/store.ts'

/** What each scope tells of a person (OpenID Connect Core, section 5.4). */
export const claimsOfScope = {
  openid: ['sub'],
  profile: ['name', 'preferred_username'],
  email: ['email', 'email_verified'],
}

/** A person as the protocol library knows one; none where they are disabled, and then none of their tokens works. */
export async function findAccount(sql: Sql, _ctx: KoaContextWithOIDC, id: string): Promise<Account | undefined> {
  const user = await users.find(sql, id)
  if (!user || user.disabledAt !== null) return undefined
  return { accountId: id, claims: () => claimsOf(user) }
}

/** All claims there are of a person; those that are not known are left out. */
export function claimsOf(user: users.User) {
  return {
    sub: user.id,
    ...(user.displayName !== null && { name: user.displayName }),
    ...(user.username !== null && { preferred_username: user.username }),
    ...(user.email !== null && { email: user.email, email_verified: user.emailVerified }),
  }
}
