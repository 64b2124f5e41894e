import type { GroupLookup } from '@passport/contract/groups'
import type { Sql } from '../database/sql.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import * as users from '../users/store.ts'
import * as lists from './list-store.ts'

/**
 * Finds the user of each line by id, username or, for administrators, email address. Other callers could find out which
 * addresses have an account.
 */
export async function lookUpUsers(sql: Sql, groupId: string, lines: string[], caller: Caller): Promise<GroupLookup> {
  const distinctLines = [...new Set(lines.map((line) => line.trim()))]
  const matchesByLine = Map.groupBy(
    await users.findByLines(sql, distinctLines, isAdministrator(caller)),
    ({ line }) => line,
  )
  const ids = [...matchesByLine.values()].flatMap((matches) => matches.map(({ id }) => id))
  const memberships = new Map((await lists.findMemberships(sql, groupId, ids)).map((row) => [row.userId, row]))
  return {
    lines: lines.map((line) => {
      const matches = matchesByLine.get(line.trim()) ?? []
      const [user] = matches
      if (!user) return { line, person: null, verdict: 'unknown' as const }
      if (matches.length > 1) return { line, person: null, verdict: 'ambiguous' as const }
      const { isMember = false, isOwner = false } = memberships.get(user.id) ?? {}
      const { id, displayname, username } = user
      return { line, person: { id, displayname, username, isMember, isOwner }, verdict: 'found' as const }
    }),
  }
}
