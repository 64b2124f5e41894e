import { maxPreferences, type Preference } from '@passport/contract/preferences'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { etagOf, type Preconditions } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import * as users from '../users/store.ts'
import * as store from './store.ts'

interface By {
  caller: Caller
  visit: Visit
  preconditions: Preconditions
}

/**
 * Saves one preference, or removes it where the value is empty, and records what it was and is.
 * A change that changes nothing is not recorded. Throws 412 where the caller's conditions do not hold, and 409
 * `preference-limit` where the person has as many as they may.
 */
export function change(sql: Sql, userId: string, { key, value }: Preference, by: By): Promise<void> {
  return transaction(sql, async (sql) => {
    // The lock on the person makes the count below hold until the end.
    await users.lock(sql, userId)
    const before = await store.find(sql, userId, key)
    by.preconditions.check(before === undefined ? undefined : { etag: etagOf(before) })
    if ((before ?? '') === value) return
    if (value === '') await store.remove(sql, userId, key)
    else {
      if (before === undefined) await refuseTooMany(sql, userId)
      await store.save(sql, userId, { key, value })
    }
    await audit.record(sql, {
      action: value === '' ? 'preference.removed' : 'preference.saved',
      actorId: by.caller.id,
      target: { kind: 'preference', id: `${userId}/${key}` },
      ...(before !== undefined && { before: told(before) }),
      ...(value !== '' && { after: told(value) }),
      visit: by.visit,
    })
  })
}

async function refuseTooMany(sql: Sql, userId: string) {
  if ((await store.count(sql, userId)) < maxPreferences) return
  throw new Problem(409, 'preference-limit', `A person has at most ${maxPreferences} preferences. Delete one first.`)
}

const longestTold = 1024

/** A long value is told by its length and its hash, or one preference could fill the audit. */
const told = (value: string) =>
  value.length <= longestTold ? { value } : { bytes: Buffer.byteLength(value), etag: etagOf(value) }
