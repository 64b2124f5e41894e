import { v1 } from '@authzed/authzed-node'
import {
  type Consistency,
  checkFilterNotEmpty,
  checkPreconditionsNotEmpty,
  type PermissionEngine,
  printRelationship,
  type Relationship,
  type RelationshipChange,
  type RelationshipFilter,
  type RelationshipsPage,
  type RelationshipUpdate,
  toExactFilter,
} from '@passport/permissions'
import * as z from 'zod/mini'
import { decodeCursor, encodeCursor } from '../permissions/cursor.ts'
import { readSchemaText, type SpiceDbClients } from './clients.ts'
import { nameFilter, namePreconditions, nameUpdates, withErrors } from './errors.ts'
import { fromRelationship, toConsistency, toFilter, toPrecondition, toUpdate } from './messages.ts'

type RelationshipMethods = Pick<PermissionEngine, 'readRelationships' | 'writeRelationships' | 'deleteRelationships'>

export function createRelationshipMethods(clients: SpiceDbClients): RelationshipMethods {
  const calls = clients.permissions.promises
  return {
    readRelationships: (filter, { expiresBefore, ...page }, { consistency } = {}) =>
      withErrors(
        () => nameFilter(filter),
        () =>
          expiresBefore === undefined
            ? read(clients, filter, page, consistency)
            : readExpiring(clients, filter, page.cursor, expiresBefore, consistency),
      ),
    writeRelationships: async (updates, preconditions = [], { record } = {}) => {
      checkPreconditionsNotEmpty(preconditions)
      const stored = record ? await readStored(clients, updates) : []
      const response = await withErrors(
        () => [...nameUpdates(updates), ...namePreconditions(preconditions)],
        () =>
          calls.writeRelationships({
            updates: updates.map(toUpdate),
            optionalPreconditions: preconditions.map(toPrecondition),
          }),
      )
      await record?.(toChange(updates, stored))
      return { writtenAt: response.writtenAt?.token ?? '' }
    },
    deleteRelationships: async (filter, { limit, preconditions = [], record } = {}) => {
      checkFilterNotEmpty(filter)
      checkPreconditionsNotEmpty(preconditions)
      const before = record ? await readFirst(clients, filter) : []
      const response = await withErrors(
        () => [...namePreconditions(preconditions), ...nameFilter(filter)],
        () =>
          calls.deleteRelationships({
            relationshipFilter: toFilter(filter),
            optionalPreconditions: preconditions.map(toPrecondition),
            optionalLimit: limit ?? 0,
            optionalAllowPartialDeletions: limit !== undefined,
          }),
      )
      const deleted = Number(response.relationshipsDeletedCount)
      if (record) {
        const left = new Set((await readFirst(clients, filter)).map(printRelationship))
        const removed = before.filter((relationship) => !left.has(printRelationship(relationship)))
        await record({ before: removed, after: [], removed: deleted, written: 0 })
      }
      const isComplete = response.deletionProgress === v1.DeleteRelationshipsResponse_DeletionProgress.COMPLETE
      return { deletedAt: response.deletedAt?.token ?? '', deleted, isComplete }
    },
  }
}

interface Page {
  limit: number
  cursor?: string | undefined
}

/** The size of SpiceDB's largest page; also the number of relationships that a recorder receives. */
const maxRows = 1000

