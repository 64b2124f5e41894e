import { PermissionFault } from '@passport/permissions/fault'
import type { Sql } from '../database/sql.ts'
import { engineOn } from '../permissions/test-engines.ts'
import { databaseQuestions } from './database-questions.ts'
import type { MemoryEngine } from './memory-engine.ts'

/**
 * For tests: the embedded engine, which answers each question twice, from memory and from the database, and throws where
 * they differ.
 */
export async function startBothGraphs(sql: Sql): Promise<MemoryEngine> {
  const memory = await engineOn(sql)
  const database = databaseQuestions(sql)
  return {
    ...memory,
    check: (...asked) => agreed(memory.check(...asked), database.check(...asked)),
    checkBulk: (...asked) => agreed(memory.checkBulk(...asked), database.checkBulk(...asked)),
    lookupResources: (...asked) => agreed(memory.lookupResources(...asked), database.lookupResources(...asked)),
    lookupSubjects: (...asked) => agreed(memory.lookupSubjects(...asked), database.lookupSubjects(...asked)),
    expand: (...asked) => agreed(memory.expand(...asked), database.expand(...asked)),
  }
}

/** What both answer; tokens and cursors are a part of it. */
async function agreed<T extends object>(ofMemory: Promise<T>, ofDatabase: Promise<T>): Promise<T> {
  const [one, other] = await Promise.allSettled([ofMemory, ofDatabase])
  const [told, expected] = [one, other].map(textOf)
  if (told !== expected) throw new Error(`The graph in memory says ${told}, that of the database ${expected}.`)
  if (one.status === 'rejected') throw one.reason
  return one.value
}

function textOf(outcome: PromiseSettledResult<object>): string {
  // In memory there is more than what is on the way to what is asked.
  if (outcome.status === 'fulfilled')
    return JSON.stringify({ ...outcome.value, hasCycle: undefined, visited: undefined })
  const { reason } = outcome
  return reason instanceof PermissionFault ? `${reason.code} of ${reason.field}` : String(reason)
}
