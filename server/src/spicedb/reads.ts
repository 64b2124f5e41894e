import type { v1 } from '@authzed/authzed-node'
import {
  type Consistency,
  PermissionFault,
  type RelationshipFilter,
  type RelationshipsPage,
} from '@passport/permissions'
import { fromRelationship, toConsistency, toFilter } from './messages.ts'

/** The client methods used by reads. */
export type ReadClient = Pick<v1.ZedClientInterface, 'readRelationships'>

export interface Page {
  limit: number
  cursor?: string
}

/** SpiceDB's limit. One row more than a page is requested, to detect a next page. */
const maxRows = 1000

/**
 * Reads a page with SpiceDB's own cursor, which is omitted on the last page. `readAt` is empty if nothing was found.
 */
export async function readRelationships(
  client: ReadClient,
  filter: RelationshipFilter,
  page: Page,
  consistency: Consistency | undefined,
): Promise<RelationshipsPage> {
  return readLimited(client, filter, { ...page, maxItems: page.limit }, consistency)
}

/** SpiceDB requires a filter, so this reads each type in turn. The cursor includes the type. */
export async function readAllRelationships(
  client: ReadClient,
  types: string[],
  { limit, cursor }: Page,
  consistency: Consistency | undefined,
): Promise<RelationshipsPage> {
  const [start, typeCursor] = readCursor(cursor)
  const items: RelationshipsPage['items'] = []
  let readAt = ''
  for (const resourceType of types.filter((type) => type >= start).sort()) {
    if (items.length === limit) return { items, cursor: writeCursor(resourceType, ''), readAt }
    const page = {
      limit,
      maxItems: limit - items.length,
      ...(resourceType === start && typeCursor && { cursor: typeCursor }),
    }
    const partConsistency: Consistency | undefined =
      readAt === '' ? consistency : { kind: 'atExactSnapshot', token: readAt }
    const part = await readLimited(client, { resourceType }, page, partConsistency)
    items.push(...part.items)
    readAt ||= part.readAt
    if (part.cursor !== undefined) return { items, cursor: writeCursor(resourceType, part.cursor), readAt }
  }
  return { items, readAt }
}

/** Reads at most `maxItems` rows of a page. All pages of a read use the same limit, or SpiceDB rejects its cursor. */
async function readLimited(
  client: ReadClient,
  filter: RelationshipFilter,
  { limit, cursor, maxItems }: Page & { maxItems: number },
  consistency: Consistency | undefined,
): Promise<RelationshipsPage> {
  const size = limit < maxRows ? limit + 1 : limit
  const rows = await readRows(client, filter, { limit: size, ...(cursor !== undefined && { cursor }) }, consistency)
  const returned = rows.slice(0, Math.min(maxItems, maxRows - 1))
  const next = rows.length > returned.length ? returned.at(-1)?.afterResultCursor?.token : undefined
  return {
    items: returned.flatMap((row) => (row.relationship ? [fromRelationship(row.relationship)] : [])),
    ...(next !== undefined && { cursor: next }),
    readAt: rows[0]?.readAt?.token ?? '',
  }
}

function writeCursor(type: string, typeCursor: string): string {
  return Buffer.from(`${type} ${typeCursor}`).toString('base64url')
}

function readCursor(text: string | undefined): [type: string, inner: string] {
  if (text === undefined) return ['', '']
  const [, type, typeCursor] = /^([a-z][a-z0-9_/]*) (\S*)$/.exec(Buffer.from(text, 'base64url').toString()) ?? []
  if (type === undefined || typeCursor === undefined) {
    throw new PermissionFault('cursor-mismatch', 'The cursor belongs to a different request.', 'cursor')
  }
  return [type, typeCursor]
}

async function readRows(
  client: ReadClient,
  filter: RelationshipFilter,
  { limit, cursor }: Page,
  consistency: Consistency | undefined,
): Promise<v1.ReadRelationshipsResponse[]> {
  const stream = client.readRelationships({
    consistency: toConsistency(consistency),
    relationshipFilter: toFilter(filter),
    optionalLimit: limit,
    ...(cursor !== undefined && { optionalCursor: { token: cursor } }),
  })
  const rows: v1.ReadRelationshipsResponse[] = []
  for await (const row of stream as AsyncIterable<v1.ReadRelationshipsResponse>) rows.push(row)
  return rows
}
