import * as accounts from '../accounts/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import * as directory from '../local-directory/store.ts'

/**
 * Returns the name by which a provider knows the signed-in user, so that they need not enter it again; undefined if
 * they signed in with another provider.
 */
export async function findLoginHint(
  sql: Sql,
  upstream: Upstream,
  caller: Caller | undefined,
): Promise<string | undefined> {
  if (!caller?.session || caller.idp !== upstream.id) return undefined
  const { loginId } = caller.session
  const login = (await accounts.listLogins(sql, caller.id)).find(({ id }) => id === loginId)
  if (!login) return undefined
  // The label of a directory login is the email, with which nobody signs in there.
  return upstream.kind === 'local' ? (await directory.findById(sql, login.subject))?.name : login.label
}
