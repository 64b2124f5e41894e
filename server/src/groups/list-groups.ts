import type { GroupQuery, GroupSummary, GroupTombstone } from '@passport/contract/groups'
import type { Sql } from '../database/sql.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import { decodeCursor, decodeInstantCursor, isCount, isInstant, offsetOf, toPage } from '../http/paging.ts'
import { invalidRequest } from '../http/problems.ts'
import * as roles from '../roles/store.ts'
import type { ChangedRow, CountedRow, GroupRow, NamedRow, OrderedRange } from './list-store.ts'
import * as lists from './list-store.ts'
import * as problems from './problems.ts'

const path = '/passport/groups'

/** The orders of a list: the key of a row in each, and the check of a cursor's key. */
const orders = {
  name: { keyOf: ({ sortName }: NamedRow) => sortName, isKey: () => true },
  members: { keyOf: ({ memberCount }: NamedRow) => String(memberCount), isKey: isCount },
  updated: { keyOf: ({ updatedAt }: NamedRow) => updatedAt, isKey: isInstant },
}

/** Lists the groups that the caller may see. The first page has the watermark from which to read changes. */
export async function listGroups(sql: Sql, query: GroupQuery, caller: Caller) {
  const { sort = 'name', direction, limit } = query
  const { keyOf, isKey } = orders[sort]
  const order = { key: lists.sortColumns[sort], isDescending: direction === 'desc' }
  const range = { after: decodeCursor(query.after, isKey), offset: offsetOf(query), limit, order }
  const isFirst = range.after === undefined && range.offset === 0
  const now = isFirst ? await lists.readSettledInstant(sql, null) : undefined
  const { rows, count } = splitCount(await listRows(sql, query, caller, range))
  const page = toPage({ path, query, rows, count, cursorOf: (row) => [keyOf(row), row.id] })
  return { ...page, items: page.items.map(toSummary), ...(now && { watermark: now.before }) }
}

const listsAllGroups = ({ mine = false }: GroupQuery, caller: Caller) => isAdministrator(caller) && !mine

function listRows(sql: Sql, query: GroupQuery, caller: Caller, range: OrderedRange): Promise<CountedRow<NamedRow>[]> {
  const words = query.query?.trim() || null
  const orgId = query.orgId ?? null
  if (!listsAllGroups(query, caller)) return lists.listOwn(sql, caller.id, { words, orgId }, range)
  if (words !== null) return lists.search(sql, caller.id, { words, orgId }, range)
  return orgId === null ? lists.list(sql, caller.id, range) : lists.listForOrg(sql, caller.id, orgId, range)
}

/**
 * Lists the changes that the caller may see since an instant. It ends at the instant after which open transactions may
 * still write, so a client that continues from the last `watermark` misses nothing. Throws 400 for a future instant, and
 * 410 if the changes since then are no longer known.
 */
export async function listGroupChanges(sql: Sql, since: string, query: GroupQuery, caller: Caller) {
  rejectFilters(query)
  const range = { after: decodeInstantCursor(query.after), offset: offsetOf(query), limit: query.limit }
  const { before, isAhead, isTooLongAgo } = await lists.readSettledInstant(sql, since)
  if (isAhead) throw invalidField('updatedSince', 'in-the-future', 'Must not be in the future.')
  if (isTooLongAgo || (await hasAdministrationChanged(sql, query, caller, since))) throw problems.syncResetRequired()
  const span = { ...range, since, before }
  const { rows, count } = splitCount(
    await (listsAllGroups(query, caller)
      ? lists.listChanges(sql, caller.id, span)
      : lists.listChangesFor(sql, caller.id, span)),
  )
  const page = toPage({ path, query, rows, count, cursorOf: ({ changedAt, id }) => [changedAt, id] })
  // A client that stops early continues from its last item.
  const watermark = page.next === null ? before : (page.items.at(-1)?.changedAt ?? before)
  return { ...page, items: page.items.map((row) => (row.isGone ? toTombstone(row) : toSummary(row))), watermark }
}

/**
 * Reports whether the caller became or ceased to be an administrator since then, and so sees other groups, even unchanged
 * ones. Only sessions have that role; bearer tokens do not.
 */
const hasAdministrationChanged = async (sql: Sql, { mine = false }: GroupQuery, caller: Caller, since: string) =>
  !mine && caller.session !== undefined && roles.hasAdministrationChangedSince(sql, caller.id, since)

function rejectFilters({ query, orgId, sort, direction }: GroupQuery) {
  const filters = Object.entries({ sort, direction, query, orgId })
  const [field] = filters.find(([, value]) => value !== undefined) ?? []
  if (field) throw invalidField(field, 'not-with-updated-since', 'Cannot be combined with updatedSince.')
}

function invalidField(field: string, code: string, message: string) {
  return invalidRequest(`${field}: ${message}`, [{ field, code, message }])
}

function splitCount<Row extends { id: string }>(listed: CountedRow<Row>[]): { rows: Row[]; count: number } {
  return { rows: listed.filter((row) => row.id !== null) as Row[], count: listed[0]?.count ?? 0 }
}

/** Formats a group for a list. */
export function toSummary({ lastModified: _, deletedAt: __, ...row }: GroupRow): GroupSummary {
  return { ...row, groupId: row.id, version: Number(row.version) }
}

function toTombstone({ id, changedAt, changedVersion }: ChangedRow): GroupTombstone {
  return { id, groupId: id, deleted: true, version: Number(changedVersion), updatedAt: changedAt }
}