/** Reads a page. SpiceDB requires a filter, so an empty one reads each type in turn. */
async function read(
  clients: SpiceDbClients,
  filter: RelationshipFilter,
  page: Page,
  consistency: Consistency | undefined,
): Promise<RelationshipsPage> {
  if (Object.values(filter).some(Boolean)) {
    const rows = await readPart(clients, filter, { ...page, maxItems: page.limit }, consistency)
    return { ...rows, readAt: rows.readAt || (await readSchemaText(clients)).readAt }
  }
  const { text, readAt } = await readSchemaText(clients)
  const types = [...text.matchAll(/^definition (\S+) \{/gm)].flatMap(([, type]) => type ?? [])
  const rows = await readTypes(clients, types, page, consistency)
  return { ...rows, readAt: rows.readAt || readAt }
}

const TypeCursor = z.object({ type: z.string(), cursor: z.string() })

/** Reads a page of several types, sorted; all types at the snapshot of the first. */
async function readTypes(
  clients: SpiceDbClients,
  types: string[],
  { limit, cursor }: Page,
  consistency: Consistency | undefined,
): Promise<RelationshipsPage> {
  const start = decodeCursor(TypeCursor, { cursor })
  const items: Relationship[] = []
  let readAt = ''
  for (const resourceType of types.filter((type) => start === undefined || type >= start.type).sort()) {
    const next = (cursor: string) => encodeCursor({}, { type: resourceType, cursor })
    if (items.length === limit) return { items, cursor: next(''), readAt }
    const partCursor = resourceType === start?.type && start.cursor ? start.cursor : undefined
    const page = { limit, maxItems: limit - items.length, cursor: partCursor }
    const snapshot = readAt === '' ? consistency : { kind: 'atExactSnapshot' as const, token: readAt }
    const part = await readPart(clients, { resourceType }, page, snapshot)
    items.push(...part.items)
    readAt ||= part.readAt
    if (part.cursor !== undefined) return { items, cursor: next(part.cursor), readAt }
  }
  return { items, readAt }
}

/**
 * Reads at most `maxItems` relationships after a cursor of SpiceDB. Requests one more than `limit` to detect a next page,
 * and the same number for each page, because SpiceDB's cursor is valid only for that. `readAt` is empty if nothing was
 * found.
 */
async function readPart(
  { permissions }: SpiceDbClients,
  filter: RelationshipFilter,
  { limit, cursor, maxItems }: Page & { maxItems: number },
  consistency: Consistency | undefined,
): Promise<RelationshipsPage> {
  const stream = permissions.readRelationships({
    consistency: toConsistency(consistency),
    relationshipFilter: toFilter(filter),
    optionalLimit: Math.min(limit + 1, maxRows),
    ...(cursor !== undefined && { optionalCursor: { token: cursor } }),
  })
  const rows: v1.ReadRelationshipsResponse[] = []
  for await (const row of stream as AsyncIterable<v1.ReadRelationshipsResponse>) rows.push(row)
  const returned = rows.slice(0, Math.min(maxItems, maxRows - 1))
  const next = rows.length > returned.length ? returned.at(-1)?.afterResultCursor?.token : undefined
  return {
    items: returned.flatMap(({ relationship }) => (relationship ? [fromRelationship(relationship)] : [])),
    ...(next !== undefined && { cursor: next }),
    readAt: rows[0]?.readAt?.token ?? '',
  }
}

/** The maximum number of SpiceDB's pages to search for expiring relationships, which are rare. */
const maxPages = 20

/** Returns all matches on the first of SpiceDB's pages that has any. The limit does not apply: a cursor skips a whole page. */
async function readExpiring(
  clients: SpiceDbClients,
  filter: RelationshipFilter,
  start: string | undefined,
  expiresBefore: number,
  consistency: Consistency | undefined,
): Promise<RelationshipsPage> {
  let cursor = start
  for (let pages = 1; ; pages++) {
    const page = await read(clients, filter, { limit: maxRows, cursor }, consistency)
    const items = page.items.filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt < expiresBefore)
    if (items.length > 0 || page.cursor === undefined || pages === maxPages) return { ...page, items }
    cursor = page.cursor
  }
}

/** Returns the first matches; none if SpiceDB rejects the filter, because it then rejects the write too. */
async function readFirst(clients: SpiceDbClients, filter: RelationshipFilter, limit = maxRows) {
  const page = { limit, maxItems: limit }
  const rows = await readPart(clients, filter, page, { kind: 'fullyConsistent' }).catch(() => undefined)
  return rows?.items ?? []
}

/** The number of concurrent reads. */
const batchSize = 50

/**
 * Reads the stored relationships that updates refer to, in their order; undefined for missing ones. Call it before the
 * write: SpiceDB does not return replaced relationships.
 */
async function readStored(clients: SpiceDbClients, updates: RelationshipUpdate[]) {
  const stored: (Relationship | undefined)[] = []
  for (let start = 0; start < updates.length; start += batchSize) {
    const reads = updates
      .slice(start, start + batchSize)
      .map(({ relationship }) => readFirst(clients, toExactFilter(relationship), 1))
    stored.push(...(await Promise.all(reads)).map(([relationship]) => relationship))
  }
  return stored
}

/** Compares updates with the relationships stored before them. */
function toChange(updates: RelationshipUpdate[], stored: (Relationship | undefined)[]): RelationshipChange {
  const changes = updates.flatMap(({ operation, relationship }, index) => {
    const before = stored[index]
    const after = operation === 'delete' ? undefined : relationship
    const isUnchanged = (before && printRelationship(before)) === (after && printRelationship(after))
    return isUnchanged ? [] : [{ before, after }]
  })
  const after = changes.flatMap((change) => change.after ?? [])
  return {
    before: changes.flatMap((change) => change.before ?? []),
    after,
    removed: changes.length - after.length,
    written: after.length,
  }
}
