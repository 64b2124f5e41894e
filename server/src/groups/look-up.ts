import type { GroupLookup } from '@passport/contract/groups'
import type { Sql } from '../database/sql.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import * as users from '../users/store.ts'
import * as listing from './listing.ts'

/**
 * Resolves each line: an id, a username, or, for administrators only, an email address, so that others cannot probe
 * addresses.
 */
export async function lookUp(sql: Sql, groupId: string, lines: string[], caller: Caller): Promise<GroupLookup> {
  const distinctLines = [...new Set(lines.map((line) => line.trim()))]
  const peopleByLine = Map.groupBy(
    await users.findByLines(sql, distinctLines, isAdministrator(caller)),
    ({ line }) => line,
  )
  const ids = [...peopleByLine.values()].flatMap((people) => people.map(({ id }) => id))
  const memberships = new Map((await listing.findMemberships(sql, groupId, ids)).map((part) => [part.userId, part]))
  return {
    lines: lines.map((line) => {
      const people = peopleByLine.get(line.trim()) ?? []
      const [person] = people
      if (!person) return { line, person: null, verdict: 'unknown' as const }
      if (people.length > 1) return { line, person: null, verdict: 'ambiguous' as const }
      const { isMember = false, isOwner = false } = memberships.get(person.id) ?? {}
      const { id, displayname, username } = person
      return { line, person: { id, displayname, username, isMember, isOwner }, verdict: 'found' as const }
    }),
  }
}
