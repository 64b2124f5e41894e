import { maxCounted } from '@passport/contract/page'
import * as api from '@passport/contract/profile'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { decodeCursor, offsetOf, pageOf } from '../http/paging.ts'
import { Problem } from '../http/problem.ts'
import { Tagged } from '../http/serve.ts'
import type { Room } from '../room.ts'
import { change, findOne, judge } from './change.ts'
import * as store from './store.ts'

/** Profiles: what people are called, what they are found by, and finding them. */
export const profile: Room = ({ serve }, { sql }) => {
  serve(api.listProfiles, async ({ query, caller }) => {
    const part = { limit: query.limit + 1, offset: offsetOf(query), after: decodeCursor(query.after) }
    const { rows, counted } = await findPeople(sql, caller, query.query, part)
    const cursorOf = ({ place, id }: store.FoundRow) => [place, id] as const
    const page = pageOf({ path: api.listProfiles.path, query, rows, counted, cursorOf })
    return { ...page, items: page.items.map(foundOf) }
  })

  serve(api.getProfile, async ({ params, caller, preconditions }) => {
    const found = tagged(await findOne(sql, idOf(params, caller)))
    preconditions.check(found.validators)
    return found
  })

  serve(api.putProfile, async ({ params, body, ...by }) =>
    tagged(await change(sql, ownOf(params, by.caller), body, by)),
  )

  serve(api.getDisplayName, async ({ params, caller }) => {
    const { displayName } = await findOne(sql, idOf(params, caller))
    return { displayname: displayName }
  })

  serve(api.putDisplayName, async ({ params, body, ...by }) => {
    await change(sql, ownOf(params, by.caller), { displayname: body }, by)
    return { displayname: body }
  })

  serve(api.getUsername, async ({ params, caller }) => {
    const { username } = await findOne(sql, idOf(params, caller))
    if (username === null) throw new Problem(404, 'username-unset', 'They have no username.')
    return { username }
  })

  serve(api.claimUsername, async ({ params, body, ...by }) => {
    await change(sql, ownOf(params, by.caller), { username: body }, by)
    return { username: body }
  })

  serve(api.checkUsername, ({ params, query, caller }) => judge(sql, ownOf(params, caller), query.username))
}

type Part = Parameters<typeof store.listAll>[1]

async function findPeople(sql: Sql, caller: Caller, query: string, part: Part) {
  const upTo = maxCounted + 1
  // A token must not be the whole console, whoever it speaks for.
  const seesAll = caller.roles.has('Passport.Admin') && caller.session !== undefined
  if (seesAll && query === '') return { rows: await store.listAll(sql, part), counted: await store.countAll(sql, upTo) }
  if (seesAll) {
    const counted = await store.countFound(sql, query, upTo)
    const search = counted < upTo ? store.searchFew : store.searchMany
    return { rows: await search(sql, query, part), counted }
  }
  if ([...query].length < 2) return { rows: [], counted: 0 }
  return {
    rows: await store.searchKnown(sql, caller.id, query, part),
    counted: await store.countKnown(sql, caller.id, query, upTo),
  }
}

const idOf = ({ profileId }: { profileId: string }, caller: Caller) => (profileId === 'me' ? caller.id : profileId)

/** Whose profile the caller may change. Throws 403, all one whether someone else exists. */
function ownOf(params: { profileId: string }, caller: Caller): string {
  const id = idOf(params, caller)
  if (id === caller.id) return id
  if (!caller.roles.has('Passport.Admin')) throw new Problem(403, 'not-yours', 'This is not your profile.')
  if (!caller.session) throw new Problem(403, 'bearer-not-accepted', 'Administrators sign in for this.')
  return id
}

const foundOf = ({ id, username, displayName }: Pick<store.FoundRow, 'id' | 'username' | 'displayName'>) => ({
  profileId: id,
  displayname: displayName,
  username,
  avatarPngUrl: null,
})

const tagged = (row: store.ProfileRow) => {
  const { createdAt, updatedAt, version } = row
  return new Tagged(
    { ...foundOf(row), avatar: null, avatarGlbUrl: null, createdAt, updatedAt, version },
    { etag: String(version) },
  )
}
