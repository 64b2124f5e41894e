import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { apiScope, readAccessToken } from './access-token.ts'
import type { Issuer } from './issuer.ts'
import * as store from './store.ts'

/** The person that an access token of ours speaks for: signed by us, alive, for this API, and they enabled. */
export async function callerByBearer(
  sql: Sql,
  issuer: Issuer,
  publicUrl: string,
  token: string,
): Promise<Caller | undefined> {
  const claims = await readAccessToken(token, publicUrl, await issuer.keys())
  if (!claims?.scope.split(' ').includes(apiScope)) return undefined
  const person = await store.findTokenCaller(sql, claims.jti)
  if (!person) return undefined
  return {
    id: person.userId,
    roles: new Set(person.roles),
    orgs: [],
    idp: 'passport',
    authTime: new Date(claims.iat * 1000).toISOString(),
    name: person.displayName,
    username: person.username,
    email: person.email,
  }
}
