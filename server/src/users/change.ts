import { Email, isSameEmail } from '@passport/contract/email'
import type { FieldCode } from '@passport/contract/field-codes'
import type { RoleChangeQuery } from '@passport/contract/role-effect'
import { Username } from '@passport/contract/username'
import { DisplayName, type UserFields } from '@passport/contract/users'
import * as z from 'zod/mini'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Preconditions } from '../http/conditional.ts'
import { invalidFields, invalidRequest, userNotFound } from '../http/problems.ts'
import type { Visit } from '../http/visit.ts'
import type { MailContext } from '../mail/send.ts'
import { notifyOfNames } from '../profile/notices.ts'
import * as profile from '../profile/store.ts'
import { changeRoles, requireMayHandOver } from '../roles/change.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { rejectUnknownRoles } from '../roles/unknown-roles.ts'
import { findTaken, requireMayVouch, toProblem } from './create.ts'
import * as problems from './problems.ts'
import { addRole, type Change, removeRole, restore } from './states.ts'
import * as store from './store.ts'

/** The caller, the preconditions and the options of a change of one user. */
export interface ChangeContext {
  caller: Caller
  visit: Visit
  preconditions?: Preconditions
  query?: RoleChangeQuery
}

/**
 * Saves the fields of a user, who is notified of a new username or email. Throws 400 for values invalid for a new user, 404,
 * 409 and 412, and 401 or 403 for an address that the caller may not verify, or may not give an account with roles.
 */
export function changeUser(
  services: MailContext & { sql: Sql },
  id: string,
  fields: UserFields,
  { caller, visit, preconditions }: ChangeContext,
) {
  return transaction(services.sql, async (sql) => {
    const row = await lockOrThrow(sql, id, preconditions)
    await recheckCaller(sql, caller)
    const next = validateFields(row, fields)
    const changed = (['username', 'displayName', 'email', 'emailVerified'] as const).filter(
      (name) => next[name] !== row[name],
    )
    if (changed.length === 0) return
    if (next.emailVerified && !isKnown(row, next.email)) requireMayVouch(caller)
    if (changed.includes('email') && (await store.lockPrepared(sql, id))) await requireMayHandOver(sql, caller, id)
    await requireFreeNames(sql, row, next)
    if (!(await store.save(sql, id, next))) throw toProblem({ column: 'username', code: 'username-taken' })
    if (row.username !== null && changed.includes('username')) await profile.release(sql, id, row.username)
    await audit.record(sql, {
      action: 'user.changed',
      actorId: caller.id,
      target: { kind: 'user', id },
      before: pick(row, changed),
      after: pick(next, changed),
      visit,
    })
    const isByAdministrator = caller.id !== id
    await notifyOfNames(sql, services, { id, before: row, after: next, isByAdministrator, visit })
  })
}

/** Reports whether an address is that of the user, verified. */
const isKnown = (user: store.NewUser, email: string | null): boolean =>
  user.emailVerified && user.email !== null && isSameEmail(user.email, email ?? '')

const apiNames = {
  username: 'username',
  displayName: 'displayname',
  email: 'email',
  emailVerified: 'emailVerified',
} as const
const pick = (user: store.NewUser, names: (keyof typeof apiNames)[]) =>
  Object.fromEntries(names.map((name) => [apiNames[name], user[name]]))

/**
 * Returns the new fields of a user. Throws 400 for invalid values, except unchanged ones: an identity provider may have
 * set values that break the rules for new ones.
 */
