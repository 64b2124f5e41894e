import type { RoleChangeQuery } from '@passport/contract/role-effect'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import * as users from '../users/store.ts'
import { changeRoles } from './change.ts'
import * as store from './store.ts'

interface By extends RoleChangeQuery {
  caller: Caller
  visit: Visit
}

interface Changed {
  role: string
  changed: string[]
  unchanged: string[]
}

/** Gives people a role, all of them or nobody. Throws 400 `unknown-profiles` that names each who is not there. */
export function addMembers(sql: Sql, role: string, people: string[], by: By): Promise<Changed> {
  return changeRoles(sql, by, people, async (sql) => {
    await lock(sql, role)
    await refuseUnknown(sql, people)
    const had = new Set(await store.directAmong(sql, role, people))
    const changed = people.filter((id) => !had.has(id))
    await store.grantTo(sql, role, changed, by.caller.id)
    await record(sql, 'role.granted', role, changed, by)
    return { role, changed, unchanged: people.filter((id) => had.has(id)) }
  })
}

/** Takes a role that people have of themselves; what a group gives them they keep. Throws as `addMembers` does. */
export function removeMembers(sql: Sql, role: string, people: string[], by: By): Promise<Changed> {
  return changeRoles(sql, by, people, async (sql) => {
    await lock(sql, role)
    await refuseUnknown(sql, people)
    const had = new Set(await store.directAmong(sql, role, people))
    const changed = people.filter((id) => had.has(id))
    await store.takeFrom(sql, role, changed)
    await record(sql, 'role.taken', role, changed, by)
    return { role, changed, unchanged: people.filter((id) => !had.has(id)) }
  })
}

/** Nobody deletes a role that is being given. */
async function lock(sql: Sql, role: string) {
  if (!(await store.lock(sql, role))) throw new Problem(404, 'role-not-found', 'There is no such role.')
}

async function refuseUnknown(sql: Sql, people: string[]) {
  const known = await users.hold(sql, people)
  const errors = people.flatMap((id, at) =>
    known.has(id) ? [] : [{ field: `members[${at}]`, code: 'not-found', message: 'There is no such person.' }],
  )
  if (errors.length > 0) throw new Problem(400, 'unknown-profiles', 'Some of the people are not there.', { errors })
}

async function record(
  sql: Sql,
  action: 'role.granted' | 'role.taken',
  role: string,
  people: string[],
  { caller, visit }: By,
) {
  const told = action === 'role.granted' ? { after: { role } } : { before: { role } }
  const event = { action, actorId: caller.id, ...told, visit }
  await Promise.all(people.map((id) => audit.record(sql, { ...event, target: { kind: 'user', id } })))
}
