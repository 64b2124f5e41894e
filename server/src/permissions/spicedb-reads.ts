import type { v1 } from '@authzed/authzed-node'
import type { Consistency, RelationshipsPage } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type { RelationshipFilter } from '@passport/permissions/relationship'
import { fromRelationship, toConsistency, toFilter } from './spicedb-messages.ts'

/** What reading needs of a client. */
export type ReadClient = Pick<v1.ZedClientInterface, 'readRelationships'>

interface Page {
  limit: number
  cursor?: string
}

/** One page by SpiceDB's own cursor, which is left out with the last page. `readAt` is empty where nothing was found. */
export async function readRelationships(
  client: ReadClient,
  filter: RelationshipFilter,
  page: Page,
  consistency: Consistency | undefined,
): Promise<RelationshipsPage> {
  const rows = await readRows(client, filter, page, consistency)
  const cursor = rows.at(-1)?.afterResultCursor?.token
  const hasMore =
    rows.length === page.limit &&
    cursor !== undefined &&
    (await readRows(client, filter, { limit: 1, cursor }, consistency)).length > 0
  return {
    items: rows.flatMap((row) => (row.relationship ? [fromRelationship(row.relationship)] : [])),
    ...(hasMore && { cursor }),
    readAt: rows[0]?.readAt?.token ?? '',
  }
}

/** SpiceDB reads nothing without a filter: every relationship is those of each type in turn, with a cursor that tells the type. */
export async function readAllRelationships(
  client: ReadClient,
  types: string[],
  page: Page,
  consistency: Consistency | undefined,
): Promise<RelationshipsPage> {
  const [start, inner] = readCursor(page.cursor)
  const items: RelationshipsPage['items'] = []
  let readAt = ''
  for (const resourceType of types.filter((type) => type >= start).sort()) {
    const cursor = resourceType === start && inner !== '' ? { cursor: inner } : {}
    if (items.length === page.limit) return { items, cursor: writeCursor(resourceType, ''), readAt }
    const rest = { limit: page.limit - items.length, ...cursor }
    const part = await readRelationships(
      client,
      { resourceType },
      rest,
      readAt === '' ? consistency : { kind: 'atExactSnapshot', token: readAt },
    )
    items.push(...part.items)
    readAt ||= part.readAt
    if (part.cursor !== undefined) return { items, cursor: writeCursor(resourceType, part.cursor), readAt }
  }
  return { items, readAt }
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
    // A cursor holds its own snapshot; SpiceDB refuses to be told of another.
    consistency: toConsistency(consistency),
    relationshipFilter: toFilter(filter),
    optionalLimit: limit,
    ...(cursor !== undefined && { optionalCursor: { token: cursor } }),
  })
  const rows: v1.ReadRelationshipsResponse[] = []
  for await (const row of stream as AsyncIterable<v1.ReadRelationshipsResponse>) rows.push(row)
  return rows
}
