import { endAllCredentials } from '../accounts/end-sessions.ts'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as provider from '../provider/store.ts'
import { resetGuesses } from './lockout.ts'
import { hashPassword } from './password.ts'
import * as store from './store.ts'

/** Sets the password of a directory user and signs them out everywhere. Call it in a transaction. */
export async function resetPassword(
  sql: Sql,
  personId: string,
  password: string,
  actor: audit.ActorFields,
): Promise<void> {
  await store.setPassword(sql, personId, await hashPassword(password))
  const person = await store.findById(sql, personId)
  if (person) await resetGuesses(sql, person.name)
  const login = await accounts.findLogin(sql, store.identityIssuer, personId)
  if (login) await endAllCredentials(sql, [login.userId])
  // A session at the directory itself would allow another sign-in without the password, even without an account yet.
  await provider.endAllSessionsAndGrants(sql, 'directory', personId)
  await recordPasswordSet(sql, personId, actor)
}

export const recordPasswordSet = (sql: Sql, personId: string, actor: audit.ActorFields) =>
  audit.record(sql, { ...actor, action: 'directory.password-set', target: { kind: 'directory-person', id: personId } })
