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
import { checkFilterSaysSomething, validateFilter, validatePreconditions } from '@passport/permissions/validate-filter'
import { validateRelationship } from '@passport/permissions/validate-relationship'
import { copyIn } from '../database/bulk-load.ts'
import type { Sql } from '../database/sql.ts'
import * as commitStore from './commit-store.ts'
import { isOfDirectory } from './directory.ts'
import { checkPreconditions, holdPreconditions, lookFrom } from './hold.ts'
import { keyOf, relationshipOf, rowOf } from './rows.ts'
import type { Schemas } from './schemas.ts'
import * as store from './store.ts'

const maxAtOnce = 1000

export interface Write {
  updates: RelationshipUpdate[]
  preconditions: Precondition[]
  by: Author | undefined
  record?: Recorder<RelationshipChange> | undefined
  /** The transaction was run before, and undone. */
  isAgain?: boolean
}

/**
 * Changes relationships within a transaction, as its last step: with preconditions others wait from its end on. Those are
 * about what there was before.
 */
export async function writeIn(
  sql: Sql,
  schemas: Schemas,
  { updates, preconditions, by, record, isAgain = false }: Write,
): Promise<void> {
  checkNumber(updates, 'updates')
  checkNumber(preconditions, 'preconditions')
  checkOnce(updates)
  const schema = await schemas.find(sql, await commitStore.beginWrite(sql, authorText(by)))
  validatePreconditions(schema, preconditions)
  for (const [at, { operation, relationship }] of updates.entries())
    checkUpdate(schema, operation, relationship, `updates.${at}.relationship`)
  const since = await lookFrom(sql, { isAgain: isAgain && preconditions.length > 0 })
  await checkPreconditions(sql, preconditions)
  const of = (operation: RelationshipUpdate['operation']) =>
    updates.filter((update) => update.operation === operation).map(({ relationship }) => relationship)
  await create(sql, of('create'), updates).catch(async (error) => {
    // Whoever came first may have made a precondition fail, and then that is the reason.
    if (error instanceof PermissionFault) await holdPreconditions(sql, preconditions, since)
    throw error
  })
  const [touched, deleted] = [of('touch'), of('delete')]
  if (touched.length > 0) await store.put(sql, touched.map(rowOf))
  if (deleted.length > 0) await store.remove(sql, deleted.map(rowOf))
  await record?.(await changeOf(sql), sql)
  await holdPreconditions(sql, preconditions, since)
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

export interface Deletion {
  filter: RelationshipFilter
  limit: number
  preconditions: Precondition[]
  by: Author | undefined
  record?: Recorder<RelationshipChange> | undefined
  isAgain: boolean
}

/** Deletes what fits, but what is the directory's; like `writeIn`. */
export async function deleteIn(
  sql: Sql,
  schemas: Schemas,
  { filter, limit, preconditions, by, record, isAgain }: Deletion,
): Promise<{ deleted: number; isComplete: boolean }> {
  checkNumber(preconditions, 'preconditions')
  checkFilterSaysSomething(filter)
  if (filter.resourceType !== undefined && isOfDirectory(filter.resourceType))
    throw new PermissionFault('directory-owned', 'This is changed in the directory.', 'filter.resourceType')
  const schema = await schemas.find(sql, await commitStore.beginWrite(sql, authorText(by)))
  validateFilter(schema, filter)
  validatePreconditions(schema, preconditions)
  const since = await lookFrom(sql, { isAgain: isAgain && preconditions.length > 0 })
  await checkPreconditions(sql, preconditions)
  const deleted = await store.removeMatching(sql, filter, limit)
  if (deleted > 0) await record?.(await changeOf(sql), sql)
  const isComplete = deleted < limit || !(await store.isAnyStored(sql, filter))
  await holdPreconditions(sql, preconditions, since)
  return { deleted, isComplete }
}

/**
 * Touches any number of relationships, as fast as they can be taken in. Nobody waits for it but whoever writes the same
 * ones: the head is taken at the commit.
 */
export async function loadIn(sql: Sql, schema: Schema, relationships: Relationship[]) {
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
  const changes = await commitStore.changesOfWrite(sql, maxAtOnce)
  return {
    before: changes.flatMap((change) => (change.before ? [relationshipOf(change, change.before)] : [])),
    after: changes.flatMap((change) => (change.after ? [relationshipOf(change, change.after)] : [])),
    ...(await commitStore.countWrite(sql)),
  }
}

/** As the log has it. */
export const authorText = (by: Author | undefined): string | null => (by ? `${by.kind}:${by.id}` : null)

export function authorOf(text: string | null): Author | null {
  const [, kind, id] = /^(user|client):(.*)$/s.exec(text ?? '') ?? []
  return kind && id !== undefined ? { kind: kind as Author['kind'], id } : null
}
