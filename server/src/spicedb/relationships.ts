import { v1 } from '@authzed/authzed-node'
import {
  type Consistency,
  checkFilterNotEmpty,
  checkPreconditionsNotEmpty,
  type PermissionEngine,
  type Relationship,
  type RelationshipFilter,
  type RelationshipsPage,
} from '@passport/permissions'
import { readMatching, readRemoved, readStored, toChange } from './changes.ts'
import type { SpiceDbClients } from './clients.ts'
import { readSchemaText } from './clients.ts'
import { collectFilterPaths, collectWritePaths, withFaults } from './faults.ts'
import { toFilter, toPrecondition, toUpdate } from './messages.ts'
import { type Page, readAllRelationships, readRelationships } from './reads.ts'
import { watchSpiceDb } from './watch.ts'

type RelationshipCalls = Pick<
  PermissionEngine,
  'readRelationships' | 'writeRelationships' | 'deleteRelationships' | 'watch'
>

/** The search for expiring relationships, which are rare, reads at most this many SpiceDB pages of this size. */
const maxPages = 20
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

  /** Returns all matches of a SpiceDB page, whatever the limit, because its cursors skip whole pages only. */
  async function readExpiring(
    filter: RelationshipFilter,
    { cursor }: Page,
    { expiresBefore, consistency }: { expiresBefore: number; consistency: Consistency | undefined },
  ): Promise<RelationshipsPage> {
    const isExpiring = ({ expiresAt = Number.POSITIVE_INFINITY }: Relationship) => expiresAt < expiresBefore
    let next = cursor
    for (let pages = 1; ; pages++) {
      const page = { limit: pageSize, ...(next !== undefined && { cursor: next }) }
      const rows = await read(filter, page, consistency)
      const items = rows.items.filter(isExpiring)
      if (items.length > 0 || rows.cursor === undefined || pages === maxPages) return { ...rows, items }
      next = rows.cursor
    }
  }

  return {
    readRelationships: (filter, { expiresBefore, ...page }, { consistency } = {}) =>
      withFaults(
        () => collectFilterPaths(filter),
        () =>
          expiresBefore === undefined
            ? read(filter, page, consistency)
            : readExpiring(filter, page, { expiresBefore, consistency }),
      ),
    writeRelationships: async (updates, preconditions = [], { record } = {}) => {
      checkPreconditionsNotEmpty(preconditions)
      const before = record ? await readStored(permissions, updates) : []
      const response = await withFaults(
        () => collectWritePaths(updates, preconditions),
        () =>
          permissions.promises.writeRelationships({
            updates: updates.map(toUpdate),
            optionalPreconditions: preconditions.map(toPrecondition),
          }),
      )
      await record?.(toChange(updates, before))
      return { writtenAt: response.writtenAt?.token ?? '' }
    },
    deleteRelationships: async (filter, { limit, preconditions = [], record } = {}) => {
      checkFilterNotEmpty(filter)
      checkPreconditionsNotEmpty(preconditions)
      const before = record ? await readMatching(permissions, filter) : []
      const response = await withFaults(
        () => collectFilterPaths(filter, 'filter.', collectWritePaths([], preconditions)),
        () =>
          permissions.promises.deleteRelationships({
            relationshipFilter: toFilter(filter),
            optionalPreconditions: preconditions.map(toPrecondition),
            optionalLimit: limit ?? 0,
            optionalAllowPartialDeletions: limit !== undefined,
          }),
      )
      const isComplete = response.deletionProgress === v1.DeleteRelationshipsResponse_DeletionProgress.COMPLETE
      if (record)
        await record(await readRemoved(permissions, filter, before, Number(response.relationshipsDeletedCount)))
      return {
        deletedAt: response.deletedAt?.token ?? '',
        deleted: Number(response.relationshipsDeletedCount),
        isComplete,
      }
    },
    watch: (from, filter, signal) => watchSpiceDb(watch, from, filter, signal),
  }
}
