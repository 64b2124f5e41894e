import * as accounts from '../accounts/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import * as directory from '../local-directory/store.ts'

/**
 * Returns the caller's name at a provider, to prefill the provider's form; undefined if the caller signed in with
 * another provider.
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
  // The label of a directory login is the email, but the directory expects the username.
  if (upstream.kind !== 'local') return login.label
  const user = await directory.findById(sql, login.subject)
  return user && directory.signInNameOf(user)
}
