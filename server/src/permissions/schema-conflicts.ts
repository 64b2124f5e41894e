import { setImmediate } from 'node:timers/promises'
import type { SchemaDifference } from '@passport/contract/permissions'
import {
  type CaveatContext,
  type CaveatDeclaration,
  compileCaveatOnce,
  type SchemaDifference as Difference,
  type PermissionEngine,
  PermissionError,
  printAllowed,
  printCaveatType,
  printRelationship,
  type Relationship,
  type RelationshipFilter,
  type Schema,
} from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import { keyOf, toRelationship } from './rows.ts'
import * as store from './store.ts'
import { createYielder } from './yield-if-due.ts'

/** The elements of a schema that a change may restrict. */
export interface ChangedElements {
  /** Relations that no longer allow all previous subjects, as `document#viewer`. */
  relations: string[]
  caveats: ChangedCaveat[]
}

/** A caveat with removed or retyped parameters. */
interface ChangedCaveat {
  caveat: CaveatDeclaration
  parameters: string[]
}

export const findChangedElements = (before: Schema, after: Schema): ChangedElements => ({
  relations: findChangedRelations(before, after),
  caveats: findChangedCaveats(before, after),
})

/** Reports whether a relationship uses a changed element. */
export const isAffected = ({ resource, relation, caveat }: Relationship, { relations, caveats }: ChangedElements) =>
  relations.includes(`${resource.type}#${relation}`) || caveats.some((changed) => changed.caveat.name === caveat?.name)

function findChangedRelations(before: Schema, after: Schema): string[] {
  return [...before.definitions.values()].flatMap(({ name, relations }) =>
    [...relations.values()]
      .filter((relation) => {
        const allowedAfter = listSubjects(after, name, relation.name)
        return relation.allowed.some((subject) => !allowedAfter.includes(printAllowed(subject)))
      })
      .map((relation) => `${name}#${relation.name}`),
  )
}

const listSubjects = ({ definitions }: Schema, type: string, relation: string): string[] =>
  (definitions.get(type)?.relations.get(relation)?.allowed ?? []).map(printAllowed)

/** Formats the subject of a stored relationship as a schema allows it: `user:* with tenant`. */
const printSubject = ({ subject, caveat, expiresAt }: Relationship): string =>
  printAllowed({
    ...subject,
    ...(subject.id === '*' && { isWildcard: true }),
    ...(caveat && { caveat: caveat.name }),
    ...(expiresAt !== undefined && { hasExpiration: true }),
  })

/** Returns the changed caveats that still exist. No relation allows a removed one, so its stored values do not matter. */
function findChangedCaveats(before: Schema, after: Schema): ChangedCaveat[] {
  return [...before.caveats.values()].flatMap(({ name, parameters }) => {
    const caveat = after.caveats.get(name)
    if (!caveat) return []
    const types = new Map(caveat.parameters.map(({ name, type }) => [name, printCaveatType(type)]))
    const changed = parameters.filter(({ name, type }) => types.get(name) !== printCaveatType(type))
    return changed.length > 0 ? [{ caveat, parameters: changed.map(({ name }) => name) }] : []
  })
}

/** Throws `schema-in-use` if stored relationships do not fit the changed elements. */
export async function rejectSchemaInUse(sql: Sql, after: Schema, { relations, caveats }: ChangedElements) {
  const uses = relations.length > 0 ? await store.findUses(sql, relations) : []
  const disallowed = uses.flatMap(({ count, ...row }) => {
    const subject = printSubject(toRelationship(row, row.terms))
    if (listSubjects(after, row.resourceType, row.relation).includes(subject)) return []
    return [{ count, text: `${count} of ${row.resourceType}#${row.relation} with ${subject}` }]
  })
  const incompatible = (await findIncompatibleValues(sql, caveats)).map(({ caveat, count, example, reason }) => ({
    count,
    text: `${count} of ${caveat}, such as ${printRelationship(example)} (${reason.replace(/\.$/, '')})`,
  }))
  const conflicts = [
    ...formatConflicts(disallowed, ['is', 'are'], 'not allowed by the new schema'),
    ...formatConflicts(incompatible, ['has', 'have'], 'values that the new caveat does not accept'),
  ]
  if (conflicts.length > 0) throw new PermissionError('schema-in-use', conflicts.join(' '), 'schema')
}

