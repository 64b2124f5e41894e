import * as api from '@passport/contract/permissions'
import { checkFilterSaysSomething } from '@passport/permissions/validate-filter'
import type { Sql } from '../database/sql.ts'
import type { Routes, Services } from '../room.ts'
import * as users from '../users/store.ts'
import { audited } from './author.ts'
import { deleteListed } from './delete-listed.ts'
import { effectOfDeleting } from './deletion-effect.ts'
import { refuseDirectory } from './directory-types.ts'
import { told } from './fault-problem.ts'
import { notOfThisEngine } from './serve-questions.ts'
import { askedInQuery, heardRelationship, toldRelationship } from './told.ts'

/** Relationships: which there are, what became of them, and changes of them. */
export function serveRelationships({ serve }: Routes, { permissions: engine, sql, clients }: Services): void {
  serve(api.listRelationships, ({ query }) =>
    told(
      async () => {
        const { limit, cursor, consistency, token, expiresBefore, ...filter } = query
        const options = askedInQuery({ ...(consistency && { consistency }), ...(token !== undefined && { token }) })
        const page = {
          limit,
          ...(cursor !== undefined && { cursor }),
          ...(expiresBefore !== undefined && { expiresBefore: Date.parse(expiresBefore) }),
        }
        const { items, cursor: next = null, readAt } = await engine.readRelationships(filter, page, options)
        return { items: items.map(toldRelationship), cursor: next, readAt }
      },
      { filter: '', consistency: '' },
    ),
  )

  serve(api.writeRelationships, ({ body: { updates, preconditions }, caller, visit }) =>
    told(async () => {
      refuseDirectory(
        updates.map(({ relationship }) => relationship.resource.type),
        (at) => `updates.${at}.relationship.resource.type`,
      )
      const heard = updates.map(({ operation, relationship }) => ({
        operation,
        relationship: heardRelationship(relationship),
      }))
      return engine.writeRelationships(heard, preconditions, audited(sql, { caller, visit }).relationships)
    }),
  )

  serve(api.deleteRelationships, ({ body: { filter, limit, preconditions }, caller, visit }) =>
    told(async () => {
      refuseDirectory([filter.resourceType], () => 'filter.resourceType')
      return engine.deleteRelationships(filter, {
        ...(limit !== undefined && { limit }),
        ...(preconditions && { preconditions }),
        ...audited(sql, { caller, visit }).relationships,
      })
    }),
  )

  serve(api.deleteListedRelationships, ({ body: { relationships, preconditions }, caller, visit }) =>
    told(async () => {
      refuseDirectory(
        relationships.map(({ resource }) => resource.type),
        (at) => `relationships.${at}.resource.type`,
      )
      const { by, record } = audited(sql, { caller, visit }).relationships
      const { deletedAt, deleted } = await deleteListed(engine, relationships, { preconditions, by, record })
      return { deletedAt, deleted: deleted.map(toldRelationship) }
    }),
  )

  serve(api.previewDeletion, ({ body: { filter, relationships: listed } }) =>
    told(async () => {
      refuseDirectory([filter?.resourceType], () => 'filter.resourceType')
      refuseDirectory(listed?.map(({ resource }) => resource.type) ?? [], (at) => `relationships.${at}.resource.type`)
      if (filter) checkFilterSaysSomething(filter)
      if (!engine.suppose) throw notOfThisEngine()
      const { relationships, ...effect } = await effectOfDeleting(engine, listed ?? filter ?? {})
      return { ...effect, relationships: relationships.map(toldRelationship) }
    }),
  )

  serve(api.listRelationshipHistory, ({ query: { limit, cursor, ...filter } }) =>
    told(
      async () => {
        if (!engine.history) throw notOfThisEngine()
        const page = await engine.history(filter, { limit, ...(cursor !== undefined && { cursor }) })
        const people = page.items.flatMap(({ by }) => (by?.kind === 'user' ? [by.id] : []))
        const names = await peopleNames(sql, people)
        const nameOf = async (kind: 'user' | 'client', id: string) =>
          (kind === 'user' ? names.get(id) : (await clients.find(id))?.name) ?? null
        const items = page.items.map(async ({ operation, relationship, at, by, token }) => ({
          operation,
          relationship: toldRelationship(relationship),
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

async function peopleNames(sql: Sql, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  return new Map((await users.namesOf(sql, [...new Set(ids)])).map(({ id, name }) => [id, name]))
}
