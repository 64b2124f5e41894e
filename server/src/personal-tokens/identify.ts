import { toInstant } from '../accounts/auth-time.ts'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { scopeNotGranted } from '../http/identify.ts'
import type { PresentedToken } from '../http/presented-token.ts'
import { apiScope } from '../oauth/scopes.ts'
import { personalTokenForm } from '../prefixed-token.ts'
import * as store from './store.ts'

/**
 * Returns the user of a personal token for this API; undefined if it is invalid, which costs no statement for a
 * mistyped one. Throws 403 `scope-missing` for a token for other APIs.
 */
export async function findCallerByPersonalToken(
  sql: Sql,
  { scheme, token }: Pick<PresentedToken, 'scheme' | 'token'>,
): Promise<Caller | undefined> {
  if (scheme !== 'bearer' || !personalTokenForm.isWellFormed(token)) return undefined
  const found = await store.findCaller(sql, token)
  if (!found) return undefined
  if (!found.scopes.includes(apiScope)) throw scopeNotGranted(apiScope)
  return {
    id: found.userId,
    roles: new Set(found.roles),
    orgs: found.orgs,
    idp: 'passport',
    authTime: toInstant(undefined),
    name: found.displayName,
    username: found.username,
    email: found.email,
    pictureHash: found.pictureHash,
    personalToken: { id: found.tokenId, lastUsedAt: found.lastUsedAt },
  }
}
