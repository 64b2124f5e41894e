import { restorableDays } from '@passport/contract/bin'
import { Email } from '@passport/contract/email'
import type { RoleChangeQuery } from '@passport/contract/role-effect'
import { Username } from '@passport/contract/username'
import { DisplayName, type UserChange } from '@passport/contract/users'
import * as z from 'zod/mini'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Preconditions } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import * as profile from '../profile/store.ts'
import { changeRoles } from '../roles/change.ts'
import { refuseFormer } from '../roles/former.ts'
import { refuseUnknownRoles } from '../roles/known.ts'
import { problemOf, takenOf } from './create.ts'
import { addRole, type Change, removeRole, restore } from './states.ts'
import * as store from './store.ts'

/** Who asks for a change of one person, and under which conditions. */
export interface Request {
  caller: Caller
  visit: Visit
  preconditions?: Preconditions
  query?: RoleChangeQuery
}

export const userNotFound = () => new Problem(404, 'user-not-found', 'There is no such user.')

/** Saves what is known of a person. Throws 400 for what no new person could have, 404, 409 and 412. */
export function changeUser(sql: Sql, id: string, change: UserChange, { caller, visit, preconditions }: Request) {
  return transaction(sql, async (sql) => {
    const row = await lockOne(sql, id, preconditions)
    await refuseFormer(sql, caller)
    const next = checkedChange(row, change)
    const changed = (['username', 'displayName', 'email', 'emailVerified'] as const).filter(
      (name) => next[name] !== row[name],
    )
    if (changed.length === 0) return
    await refuseTaken(sql, row, next)
    if (!(await store.save(sql, id, next))) throw problemOf({ column: 'username', code: 'username-taken' })
    if (row.username !== null && changed.includes('username')) await profile.release(sql, id, row.username)
    await audit.record(sql, {
      action: 'user.changed',
      actorId: caller.id,
      target: { kind: 'user', id },
      before: pick(row, changed),
      after: pick(next, changed),
      visit,
    })
  })
}

const toldAs = {
  username: 'username',
  displayName: 'displayname',
  email: 'email',
  emailVerified: 'emailVerified',
} as const
const pick = (user: store.NewUser, names: (keyof store.NewUser)[]) =>
  Object.fromEntries(names.map((name) => [toldAs[name], user[name]]))

/** What an identity provider once told may be no name that anyone could choose, and stays good as long as nobody changes it. */
function checkedChange(row: store.UserRow, change: UserChange): store.NewUser {
  const errors: { field: string; code: string; message: string }[] = []
  const check = (
    field: string,
    schema: z.core.$ZodType<string, unknown>,
    wanted: string | null | undefined,
    is: string | null,
  ) => {
    if (wanted === undefined || wanted === is) return is
    if (wanted === null || wanted.trim() === '') return null
    const parsed = z.safeParse(schema, wanted)
    if (parsed.success) return parsed.data
    const message = parsed.error.issues[0]?.message ?? 'Is not valid.'
    errors.push({ field, code: `${field}-invalid`, message })
    return is
  }
  const email = check('email', Email, change.email, row.email)
  const next = {
    username: check('username', Username, change.username, row.username),
    displayName: check('displayname', DisplayName, change.displayname, row.displayName),
    email,
    emailVerified: email !== null && (change.emailVerified ?? (row.emailVerified && email === row.email)),
  }
  if (errors.length > 0) {
    const detail = errors.map(({ field, message }) => `${field}: ${message}`).join(' ')
    throw new Problem(400, errors.length === 1 ? (errors[0]?.code ?? '') : 'invalid-request', detail, { errors })
  }
  return next
}

/** Another letter case of one's own name is no conflict with oneself. */
async function refuseTaken(sql: Sql, row: store.UserRow, next: store.NewUser) {
  const isOther = (before: string | null, after: string | null) =>
    after !== null && before?.toLowerCase() !== after.toLowerCase() ? [after.toLowerCase()] : []
  await store.lockEmails(sql)
  const taken = await takenOf(sql, isOther(row.email, next.email), isOther(row.username, next.username), row.id)
  if (taken.emails.size > 0) throw problemOf({ column: 'email', code: 'email-taken' })
  if (taken.usernames.size > 0) throw problemOf({ column: 'username', code: 'username-taken' })
}

/** Sets the roles that a person has of themselves. */
export async function setRoles(sql: Sql, id: string, names: string[], request: Request): Promise<void> {
  await refuseUnknownRoles(sql, names, 'role-not-found')
  await changeOne(sql, id, request, async (sql, rows, by) => {
    const had = rows[0]?.roles ?? []
    const changes = [
      ...names.filter((name) => !had.includes(name)).map(addRole),
      ...had.filter((name) => !names.includes(name)).map(removeRole),
    ]
    for (const change of changes) await change(sql, rows, by)
    return { changed: rows, failed: [] }
  })
}

/** Runs a change of one person behind all guards. Throws 404 for nobody, 412, and what `changeRoles` throws. */
export function changeOne(sql: Sql, id: string, request: Request, change: Change): Promise<store.UserRow> {
  const { caller, visit, preconditions, query } = request
  return changeRoles(sql, { caller, ...query }, [id], async (sql) => {
    const row = await lockOne(sql, id, preconditions)
    await change(sql, [row], { actorId: caller.id, visit })
    return row
  })
}

async function lockOne(sql: Sql, id: string, preconditions?: Preconditions): Promise<store.UserRow> {
  const [row] = await store.lockRows(sql, [id])
  if (!row || row.deletedAt !== null) throw userNotFound()
  preconditions?.check({ etag: String(row.version) })
  return row
}

/** Brings a deleted person back, under other names where they ask for some. Throws 404, 409 and 410. */
export function restoreOne(
  sql: Sql,
  id: string,
  names: { username?: string | null | undefined; email?: string | null | undefined },
  { caller, visit, query }: Request,
): Promise<void> {
  return changeRoles(sql, { caller, ...query }, [id], async (sql) => {
    const [row] = await store.lockRows(sql, [id])
    if (!row) throw userNotFound()
    const { username = row.username, email = row.email } = names
    const { failed } = await restore(sql, [{ ...row, username, email }], { actorId: caller.id, visit })
    const code = failed[0]?.code
    if (code === 'email-taken') throw problemOf({ column: 'email', code })
    if (code === 'username-taken') throw problemOf({ column: 'username', code })
    if (code) throw new Problem(410, code, `Deleted people can be brought back for ${restorableDays} days.`)
  })
}
