import type { v1 } from '@authzed/authzed-node'
import type { Consistency, RelationshipsPage } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type { RelationshipFilter } from '@passport/permissions/relationship'
import { fromRelationship, toConsistency, toFilter } from './messages.ts'

/** What reading needs of a client. */
export type ReadClient = Pick<v1.ZedClientInterface, 'readRelationships'>

export interface Page {
  limit: number
  cursor?: string
}

/** SpiceDB's limit. One more than a page is asked for, to see whether there is more. */
const mostRows = 1000

/** One page by SpiceDB's own cursor, which is left out with the last page. `readAt` is empty where nothing was found. */
export async function readRelationships(
  client: ReadClient,
  filter: RelationshipFilter,
  page: Page,
  consistency: Consistency | undefined,
): Promise<RelationshipsPage> {
  return readPart(client, filter, { ...page, most: page.limit }, consistency)
}

/**
 * SpiceDB reads nothing without a filter: every relationship is those of each type in turn, with a cursor that tells
 * the type.
 */
export async function readAllRelationships(
  client: ReadClient,
  types: string[],
  { limit, cursor }: Page,
  consistency: Consistency | undefined,
): Promise<RelationshipsPage> {
  const [start, inner] = readCursor(cursor)
  const items: RelationshipsPage['items'] = []
  let readAt = ''
  for (const resourceType of types.filter((type) => type >= start).sort()) {
    if (items.length === limit) return { items, cursor: writeCursor(resourceType, ''), readAt }
    const page = { limit, most: limit - items.length, ...(resourceType === start && inner && { cursor: inner }) }
    const moment: Consistency | undefined = readAt === '' ? consistency : { kind: 'atExactSnapshot', token: readAt }
    const part = await readPart(client, { resourceType }, page, moment)
    items.push(...part.items)
    readAt ||= part.readAt
    if (part.cursor !== undefined) return { items, cursor: writeCursor(resourceType, part.cursor), readAt }
  }
  return { items, readAt }
}

/** At most `most` of a page. Every page of a read is asked with the same limit, or SpiceDB refuses its cursor. */
async function readPart(
  client: ReadClient,
  filter: RelationshipFilter,
  { limit, cursor, most }: Page & { most: number },
  consistency: Consistency | undefined,
): Promise<RelationshipsPage> {
  const size = limit < mostRows ? limit + 1 : limit
  const rows = await readRows(client, filter, { limit: size, ...(cursor !== undefined && { cursor }) }, consistency)
  const kept = rows.slice(0, Math.min(most, mostRows - 1))
  const next = rows.length > kept.length ? kept.at(-1)?.afterResultCursor?.token : undefined
  return {
    items: kept.flatMap((row) => (row.relationship ? [fromRelationship(row.relationship)] : [])),
    ...(next !== undefined && { cursor: next }),
    readAt: rows[0]?.readAt?.token ?? '',
  }
}

function writeCursor(type: string, inner: string): string {
  return Buffer.from(`${type} ${inner}`).toString('base64url')
}

function readCursor(text: string | undefined): [type: string, inner: string] {
  if (text === undefined) return ['', '']
  const [, type, inner] = /^([a-z][a-z0-9_/]*) (\S*)$/.exec(Buffer.from(text, 'base64url').toString()) ?? []
  if (type === undefined || inner === undefined) {
    throw new PermissionFault('cursor-mismatch', 'The cursor is of another question.', 'cursor')
  }
  return [type, inner]
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
