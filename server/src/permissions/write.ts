import { setImmediate } from 'node:timers/promises'
import {
  type Author,
  checkFilterNotEmpty,
  PermissionError,
  type Precondition,
  printRelationship,
  type Relationship,
  type RelationshipChange,
  type RelationshipFilter,
  type RelationshipUpdate,
  type Schema,
  validateFilter,
  validatePreconditions,
  validateRelationship,
  type WriteOptions,
} from '@passport/permissions'
import { copyIn } from '../database/bulk-load.ts'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { rejectDirectoryType, type SchemaCache } from './directory-schema.ts'
import { withPreconditions } from './optimistic-lock.ts'
import { keyOf, toRelationship, toRow } from './rows.ts'
import * as store from './store.ts'

/** The limit of a list in a request, and of the relationships that a recorder receives. */
const maxItems = 1000

interface Write extends WriteOptions<RelationshipChange> {
  preconditions: Precondition[]
  /** Whether this is a retry after a rollback. */
  isRetry?: boolean
}

/**
 * Changes relationships as the last step of a transaction: with preconditions, other commits wait from the end of this
 * call until the transaction ends. Preconditions refer to the state before the write.
 */
export async function writeInTransaction(
  sql: Sql,
  schemas: SchemaCache,
  { updates, preconditions, by, record, isRetry = false }: Write & { updates: RelationshipUpdate[] },
): Promise<void> {
  checkCount(updates, 'updates')
  checkCount(preconditions, 'preconditions')
  rejectDuplicates(updates)
  const schema = await schemas.find(sql, await commitStore.beginWrite(sql, formatAuthor(by)))
  validatePreconditions(schema, preconditions)
  for (const [index, { operation, relationship }] of updates.entries())
    checkUpdate(schema, operation, relationship, `updates.${index}.relationship`)
  const withOperation = (operation: RelationshipUpdate['operation']) =>
    updates.filter((update) => update.operation === operation).map(({ relationship }) => relationship)
  const [created, touched, deleted] = [withOperation('create'), withOperation('touch'), withOperation('delete')]
  await withPreconditions(sql, preconditions, { isRetry }, async () => {
    if (created.length > 0) await create(sql, created, updates)
    if (touched.length > 0) await store.upsert(sql, 'touch', touched.map(toRow))
    if (deleted.length > 0) await store.remove(sql, deleted.map(toRow))
    await record?.(await readChange(sql), sql)
  })
}

function checkCount(items: unknown[], field: string) {
  if (items.length > maxItems) throw new PermissionError('too-many', `At most ${maxItems} per request.`, field)
}

function rejectDuplicates(updates: RelationshipUpdate[]) {
  const seen = new Set<string>()
  const message = 'Each relationship can be changed only once per request.'
  for (const [index, { relationship }] of updates.entries()) {
    const key = keyOf(relationship)
    if (seen.has(key)) throw new PermissionError('duplicate-update', message, `updates.${index}.relationship`)
    seen.add(key)
  }
}

function checkUpdate(schema: Schema, operation: string, relationship: Relationship, field: string) {
  validateRelationship(schema, relationship, field, { isDeletion: operation === 'delete' })
  rejectDirectoryType(relationship.resource.type, `${field}.resource.type`)
}

async function create(sql: Sql, created: Relationship[], updates: RelationshipUpdate[]) {
  const added = await store.upsert(sql, 'create', created.map(toRow))
  if (added.length === created.length) return
  const addedKeys = new Set(added.map((row) => keyOf(toRelationship(row, {}))))
  const index = updates.findIndex(
    ({ operation, relationship }) => operation === 'create' && !addedKeys.has(keyOf(relationship)),
  )
  throw new PermissionError('already-exists', 'This relationship already exists.', `updates.${index}.relationship`)
}

/**
 * Deletes at most `limit` matching relationships, under the conditions of `writeInTransaction`. `isComplete` reports
 * whether none is left. Throws `directory-owned`.
 */
