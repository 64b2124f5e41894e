import { type Cursor, decodeCursor, isCount, isInstant } from '../http/paging.ts'
import type { MemberRow, OrgRow } from './store.ts'

/** The sort orders of organisations: the sort key of each, and the check of a cursor's key. */
export const orgOrders = {
  name: { keyOf: ({ sortName }: OrgRow) => sortName, isKey: () => true },
  created: { keyOf: ({ createdAt }: OrgRow) => createdAt, isKey: isInstant },
  members: { keyOf: ({ memberCount }: OrgRow) => String(memberCount), isKey: isCount },
}

/** The cursor of a member: `0 2026-11-21T09:30:00.000Z` is an owner since that time. */
export const toMemberCursor = ({ rank, since, id }: MemberRow): Cursor => [`${rank} ${since}`, id]

export const decodeMemberCursor = (after: string | undefined): Cursor | undefined =>
  decodeCursor(after, (key) => /^[0-2] /.test(key) && isInstant(key.slice(2)))
