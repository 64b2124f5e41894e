import { type Sql, transaction } from '../database/sql.ts'
import { lockChanges } from '../roles/store.ts'
import { applyChanges } from './apply-changes.ts'
import { checkDocument } from './check.ts'
import { type Change, compareStructure } from './diff.ts'
import { type Join, JoinsNotConfirmed, listJoins } from './joins.ts'
import { type ConfigOptions, readStructure } from './read.ts'

interface ApplyResult {
  done: Change[]
  /** Entries that the document lacks, and that were not deleted. */
  kept: Change[]
  /** What the document gave to existing records. */
  joins: Join[]
}

/** Returns the name under which the deletion of an entry is confirmed: `role Stage.Editor`. */
export const nameOf = ({ entity, key }: Change): string => `${entity} ${key}`

/** Thrown if the directory was changed concurrently. */
export class ConcurrentChangeError extends Error {}

/** Compares the directory with a document, which may be any value. Throws `InvalidDocument`. */
export function compareDocument(
  sql: Sql,
  document: unknown,
  { isWhole, ...options }: { isWhole: boolean } & ConfigOptions,
): Promise<Change[]> {
  const compare = async (sql: Sql) => {
    const current = await readStructure(sql, options)
    return compareStructure(current, await checkDocument(sql, document, { current, isWhole }))
  }
  return transaction(sql, compare, { isolation: 'serializable' })
}

interface ApplyOptions extends ConfigOptions {
  /** Applies the document, so that every rule is checked, and undoes it. */
  isDryRun?: boolean
  /** Adds what the directory lacks, and leaves what exists as it is. */
  onlyAdds?: boolean
  /** Decides whether to give something to an existing record. By default nothing is given, except in a dry run. */
  isConfirmed?: (join: Join) => boolean
}

/**
 * Applies a document to the directory, as a whole or not at all. Of the entries that the document lacks, deletes those
 * whose names are in `deletable`. Throws `InvalidDocument`, `ConcurrentChangeError`, `RuleViolation` if a feature
 * rejects a change, and otherwise `JoinsNotConfirmed`.
 */
export async function applyDocument(
  sql: Sql,
  document: unknown,
  deletable?: ReadonlySet<string>,
  { isDryRun = false, onlyAdds = false, isConfirmed = () => false, ...options }: ApplyOptions = {},
): Promise<ApplyResult> {
  const isIncluded = (change: Change) =>
    change.kind === 'added' || (!onlyAdds && (change.kind === 'changed' || deletable?.has(nameOf(change)) === true))
  const apply = async (sql: Sql) => {
    await lockChanges(sql)
    const current = await readStructure(sql, options)
    const valid = await checkDocument(sql, document, { current, isWhole: deletable !== undefined })
    const done = compareStructure(current, valid).filter(isIncluded)
    const joins = await listJoins(sql, current, done)
    await applyChanges(sql, current, done, valid.pictures)
    if (!isDryRun && !joins.every(isConfirmed)) throw new JoinsNotConfirmed(joins)
    const kept = compareStructure(done.length > 0 ? await readStructure(sql, options) : current, valid)
    if (kept.some(isIncluded))
      throw new ConcurrentChangeError('A concurrent change conflicts with this one. Run it again.')
    return { done, kept, joins }
  }
  if (!isDryRun) return transaction(sql, apply)
  let result: ApplyResult | undefined
  try {
    await transaction(sql, async (sql) => {
      result = await apply(sql)
      throw new DryRun()
    })
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
  }
  return result ?? { done: [], kept: [], joins: [] }
}

/** Rolls back the transaction of a dry run. */
class DryRun extends Error {}
