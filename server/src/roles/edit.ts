import { maxCounted } from '@passport/contract/page'
import type { RoleChangeQuery } from '@passport/contract/role-effect'
import { actorOf, type By } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import type { Preconditions } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import { forget } from '../permissions/forget.ts'
import { changeRoles } from './change.ts'
import { refuseFormer } from './former.ts'
import * as store from './store.ts'

interface ByVersion extends By {
  preconditions: Preconditions
}

/** Makes a role that nobody has yet. Throws 409 `role-name-taken`. */
export function create(sql: Sql, role: { name: string; description: string }, by: By): Promise<void> {
  return transaction(sql, async (sql) => {
    const isAdded = await store.add(sql, role)
    if (!isAdded) {
      const errors = [{ field: 'name', code: 'role-name-taken', message: 'There is such a role.' }]
      throw new Problem(409, 'role-name-taken', `There is a role ${role.name}.`, { errors })
    }
    const target = { kind: 'role', id: role.name } as const
    await audit.record(sql, { action: 'role.created', ...actorOf(by), target, after: { ...role } })
  })
}

/** Changes what is said of a role. */
export function describe(sql: Sql, name: string, description: string, by: ByVersion): Promise<void> {
  return transaction(sql, async (sql) => {
    const role = await lock(sql, name, by.preconditions)
    await refuseFormer(sql, by.caller)
    if (role.description === description) return
    await store.describe(sql, name, description)
    await audit.record(sql, {
      action: 'role.changed',
      ...actorOf(by),
      target: { kind: 'role', id: name },
      before: { description: role.description },
      after: { description },
    })
  })
}

/** Deletes a role; whoever had it, of themselves or by a group, has it no more. Throws 409 where it is to stay. */
export function remove(sql: Sql, name: string, by: ByVersion & RoleChangeQuery): Promise<void> {
  const concerned = async (sql: Sql) => {
    const role = await lock(sql, name, by.preconditions)
    if (role.builtIn) throw new Problem(409, 'role-built-in', `${name} is built in and stays.`)
    const members = await store.everyoneWith(sql, name, maxCounted + 1)
    if (members.length <= maxCounted) return members
    throw new Problem(409, 'role-in-use', `More than ${maxCounted} people have it. Take it from them first.`)
  }
  return changeRoles(sql, by, concerned, async (sql) => {
    const role = await lock(sql, name, by.preconditions)
    const people = await store.everyoneWith(sql, name, maxCounted)
    const carriers = await groups.dropRole(sql, name)
    await store.takeFrom(sql, name, people)
    await store.remove(sql, name)
    const forgotten = await forget(sql, 'role', [name])
    await audit.record(sql, {
      action: 'role.deleted',
      ...actorOf(by),
      target: { kind: 'role', id: name },
      before: { description: role.description, members: people.length, groups: carriers, ...forgotten },
    })
  })
}

async function lock(sql: Sql, name: string, preconditions: Preconditions): Promise<store.LockedRole> {
  const role = await store.lock(sql, name)
  if (!role) throw new Problem(404, 'role-not-found', 'There is no such role.')
  preconditions.check({ etag: String(role.version) })
  return role
}
