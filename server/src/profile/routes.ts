import { maxCounted } from '@passport/contract/page'
import * as api from '@passport/contract/profile'
import type { Sql } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import { decodeCursor, offsetOf, toPage } from '../http/paging.ts'
import { notYours } from '../http/problems.ts'
import { WithETag } from '../http/serve.ts'
import { change, checkUsername, requireProfile } from './change.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/** Reads, updates and searches profiles. */
export const profile: Feature = ({ serve }, { sql }) => {
  serve(api.listProfiles, async ({ query, caller }) => {
    const range = { limit: query.limit + 1, offset: offsetOf(query), after: decodeCursor(query.after) }
    const { rows, count } = await findProfiles(sql, caller, query.query, range)
    const cursorOf = ({ place, id }: store.MatchRow) => [place, id] as const
    const page = toPage({ path: api.listProfiles.path, query, rows, count, cursorOf })
    return { ...page, items: page.items.map(toProfileSummary) }
  })

  serve(api.getProfile, async ({ params, caller, preconditions }) => {
    const result = withETag(await requireProfile(sql, resolveProfileId(params, caller)))
    preconditions.check(result.validators)
    return result
  })

  serve(api.putProfile, async ({ params, body, ...context }) =>
    withETag(await change(sql, requireOwnProfile(params, context.caller), body, context)),
  )

  serve(api.getDisplayName, async ({ params, caller }) => {
    const { displayName } = await requireProfile(sql, resolveProfileId(params, caller))
    return { displayname: displayName }
  })

  serve(api.putDisplayName, async ({ params, body, ...context }) => {
    await change(sql, requireOwnProfile(params, context.caller), { displayname: body }, context)
    return { displayname: body }
  })

  serve(api.getUsername, async ({ params, caller }) => {
    const { username } = await requireProfile(sql, resolveProfileId(params, caller))
    if (username === null) throw problems.usernameUnset()
    return { username }
  })

  serve(api.claimUsername, async ({ params, body, ...context }) => {
    await change(sql, requireOwnProfile(params, context.caller), { username: body }, context)
    return { username: body }
  })

  serve(api.checkUsername, ({ params, query, caller }) =>
    checkUsername(sql, requireOwnProfile(params, caller), query.username),
  )
}

/** Up to this many matches are sorted for each page; beyond that, reading in index order is faster. */
const maxSorted = 20_000

type PageRange = Parameters<typeof store.listAll>[1]

async function findProfiles(sql: Sql, caller: Caller, query: string, range: PageRange) {
  const countLimit = maxCounted
  const isAdmin = isAdministrator(caller)
  if (isAdmin && query === '')
    return { rows: await store.listAll(sql, range), count: await store.countAll(sql, countLimit) }
  if (isAdmin) {
    const count = await store.countMatches(sql, query, countLimit)
    const search = count <= maxSorted ? store.searchFew : store.searchMany
    return { rows: await search(sql, query, range), count }
  }
  if ([...query].length < 2) return { rows: [], count: 0 }
  return {
    rows: await store.searchAcquaintances(sql, caller.id, query, range),
    count: await store.countAcquaintances(sql, caller.id, query, countLimit),
  }
}

const resolveProfileId = ({ profileId }: { profileId: string }, caller: Caller) =>
  profileId === 'me' ? caller.id : profileId

/** Returns the id of a profile that the caller may change. Throws 403 whether or not the profile exists. */
function requireOwnProfile(params: { profileId: string }, caller: Caller): string {
  const id = resolveProfileId(params, caller)
  if (id !== caller.id && !isAdministrator(caller)) throw notYours('You can change only your own profile.')
  return id
}

const toProfileSummary = ({ id, username, displayName }: Pick<store.MatchRow, 'id' | 'username' | 'displayName'>) => ({
  profileId: id,
  displayname: displayName,
  username,
  avatarPngUrl: null,
})

const withETag = (row: store.ProfileRow) => {
  const { createdAt, updatedAt, version } = row
  return new WithETag(
    { ...toProfileSummary(row), avatar: null, avatarGlbUrl: null, createdAt, updatedAt, version },
    { etag: String(version) },
  )
}
