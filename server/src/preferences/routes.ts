import * as api from '@passport/contract/preferences'
import type { Sql } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import { etagOf } from '../http/conditional.ts'
import { notYours, userNotFound } from '../http/problems.ts'
import { WithETag } from '../http/serve.ts'
import * as users from '../users/store.ts'
import { change, removeVersions } from './change.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/** Preferences: settings that apps store for a user. */
export const preferences: Feature = ({ serve }, { sql }) => {
  serve(api.listPreferences, async ({ params, query, caller }) => {
    const preferences = await store.list(sql, await resolveOwner(sql, params, caller), query.prefix ?? '')
    return preferences.map(({ key, value, savedAt }) =>
      query.details ? { key, value, version: etagOf(value), savedAt } : { key, value },
    )
  })

  serve(api.getPreference, async ({ params, caller }) => {
    const value = await store.find(sql, await resolveOwner(sql, params, caller), params.key)
    if (value === undefined) throw problems.preferenceNotFound(params.key)
    return value
  })

  serve(api.putPreference, async ({ params, body, caller, visit, preconditions }) => {
    if (Buffer.byteLength(body) > api.maxValueBytes) throw problems.preferenceTooLarge()
    const owner = await resolveOwner(sql, params, caller)
    await change(sql, owner, { key: params.key, value: body }, { caller, visit, preconditions })
    return body === '' ? undefined : new WithETag(undefined, { etag: etagOf(body) })
  })

  serve(api.deletePreference, async ({ params, caller, visit, preconditions }) => {
    const owner = await resolveOwner(sql, params, caller)
    await change(sql, owner, { key: params.key, value: '' }, { caller, visit, preconditions })
  })

  serve(api.listPreferenceVersions, async ({ params, caller }) =>
    store.listVersions(sql, await resolveOwner(sql, params, caller), params.key),
  )

  serve(api.listDeletedPreferences, async ({ params, query, caller }) =>
    store.listDeleted(sql, await resolveOwner(sql, params, caller), query.prefix ?? ''),
  )

  serve(api.deletePreferenceVersions, async ({ params, caller, visit }) => {
    await removeVersions(sql, await resolveOwner(sql, params, caller), params.key, { caller, visit })
  })
}

/**
 * Returns the id of the user whose preferences the path names. Throws 404, and 403 for callers who are not
 * administrators, whether or not the user exists.
 */
async function resolveOwner(sql: Sql, { userId }: { userId: string }, caller: Caller): Promise<string> {
  if (userId === 'me' || userId === caller.id) return caller.id
  if (!isAdministrator(caller)) throw notYours('You can access only your own preferences.')
  if (!(await users.find(sql, userId))) throw userNotFound()
  return userId
}
