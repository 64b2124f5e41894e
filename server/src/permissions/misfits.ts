import { setImmediate } from 'node:timers/promises'
import { caveatOf } from '@passport/permissions/compiled-caveats'
import { PermissionFault } from '@passport/permissions/fault'
import { printCaveatType } from '@passport/permissions/print'
import type { Relationship } from '@passport/permissions/relationship'
import type { CaveatDeclaration, Schema } from '@passport/permissions/schema'
import type { Sql } from '../database/sql.ts'
import { relationshipOf } from './rows.ts'
import * as store from './store.ts'

/** A caveat some of whose parameters are gone, or of another type. */
export interface ChangedCaveat {
  caveat: CaveatDeclaration
  parameters: string[]
}

/** Stored relationships whose values a changed caveat cannot take: how many, one of them, and why. */
export interface Misfits {
  caveat: string
  count: number
  example: Relationship
  reason: string
}

/** Those whose stored values have to be looked at. A caveat that is gone holds no relationship: no relation has it then. */
export function changedCaveats(before: Schema, after: Schema): ChangedCaveat[] {
  return [...before.caveats.values()].flatMap(({ name, parameters }) => {
    const caveat = after.caveats.get(name)
    if (!caveat) return []
    const types = new Map(caveat.parameters.map(({ name, type }) => [name, printCaveatType(type)]))
    const changed = parameters.filter(({ name, type }) => types.get(name) !== printCaveatType(type))
    return changed.length > 0 ? [{ caveat, parameters: changed.map(({ name }) => name) }] : []
  })
}

/** What is stored and could not be written any more. SpiceDB refuses such a change of a caveat whatever is stored. */
export async function findMisfits(sql: Sql, changed: ChangedCaveat[]): Promise<Misfits[]> {
  const found: Misfits[] = []
  for (const { caveat, parameters } of changed) {
    let first: Omit<Misfits, 'count'> | undefined
    let count = 0
    for await (const rows of store.contextsOf(sql, caveat.name, parameters)) {
      for (const row of rows) {
        const reason = reasonAgainst(caveat, row.terms.context ?? {})
        if (reason === undefined) continue
        count += 1
        first ??= { caveat: caveat.name, example: relationshipOf(row, row.terms), reason }
      }
      await setImmediate()
    }
    if (first) found.push({ ...first, count })
  }
  return found
}

function reasonAgainst(caveat: CaveatDeclaration, context: NonNullable<Relationship['caveat']>['context'] & object) {
  try {
    caveatOf(caveat).check(context, 'context', 'relationship')
    return undefined
  } catch (error) {
    if (error instanceof PermissionFault) return error.message
    throw error
  }
}
