import { v1 } from '@authzed/authzed-node'
import type { Consistency, PermissionEngine, RelationshipsPage } from '@passport/permissions/engine'
import type { Relationship, RelationshipFilter } from '@passport/permissions/relationship'
import { checkFilterSaysSomething, checkPreconditionsSaySomething } from '@passport/permissions/validate-filter'
import { changeOf, fitting, removedOf, storedOf } from './changes.ts'
import type { SpiceDbClients } from './clients.ts'
import { readSchemaText } from './clients.ts'
import { ask, placesOfFilter, placesOfWrite } from './faults.ts'
import { toFilter, toPrecondition, toUpdate } from './messages.ts'
import { type Page, readAllRelationships, readRelationships } from './reads.ts'
import { watchSpiceDb } from './watch.ts'

type RelationshipCalls = Pick<
  PermissionEngine,
  'readRelationships' | 'writeRelationships' | 'deleteRelationships' | 'watch'
>

/** Few run out at all: those that do are looked for among so many of SpiceDB's pages, of so many each. */
const mostPages = 20
const pageSize = 1000

export function relationshipCalls({ permissions, schema, watch }: SpiceDbClients): RelationshipCalls {
  const read = async (filter: RelationshipFilter, page: Page, consistency: Consistency | undefined) => {
    if (Object.values(filter).some((part) => part !== undefined && part !== '')) {
      const rows = await readRelationships(permissions, filter, page, consistency)
      return { ...rows, readAt: rows.readAt || (await readSchemaText(schema)).readAt }
    }
    const { text, readAt } = await readSchemaText(schema)
    const types = [...text.matchAll(/^definition (\S+) \{/gm)].flatMap(([, type]) => type ?? [])
    const rows = await readAllRelationships(permissions, types, page, consistency)
    return { ...rows, readAt: rows.readAt || readAt }
  }

  /** All that a page of SpiceDB's has is told, whatever the limit: its cursors lead past whole pages only. */
  async function expiring(
    filter: RelationshipFilter,
    { cursor }: Page,
    { expiresBefore, consistency }: { expiresBefore: number; consistency: Consistency | undefined },
  ): Promise<RelationshipsPage> {
    const isWanted = ({ expiresAt = Number.POSITIVE_INFINITY }: Relationship) => expiresAt < expiresBefore
    let next = cursor
    for (let pages = 1; ; pages++) {
      const page = { limit: pageSize, ...(next !== undefined && { cursor: next }) }
      const rows = await read(filter, page, consistency)
      const items = rows.items.filter(isWanted)
      if (items.length > 0 || rows.cursor === undefined || pages === mostPages) return { ...rows, items }
      next = rows.cursor
    }
  }

  return {
    readRelationships: (filter, { expiresBefore, ...page }, { consistency } = {}) =>
      ask(
        () => placesOfFilter(filter),
        () =>
          expiresBefore === undefined
            ? read(filter, page, consistency)
            : expiring(filter, page, { expiresBefore, consistency }),
      ),
    writeRelationships: async (updates, preconditions = [], { record } = {}) => {
      checkPreconditionsSaySomething(preconditions)
      const before = record ? await storedOf(permissions, updates) : []
      const answer = await ask(
        () => placesOfWrite(updates, preconditions),
        () =>
          permissions.promises.writeRelationships({
            updates: updates.map(toUpdate),
            optionalPreconditions: preconditions.map(toPrecondition),
          }),
      )
      await record?.(changeOf(updates, before))
      return { writtenAt: answer.writtenAt?.token ?? '' }
    },
    deleteRelationships: async (filter, { limit, preconditions = [], record } = {}) => {
      checkFilterSaysSomething(filter)
      checkPreconditionsSaySomething(preconditions)
      const before = record ? await fitting(permissions, filter) : []
      const answer = await ask(
        () => placesOfFilter(filter, 'filter.', placesOfWrite([], preconditions)),
        () =>
          permissions.promises.deleteRelationships({
            relationshipFilter: toFilter(filter),
            optionalPreconditions: preconditions.map(toPrecondition),
            optionalLimit: limit ?? 0,
            optionalAllowPartialDeletions: limit !== undefined,
          }),
      )
      const isComplete = answer.deletionProgress === v1.DeleteRelationshipsResponse_DeletionProgress.COMPLETE
      if (record) await record(await removedOf(permissions, filter, before, Number(answer.relationshipsDeletedCount)))
      return { deletedAt: answer.deletedAt?.token ?? '', deleted: Number(answer.relationshipsDeletedCount), isComplete }
    },
    watch: (from, filter, signal) => watchSpiceDb(watch, from, filter, signal),
  }
}
