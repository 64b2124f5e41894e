import { setImmediate } from 'node:timers/promises'
import {
  type CaveatDeclaration,
  compileCaveatOnce,
  PermissionFault,
  printCaveatType,
  type Relationship,
  type Schema,
} from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import { toRelationship } from './rows.ts'
import * as store from './store.ts'

/** A caveat with removed or retyped parameters. */
export interface ChangedCaveat {
  caveat: CaveatDeclaration
  parameters: string[]
}

/** Stored relationships whose values a changed caveat rejects: their number, an example, and the reason. */
export interface IncompatibleValues {
  caveat: string
  count: number
  example: Relationship
  reason: string
}

/**
 * Returns the caveats whose stored values must be checked. A removed caveat needs none: no relation allows it any more.
 */
export function findChangedCaveats(before: Schema, after: Schema): ChangedCaveat[] {
  return [...before.caveats.values()].flatMap(({ name, parameters }) => {
    const caveat = after.caveats.get(name)
    if (!caveat) return []
    const types = new Map(caveat.parameters.map(({ name, type }) => [name, printCaveatType(type)]))
    const changed = parameters.filter(({ name, type }) => types.get(name) !== printCaveatType(type))
    return changed.length > 0 ? [{ caveat, parameters: changed.map(({ name }) => name) }] : []
  })
}

/**
 * Finds stored relationships that could not be written under the changed caveats. SpiceDB rejects such a caveat change
 * regardless of stored data.
 */
export async function findIncompatibleValues(sql: Sql, changed: ChangedCaveat[]): Promise<IncompatibleValues[]> {
  const incompatible: IncompatibleValues[] = []
  for (const { caveat, parameters } of changed) {
    let first: Omit<IncompatibleValues, 'count'> | undefined
    let count = 0
    for await (const rows of store.readContexts(sql, caveat.name, parameters)) {
      for (const row of rows) {
        const reason = findRejection(caveat, row.terms.context ?? {})
        if (reason === undefined) continue
        count += 1
        first ??= { caveat: caveat.name, example: toRelationship(row, row.terms), reason }
      }
      await setImmediate()
    }
    if (first) incompatible.push({ ...first, count })
  }
  return incompatible
}

function findRejection(caveat: CaveatDeclaration, context: NonNullable<Relationship['caveat']>['context'] & object) {
  try {
    compileCaveatOnce(caveat).check(context, 'context', 'relationship')
    return undefined
  } catch (error) {
    if (error instanceof PermissionFault) return error.message
    throw error
  }
}
