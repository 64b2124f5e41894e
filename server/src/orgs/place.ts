import { type Cursor, decodeCursor, isInstant } from '../http/paging.ts'
import type { OrgRow, PersonRow } from './store.ts'

/** The orders in which organisations are listed: what the place of one is, and what can be a place. */
export const orgPlaces = {
  name: { of: ({ sortName }: OrgRow) => sortName, isOne: () => true },
  created: { of: ({ createdAt }: OrgRow) => createdAt, isOne: isInstant },
  members: { of: ({ memberCount }: OrgRow) => String(memberCount), isOne: (key: string) => /^\d{1,9}$/.test(key) },
}

/** Where someone stands among the people of an organisation: `0 2026-11-21T09:30:00.000Z` is an owner of that time. */
export const memberCursor = ({ rank, since, id }: PersonRow): Cursor => [`${rank} ${since}`, id]

export const readMemberCursor = (after: string | undefined): Cursor | undefined =>
  decodeCursor(after, (key) => /^[0-2] /.test(key) && isInstant(key.slice(2)))
