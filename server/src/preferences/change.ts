import { maxPreferences, type Preference } from '@passport/contract/preferences'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { etagOf, type Preconditions } from '../http/conditional.ts'
import type { Visit } from '../http/visit.ts'
import * as users from '../users/store.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

interface ChangeContext {
  caller: Caller
  visit: Visit
  preconditions: Preconditions
}

/**
 * Saves a preference, or deletes it if the value is empty, keeps its former value as a version, and records the change. A write that changes nothing is not
 * recorded. Throws 412 if the caller's preconditions fail, and 409 `preference-limit` if the user has the maximum
 * number.
 */
export function change(sql: Sql, userId: string, { key, value }: Preference, context: ChangeContext): Promise<void> {
  return transaction(sql, async (sql) => {
    // The lock on the user keeps the count below valid until the end of the transaction.
    await users.lock(sql, userId)
    const before = await store.find(sql, userId, key)
    context.preconditions.check(before === undefined ? undefined : { etag: etagOf(before) })
    if ((before ?? '') === value) return
    if (value === '') await store.remove(sql, userId, key)
    else {
      if (before === undefined) await requireBelowLimit(sql, userId)
      await store.save(sql, userId, { key, value })
    }
    if (before !== undefined) await store.trimVersions(sql, userId)
    await audit.record(sql, {
      action: value === '' ? 'preference.removed' : 'preference.saved',
      actorId: context.caller.id,
      target: { kind: 'preference', id: `${userId}/${key}` },
      ...(before !== undefined && { before: toAuditValue(before) }),
      ...(value !== '' && { after: toAuditValue(value) }),
      visit: context.visit,
    })
  })
}

/** Deletes the versions of a preference, and records their number unless there are none. */
export function removeVersions(
  sql: Sql,
  userId: string,
  key: string,
  { caller, visit }: Omit<ChangeContext, 'preconditions'>,
): Promise<void> {
  return transaction(sql, async (sql) => {
    await users.lock(sql, userId)
    const versions = await store.removeVersions(sql, userId, key)
    if (versions === 0) return
    const target = { kind: 'preference' as const, id: `${userId}/${key}` }
    const action = 'preference.history-deleted'
    await audit.record(sql, { action, actorId: caller.id, target, before: { versions }, visit })
  })
}

async function requireBelowLimit(sql: Sql, userId: string) {
  if ((await store.count(sql, userId)) < maxPreferences) return
  throw problems.preferenceLimit()
}

const maxRecordedLength = 1024

/**
 * Returns a value for the audit log. A long value is replaced by its length and hash, so that one preference cannot
 * fill the audit log.
 */
const toAuditValue = (value: string) =>
  value.length <= maxRecordedLength ? { value } : { bytes: Buffer.byteLength(value), etag: etagOf(value) }
