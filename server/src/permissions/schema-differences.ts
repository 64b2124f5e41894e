import type { SchemaDifference } from '@passport/contract/permissions'
import {
  type SchemaDifference as Difference,
  type PermissionEngine,
  PermissionFault,
  type Relationship,
  type RelationshipFilter,
} from '@passport/permissions'
import { keyOf } from './rows.ts'
import { createYielder } from './yield-if-due.ts'

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
