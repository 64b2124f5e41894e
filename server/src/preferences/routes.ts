import * as api from '@passport/contract/preferences'
import type { Sql } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import { etagOf } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import { WithETag } from '../http/serve.ts'
import * as users from '../users/store.ts'
import { change } from './change.ts'
import * as store from './store.ts'

/** Preferences: settings that apps store for a user. */
export const preferences: Feature = ({ serve }, { sql }) => {
  serve(api.listPreferences, async ({ params, caller }) => store.list(sql, await resolveOwner(sql, params, caller)))

  serve(api.getPreference, async ({ params, caller }) => {
    const value = await store.find(sql, await resolveOwner(sql, params, caller), params.key)
    if (value === undefined)
      throw new Problem(404, 'preference-not-found', `The preference ${params.key} does not exist.`)
    return value
  })

  serve(api.putPreference, async ({ params, body, caller, visit, preconditions }) => {
    if (Buffer.byteLength(body) > api.maxValueBytes) {
      throw new Problem(413, 'preference-too-large', `A value must have at most ${api.maxValueBytes} bytes.`)
    }
    const owner = await resolveOwner(sql, params, caller)
    await change(sql, owner, { key: params.key, value: body }, { caller, visit, preconditions })
    return body === '' ? undefined : new WithETag(undefined, { etag: etagOf(body) })
  })

  serve(api.deletePreference, async ({ params, caller, visit, preconditions }) => {
    const owner = await resolveOwner(sql, params, caller)
    await change(sql, owner, { key: params.key, value: '' }, { caller, visit, preconditions })
  })
}

/** Non-administrators get the same 403 whether or not the user exists. */
async function resolveOwner(sql: Sql, { userId }: { userId: string }, caller: Caller): Promise<string> {
  if (userId === 'me' || userId === caller.id) return caller.id
  if (!isAdministrator(caller)) throw new Problem(403, 'not-yours', 'You can access only your own preferences.')
  if (!(await users.find(sql, userId))) throw new Problem(404, 'user-not-found', 'User not found.')
  return userId
}