export async function deleteInTransaction(
  sql: Sql,
  schemas: SchemaCache,
  { filter, limit, preconditions, by, record, isRetry = false }: Write & { filter: RelationshipFilter; limit: number },
): Promise<{ deleted: number; isComplete: boolean }> {
  checkCount(preconditions, 'preconditions')
  checkFilterNotEmpty(filter)
  rejectDirectoryType(filter.resourceType, 'filter.resourceType')
  const schema = await schemas.find(sql, await commitStore.beginWrite(sql, formatAuthor(by)))
  validateFilter(schema, filter)
  validatePreconditions(schema, preconditions)
  return withPreconditions(sql, preconditions, { isRetry }, async () => {
    const deleted = await store.removeMatching(sql, filter, limit)
    if (deleted > 0) await record?.(await readChange(sql), sql)
    const isComplete = deleted < limit || !(await store.existsMatching(sql, filter))
    return { deleted, isComplete }
  })
}

/**
 * Touches any number of relationships in bulk, and returns the number changed. Only writers of the same relationships
 * wait, because the head is locked at commit.
 */
export async function loadInTransaction(sql: Sql, schema: Schema, relationships: Relationship[]): Promise<number> {
  for (const [index, relationship] of relationships.entries()) {
    checkUpdate(schema, 'touch', relationship, `relationships.${index}`)
    // There may be a million, so this yields.
    if (index % maxItems === 0) await setImmediate()
  }
  await store.prepareLoad(sql)
  await copyIn(sql, store.copyTarget, toCells(relationships))
  return store.touchLoaded(sql)
}

function* toCells(relationships: Iterable<Relationship>) {
  for (const relationship of relationships) {
    const { resourceType, resourceId, relation, subjectType, subjectId, subjectRelation, terms } = toRow(relationship)
    yield [
      resourceType,
      resourceId,
      relation,
      subjectType,
      subjectId,
      subjectRelation,
      terms.caveat ?? null,
      terms.context ? JSON.stringify(terms.context) : null,
      typeof terms.expiresAt === 'number' ? new Date(terms.expiresAt).toISOString() : null,
    ]
  }
}

const directoryTypes = {
  user: 'passport/user',
  org: 'passport/org',
  group: 'passport/group',
  role: 'passport/role',
} as const

/**
 * Deletes the application relationships of permanently deleted directory objects, within the same transaction, so that
 * a later object with the same id, such as a recreated role, inherits nothing. Returns the first deleted relationships
 * and their number for the audit log, or nothing if there were none.
 */
export async function purgeRelationships(
  sql: Sql,
  kind: keyof typeof directoryTypes,
  ids: string[],
): Promise<{ relationships?: string[]; removed?: number }> {
  // The id of a role is its name with slashes instead of dots.
  const objects = kind === 'role' ? ids.map((name) => name.replaceAll('.', '/')) : ids
  const { first, removed } = await store.removeOfObjects(sql, directoryTypes[kind], objects, maxItems)
  if (removed === 0) return {}
  return { relationships: first.map((row) => printRelationship(toRelationship(row, row.terms))), removed }
}

/** Returns the relationship changes of the transaction so far. */
export async function readChange(sql: Sql): Promise<RelationshipChange> {
  const { changes, ...counts } = await commitStore.readOwnChanges(sql, maxItems)
  return {
    before: changes.flatMap((change) => (change.before ? [toRelationship(change, change.before)] : [])),
    after: changes.flatMap((change) => (change.after ? [toRelationship(change, change.after)] : [])),
    ...counts,
  }
}

/** Formats an author for the log. */
export const formatAuthor = (by: Author | undefined): string | null => (by ? `${by.kind}:${by.id}` : null)

/** Parses an author in the log; null for the service itself. */
export function parseAuthor(text: string | null): Author | null {
  const [, kind, id] = /^(user|client):(.*)$/s.exec(text ?? '') ?? []
  return kind && id !== undefined ? { kind: kind as Author['kind'], id } : null
}
