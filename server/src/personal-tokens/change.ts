import type { ParsedRequest } from '@passport/contract/endpoint'
import { type createPersonalToken, maxPersonalTokens } from '@passport/contract/personal-tokens'
import * as sessions from '../accounts/session-store.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import { notSignedIn } from '../http/problems.ts'
import type { Visit } from '../http/visit.ts'
import { listScopesForUsers } from '../identity-apis/scopes.ts'
import * as identityApis from '../identity-apis/store.ts'
import { personalTokenForm } from '../prefixed-token.ts'
import * as users from '../users/store.ts'
import { notifyOfCreation, notifyOfRevocation } from './notices.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

interface ChangeContext {
  caller: Pick<Caller, 'id' | 'session'>
  visit: Visit
}

/**
 * Creates a token of the caller and returns it with its value, which is not stored. Throws 400 `scope-unavailable` and
 * 409 `too-many-personal-tokens`.
 */
export async function create(
  services: Services,
  { name, scopes, expiresInDays }: ParsedRequest<typeof createPersonalToken>['body'],
  { caller, visit }: ChangeContext,
): Promise<{ row: store.PersonalTokenRow; value: string }> {
  const chosen = [...new Set(scopes)]
  return transaction(services.sql, async (sql) => {
    await requireGrantable(sql, chosen)
    const user = await users.lock(sql, caller.id)
    if (!user || user.disabledAt !== null) throw notSignedIn()
    // What ends a session removes it before the tokens that were created in it, and waits for this one.
    if (caller.session && !(await sessions.lock(sql, caller.session.id))) throw notSignedIn()
    if ((await store.count(sql, user.id)) >= maxPersonalTokens) throw problems.tooManyPersonalTokens()
    const value = personalTokenForm.generate()
    const { loginId = null, browserId = null } = caller.session ?? {}
    const newToken = { userId: user.id, loginId, browserId, name, scopes: chosen, expiresInDays }
    const row = await store.add(sql, value, value.slice(0, personalTokenForm.startLength), newToken)
    await audit.record(sql, {
      action: 'personal-token.created',
      actorId: user.id,
      target: { kind: 'user', id: user.id },
      after: toAuditFields(row),
      visit,
    })
    await notifyOfCreation(sql, services, user, row, visit)
    return { row, value }
  })
}

/** Throws 400 `scope-unavailable`. Locks the APIs, so that none loses a scope before the token has it. */
async function requireGrantable(sql: Sql, scopes: string[]): Promise<void> {
  await identityApis.lockChanges(sql)
  const grantable = new Set(listScopesForUsers(await identityApis.listAll(sql)).map(({ name }) => name))
  const unavailable = scopes.filter((scope) => !grantable.has(scope))
  if (unavailable.length === 0) return
  const message = `A personal token cannot have the scope ${unavailable.join(', ')}.`
  throw problems.scopeUnavailable([{ field: 'scopes', code: 'scope-unavailable', message }])
}

/**
 * Revokes a token of a user, who is notified if the caller is another one. Throws 404 `personal-token-not-found`.
 */
export function revoke(
  services: Services,
  { userId, tokenId }: { userId: string; tokenId: string },
  { caller, visit }: ChangeContext,
): Promise<void> {
  return transaction(services.sql, async (sql) => {
    const removed = await store.remove(sql, userId, tokenId)
    if (!removed) throw problems.personalTokenNotFound()
    await audit.record(sql, {
      action: 'personal-token.revoked',
      actorId: caller.id,
      target: { kind: 'user', id: userId },
      before: toAuditFields(removed),
      visit,
    })
    const user = caller.id === userId ? undefined : await users.find(sql, userId)
    if (user) await notifyOfRevocation(sql, services, user, removed.name)
  })
}

const toAuditFields = ({ name, scopes, expiresAt }: Pick<store.PersonalTokenRow, 'name' | 'scopes' | 'expiresAt'>) => ({
  name,
  scopes: scopes.join(' '),
  expiresAt,
})
