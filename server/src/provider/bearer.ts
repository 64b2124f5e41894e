import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Presented } from '../http/presented-token.ts'
import { apiScope, readAccessToken } from './access-token.ts'
import { isPresentedRightly } from './dpop.ts'
import type { Issuer } from './issuer.ts'
import * as store from './store.ts'

/** The person that an access token of ours speaks for: signed by us, alive, for this API, and they enabled. */
export async function callerByBearer(
  sql: Sql,
  issuer: Issuer,
  publicUrl: string,
  presented: Presented,
): Promise<Caller | undefined> {
  const claims = await readAccessToken(presented.token, publicUrl, await issuer.keys())
  if (!claims?.scope.split(' ').includes(apiScope)) return undefined
  if (!(await isPresentedRightly(sql, presented, claims.cnf?.jkt))) return undefined
  const person = await store.findTokenCaller(sql, claims.jti)
  if (!person) return undefined
  return {
    id: person.userId,
    roles: new Set(person.roles),
    orgs: person.orgs,
    idp: 'passport',
    authTime: new Date((claims.auth_time ?? claims.iat) * 1000).toISOString(),
    name: person.displayName,
    username: person.username,
    email: person.email,
  }
}
