import { endAllCredentials } from '../accounts/end-sessions.ts'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as provider from '../provider/store.ts'
import { resetGuesses } from './lockout.ts'
import { hashPassword } from './password.ts'
import * as signUps from './sign-up-store.ts'
import * as store from './store.ts'

/** Sets the password of a directory user and signs them out everywhere. Call it in a transaction. */
export async function resetPassword(
  sql: Sql,
  directoryUserId: string,
  password: string,
  actor: audit.ActorFields,
): Promise<void> {
  await store.setPassword(sql, directoryUserId, await hashPassword(password))
  await resetGuesses(sql, directoryUserId)
  const login = await accounts.findLogin(sql, store.identityIssuer, directoryUserId)
  if (login) await endAllCredentials(sql, [login.userId])
  // A session at the directory, or a sign-up, would allow a sign-in without the password, even before the user has an account.
  await provider.endAllSessionsAndGrants(sql, 'directory', directoryUserId)
  await signUps.endAllOf(sql, directoryUserId)
  await recordPasswordSet(sql, directoryUserId, actor)
}

export const recordPasswordSet = (sql: Sql, directoryUserId: string, actor: audit.ActorFields) =>
  audit.record(sql, {
    ...actor,
    action: 'directory.password-set',
    target: { kind: 'directory-person', id: directoryUserId },
  })