/** Returns a sentence with the total number and the first conflicts; nothing if there are none. */
function formatConflicts(
  conflicts: { count: number; text: string }[],
  [singular, plural]: [string, string],
  description: string,
): string[] {
  if (conflicts.length === 0) return []
  const listed = conflicts.slice(0, 10).map(({ text }) => text)
  const more = conflicts.length > listed.length ? [`and ${conflicts.length - listed.length} more`] : []
  const total = conflicts.reduce((sum, { count }) => sum + count, 0)
  const subject = total === 1 ? `1 relationship ${singular}` : `${total} relationships ${plural}`
  return [`${subject} ${description}: ${[...listed, ...more].join(', ')}.`]
}

/** The stored relationships whose values a changed caveat rejects. */
interface IncompatibleValues {
  caveat: string
  count: number
  example: Relationship
  reason: string
}

/**
 * Finds stored relationships that could not be written with the changed caveats. SpiceDB rejects such a change whatever
 * is stored.
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

/** Returns why a caveat rejects stored values; undefined if it accepts them. */
function findRejection(caveat: CaveatDeclaration, context: CaveatContext) {
  try {
    compileCaveatOnce(caveat).check(context, 'context', 'relationship')
    return undefined
  } catch (error) {
    if (error instanceof PermissionError) return error.message
    throw error
  }
}

const maxCounted = 1000

/** Returns the differences of a schema from the current one, each with the number of relationships that block it. */
export async function diffWithBlocking(engine: PermissionEngine, text: string): Promise<SchemaDifference[]> {
  const differences = await engine.diffSchema(text)
  const counted: SchemaDifference[] = []
  const yieldIfDue = createYielder()
  for (const difference of differences) {
    await yieldIfDue()
    counted.push({ ...difference, blocking: await countBlocking(engine, difference) })
  }
  return counted
}

async function countBlocking(engine: PermissionEngine, difference: Difference): Promise<number> {
  if (difference.blocking !== undefined) return Math.min(maxCounted, difference.blocking)
  const stored = await Promise.all(toBlockingFilters(difference).map((filter) => readMatching(engine, filter)))
  const isBlocking = (relationship: Relationship) =>
    difference.kind !== 'subject-removed' || printSubject(relationship) === difference.before
  return Math.min(maxCounted, new Set(stored.flat().filter(isBlocking).map(keyOf)).size)
}

/** Returns filters for the relationships that use a removed element. */
function toBlockingFilters({ kind, name, before = '' }: Difference): RelationshipFilter[] {
  const [resourceType = '', relation = ''] = name.split('#')
  if (kind === 'definition-removed') return [{ resourceType }, { subjectType: resourceType }]
  if (kind === 'relation-removed') return [{ resourceType, relation }]
  if (kind !== 'subject-removed') return []
  // `before` is, for example, `user:* with tenant and expiration` or `group#member`.
  const [, subjectType = '', wildcard, subjectRelation = ''] = /^([^\s:#]+)(:\*)?(?:#(\S+))?/.exec(before) ?? []
  return [{ resourceType, relation, subjectType, subjectRelation, ...(wildcard && { subjectId: '*' }) }]
}

/** Reads matching relationships; returns none for a filter that the engine rejects. */
async function readMatching(engine: PermissionEngine, filter: RelationshipFilter): Promise<Relationship[]> {
  try {
    return (await engine.readRelationships(filter, { limit: maxCounted })).items
  } catch (error) {
    if (error instanceof PermissionError) return []
    throw error
  }
}
