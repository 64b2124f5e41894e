import type { IdentityApi } from '@passport/contract/identity-apis'
import type { Sql } from '../database/sql.ts'
import { entClaim } from '../entitlements/effective.ts'
import { pickClaims, toUserClaims } from '../oauth/claims.ts'
import * as orgs from '../orgs/store.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'

interface TokenOfUser {
  userId: string
  /** The API that the token is for. */
  api: Pick<IdentityApi, 'claims'> | undefined
  /** The scopes that the user granted, including those of OpenID Connect. */
  grantedScopes: string[]
  /** The token was requested with the scope `entitlements`. */
  withEntitlements: boolean
}

/** Returns the claims about a user in an access token: the roles, the organisations, and what the API has configured. */
export async function findUserClaims(sql: Sql, { userId, api, grantedScopes, withEntitlements }: TokenOfUser) {
  return {
    sub: userId,
    ...(await findConfiguredClaims(sql, userId, api?.claims ?? [], grantedScopes)),
    roles: await roles.listNames(sql, userId),
    orgs: (await orgs.listForUser(sql, userId)).map(({ id }) => id),
    ...(withEntitlements && (await entClaim(sql, userId))),
  }
}

/** Returns the configured claims that the granted scopes cover, so that no token has more than the user allowed. */
async function findConfiguredClaims(sql: Sql, userId: string, configured: string[], grantedScopes: string[]) {
  const user = configured.length > 0 ? await users.find(sql, userId) : undefined
  return user ? pickClaims(toUserClaims(user), grantedScopes, configured) : {}
}
