import { setImmediate } from 'node:timers/promises'
import type { Author, Recorder, RelationshipChange } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type {
  Precondition,
  Relationship,
  RelationshipFilter,
  RelationshipUpdate,
} from '@passport/permissions/relationship'
import type { Schema } from '@passport/permissions/schema'
import { validateRelationship } from '@passport/permissions/validate-relationship'
import { copyIn } from '../database/bulk-load.ts'
import type { Sql } from '../database/sql.ts'
import { isOfDirectory } from './directory.ts'
import { keyOf, relationshipOf, rowOf } from './rows.ts'
import type { Schemas } from './schemas.ts'
import * as store from './store.ts'

const maxAtOnce = 1000

export interface Write {
  updates: RelationshipUpdate[]
  preconditions: Precondition[]
  by: Author | undefined
  record?: Recorder<RelationshipChange> | undefined
}

/** Changes relationships within a transaction. */
export async function writeIn(
  sql: Sql,
  schemas: Schemas,
  { updates, preconditions, by, record }: Write,
): Promise<void> {
  checkNumber(updates, 'updates')
  checkNumber(preconditions, 'preconditions')
  checkOnce(updates)
  const schema = await schemas.find(sql, await store.beginWrite(sql, authorText(by)))
  for (const [at, { operation, relationship }] of updates.entries())
    checkUpdate(schema, operation, relationship, `updates.${at}.relationship`)
  await checkPreconditions(sql, preconditions)
  const of = (operation: RelationshipUpdate['operation']) =>
    updates.filter((update) => update.operation === operation).map(({ relationship }) => relationship)
  await create(sql, of('create'), updates)
  const [touched, deleted] = [of('touch'), of('delete')]
  if (touched.length > 0) await store.put(sql, touched.map(rowOf))
  if (deleted.length > 0) await store.remove(sql, deleted.map(rowOf))
  await record?.(await changeOf(sql), sql)
}

function checkNumber(all: unknown[], field: string) {
  if (all.length > maxAtOnce) throw new PermissionFault('too-many', `At most ${maxAtOnce} at once.`, field)
}

function checkOnce(updates: RelationshipUpdate[]) {
  const seen = new Set<string>()
  for (const [at, { relationship }] of updates.entries()) {
    const key = keyOf(relationship)
    if (seen.has(key))
      throw new PermissionFault(
        'duplicate-update',
        'Each relationship is changed once at most.',
        `updates.${at}.relationship`,
      )
    seen.add(key)
  }
}

function checkUpdate(schema: Schema, operation: string, relationship: Relationship, field: string) {
  validateRelationship(schema, relationship, field, { isDeletion: operation === 'delete' })
  if (!isOfDirectory(relationship.resource.type)) return
  throw new PermissionFault('directory-owned', 'This is changed in the directory.', `${field}.resource.type`)
}

async function create(sql: Sql, created: Relationship[], updates: RelationshipUpdate[]) {
  if (created.length === 0) return
  const added = await store.add(sql, created.map(rowOf))
  if (added.length === created.length) return
  const there = new Set(added.map((row) => keyOf(relationshipOf(row, {}))))
  const at = updates.findIndex(
    ({ operation, relationship }) => operation === 'create' && !there.has(keyOf(relationship)),
  )
  throw new PermissionFault('already-exists', 'There is this relationship already.', `updates.${at}.relationship`)
}

/** What is so now stays so until the end: whoever has the head is the only one who commits. */
async function checkPreconditions(sql: Sql, preconditions: Precondition[]) {
  if (preconditions.length > 0) await store.lockHead(sql)
  for (const [at, { operation, filter }] of preconditions.entries()) {
    const isThere = (await store.readMatching(sql, filter, { limit: 1 })).length > 0
    if (isThere === (operation === 'mustMatch')) continue
    const message = isThere ? 'There is what must not be there.' : 'There is nothing of what must be there.'
    throw new PermissionFault('precondition-failed', message, `preconditions.${at}`)
  }
}

export interface Deletion {
  filter: RelationshipFilter
  limit: number
  preconditions: Precondition[]
  by: Author | undefined
  record?: Recorder<RelationshipChange> | undefined
}

/** Deletes what fits, but what is the directory's; like `writeIn`. */
export async function deleteIn(sql: Sql, { filter, limit, preconditions, by, record }: Deletion) {
  checkNumber(preconditions, 'preconditions')
  if (filter.resourceType !== undefined && isOfDirectory(filter.resourceType))
    throw new PermissionFault('directory-owned', 'This is changed in the directory.', 'filter.resourceType')
  await store.beginWrite(sql, authorText(by))
  await checkPreconditions(sql, preconditions)
  const deleted = await store.removeMatching(sql, filter, limit)
  if (deleted > 0) await record?.(await changeOf(sql), sql)
  const isComplete = deleted < limit || !(await store.isAnyStored(sql, filter))
  return { deleted, isComplete }
}

/** Touches any number of relationships, as fast as they can be taken in. */
export async function loadIn(sql: Sql, schemas: Schemas, relationships: Relationship[], by: Author | undefined) {
  const schema = await schemas.find(sql, await store.beginWrite(sql, authorText(by)))
  for (const [at, relationship] of relationships.entries()) {
    checkUpdate(schema, 'touch', relationship, `relationships.${at}`)
    // There may be a million, and others wait for their turn.
    if (at % maxAtOnce === 0) await setImmediate()
  }
  await store.prepareLoad(sql)
  await copyIn(sql, store.load, cellsOf(relationships))
  return store.putLoaded(sql)
}

function* cellsOf(relationships: Iterable<Relationship>) {
  for (const relationship of relationships) {
    const { resourceType, resourceId, relation, subjectType, subjectId, subjectRelation, terms } = rowOf(relationship)
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

/** What the transaction changed of relationships so far. */
export async function changeOf(sql: Sql): Promise<RelationshipChange> {
  const changes = await store.changesOfWrite(sql, maxAtOnce)
  return {
    before: changes.flatMap((change) => (change.before ? [relationshipOf(change, change.before)] : [])),
    after: changes.flatMap((change) => (change.after ? [relationshipOf(change, change.after)] : [])),
    ...(await store.countWrite(sql)),
  }
}

/** As the log has it. */
export const authorText = (by: Author | undefined): string | null => (by ? `${by.kind}:${by.id}` : null)

export function authorOf(text: string | null): Author | null {
  const [, kind, id] = /^(user|client):(.*)$/s.exec(text ?? '') ?? []
  return kind && id !== undefined ? { kind: kind as Author['kind'], id } : null
}