function validateFields(row: store.UserRow, fields: UserFields): store.NewUser {
  const errors: { field: string; code: FieldCode; message: string }[] = []
  const check = (
    field: 'username' | 'displayname' | 'email',
    schema: z.core.$ZodType<string, unknown>,
    newValue: string | null,
    current: string | null,
  ) => {
    if (newValue === current) return current
    if (newValue === null || newValue.trim() === '') return null
    const parsed = z.safeParse(schema, newValue)
    if (parsed.success) return parsed.data
    const message = parsed.error.issues[0]?.message ?? 'Invalid value.'
    errors.push({ field, code: `${field}-invalid` as const, message })
    return current
  }
  const email = check('email', Email, fields.email, row.email)
  const emailVerified = email !== null && fields.emailVerified
  const next = {
    username: check('username', Username, fields.username, row.username),
    displayName: check('displayname', DisplayName, fields.displayname, row.displayName),
    email,
    emailVerified,
    emailVerifiedBy: emailVerified && isKnown(row, email) ? row.emailVerifiedBy : null,
  }
  const [first, ...others] = errors
  if (first) {
    const detail = errors.map(({ field, message }) => `${field}: ${message}`).join(' ')
    const createProblem = others.length === 0 ? invalidFields[first.code] : invalidRequest
    throw createProblem(detail, errors)
  }
  return next
}

/** Throws 409 if a new email or username is taken; a change of letter case alone is allowed. */
async function requireFreeNames(sql: Sql, row: store.UserRow, next: store.NewUser) {
  const toChangedName = (before: string | null, after: string | null) =>
    after !== null && before?.toLowerCase() !== after.toLowerCase() ? [after.toLowerCase()] : []
  await store.lockEmails(sql)
  const taken = await findTaken(
    sql,
    toChangedName(row.email, next.email),
    toChangedName(row.username, next.username),
    row.id,
  )
  if (taken.emails.size > 0) throw toProblem({ column: 'email', code: 'email-taken' })
  if (taken.usernames.size > 0) throw toProblem({ column: 'username', code: 'username-taken' })
}

/** Sets the direct roles of a user. */
export async function setRoles(sql: Sql, id: string, names: string[], request: ChangeContext): Promise<void> {
  await rejectUnknownRoles(sql, names, 'role-not-found')
  await runUserChange(sql, id, request, async (sql, rows, actor) => {
    const currentRoles = rows[0]?.roles ?? []
    const changes = [
      ...names.filter((name) => !currentRoles.includes(name)).map(addRole),
      ...currentRoles.filter((name) => !names.includes(name)).map(removeRole),
    ]
    for (const change of changes) await change(sql, rows, actor)
    return { changed: rows, failed: [] }
  })
}

/**
 * Runs a change of one user, with the checks of a change of roles. Throws 404, 412, and the errors of `changeRoles`.
 */
export function runUserChange(sql: Sql, id: string, request: ChangeContext, change: Change): Promise<store.UserRow> {
  const { caller, visit, preconditions, query } = request
  return changeRoles(sql, { caller, ...query }, [id], async (sql) => {
    const row = await lockOrThrow(sql, id, preconditions)
    await change(sql, [row], { actorId: caller.id, visit })
    return row
  })
}

async function lockOrThrow(sql: Sql, id: string, preconditions?: Preconditions): Promise<store.UserRow> {
  const [row] = await store.lockRows(sql, [id])
  if (!row || row.deletedAt !== null) throw userNotFound()
  preconditions?.check({ etag: String(row.version) })
  return row
}

/** Restores a deleted user, with other names if given, of which the user is notified. Throws 404, 409 and 410. */
export function restoreUser(
  services: MailContext & { sql: Sql },
  id: string,
  names: { username?: string | null | undefined; email?: string | null | undefined },
  { caller, visit, query }: ChangeContext,
): Promise<void> {
  return changeRoles(services.sql, { caller, ...query }, [id], async (sql) => {
    const [row] = await store.lockRows(sql, [id])
    if (!row) throw userNotFound()
    const { username = row.username, email = row.email } = names
    const { failed } = await restore(sql, [{ ...row, username, email }], { actorId: caller.id, visit })
    const code = failed[0]?.code
    if (code === 'email-taken') throw toProblem({ column: 'email', code })
    if (code === 'username-taken') throw toProblem({ column: 'username', code })
    if (code) throw problems.restoreExpired()
    const after = { ...row, username, email }
    await notifyOfNames(sql, services, { id, before: row, after, isByAdministrator: true, visit })
  })
}
