import type { Account } from 'oidc-provider'
import * as connections from '../connections/store.ts'
import type { Sql } from '../database/sql.ts'
import { entClaim } from '../entitlements/effective.ts'
import { toUserClaims } from '../oauth/claims.ts'
import * as users from '../users/store.ts'

/** Returns an account for the protocol library; undefined for a disabled user, which invalidates all their tokens. */
export async function findAccount(sql: Sql, id: string): Promise<Account | undefined> {
  const user = await users.find(sql, id)
  if (!user || user.disabledAt !== null) return undefined
  return {
    accountId: id,
    claims: (use, scope) => (use === 'userinfo' ? readClaims(sql, user, scope.split(' ')) : toUserClaims(user)),
  }
}

/** Returns the claims for user info with these scopes, and possibly others. */
export async function readClaims(sql: Sql, user: users.User, scopes: string[]) {
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
