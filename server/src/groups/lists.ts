import type { GroupQuery, GroupSummary, GroupTombstone } from '@passport/contract/groups'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { decodeCursor, decodeInstantCursor, offsetOf, pageOf } from '../http/paging.ts'
import { Problem } from '../http/problem.ts'
import * as roles from '../roles/store.ts'
import { seesAll } from './access.ts'
import type { ChangedRow, GroupRow, Listed, NamedRow, Part } from './listing.ts'
import * as listing from './listing.ts'

const path = '/passport/groups'

/** The groups that the caller sees, by name. The first page tells from when on to ask for changes. */
export async function listPage(sql: Sql, query: GroupQuery, caller: Caller) {
  const part = { after: decodeCursor(query.after), offset: offsetOf(query), limit: query.limit }
  const isFirst = part.after === undefined && part.offset === 0
  const now = isFirst ? await listing.settled(sql, null) : undefined
  const { rows, counted } = rowsOf(await named(sql, query, caller, part))
  const page = pageOf({ path, query, rows, counted, cursorOf: ({ sortName, id }) => [sortName, id] })
  return { ...page, items: page.items.map(summaryOf), ...(now && { watermark: now.before }) }
}

const isOfAll = ({ mine = false }: GroupQuery, caller: Caller) => seesAll(caller) && !mine

function named(sql: Sql, query: GroupQuery, caller: Caller, part: Part): Promise<Listed<NamedRow>[]> {
  const words = query.query?.trim() || null
  const orgId = query.orgId ?? null
  if (!isOfAll(query, caller)) return listing.listOwn(sql, caller.id, { words, orgId }, part)
  if (words !== null) return listing.search(sql, caller.id, { words, orgId }, part)
  return orgId === null ? listing.list(sql, caller.id, part) : listing.listOfOrg(sql, caller.id, orgId, part)
}

/**
 * What changed since a moment of what the caller sees. Nothing is told of a time in which something may still be
 * written, so whoever goes on from the `watermark` of the last page misses nothing. Throws 400 for a moment to come, and
 * 410 where what happened is not known any more.
 */
export async function changesPage(sql: Sql, since: string, query: GroupQuery, caller: Caller) {
  refuseFilters(query)
  const part = { after: decodeInstantCursor(query.after), offset: offsetOf(query), limit: query.limit }
  const { before, isAhead, isTooLongAgo } = await listing.settled(sql, since)
  if (isAhead) throw badField('updatedSince', 'in-the-future', 'Is a moment to come.')
  if (isTooLongAgo || (await seesOthersSince(sql, query, caller, since)))
    throw new Problem(410, 'sync-reset-required', 'What changed since then is not known. Read the whole list.')
  const span = { ...part, since, before }
  const { rows, counted } = rowsOf(
    await (isOfAll(query, caller) ? listing.changes(sql, caller.id, span) : listing.changesFor(sql, caller.id, span)),
  )
  const page = pageOf({ path, query, rows, counted, cursorOf: ({ changedAt, id }) => [changedAt, id] })
  // Who stops half-way goes on from what they have seen.
  const watermark = page.next === null ? before : (page.items.at(-1)?.changedAt ?? before)
  return { ...page, items: page.items.map((row) => (row.isGone ? tombstoneOf(row) : summaryOf(row))), watermark }
}

/** Someone who became an administrator meanwhile, or ceased to be one, sees other groups, also of those that did not change. */
const seesOthersSince = async (sql: Sql, { mine = false }: GroupQuery, caller: Caller, since: string) =>
  !mine && roles.isAdministrationNewSince(sql, caller.id, since)

function refuseFilters({ query, orgId }: GroupQuery) {
  if (query !== undefined) throw badField('query', 'not-with-updated-since', 'Cannot be asked with updatedSince.')
  if (orgId !== undefined) throw badField('orgId', 'not-with-updated-since', 'Cannot be asked with updatedSince.')
}

function badField(field: string, code: string, message: string) {
  return new Problem(400, 'invalid-request', `${field}: ${message}`, { errors: [{ field, code, message }] })
}

function rowsOf<Row extends { id: string }>(listed: Listed<Row>[]): { rows: Row[]; counted: number } {
  return { rows: listed.filter((row) => row.id !== null) as Row[], counted: listed[0]?.counted ?? 0 }
}

/** A group as lists tell of it. */
export function summaryOf({ lastModified: _, deletedAt: __, ...row }: GroupRow): GroupSummary {
  return { ...row, groupId: row.id, version: Number(row.version) }
}

function tombstoneOf({ id, changedAt, changedVersion }: ChangedRow): GroupTombstone {
  return { id, groupId: id, deleted: true, version: Number(changedVersion), updatedAt: changedAt }
}
