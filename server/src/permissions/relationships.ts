import { type PermissionEngine, PermissionFault } from '@passport/permissions'
import * as z from 'zod/mini'
import { readQuestion } from './consistency.ts'
import { decodeCursor, encodeCursor, evaluatePage } from './cursor.ts'
import { commit, type Parts } from './parts.ts'
import { encodeToken } from './token.ts'
import { watch } from './watch.ts'
import { deleteInTransaction, writeInTransaction } from './write.ts'

type RelationshipCalls = Pick<
  PermissionEngine,
  'readRelationships' | 'writeRelationships' | 'deleteRelationships' | 'watch'
>

const name = z.string()
const CursorPosition = z.object({
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
  const { sql, schemas, replica, evaluate } = parts
  return {
    readRelationships: async (filter, { limit, cursor, expiresBefore }, { consistency } = {}) => {
      if (limit > maxOnPage) throw new PermissionFault('too-many', `At most ${maxOnPage} per page.`, 'limit')
      const question = { ...filter, ...(cursor !== undefined && { cursor }) }
      const position = decodeCursor(CursorPosition, question)
      const page = {
        limit: limit + 1,
        ...(position && { after: position.after }),
        ...(expiresBefore !== undefined && { expiresBefore }),
      }
      const read = readQuestion(filter, page)
      const { items, epoch, rev } = await evaluatePage(position?.token, consistency, (pageConsistency) =>
        evaluate(pageConsistency, read),
      )
      const readAt = encodeToken(epoch, rev)
      const listed = items.slice(0, limit)
      const last = listed.at(-1)
      const hasMore = items.length > limit && last !== undefined
      return {
        items: listed,
        ...(hasMore && { cursor: encodeCursor(question, { token: readAt, after: last }) }),
        readAt,
      }
    },
    writeRelationships: async (updates, preconditions = [], { by, record } = {}) => {
      const write = { updates, preconditions, by, record }
      const { token } = await commit(parts, async (sql, isRetry) => {
        await writeInTransaction(sql, schemas, { ...write, isRetry })
        return {}
      })
      return { writtenAt: token }
    },
    deleteRelationships: async (filter, { limit = unlimited, preconditions = [], by, record } = {}) => {
      const deletion = { filter, limit, preconditions, by, record }
      const { token, deleted, isComplete } = await commit(parts, (sql, isRetry) =>
        deleteInTransaction(sql, schemas, { ...deletion, isRetry }),
      )
      return { deletedAt: token, deleted, isComplete }
    },
    watch: (from, filter, signal) => watch(sql, replica, from, filter, signal),
  }
}
