import type { RelationshipChange } from '@passport/permissions/engine'
import { exactFilter } from '@passport/permissions/exact-filter'
import type { Relationship, RelationshipFilter, RelationshipUpdate } from '@passport/permissions/relationship'
import { printRelationship } from '@passport/permissions/relationship-text'
import { type ReadClient, readRelationships } from './reads.ts'

/** As many relationships are told of a change; SpiceDB reads and writes no more at once either. */
const most = 1000
/** How many reads are under way at once. */
const atOnce = 50

/**
 * What is stored of the relationships of updates, in their order: undefined where there is none. Read before the write,
 * for SpiceDB does not tell what a write replaced.
 */
export async function storedOf(
  client: ReadClient,
  updates: RelationshipUpdate[],
): Promise<(Relationship | undefined)[]> {
  const stored: (Relationship | undefined)[] = []
  for (let start = 0; start < updates.length; start += atOnce) {
    const part = updates.slice(start, start + atOnce)
    stored.push(...(await Promise.all(part.map(({ relationship }) => find(client, relationship)))))
  }
  return stored
}

async function find(client: ReadClient, relationship: Relationship): Promise<Relationship | undefined> {
  const filter = exactFilter(relationship)
  // What cannot be read cannot be written either, and the write says why.
  const page = await readRelationships(client, filter, { limit: 1 }, { kind: 'fullyConsistent' }).catch(() => undefined)
  return page?.items[0]
}

export function changeOf(updates: RelationshipUpdate[], stored: (Relationship | undefined)[]): RelationshipChange {
  const before: Relationship[] = []
  const after: Relationship[] = []
  for (const [index, { operation, relationship }] of updates.entries()) {
    const old = stored[index]
    const isKept = operation !== 'delete'
    if (old ? isKept && printRelationship(old) === printRelationship(relationship) : !isKept) continue
    if (old) before.push(old)
    if (isKept) after.push(relationship)
  }
  return {
    before,
    after,
    removed: before.length - after.filter((item) => before.some((old) => isSame(old, item))).length,
    written: after.length,
  }
}

function isSame(one: Relationship, other: Relationship): boolean {
  const bare = ({ resource, relation, subject }: Relationship) => printRelationship({ resource, relation, subject })
  return bare(one) === bare(other)
}

/** The first relationships that fit. */
export async function fitting(client: ReadClient, filter: RelationshipFilter): Promise<Relationship[]> {
  const page = await readRelationships(client, filter, { limit: most }, { kind: 'fullyConsistent' }).catch(
    () => undefined,
  )
  return page?.items ?? []
}

/** Those of `before` that are gone. */
export async function removedOf(
  client: ReadClient,
  filter: RelationshipFilter,
  before: Relationship[],
  removed: number,
): Promise<RelationshipChange> {
  const left = new Set((await fitting(client, filter)).map(printRelationship))
  return { before: before.filter((item) => !left.has(printRelationship(item))), after: [], removed, written: 0 }
}
