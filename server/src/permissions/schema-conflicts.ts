import { setImmediate } from 'node:timers/promises'
import type { SchemaDifference } from '@passport/contract/permissions'
import {
  type CaveatContext,
  type CaveatDeclaration,
  compileCaveatOnce,
  type SchemaDifference as Difference,
  isAllowedBySchema,
  type PermissionEngine,
  PermissionFault,
  printCaveatType,
  printRelationship,
  type Relation,
  type Relationship,
  type RelationshipFilter,
  type Schema,
} from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import { keyOf, toRelationship } from './rows.ts'
import * as store from './store.ts'
import { createYielder } from './yield-if-due.ts'

/** Elements of a schema that a change restricts. */
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

export const findChanged = (before: Schema, after: Schema): ChangedElements => ({
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
        const allowedAfter = new Set(listSubjects(after.definitions.get(name)?.relations.get(relation.name)))
        return listSubjects(relation).some((subject) => !allowedAfter.has(subject))
      })
      .map((relation) => `${name}#${relation.name}`),
  )
}

const listSubjects = (relation: Relation | undefined) =>
  (relation?.allowed ?? []).map(({ span, ...subject }) =>
    JSON.stringify([subject.type, subject.relation, subject.isWildcard, subject.caveat, subject.hasExpiration]),
  )

/**
 * Returns the caveats whose stored values must be checked. A removed caveat needs none: no relation allows it any more.
 */
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
  const disallowed = uses.filter((use) => !isAllowed(after, use))
  const incompatible = await findIncompatibleValues(sql, caveats)
  const refusals = [
    ...describeBlocking(
      disallowed,
      ['is', 'are'],
      'not allowed by the new schema',
      (use) => `${use.count} of ${printUse(use)}`,
    ),
    ...describeBlocking(
      incompatible,
      ['has', 'have'],
      'values that the new caveat does not accept',
      ({ caveat, count, example, reason }) =>
        `${count} of ${caveat}, such as ${printRelationship(example)} (${reason.replace(/\.$/, '')})`,
    ),
  ]
  if (refusals.length > 0) throw new PermissionFault('schema-in-use', refusals.join(' '), 'schema')
}

/** Formats the first kinds, and the total number. */
function describeBlocking<T extends { count: number }>(
  blocking: T[],
  [singular, plural]: [string, string],
  description: string,
  print: (item: T) => string,
): string[] {
  if (blocking.length === 0) return []
  const listed = blocking.slice(0, 10).map(print)
  const more = blocking.length > listed.length ? [`and ${blocking.length - listed.length} more`] : []
  const total = blocking.reduce((sum, { count }) => sum + count, 0)
  const subject = total === 1 ? `1 relationship ${singular}` : `${total} relationships ${plural}`
  return [`${subject} ${description}: ${[...listed, ...more].join(', ')}.`]
}

/** A stored relationship may stay if it could be written. */
function isAllowed(schema: Schema, use: store.Usage): boolean {
  const relationship = {
    resource: { type: use.resourceType, id: 'any' },
    relation: use.relation,
    subject: {
      type: use.subjectType,
      id: use.isWildcard ? '*' : 'any',
      ...(use.subjectRelation && { relation: use.subjectRelation }),
    },
    ...(use.caveat && { caveat: { name: use.caveat } }),
    ...(use.hasExpiration && { expiresAt: 0 }),
  }
  return isAllowedBySchema(schema, relationship)
}

function printUse({
  resourceType,
  relation,
  subjectType,
  subjectRelation,
  isWildcard,
  caveat,
  hasExpiration,
}: store.Usage) {
  const traits = [caveat, hasExpiration && 'expiration'].filter(Boolean).join(' and ')
  const subject = `${subjectType}${isWildcard ? ':*' : ''}${subjectRelation && `#${subjectRelation}`}`
  return `${resourceType}#${relation} with ${subject}${traits && ` with ${traits}`}`
}

/** Stored relationships whose values a changed caveat rejects: their number, an example, and the reason. */
interface IncompatibleValues {
  caveat: string
  count: number
  example: Relationship
  reason: string
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

function findRejection(caveat: CaveatDeclaration, context: CaveatContext) {
  try {
    compileCaveatOnce(caveat).check(context, 'context', 'relationship')
    return undefined
  } catch (error) {
    if (error instanceof PermissionFault) return error.message
    throw error
  }
}

const maxCounted = 1000

/** Returns the differences of a schema, each with the number of relationships that block it. */
export async function diffWithBlocking(engine: PermissionEngine, text: string): Promise<SchemaDifference[]> {
  const differences = await engine.diffSchema(text)
  const counted: SchemaDifference[] = []
  const yieldIfDue = createYielder()
  for (const difference of differences) {
    await yieldIfDue()
    counted.push({
      ...difference,
      affects: [...difference.affects],
      blocking: await countBlocking(engine, difference),
    })
  }
  return counted
}

async function countBlocking(engine: PermissionEngine, difference: Difference): Promise<number> {
  if (difference.blocking !== undefined) return Math.min(maxCounted, difference.blocking)
  const stored = await Promise.all(blockingFilters(difference).map((filter) => readStored(engine, filter, difference)))
  return Math.min(maxCounted, new Set(stored.flat().map(keyOf)).size)
}

/** Returns filters for the relationships that depend on a removed element. */
function blockingFilters({ kind, name, before }: Difference): RelationshipFilter[] {
  const [resourceType = '', relation = ''] = name.split('#')
  if (kind === 'definition-removed') return [{ resourceType }, { subjectType: resourceType }]
  if (kind === 'relation-removed') return [{ resourceType, relation }]
  if (kind !== 'subject-removed' || before === undefined) return []
  const { type, subjectRelation, isWildcard } = parseAllowedSubject(before)
  return [{ resourceType, relation, subjectType: type, subjectRelation, ...(isWildcard && { subjectId: '*' }) }]
}

/** Parses `user:* with tenant and expiration` or `group#member`. */
function parseAllowedSubject(text: string) {
  const [subject = '', traits = ''] = text.split(' with ')
  const [object = '', subjectRelation = ''] = subject.split('#')
  const isWildcard = object.endsWith(':*')
  const words = traits.split(' and ').filter(Boolean)
  return {
    type: isWildcard ? object.slice(0, -2) : object,
    subjectRelation,
    isWildcard,
    caveat: words.find((word) => word !== 'expiration'),
    hasExpiration: words.includes('expiration'),
  }
}

async function readStored(
  engine: PermissionEngine,
  filter: RelationshipFilter,
  { kind, before }: Difference,
): Promise<Relationship[]> {
  try {
    const { items } = await engine.readRelationships(filter, { limit: maxCounted })
    if (kind !== 'subject-removed' || before === undefined) return items
    const { caveat, hasExpiration, isWildcard } = parseAllowedSubject(before)
    return items.filter(
      (relationship) =>
        relationship.caveat?.name === caveat &&
        (relationship.expiresAt !== undefined) === hasExpiration &&
        (relationship.subject.id === '*') === isWildcard,
    )
  } catch (error) {
    if (error instanceof PermissionFault) return []
    throw error
  }
}
