import type { IdentityApi } from '@passport/contract/identity-apis'
import type { SignIn } from '../accounts/session-store.ts'
import type { Sql } from '../database/sql.ts'
import { findApisWithScopes, scopeNamesOf } from '../identity-apis/scopes.ts'
import { userScopesOf } from '../oauth/resources.ts'
import { generateToken } from '../vault.ts'
import { grantToDevice } from './device-code-store.ts'
import { epochSeconds, lifetimes } from './lifetimes.ts'

interface Approval {
  userCode: string
  userId: string
  /** ISO 8601. */
  authTime: string
  amr: string[]
  acr: string | null
  /** The sign-in that started the user's session. */
  signIn?: SignIn | undefined
  scopes: string[]
}

/** Approves a device, which gets its tokens with its next poll. Returns false if the code no longer exists. */
export function approveDevice(sql: Sql, apis: IdentityApi[], approval: Approval): Promise<boolean> {
  const { userCode, userId, authTime, amr, acr, signIn, scopes } = approval
  const requestedApis = findApisWithScopes(apis, scopes)
  const apiScopes = new Set(requestedApis.flatMap(scopeNamesOf))
  return grantToDevice(sql, userCode, {
    id: generateToken(),
    userId,
    scopes,
    openIdScopes: scopes.filter((scope) => !apiScopes.has(scope)),
    scopesByAudience: Object.fromEntries(
      requestedApis.map((api) => [api.audience, scopes.filter((scope) => userScopesOf(api).includes(scope))]),
    ),
    authTime: Math.floor(Date.parse(authTime) / 1000),
    amr,
    acr: acr ?? undefined,
    signIn,
    now: epochSeconds(),
    lifetimeSec: lifetimes.Grant,
  })
}
