import { setImmediate } from 'node:timers/promises'
import {
  type Author,
  checkFilterNotEmpty,
  PermissionFault,
  type Precondition,
  type Recorder,
  type Relationship,
  type RelationshipChange,
  type RelationshipFilter,
  type RelationshipUpdate,
  type Schema,
  validateFilter,
  validatePreconditions,
  validateRelationship,
} from '@passport/permissions'
import { copyIn } from '../database/bulk-load.ts'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { isDirectoryType } from './directory.ts'
import { checkPreconditions, lockPreconditions, readRevision } from './optimistic-lock.ts'
import { keyOf, toRelationship, toRow } from './rows.ts'
import type { SchemaCache } from './schemas.ts'
import * as store from './store.ts'

const maxAtOnce = 1000

export interface Write {
  updates: RelationshipUpdate[]
  preconditions: Precondition[]
  by: Author | undefined
  record?: Recorder<RelationshipChange> | undefined
  /** Whether this is a retry after a rollback. */
  isRetry?: boolean
}

/**
 * Changes relationships within a transaction, as its last step: with preconditions, other commits wait for it from its
 * end on. Preconditions refer to the state before the write.
 */
export async function writeInTransaction(
  sql: Sql,
  schemas: SchemaCache,
  { updates, preconditions, by, record, isRetry = false }: Write,
): Promise<void> {
  checkBatchSize(updates, 'updates')
  checkBatchSize(preconditions, 'preconditions')
  rejectDuplicates(updates)
  const schema = await schemas.find(sql, await commitStore.beginWrite(sql, formatAuthor(by)))
  validatePreconditions(schema, preconditions)
  for (const [at, { operation, relationship }] of updates.entries())
    checkUpdate(schema, operation, relationship, `updates.${at}.relationship`)
  const since = await readRevision(sql, { isRetry: isRetry && preconditions.length > 0 })
  await checkPreconditions(sql, preconditions)
  const withOperation = (operation: RelationshipUpdate['operation']) =>
    updates.filter((update) => update.operation === operation).map(({ relationship }) => relationship)
  await create(sql, withOperation('create'), updates).catch(async (error) => {
    // A concurrent write may have failed a precondition, which is then the reason to report.
    if (error instanceof PermissionFault) await lockPreconditions(sql, preconditions, since)
    throw error
  })
  const [touched, deleted] = [withOperation('touch'), withOperation('delete')]
  if (touched.length > 0) await store.touch(sql, touched.map(toRow))
  if (deleted.length > 0) await store.remove(sql, deleted.map(toRow))
  await record?.(await readChange(sql), sql)
  await lockPreconditions(sql, preconditions, since)
}

function checkBatchSize(items: unknown[], field: string) {
  if (items.length > maxAtOnce) throw new PermissionFault('too-many', `At most ${maxAtOnce} per request.`, field)
}

function rejectDuplicates(updates: RelationshipUpdate[]) {
  const seen = new Set<string>()
  for (const [at, { relationship }] of updates.entries()) {
    const key = keyOf(relationship)
    if (seen.has(key))
      throw new PermissionFault(
        'duplicate-update',
        'Each relationship can be changed only once per request.',
        `updates.${at}.relationship`,
      )
    seen.add(key)
  }
}

function checkUpdate(schema: Schema, operation: string, relationship: Relationship, field: string) {
  validateRelationship(schema, relationship, field, { isDeletion: operation === 'delete' })
  if (!isDirectoryType(relationship.resource.type)) return
  throw new PermissionFault(
    'directory-owned',
    'This relationship is managed by the directory.',
    `${field}.resource.type`,
  )
}

async function create(sql: Sql, created: Relationship[], updates: RelationshipUpdate[]) {
  if (created.length === 0) return
  const added = await store.add(sql, created.map(toRow))
  if (added.length === created.length) return
  const addedKeys = new Set(added.map((row) => keyOf(toRelationship(row, {}))))
  const at = updates.findIndex(
    ({ operation, relationship }) => operation === 'create' && !addedKeys.has(keyOf(relationship)),
  )
  throw new PermissionFault('already-exists', 'This relationship already exists.', `updates.${at}.relationship`)
}

export interface Deletion {
  filter: RelationshipFilter
  limit: number
  preconditions: Precondition[]
  by: Author | undefined
  record?: Recorder<RelationshipChange> | undefined
  isRetry: boolean
}

/** Deletes matching relationships, except those of the directory; like `writeIn`. */
export async function deleteInTransaction(
  sql: Sql,
  schemas: SchemaCache,
  { filter, limit, preconditions, by, record, isRetry }: Deletion,
): Promise<{ deleted: number; isComplete: boolean }> {
  checkBatchSize(preconditions, 'preconditions')
  checkFilterNotEmpty(filter)
  if (filter.resourceType !== undefined && isDirectoryType(filter.resourceType))
    throw new PermissionFault(
      'directory-owned',
      'This relationship is managed by the directory.',
      'filter.resourceType',
    )
  const schema = await schemas.find(sql, await commitStore.beginWrite(sql, formatAuthor(by)))
  validateFilter(schema, filter)
  validatePreconditions(schema, preconditions)
  const since = await readRevision(sql, { isRetry: isRetry && preconditions.length > 0 })
  await checkPreconditions(sql, preconditions)
  const deleted = await store.removeMatching(sql, filter, limit)
  if (deleted > 0) await record?.(await readChange(sql), sql)
  const isComplete = deleted < limit || !(await store.existsMatching(sql, filter))
  await lockPreconditions(sql, preconditions, since)
  return { deleted, isComplete }
}

/**
 * Touches any number of relationships in bulk. Only writers of the same relationships wait, because the head is locked
 * at commit.
 */
export async function loadInTransaction(sql: Sql, schema: Schema, relationships: Relationship[]) {
  for (const [at, relationship] of relationships.entries()) {
    checkUpdate(schema, 'touch', relationship, `relationships.${at}`)
    // There may be a million, so this yields.
    if (at % maxAtOnce === 0) await setImmediate()
  }
  await store.prepareLoad(sql)
  await copyIn(sql, store.load, toCells(relationships))
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

/** Returns the relationship changes of the transaction so far. */
export async function readChange(sql: Sql): Promise<RelationshipChange> {
  const changes = await commitStore.listOwnChanges(sql, maxAtOnce)
  return {
    before: changes.flatMap((change) => (change.before ? [toRelationship(change, change.before)] : [])),
    after: changes.flatMap((change) => (change.after ? [toRelationship(change, change.after)] : [])),
    ...(await commitStore.countOwnChanges(sql)),
  }
}

/** Formats an author for the log. */
export const formatAuthor = (by: Author | undefined): string | null => (by ? `${by.kind}:${by.id}` : null)

export function parseAuthor(text: string | null): Author | null {
  const [, kind, id] = /^(user|client):(.*)$/s.exec(text ?? '') ?? []
  return kind && id !== undefined ? { kind: kind as Author['kind'], id } : null
}
