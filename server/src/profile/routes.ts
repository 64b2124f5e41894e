import { maxCounted } from '@passport/contract/page'
import * as api from '@passport/contract/profile'
import type { Sql } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import { decodeCursor, offsetOf, toPage } from '../http/paging.ts'
import { WithETag } from '../http/serve.ts'
import { toAvatar, toModelUrl, toPictureUrl } from './avatar-url.ts'
import { change, checkUsername, requireProfile } from './change.ts'
import { requireOwnProfile, resolveProfileId } from './own-profile.ts'
import * as problems from './problems.ts'
import { serveAvatars } from './serve-avatars.ts'
import { serveReadyPlayerMe } from './serve-ready-player-me.ts'
import * as store from './store.ts'

type SummaryRow = Pick<store.MatchRow, 'id' | 'username' | 'displayName' | 'pngHash'>

/** Reads, updates and searches profiles. */
export const profile: Feature = (routes, services) => {
  const { serve } = routes
  const { config, sql } = services
  const { publicUrl } = config
  serveAvatars(routes, services)
  serveReadyPlayerMe(routes, services)
  const toProfileSummary = (row: SummaryRow) => ({
    profileId: row.id,
    displayname: row.displayName,
    username: row.username,
    avatarPngUrl: toPictureUrl(publicUrl, row.pngHash),
  })
  const withETag = (row: store.ProfileRow) => {
    const { createdAt, updatedAt, version } = row
    const avatar = row.pngHash === null && row.glbHash === null ? null : toAvatar(publicUrl, row)
    const avatarGlbUrl = toModelUrl(publicUrl, row.glbHash)
    const profile = { ...toProfileSummary(row), avatar, avatarGlbUrl, createdAt, updatedAt, version }
    return new WithETag(profile, { etag: String(version) })
  }

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
    withETag(await change(services, requireOwnProfile(params, context.caller), body, context)),
  )

  serve(api.getDisplayName, async ({ params, caller }) => {
    const { displayName } = await requireProfile(sql, resolveProfileId(params, caller))
    return { displayname: displayName }
  })

  serve(api.putDisplayName, async ({ params, body, ...context }) => {
    await change(services, requireOwnProfile(params, context.caller), { displayname: body }, context)
    return { displayname: body }
  })

  serve(api.getUsername, async ({ params, caller }) => {
    const { username } = await requireProfile(sql, resolveProfileId(params, caller))
    if (username === null) throw problems.usernameUnset()
    return { username }
  })

  serve(api.claimUsername, async ({ params, body, ...context }) => {
    await change(services, requireOwnProfile(params, context.caller), { username: body }, context)
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
