import { v1 } from '@authzed/authzed-node'
import type { PermissionEngine } from '@passport/permissions/engine'
import { checkFilterSaysSomething, checkPreconditionsSaySomething } from '@passport/permissions/validate-filter'
import { changeOf, fitting, removedOf, storedOf } from './changes.ts'
import type { SpiceDbClients } from './clients.ts'
import { readSchemaText } from './clients.ts'
import { ask, placesOfFilter, placesOfWrite } from './faults.ts'
import { toFilter, toPrecondition, toUpdate } from './messages.ts'
import { readAllRelationships, readRelationships } from './reads.ts'
import { watchSpiceDb } from './watch.ts'

type RelationshipCalls = Pick<
  PermissionEngine,
  'readRelationships' | 'writeRelationships' | 'deleteRelationships' | 'watch'
>

export function relationshipCalls({ permissions, schema, watch }: SpiceDbClients): RelationshipCalls {
  return {
    readRelationships: (filter, page, options) =>
      ask(
        () => placesOfFilter(filter),
        async () => {
          if (Object.values(filter).some((part) => part !== undefined && part !== '')) {
            const rows = await readRelationships(permissions, filter, page, options?.consistency)
            return { ...rows, readAt: rows.readAt || (await readSchemaText(schema)).readAt }
          }
          const { text, readAt } = await readSchemaText(schema)
          const types = [...text.matchAll(/^definition (\S+) \{/gm)].flatMap(([, type]) => type ?? [])
          const rows = await readAllRelationships(permissions, types, page, options?.consistency)
          return { ...rows, readAt: rows.readAt || readAt }
        },
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
