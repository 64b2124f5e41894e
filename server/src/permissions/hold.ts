import { PermissionFault } from '@passport/permissions/fault'
import { fits } from '@passport/permissions/read-relationships'
import type { Precondition, Relationship } from '@passport/permissions/relationship'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { type RowKey, relationshipOf, type Terms } from './rows.ts'
import * as store from './store.ts'

/**
 * What a transaction finds before it writes has to be so still when it commits, and nobody else should wait for it in
 * between. So it looks without a lock, remembers at which revision, and takes the head last: what others committed since
 * is in the log, and only where that touches what was found it is found anew.
 */

/** More changes of others are not gone through while all wait: what was found is taken for changed. */
const maxChanges = 1000

/** Where it was looked. With `isAgain` the head is taken at once: whoever lost once is not to lose for ever. */
export const lookFrom = (sql: Sql, { isAgain }: { isAgain: boolean }): Promise<commitStore.Head> =>
  isAgain ? commitStore.lockHead(sql) : commitStore.readHead(sql)

/**
 * Takes the head, so that nobody else commits a change from here to the end of the transaction. `isTouched` tells whether
 * others changed anything like that since it was looked.
 */
export async function takeHead(
  sql: Sql,
  since: commitStore.Head,
  isTouching: (relationship: Relationship) => boolean,
): Promise<{ head: commitStore.Head; isTouched: boolean }> {
  const head = await commitStore.lockHead(sql)
  if (head.rev === since.rev) return { head, isTouched: false }
  const changes = await commitStore.changesSince(sql, since.rev, maxChanges)
  const isTouched = !changes || changes.some((change) => sidesOf(change).some(isTouching))
  return { head, isTouched }
}

const sidesOf = (change: RowKey & { before: Terms | null; after: Terms | null }) =>
  [change.before, change.after].flatMap((terms) => (terms ? [relationshipOf(change, terms)] : []))

/** Thrown for a transaction that is to be run again, as the database itself does (SQLSTATE 40001). */
export const lost = (reason: string): Error => Object.assign(new Error(reason), { code: '40001' })

/** Throws `precondition-failed` at the first that is not so. */
export async function checkPreconditions(sql: Sql, preconditions: Precondition[]): Promise<void> {
  const found = await store.areAny(
    sql,
    preconditions.map(({ filter }) => filter),
  )
  for (const [at, { operation }] of preconditions.entries()) {
    const isThere = found[at] === true
    if (isThere === (operation === 'mustMatch')) continue
    const message = isThere ? 'There is what must not be there.' : 'There is nothing of what must be there.'
    throw new PermissionFault('precondition-failed', message, `preconditions.${at}`)
  }
}

/** Runs the transaction again where others changed what the preconditions are about; else it stays so until the end. */
export async function holdPreconditions(
  sql: Sql,
  preconditions: Precondition[],
  since: commitStore.Head,
): Promise<void> {
  if (preconditions.length === 0) return
  const { isTouched } = await takeHead(sql, since, (relationship) =>
    preconditions.some(({ filter }) => fits(relationship, filter)),
  )
  if (isTouched) throw lost('What a precondition is about was changed meanwhile')
}
