import { RelationshipKey } from '@passport/contract/permission-terms'
import { type HistoryEntry, type PermissionEngine, PermissionError } from '@passport/permissions'
import * as z from 'zod/mini'
import * as commitStore from './commit-store.ts'
import { commit, createReadRequest, type EngineContext } from './consistency.ts'
import { decodeCursor, encodeCursor, evaluatePage, toPage } from './cursor.ts'
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

type RelationshipMethods = Required<
  Pick<PermissionEngine, 'readRelationships' | 'history' | 'writeRelationships' | 'deleteRelationships' | 'load'>
>

const CursorPosition = z.object({ token: z.string(), after: RelationshipKey })
const HistoryPosition = z.object({ rev: z.int(), key: z.string() })
const maxOnPage = 1000
/** The number of relationships of a bulk load that its recorder receives. */
const maxListed = 1000
const unlimited = 2 ** 31 - 1

/** Creates the methods that read and write relationships. */
export function createRelationshipMethods(context: EngineContext): RelationshipMethods {
  const { sql, schemas, evaluate } = context
  return {
    readRelationships: async (filter, { limit, cursor, expiresBefore }, { consistency } = {}) => {
      if (limit > maxOnPage) throw new PermissionError('too-many', `At most ${maxOnPage} per page.`, 'limit')
      const request = { ...filter, cursor }
      const position = decodeCursor(CursorPosition, request)
      const read = createReadRequest(filter, { limit: limit + 1, after: position?.after, expiresBefore })
      const { items, epoch, rev } = await evaluatePage(position?.token, consistency, (pageConsistency) =>
        evaluate(pageConsistency, read),
      )
      const readAt = encodeToken(epoch, rev)
      return { ...toPage(items, limit, (after) => encodeCursor(request, { token: readAt, after })), readAt }
    },
    history: async (filter, { limit, cursor }) => {
      const request = { ...filter, cursor }
      const before = decodeCursor(HistoryPosition, request)
      const rows = await commitStore.readHistory(sql, filter, { before, limit: limit + 1 })
      const { epoch } = await commitStore.readHead(sql)
      const page = toPage(rows, limit, ({ rev, key }) => encodeCursor(request, { rev, key }))
      const items = page.items.map(
        (row): HistoryEntry => ({
          operation: row.after === null ? 'removed' : row.before === null ? 'added' : 'changed',
          relationship: toRelationship(row, row.after ?? row.before ?? {}),
          at: Date.parse(row.at),
          by: parseAuthor(row.by),
          token: encodeToken(epoch, row.rev),
        }),
      )
      return { ...page, items }
    },
    writeRelationships: async (updates, preconditions = [], options = {}) => {
      const { token } = await commit(context, (sql, isRetry) =>
        writeInTransaction(sql, schemas, { updates, preconditions, ...options, isRetry }),
      )
      return { writtenAt: token }
    },
    deleteRelationships: async (filter, { limit = unlimited, preconditions = [], ...options } = {}) => {
      const { token, written } = await commit(context, (sql, isRetry) =>
        deleteInTransaction(sql, schemas, { filter, limit, preconditions, ...options, isRetry }),
      )
      return { deletedAt: token, ...written }
    },
    load: async ({ schema, relationships }, { by, record } = {}) => {
      const { token } = await commit(context, async (sql) => {
        const schemaId = await commitStore.beginWrite(sql, formatAuthor(by))
        const next = schema === undefined ? undefined : await prepareSchema(sql, schemas, schema, by)
        const checkedAgainst = next?.schema ?? (await schemas.find(sql, schemaId))
        const written = await loadInTransaction(sql, checkedAgainst, relationships)
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
