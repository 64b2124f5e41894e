import { PermissionError } from '@passport/permissions'
import type { MemoryEngine } from '@passport/permissions/conformance/memory-engine'
import type { Sql } from '../database/sql.ts'
import { openLoadedEngine } from '../permissions/test-engines.ts'
import { createDatabaseCalls } from './database-calls.ts'

/**
 * Opens an engine for tests that evaluates each request in memory and in the database, and throws if the results
 * differ.
 */
export async function startBothGraphs(sql: Sql): Promise<MemoryEngine> {
  const memory = await openLoadedEngine(sql)
  const database = createDatabaseCalls(sql)
  return {
    ...memory,
    check: (...args) => requireAgreement(memory.check(...args), database.check(...args)),
    checkBulk: (...args) => requireAgreement(memory.checkBulk(...args), database.checkBulk(...args)),
    lookupResources: (...args) => requireAgreement(memory.lookupResources(...args), database.lookupResources(...args)),
    lookupSubjects: (...args) => requireAgreement(memory.lookupSubjects(...args), database.lookupSubjects(...args)),
    expand: (...args) => requireAgreement(memory.expand(...args), database.expand(...args)),
  }
}

/** Returns the common result; tokens and cursors must agree too. */
async function requireAgreement<T extends object>(ofMemory: Promise<T>, ofDatabase: Promise<T>): Promise<T> {
  const [memory, database] = await Promise.allSettled([ofMemory, ofDatabase])
  const [found, expected] = [memory, database].map(describeOutcome)
  if (found !== expected) throw new Error(`The graph in memory returned ${found}, that in the database ${expected}.`)
  if (memory.status === 'rejected') throw memory.reason
  return memory.value
}

function describeOutcome(outcome: PromiseSettledResult<object>): string {
  // The in-memory graph contains more than the request needs.
  if (outcome.status === 'fulfilled')
    return JSON.stringify({ ...outcome.value, hasCycle: undefined, visited: undefined })
  const { reason } = outcome
  return reason instanceof PermissionError ? `${reason.code} of ${reason.field}` : String(reason)
}
