import * as api from '@passport/contract/preferences'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { etagOf } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import { Tagged } from '../http/serve.ts'
import type { Room } from '../room.ts'
import * as users from '../users/store.ts'
import { change } from './change.ts'
import * as store from './store.ts'

/** Preferences: what a person lets apps remember. */
export const preferences: Room = ({ serve }, { sql }) => {
  serve(api.listPreferences, async ({ params, caller }) => store.list(sql, await ownerOf(sql, params, caller)))

  serve(api.getPreference, async ({ params, caller }) => {
    const value = await store.find(sql, await ownerOf(sql, params, caller), params.key)
    if (value === undefined) throw new Problem(404, 'preference-not-found', `There is no preference ${params.key}.`)
    return value
  })

  serve(api.putPreference, async ({ params, body, caller, visit, preconditions }) => {
    if (Buffer.byteLength(body) > api.maxValueBytes) {
      throw new Problem(413, 'preference-too-large', `A value has at most ${api.maxValueBytes} bytes.`)
    }
    const owner = await ownerOf(sql, params, caller)
    await change(sql, owner, { key: params.key, value: body }, { caller, visit, preconditions })
    return body === '' ? undefined : new Tagged(undefined, { etag: etagOf(body) })
  })

  serve(api.deletePreference, async ({ params, caller, visit, preconditions }) => {
    const owner = await ownerOf(sql, params, caller)
    await change(sql, owner, { key: params.key, value: '' }, { caller, visit, preconditions })
  })
}

/** To anyone but an administrator it is all one whether someone else exists. */
async function ownerOf(sql: Sql, { userId }: { userId: string }, caller: Caller): Promise<string> {
  if (userId === 'me' || userId === caller.id) return caller.id
  if (!caller.roles.has('Passport.Admin')) {
    throw new Problem(403, 'not-yours', 'These are not your preferences.')
  }
  // A token must not be the whole console, whoever it speaks for.
  if (!caller.session) throw new Problem(403, 'bearer-not-accepted', 'Administrators sign in for this.')
  if (!(await users.find(sql, userId))) throw new Problem(404, 'user-not-found', 'There is no such user.')
  return userId
}
