import type { NewUser } from '@passport/contract/users'
import { v7 as uuid } from 'uuid'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import type { Problem } from '../http/problem.ts'
import { namedRoleNotFound, sessionRequired, usernameTaken } from '../http/problems.ts'
import { requireRecentAuthentication } from '../http/recent.ts'
import type { Visit } from '../http/visit.ts'
import * as profile from '../profile/change.ts'
import { changeRoles, type RoleChangeContext } from '../roles/change.ts'
import * as roles from '../roles/store.ts'
import { findUnknownRoles, rejectUnknownRoles } from '../roles/unknown-roles.ts'
import { emailTaken } from './problems.ts'
import * as store from './store.ts'

/** The fields of a user to add. */
export interface UserInput extends Omit<store.NewUser, 'emailVerifiedBy'> {
  isDisabled: boolean
  roles: string[]
  /** Adds the user even if other accounts have the email. */
  isEmailShared?: boolean
}

/** The result of adding one user: the id, or the errors. */
export type AddResult = { id: string; errors?: undefined } | { id?: undefined; errors: UserInputError[] }
export interface UserInputError {
  column: 'email' | 'username' | 'roles'
  code: 'email-taken' | 'username-taken' | 'role-not-found'
}

/**
 * Adds a user in the given transaction and returns their id. Throws 409 `email-taken` or `username-taken`, 400
 * `role-not-found`, the errors of `changeRoles`, and those of `requireMayVouch` for a verified email. With `preview`, throws
 * `DryRunRollback`.
 */
export async function createUser(
  sql: Sql,
  user: Partial<NewUser>,
  context: RoleChangeContext & { visit: Visit },
): Promise<string> {
  const { displayname = null, username = null, email = null, emailVerified = false, roles: names = [] } = user
  const input = {
    username,
    displayName: displayname,
    email,
    emailVerified,
    isDisabled: false,
    roles: [...new Set(names)],
  }
  const id = uuid()
  const actor = { actorId: context.caller.id, visit: context.visit }
  if (emailVerified && email !== null) requireMayVouch(context.caller)
  await rejectUnknownRoles(sql, names, 'role-not-found')
  await changeRoles(sql, context, [id], async (sql) => {
    const [added] = await addUsers(sql, [input], actor, [id])
    const [error] = added?.errors ?? []
    if (error) throw toProblem(error)
  })
  return id
}

/**
 * Throws unless the caller may say that an address is the user's, which opens invitations and join links that give roles: an
 * application never may (403), and an administrator with a recent sign-in (401).
 */
export function requireMayVouch(caller: RoleChangeContext['caller']): void {
  if (caller.client) throw sessionRequired()
  requireRecentAuthentication(caller)
}

/**
 * Adds users in the given transaction, and returns a result for each. Does not check whether the actor may grant the
 * roles; see `changeRoles`.
 */
export async function addUsers(
  sql: Sql,
  inputs: UserInput[],
  actor: audit.ActorFields,
  ids = inputs.map(() => uuid()),
): Promise<AddResult[]> {
  await store.lockEmails(sql)
  const toLower = (text: string | null) => text?.toLowerCase() ?? []
  const taken = await findTaken(
    sql,
    inputs.flatMap(({ email, isEmailShared }) => (isEmailShared ? [] : toLower(email))),
    inputs.flatMap(({ username }) => toLower(username)),
  )
  const unknownRoles = await findUnknownRoles(
    sql,
    inputs.flatMap((input) => input.roles),
  )
  const checked = inputs.map((input, index): AddResult => {
    const errors = findErrors(input, taken, unknownRoles)
    if (errors.length > 0) return { errors }
    takeNames(input, taken)
    return { id: ids[index] ?? uuid() }
  })
  const valid = inputs.flatMap((input, index) => {
    const id = checked[index]?.id
    // Administrators, imports and commands state addresses; no organisation vouches for them.
    const emailVerified = input.emailVerified && input.email !== null
    return id ? [{ ...input, id, emailVerified, emailVerifiedBy: null }] : []
  })
  const insertedIds = await store.addAll(sql, valid)
  const added = valid.filter(({ id }) => insertedIds.has(id))
  const grants = added.flatMap(({ id, roles }) =>
    roles.map((role) => ({ userId: id, role, grantedBy: actor.actorId ?? null })),
  )
  await roles.grantAll(sql, grants)
  await audit.recordAll(sql, [
    ...added.map((user) => toCreatedEvent(user, actor)),
    ...grants.map((grant) => toGrantedEvent(grant, actor)),
  ])
  // A concurrent sign-in may have taken the same username.
  return checked.map((result) =>
    result.id && !insertedIds.has(result.id) ? { errors: [{ column: 'username', code: 'username-taken' }] } : result,
  )
}

/** Returns those of the emails and usernames, in lower case, that are taken or reserved for other users than `userId`. */
export async function findTaken(sql: Sql, emails: string[], usernames: string[], userId = '') {
  const taken = await store.listTaken(sql, emails, usernames)
  const reserved = await profile.filterReserved(sql, usernames, userId)
  return { emails: taken.emails, usernames: new Set([...taken.usernames, ...reserved]) }
}

/** Emails and usernames that are not free, in lower case. */
export interface TakenNames {
  emails: Set<string>
  usernames: Set<string>
}

type Names = Pick<UserInput, 'email' | 'username'>

/** Returns the errors of a user. A user without errors takes their names from those who follow; see `takeNames`. */
export function findErrors(
  { email, username, roles }: Names & Pick<UserInput, 'roles'>,
  taken: TakenNames,
  unknownRoles: ReadonlySet<string>,
): UserInputError[] {
  const errors: UserInputError[] = []
  if (email && taken.emails.has(email.toLowerCase())) errors.push({ column: 'email', code: 'email-taken' })
  if (username && taken.usernames.has(username.toLowerCase()))
    errors.push({ column: 'username', code: 'username-taken' })
  if (roles.some((role) => unknownRoles.has(role))) errors.push({ column: 'roles', code: 'role-not-found' })
  return errors
}

/** Adds the email and the username of a user to the taken ones. */
export function takeNames({ email, username }: Names, taken: TakenNames): void {
  if (email) taken.emails.add(email.toLowerCase())
  if (username) taken.usernames.add(username.toLowerCase())
}

/** Converts the error of a single user to a problem. */
export function toProblem({ column, code }: UserInputError): Problem {
  if (code === 'email-taken') return emailTaken()
  if (code === 'username-taken') return usernameTaken()
  const message = 'Role not found.'
  return namedRoleNotFound(message, [{ field: column, code, message }])
}

const toCreatedEvent = (
  { id, username, displayName, email, emailVerified, isDisabled }: store.AddedUser,
  actor: audit.ActorFields,
) => ({
  ...actor,
  action: 'user.created' as const,
  target: { kind: 'user' as const, id },
  after: { username, displayname: displayName, email, emailVerified, ...(isDisabled && { disabled: true }) },
})

/** Returns the audit event of a direct grant. */
export const toGrantedEvent = ({ userId, role }: { userId: string; role: string }, actor: audit.ActorFields) => ({
  ...actor,
  action: 'role.granted' as const,
  target: { kind: 'user' as const, id: userId },
  after: { role },
})
