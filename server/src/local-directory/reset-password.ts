import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as provider from '../provider/store.ts'
import { endAll } from '../sessions/end.ts'
import { hashPassword } from './password.ts'
import * as store from './store.ts'

/** Gives someone of the directory another password and signs them out everywhere. Called in a transaction. */
export async function resetPassword(sql: Sql, personId: string, password: string, by: audit.Actor): Promise<void> {
  await store.setPassword(sql, personId, await hashPassword(password))
  const login = await accounts.findLogin(sql, store.identityIssuer, personId)
  if (login) await endAll(sql, [login.userId])
  // Who is signed in at the directory itself would get in again without the password, also with no account here yet.
  await provider.endAllOf(sql, 'directory', personId)
  await recordPasswordSet(sql, personId, by)
}

export const recordPasswordSet = (sql: Sql, personId: string, by: audit.Actor) =>
  audit.record(sql, { ...by, action: 'directory.password-set', target: { kind: 'directory-person', id: personId } })
