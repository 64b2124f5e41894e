import { type PermissionEngine, PermissionError } from '@passport/permissions'
import * as z from 'zod/mini'
import * as commitStore from './commit-store.ts'
import { commit, createReadRequest, type Parts } from './consistency.ts'
import { decodeCursor, encodeCursor, evaluatePage } from './cursor.ts'
import { toRelationship } from './rows.ts'
import { prepareSchema } from './schema.ts'
import { encodeToken } from './token.ts'
import {
  deleteInTransaction,
  formatAuthor,
  loadInTransaction,
  parseAuthor,
  readChange,
  writeInTransaction,
} from './write.ts'

type RelationshipCalls = Required<
  Pick<PermissionEngine, 'readRelationships' | 'history' | 'writeRelationships' | 'deleteRelationships' | 'load'>
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
const HistoryPosition = z.object({ rev: z.int(), key: z.string() })
const maxOnPage = 1000
const maxListed = 1000
const unlimited = 2 ** 31 - 1

/** Reads and writes relationships, and their history. */
export function relationshipCalls(parts: Parts): RelationshipCalls {
  const { sql, schemas, evaluate } = parts
  return {
    readRelationships: async (filter, { limit, cursor, expiresBefore }, { consistency } = {}) => {
      if (limit > maxOnPage) throw new PermissionError('too-many', `At most ${maxOnPage} per page.`, 'limit')
      const request = { ...filter, ...(cursor !== undefined && { cursor }) }
      const position = decodeCursor(CursorPosition, request)
      const page = {
        limit: limit + 1,
        ...(position && { after: position.after }),
        ...(expiresBefore !== undefined && { expiresBefore }),
      }
      const read = createReadRequest(filter, page)
      const { items, epoch, rev } = await evaluatePage(position?.token, consistency, (pageConsistency) =>
        evaluate(pageConsistency, read),
      )
      const readAt = encodeToken(epoch, rev)
      const listed = items.slice(0, limit)
      const after = listed.at(-1)
      const hasMore = items.length > limit && after !== undefined
      return { items: listed, ...(hasMore && { cursor: encodeCursor(request, { token: readAt, after }) }), readAt }
    },
    history: async (filter, { limit, cursor }) => {
      const request = { ...filter, ...(cursor !== undefined && { cursor }) }
      const before = decodeCursor(HistoryPosition, request)
      const rows = await commitStore.readHistory(sql, filter, { limit: limit + 1, ...(before && { before }) })
      const { epoch } = await commitStore.readHead(sql)
      const listed = rows.slice(0, limit)
      const last = listed.at(-1)
      return {
        items: listed.map((row) => ({
          operation: row.after === null ? 'removed' : row.before === null ? 'added' : 'changed',
          relationship: toRelationship(row, row.after ?? row.before ?? {}),
          at: Date.parse(row.at),
          by: parseAuthor(row.by),
          token: encodeToken(epoch, row.rev),
        })),
        ...(rows.length > limit && last && { cursor: encodeCursor(request, { rev: last.rev, key: last.key }) }),
      }
    },
    writeRelationships: async (updates, preconditions = [], options = {}) => {
      const { token } = await commit(parts, (sql, isRetry) =>
        writeInTransaction(sql, schemas, { updates, preconditions, ...options, isRetry }),
      )
      return { writtenAt: token }
    },
    deleteRelationships: async (filter, { limit = unlimited, preconditions = [], ...options } = {}) => {
      const { token, written } = await commit(parts, (sql, isRetry) =>
        deleteInTransaction(sql, schemas, { filter, limit, preconditions, ...options, isRetry }),
      )
      return { deletedAt: token, ...written }
    },
    load: async ({ schema, relationships }, { by, record } = {}) => {
      const { token } = await commit(parts, async (sql) => {
        const checkedAgainst = await commitStore.beginWrite(sql, formatAuthor(by))
        const next = schema === undefined ? undefined : await prepareSchema(sql, schemas, schema, by)
        const written = await loadInTransaction(
          sql,
          next?.schema ?? (await schemas.find(sql, checkedAgainst)),
          relationships,
        )
        const change = await readChange(sql)
        // The log does not list the changes of a bulk load.
        const isListed = change.written >= written
        const listed = isListed ? change : { before: [], after: relationships.slice(0, maxListed), removed: 0, written }
        await record?.({ ...listed, ...(next && { schema: next.change }) }, sql)
        await next?.activate()
      })
      return { writtenAt: token }
    },
  }
}
