import type { SchemaDifference } from '@passport/contract/permissions'
import type { PermissionEngine } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type { SchemaDifference as Difference } from '@passport/permissions/reflection'
import type { Relationship, RelationshipFilter } from '@passport/permissions/relationship'
import { keyOf } from './rows.ts'
import { takingTurns } from './turns.ts'

const most = 1000

/** What a schema would change, each with the number of relationships that stand in its way. */
export async function differencesOf(engine: PermissionEngine, text: string): Promise<SchemaDifference[]> {
  const differences = await engine.diffSchema(text)
  const counted: SchemaDifference[] = []
  const takeTurns = takingTurns()
  for (const difference of differences) {
    await takeTurns()
    counted.push({
      ...difference,
      affects: [...difference.affects],
      blocking: await countOfBlocking(engine, difference),
    })
  }
  return counted
}

async function countOfBlocking(engine: PermissionEngine, difference: Difference): Promise<number> {
  if (difference.blocking !== undefined) return Math.min(most, difference.blocking)
  const stored = await Promise.all(filtersOf(difference).map((filter) => storedOf(engine, filter, difference)))
  return Math.min(most, new Set(stored.flat().map(keyOf)).size)
}

/** The relationships that a removed part holds up. */
function filtersOf({ kind, name, before }: Difference): RelationshipFilter[] {
  const [resourceType = '', relation = ''] = name.split('#')
  if (kind === 'definition-removed') return [{ resourceType }, { subjectType: resourceType }]
  if (kind === 'relation-removed') return [{ resourceType, relation }]
  if (kind !== 'subject-removed' || before === undefined) return []
  const { type, subjectRelation, isWildcard } = allowedIn(before)
  return [{ resourceType, relation, subjectType: type, subjectRelation, ...(isWildcard && { subjectId: '*' }) }]
}

/** Of `user:* with tenant and expiration` or `group#member`. */
function allowedIn(spelling: string) {
  const [subject = '', traits = ''] = spelling.split(' with ')
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

async function storedOf(
  engine: PermissionEngine,
  filter: RelationshipFilter,
  { kind, before }: Difference,
): Promise<Relationship[]> {
  try {
    const { items } = await engine.readRelationships(filter, { limit: most })
    if (kind !== 'subject-removed' || before === undefined) return items
    const { caveat, hasExpiration, isWildcard } = allowedIn(before)
    return items.filter(
      (one) =>
        one.caveat?.name === caveat &&
        (one.expiresAt !== undefined) === hasExpiration &&
        (one.subject.id === '*') === isWildcard,
    )
  } catch (error) {
    if (error instanceof PermissionFault) return []
    throw error
  }
}
