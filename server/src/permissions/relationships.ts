import type { PermissionEngine } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import * as z from 'zod/mini'
import { ofRelationships } from './consistency.ts'
import { askForPage, cursorOf, placeOf } from './cursor.ts'
import { commit, type Parts } from './parts.ts'
import { tokenOf } from './token.ts'
import { watch } from './watch.ts'
import { deleteIn, writeIn } from './write.ts'

type RelationshipCalls = Pick<
  PermissionEngine,
  'readRelationships' | 'writeRelationships' | 'deleteRelationships' | 'watch'
>

const name = z.string()
const Place = z.object({
  token: z.string(),
  after: z.object({
    resource: z.object({ type: name, id: name }),
    relation: name,
    subject: z.object({ type: name, id: name, relation: z.exactOptional(name) }),
  }),
})
const maxOnPage = 1000
const unlimited = 2 ** 31 - 1

/** Reads, writes and watches relationships. */
export function relationshipCalls(parts: Parts): RelationshipCalls {
  const { sql, schemas, follower, ask } = parts
  return {
    readRelationships: async (filter, { limit, cursor, expiresBefore }, { consistency } = {}) => {
      if (limit > maxOnPage) throw new PermissionFault('too-many', `At most ${maxOnPage} on a page.`, 'limit')
      const question = { ...filter, ...(cursor !== undefined && { cursor }) }
      const place = placeOf(Place, question)
      const page = {
        limit: limit + 1,
        ...(place && { after: place.after }),
        ...(expiresBefore !== undefined && { expiresBefore }),
      }
      const read = ofRelationships(filter, page)
      const { items, epoch, rev } = await askForPage(place?.token, consistency, (asked) => ask(asked, read))
      const readAt = tokenOf(epoch, rev)
      const told = items.slice(0, limit)
      const last = told.at(-1)
      const isMore = items.length > limit && last !== undefined
      return { items: told, ...(isMore && { cursor: cursorOf(question, { token: readAt, after: last }) }), readAt }
    },
    writeRelationships: async (updates, preconditions = [], { by, record } = {}) => {
      const write = { updates, preconditions, by, record }
      const { token } = await commit(parts, async (sql, isAgain) => {
        await writeIn(sql, schemas, { ...write, isAgain })
        return {}
      })
      return { writtenAt: token }
    },
    deleteRelationships: async (filter, { limit = unlimited, preconditions = [], by, record } = {}) => {
      const deletion = { filter, limit, preconditions, by, record }
      const { token, deleted, isComplete } = await commit(parts, (sql, isAgain) =>
        deleteIn(sql, schemas, { ...deletion, isAgain }),
      )
      return { deletedAt: token, deleted, isComplete }
    },
    watch: (from, filter, signal) => watch(sql, follower, from, filter, signal),
  }
}
