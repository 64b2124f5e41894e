import { type Sql, transaction } from '../database/sql.ts'
import { lockChanges } from '../roles/store.ts'
import { checkDocument } from './check.ts'
import { type Change, differencesOf } from './diff.ts'
import { readStructure } from './read.ts'
import { write } from './write.ts'

interface Applied {
  done: Change[]
  /** What the document does not know, and nobody asked to delete. */
  stays: Change[]
}

/** What a document does not know, as something that may be deleted. */
export const nameOf = ({ of, key }: Change): string => `${of} ${key}`

/** The directory was changed by somebody else at the same time. */
export class Overtaken extends Error {}

/** Where the directory and a document, which may be any value, differ. Throws `Faulty`. */
export function compareDocument(sql: Sql, document: unknown, { isWhole }: { isWhole: boolean }): Promise<Change[]> {
  const compared = async (sql: Sql) => {
    const here = await readStructure(sql)
    return differencesOf(here, await checkDocument(sql, document, { here, isWhole }))
  }
  return transaction(sql, compared, { isolation: 'serializable' })
}

/**
 * Makes the directory as a document tells it, all of it or nothing; with `mayGo`, the names of what may be deleted,
 * deletes that where the document does not know it. Throws `Faulty`, `Overtaken`, and `Refused` where a rule is against it.
 */
export function applyDocument(sql: Sql, document: unknown, mayGo?: ReadonlySet<string>): Promise<Applied> {
  const isToDo = (change: Change) => change.kind !== 'missing' || mayGo?.has(nameOf(change)) === true
  return transaction(sql, async (sql) => {
    await lockChanges(sql)
    const here = await readStructure(sql)
    const checked = await checkDocument(sql, document, { here, isWhole: mayGo !== undefined })
    const done = differencesOf(here, checked).filter(isToDo)
    await write(sql, here, done)
    const stays = differencesOf(done.length > 0 ? await readStructure(sql) : here, checked)
    if (stays.some(isToDo)) throw new Overtaken('Somebody changed the same at the same time. Run it again.')
    return { done, stays }
  })
}
