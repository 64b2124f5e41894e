import {
  printRelationship,
  type Relationship,
  type RelationshipChange,
  type RelationshipFilter,
  type RelationshipUpdate,
  toExactFilter,
} from '@passport/permissions'
import { type ReadClient, readRelationships } from './reads.ts'

/** The maximum number of relationships reported for a change, which is also SpiceDB's limit for reads and writes. */
const maxListed = 1000
/** The number of concurrent reads. */
const batchSize = 50

/**
 * Reads the stored versions of updated relationships, in order; undefined for missing ones. This runs before the write,
 * because SpiceDB does not return what a write replaced.
 */
export async function readStored(
  client: ReadClient,
  updates: RelationshipUpdate[],
): Promise<(Relationship | undefined)[]> {
  const stored: (Relationship | undefined)[] = []
  for (let start = 0; start < updates.length; start += batchSize) {
    const part = updates.slice(start, start + batchSize)
    stored.push(...(await Promise.all(part.map(({ relationship }) => find(client, relationship)))))
  }
  return stored
}

async function find(client: ReadClient, relationship: Relationship): Promise<Relationship | undefined> {
  const filter = toExactFilter(relationship)
  // A relationship that cannot be read cannot be written either, and the write reports the reason.
  const page = await readRelationships(client, filter, { limit: 1 }, { kind: 'fullyConsistent' }).catch(() => undefined)
  return page?.items[0]
}

export function toChange(updates: RelationshipUpdate[], stored: (Relationship | undefined)[]): RelationshipChange {
  const before: Relationship[] = []
  const after: Relationship[] = []
  for (const [index, { operation, relationship }] of updates.entries()) {
    const previous = stored[index]
    const isWritten = operation !== 'delete'
    if (previous ? isWritten && printRelationship(previous) === printRelationship(relationship) : !isWritten) continue
    if (previous) before.push(previous)
    if (isWritten) after.push(relationship)
  }
  return {
    before,
    after,
    removed: before.length - after.filter((item) => before.some((previous) => isSame(previous, item))).length,
    written: after.length,
  }
}

function isSame(a: Relationship, b: Relationship): boolean {
  const printKey = ({ resource, relation, subject }: Relationship) => printRelationship({ resource, relation, subject })
  return printKey(a) === printKey(b)
}

/** Returns the first matching relationships. */
export async function readMatching(client: ReadClient, filter: RelationshipFilter): Promise<Relationship[]> {
  const page = await readRelationships(client, filter, { limit: maxListed }, { kind: 'fullyConsistent' }).catch(
    () => undefined,
  )
  return page?.items ?? []
}

/** Returns the relationships of `before` that no longer exist. */
export async function readRemoved(
  client: ReadClient,
  filter: RelationshipFilter,
  before: Relationship[],
  removed: number,
): Promise<RelationshipChange> {
  const left = new Set((await readMatching(client, filter)).map(printRelationship))
  return { before: before.filter((item) => !left.has(printRelationship(item))), after: [], removed, written: 0 }
}
