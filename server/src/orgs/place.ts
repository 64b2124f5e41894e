import { type Cursor, decodeCursor } from '../http/paging.ts'
import { Problem } from '../http/problem.ts'
import type { OrgRow, PersonRow } from './store.ts'

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const isInstant = (text: string) => instant.test(text) && !Number.isNaN(Date.parse(text))

/** The orders in which organisations are listed: what the place of one is, and what can be a place. */
export const orgPlaces = {
  name: { of: ({ sortName }: OrgRow) => sortName, isOne: () => true },
  created: { of: ({ createdAt }: OrgRow) => createdAt, isOne: isInstant },
  members: { of: ({ memberCount }: OrgRow) => String(memberCount), isOne: (key: string) => /^\d{1,9}$/.test(key) },
  deleted: { of: ({ deletedAt }: OrgRow) => deletedAt ?? '', isOne: isInstant },
}

/** Reads a cursor of a list whose places are such; one of another list is none (400 `cursor-invalid`). */
export function readCursor(after: string | undefined, isPlace: (key: string) => boolean): Cursor | undefined {
  const cursor = decodeCursor(after)
  if (!cursor || isPlace(cursor[0])) return cursor
  const errors = [{ field: 'after', code: 'cursor-invalid', message: 'Take it from `next` of the page before.' }]
  throw new Problem(400, 'cursor-invalid', 'No page of this list ends there.', { errors })
}

/** Where someone stands among the people of an organisation: `0 2026-11-21T09:30:00.000Z` is an owner of that time. */
export const memberCursor = ({ rank, since, id }: PersonRow): Cursor => [`${rank} ${since}`, id]

export const readMemberCursor = (after: string | undefined): Cursor | undefined =>
  readCursor(after, (key) => /^[0-2] /.test(key) && isInstant(key.slice(2)))

