import * as api from '@passport/contract/permissions'
import {
  type Consistency,
  checkFilterNotEmpty,
  type ObjectReference,
  type PermissionEngine,
  PermissionError,
  type Precondition,
  type Relationship,
  type RelationshipChange,
  type Token,
  type WriteOptions,
} from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import * as users from '../users/store.ts'
import { auditOptions } from './audit-options.ts'
import { computeDeletionEffect } from './deletion-effect.ts'
import { rejectDirectoryTypes } from './directory-schema.ts'
import type { ServeTool } from './error-problem.ts'
import * as problems from './problems.ts'
import { fromWireRelationship, toWireRelationship } from './to-wire.ts'

/** Relationships, their history, and changes to them. */
export function serveRelationships(serve: ServeTool, { permissions: engine, sql, clients }: Services): void {
  serve(
    api.listRelationships,
    async ({ query: { limit, cursor, consistency, token, expiresBefore, ...filter } }) => {
      const page = {
        limit,
        ...(cursor !== undefined && { cursor }),
        ...(expiresBefore !== undefined && { expiresBefore: Date.parse(expiresBefore) }),
      }
      const { items, ...rest } = await engine.readRelationships(filter, page, parseConsistency(consistency, token))
      return { cursor: null, ...rest, items: items.map(toWireRelationship) }
    },
    { filter: '', consistency: '' },
  )

  serve(api.writeRelationships, ({ body: { updates, preconditions }, caller, visit }) => {
    rejectDirectoryTypes(
      updates.map(({ relationship }) => relationship.resource.type),
      (at) => `updates.${at}.relationship.resource.type`,
    )
    const parsed = updates.map(({ operation, relationship }) => ({
      operation,
      relationship: fromWireRelationship(relationship),
    }))
    return engine.writeRelationships(parsed, preconditions, auditOptions(sql, { caller, visit }).relationships)
  })

  serve(api.deleteRelationships, ({ body: { filter, limit, preconditions }, caller, visit }) => {
    rejectDirectoryTypes([filter.resourceType], () => 'filter.resourceType')
    return engine.deleteRelationships(filter, {
      ...(limit !== undefined && { limit }),
      ...(preconditions && { preconditions }),
      ...auditOptions(sql, { caller, visit }).relationships,
    })
  })

  serve(api.deleteListedRelationships, async ({ body: { relationships, preconditions }, caller, visit }) => {
    rejectListedOfDirectory(relationships)
    const options = auditOptions(sql, { caller, visit }).relationships
    const { deletedAt, deleted } = await deleteListed(engine, relationships, preconditions, options)
    return { deletedAt, deleted: deleted.map(toWireRelationship) }
  })

  serve(api.previewDeletion, async ({ body: { filter, relationships: listed } }) => {
    rejectDirectoryTypes([filter?.resourceType], () => 'filter.resourceType')
    rejectListedOfDirectory(listed ?? [])
    if (filter) checkFilterNotEmpty(filter)
    if (!engine.whatIf) throw problems.notSupported()
    const { relationships, ...effect } = await computeDeletionEffect(engine, listed ?? filter ?? {})
    return { ...effect, relationships: relationships.map(toWireRelationship) }
  })

  serve(
    api.listRelationshipHistory,
    async ({ query: { limit, cursor, ...filter } }) => {
      if (!engine.history) throw problems.notSupported()
      const page = await engine.history(filter, { limit, ...(cursor !== undefined && { cursor }) })
      const people = page.items.flatMap(({ by }) => (by?.kind === 'user' ? [by.id] : []))
      const names = await findPeopleNames(sql, people)
      const nameOf = async (kind: 'user' | 'client', id: string) =>
        (kind === 'user' ? names.get(id) : (await clients.find(id))?.name) ?? null
      const items = page.items.map(async ({ relationship, at, by, ...entry }) => ({
        ...entry,
        relationship: toWireRelationship(relationship),
        at: new Date(at).toISOString(),
        by: by && { ...by, name: await nameOf(by.kind, by.id) },
      }))
      return { items: await Promise.all(items), cursor: page.cursor ?? null }
    },
    { filter: '' },
  )
}

const rejectListedOfDirectory = (relationships: { resource: ObjectReference }[]) =>
  rejectDirectoryTypes(
    relationships.map(({ resource }) => resource.type),
    (at) => `relationships.${at}.resource.type`,
  )

/** Reads the consistency from query parameters. */
function parseConsistency(kind: Consistency['kind'] | undefined, token: string | undefined) {
  if (kind === 'atLeastAsFresh' || kind === 'atExactSnapshot') {
    if (token === undefined) throw new PermissionError('token-invalid', `\`${kind}\` requires a token.`, 'token')
    return { consistency: { kind, token } }
  }
  // Silently ignoring a token would suggest a guarantee.
  if (token !== undefined)
    throw new PermissionError(
      'token-invalid',
      'A token is allowed only with `atLeastAsFresh` or `atExactSnapshot`.',
      'token',
    )
  return kind === undefined ? {} : { consistency: { kind } }
}

/**
 * Deletes at most 1000 relationships atomically, ignoring their caveats and expirations. `deleted` has the existing
 * ones as they were stored. Errors refer to `relationships`.
 */
async function deleteListed(
  engine: PermissionEngine,
  relationships: Relationship[],
  preconditions: Precondition[] | undefined,
  { by, record }: WriteOptions<RelationshipChange>,
): Promise<{ deletedAt: Token; deleted: Relationship[] }> {
  let deleted: Relationship[] = []
  const options: WriteOptions<RelationshipChange> = {
    ...(by && { by }),
    record: async (change, within) => {
      deleted = change.before
      await record?.(change, within)
    },
  }
  const updates = relationships.map((relationship) => ({ operation: 'delete' as const, relationship }))
  try {
    const { writtenAt } = await engine.writeRelationships(updates, preconditions, options)
    return { deletedAt: writtenAt, deleted }
  } catch (error) {
    throw error instanceof PermissionError ? toListError(error) : error
  }
}

/** Maps `updates.3.relationship.resource` to `relationships.3.resource`. */
function toListError({ code, message, field }: PermissionError) {
  const place = field?.replace(/^updates/, 'relationships').replace(/^(relationships\.\d+)\.relationship/, '$1')
  return new PermissionError(code, message, place)
}

async function findPeopleNames(sql: Sql, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  return new Map((await users.listNames(sql, [...new Set(ids)])).map(({ id, name }) => [id, name]))
}
