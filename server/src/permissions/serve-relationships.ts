import * as api from '@passport/contract/permissions'
import {
  type Consistency,
  checkFilterNotEmpty,
  type ObjectReference,
  PermissionError,
  type Relationship,
} from '@passport/permissions'
import type { Services } from '../feature.ts'
import { auditOptions } from './audit-options.ts'
import { computeDeletionEffect } from './deletion-effect.ts'
import { findDirectoryNames } from './directory-names.ts'
import { rejectDirectoryType } from './directory-schema.ts'
import type { ServeTool } from './error-problem.ts'
import * as problems from './problems.ts'
import { fromWireRelationship, toWireRelationship } from './to-wire.ts'

/** Serves relationships: reads, their history, and changes. */
export function serveRelationships(serve: ServeTool, { permissions: engine, sql, clients }: Services): void {
  serve(
    api.listRelationships,
    async ({ query: { limit, cursor, consistency, token, expiresBefore, ...filter } }) => {
      const page = { limit, cursor, expiresBefore: expiresBefore === undefined ? undefined : Date.parse(expiresBefore) }
      const { items, ...rest } = await engine.readRelationships(filter, page, parseConsistency(consistency, token))
      return { cursor: null, ...rest, items: items.map(toWireRelationship) }
    },
    { filter: '', consistency: '' },
  )

  serve(api.writeRelationships, ({ body: { updates, preconditions }, caller, visit }) => {
    for (const [index, { relationship }] of updates.entries())
      rejectDirectoryType(relationship.resource.type, `updates.${index}.relationship.resource.type`)
    const parsed = updates.map(({ operation, relationship }) => ({
      operation,
      relationship: fromWireRelationship(relationship),
    }))
    return engine.writeRelationships(parsed, preconditions, auditOptions(sql, { caller, visit }).relationships)
  })

  serve(api.deleteRelationships, ({ body: { filter, limit, preconditions }, caller, visit }) => {
    rejectDirectoryType(filter.resourceType, 'filter.resourceType')
    const options = auditOptions(sql, { caller, visit }).relationships
    return engine.deleteRelationships(filter, { limit, preconditions, ...options })
  })

  serve(api.deleteListedRelationships, async ({ body: { relationships, preconditions }, caller, visit }) => {
    rejectListedOfDirectory(relationships)
    const updates = relationships.map((relationship) => ({ operation: 'delete' as const, relationship }))
    const { by, record } = auditOptions(sql, { caller, visit }).relationships
    let deleted: Relationship[] = []
    const { writtenAt } = await engine
      .writeRelationships(updates, preconditions, {
        by,
        record: async (change, within) => {
          deleted = change.before
          await record(change, within)
        },
      })
      .catch((error) => {
        throw error instanceof PermissionError ? toListError(error) : error
      })
    return { deletedAt: writtenAt, deleted: deleted.map(toWireRelationship) }
  })

  serve(api.previewDeletion, async ({ body: { filter, relationships: listed } }) => {
    rejectDirectoryType(filter?.resourceType, 'filter.resourceType')
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
      const page = await engine.history(filter, { limit, cursor })
      const userIds = page.items.flatMap(({ by }) => (by?.kind === 'user' ? [by.id] : []))
      const names = await findDirectoryNames(sql, 'passport/user', [...new Set(userIds)])
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

function rejectListedOfDirectory(relationships: { resource: ObjectReference }[]) {
  for (const [index, { resource }] of relationships.entries())
    rejectDirectoryType(resource.type, `relationships.${index}.resource.type`)
}

/** Parses the consistency in query parameters. Throws `token-invalid` for a missing or unexpected token. */
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

/** Converts the field of an error: `updates.3.relationship.resource` becomes `relationships.3.resource`. */
function toListError({ code, message, field }: PermissionError) {
  const listField = field?.replace(/^updates/, 'relationships').replace(/^(relationships\.\d+)\.relationship/, '$1')
  return new PermissionError(code, message, listField)
}
