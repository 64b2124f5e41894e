import * as api from '@passport/contract/permissions'
import { checkFilterNotEmpty } from '@passport/permissions'
import type { Sql } from '../database/sql.ts'
import type { Routes, Services } from '../feature.ts'
import * as users from '../users/store.ts'
import { auditOptions } from './audit-options.ts'
import { deleteListed } from './delete-listed.ts'
import { computeDeletionEffect } from './deletion-effect.ts'
import { rejectDirectoryTypes } from './directory-types.ts'
import { notSupported, withProblems } from './fault-problem.ts'
import { fromWireRelationship, parseConsistency, toWireRelationship } from './to-wire.ts'

/** Relationships, their history, and changes to them. */
export function serveRelationships({ serve }: Routes, { permissions: engine, sql, clients }: Services): void {
  serve(api.listRelationships, ({ query }) =>
    withProblems(
      async () => {
        const { limit, cursor, consistency, token, expiresBefore, ...filter } = query
        const options = parseConsistency({ ...(consistency && { consistency }), ...(token !== undefined && { token }) })
        const page = {
          limit,
          ...(cursor !== undefined && { cursor }),
          ...(expiresBefore !== undefined && { expiresBefore: Date.parse(expiresBefore) }),
        }
        const { items, cursor: next = null, readAt } = await engine.readRelationships(filter, page, options)
        return { items: items.map(toWireRelationship), cursor: next, readAt }
      },
      { filter: '', consistency: '' },
    ),
  )

  serve(api.writeRelationships, ({ body: { updates, preconditions }, caller, visit }) =>
    withProblems(async () => {
      rejectDirectoryTypes(
        updates.map(({ relationship }) => relationship.resource.type),
        (at) => `updates.${at}.relationship.resource.type`,
      )
      const parsed = updates.map(({ operation, relationship }) => ({
        operation,
        relationship: fromWireRelationship(relationship),
      }))
      return engine.writeRelationships(parsed, preconditions, auditOptions(sql, { caller, visit }).relationships)
    }),
  )

  serve(api.deleteRelationships, ({ body: { filter, limit, preconditions }, caller, visit }) =>
    withProblems(async () => {
      rejectDirectoryTypes([filter.resourceType], () => 'filter.resourceType')
      return engine.deleteRelationships(filter, {
        ...(limit !== undefined && { limit }),
        ...(preconditions && { preconditions }),
        ...auditOptions(sql, { caller, visit }).relationships,
      })
    }),
  )

  serve(api.deleteListedRelationships, ({ body: { relationships, preconditions }, caller, visit }) =>
    withProblems(async () => {
      rejectDirectoryTypes(
        relationships.map(({ resource }) => resource.type),
        (at) => `relationships.${at}.resource.type`,
      )
      const { by, record } = auditOptions(sql, { caller, visit }).relationships
      const { deletedAt, deleted } = await deleteListed(engine, relationships, { preconditions, by, record })
      return { deletedAt, deleted: deleted.map(toWireRelationship) }
    }),
  )

  serve(api.previewDeletion, ({ body: { filter, relationships: listed } }) =>
    withProblems(async () => {
      rejectDirectoryTypes([filter?.resourceType], () => 'filter.resourceType')
      rejectDirectoryTypes(
        listed?.map(({ resource }) => resource.type) ?? [],
        (at) => `relationships.${at}.resource.type`,
      )
      if (filter) checkFilterNotEmpty(filter)
      if (!engine.whatIf) throw notSupported()
      const { relationships, ...effect } = await computeDeletionEffect(engine, listed ?? filter ?? {})
      return { ...effect, relationships: relationships.map(toWireRelationship) }
    }),
  )

  serve(api.listRelationshipHistory, ({ query: { limit, cursor, ...filter } }) =>
    withProblems(
      async () => {
        if (!engine.history) throw notSupported()
        const page = await engine.history(filter, { limit, ...(cursor !== undefined && { cursor }) })
        const people = page.items.flatMap(({ by }) => (by?.kind === 'user' ? [by.id] : []))
        const names = await findPeopleNames(sql, people)
        const nameOf = async (kind: 'user' | 'client', id: string) =>
          (kind === 'user' ? names.get(id) : (await clients.find(id))?.name) ?? null
        const items = page.items.map(async ({ operation, relationship, at, by, token }) => ({
          operation,
          relationship: toWireRelationship(relationship),
          at: new Date(at).toISOString(),
          by: by && { ...by, name: await nameOf(by.kind, by.id) },
          token,
        }))
        return { items: await Promise.all(items), cursor: page.cursor ?? null }
      },
      { filter: '' },
    ),
  )
}

async function findPeopleNames(sql: Sql, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  return new Map((await users.listNames(sql, [...new Set(ids)])).map(({ id, name }) => [id, name]))
}
