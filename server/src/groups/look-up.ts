import type { GroupLookup } from '@passport/contract/groups'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import * as users from '../users/store.ts'
import { seesAll } from './access.ts'
import * as listing from './listing.ts'

/**
 * Whom each line stands for: an id, a username, or to administrators alone an e-mail address, which others must not be
 * able to try out.
 */
export async function lookUp(sql: Sql, groupId: string, lines: string[], caller: Caller): Promise<GroupLookup> {
  const sought = [...new Set(lines.map((line) => line.trim()))]
  const found = Map.groupBy(await users.called(sql, sought, seesAll(caller)), ({ line }) => line)
  const ids = [...found.values()].flatMap((people) => people.map(({ id }) => id))
  const parts = new Map((await listing.partsOf(sql, groupId, ids)).map((part) => [part.userId, part]))
  return {
    lines: lines.map((line) => {
      const people = found.get(line.trim()) ?? []
      const [person] = people
      if (!person) return { line, person: null, verdict: 'unknown' as const }
      if (people.length > 1) return { line, person: null, verdict: 'ambiguous' as const }
      const { isMember = false, isOwner = false } = parts.get(person.id) ?? {}
      const { id, displayname, username } = person
      return { line, person: { id, displayname, username, isMember, isOwner }, verdict: 'found' as const }
    }),
  }
}
