import type { NewUser } from '@passport/contract/users'
import { v7 as uuid } from 'uuid'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import * as profile from '../profile/change.ts'
import { type By, changeRoles } from '../roles/change.ts'
import { refuseUnknownRoles, unknownOf } from '../roles/known.ts'
import * as roles from '../roles/store.ts'
import * as store from './store.ts'

/** Someone to be added, as a file or the service itself tells of them. */
export interface Person extends store.NewUser {
  isDisabled: boolean
  roles: string[]
}

/** What became of one of them: their id, or what is in the way. */
export type Added = { id: string; fault?: undefined } | { id?: undefined; fault: PersonFault }
export interface PersonFault {
  column: 'email' | 'username' | 'roles'
  code: 'email-taken' | 'username-taken' | 'role-not-found'
}

/**
 * Adds a person and returns their id, in the given transaction. Throws 409 `email-taken` or `username-taken`, 400
 * `role-not-found`, and what `changeRoles` throws; a preview is thrown too.
 */
export async function createUser(sql: Sql, user: Partial<NewUser>, by: By & { visit: Visit }): Promise<string> {
  const { displayname = null, username = null, email = null, emailVerified = false, roles: names = [] } = user
  const person = {
    username,
    displayName: displayname,
    email,
    emailVerified,
    isDisabled: false,
    roles: [...new Set(names)],
  }
  const id = uuid()
  const actor = { actorId: by.caller.id, visit: by.visit }
  await refuseUnknownRoles(sql, names, 'role-not-found')
  await changeRoles(sql, by, [id], async (sql) => {
    const [added] = await addUsers(sql, [person], actor, [id])
    if (added?.fault) throw problemOf(added.fault)
  })
  return id
}

/** Adds people in the given transaction, each with what became of them; who may give which role is for the caller to ask. */
export async function addUsers(
  sql: Sql,
  people: Person[],
  by: audit.Actor,
  ids = people.map(() => uuid()),
): Promise<Added[]> {
  await store.lockEmails(sql)
  const lower = (text: string | null) => text?.toLowerCase() ?? []
  const taken = await takenOf(
    sql,
    people.flatMap(({ email }) => lower(email)),
    people.flatMap(({ username }) => lower(username)),
  )
  const unknown = await unknownOf(
    sql,
    people.flatMap((person) => person.roles),
  )
  const checked = people.map((person, at): Added => {
    const fault = faultOf(person, taken, unknown)
    return fault ? { fault } : { id: ids[at] ?? uuid() }
  })
  const fit = people.flatMap((person, at) => {
    const id = checked[at]?.id
    return id ? [{ ...person, id }] : []
  })
  const here = await store.addAll(sql, fit)
  const added = fit.filter(({ id }) => here.has(id))
  const grants = added.flatMap(({ id, roles }) =>
    roles.map((role) => ({ userId: id, role, grantedBy: by.actorId ?? null })),
  )
  await roles.grantAll(sql, grants)
  await audit.recordAll(sql, [
    ...added.map((person) => createdEvent(person, by)),
    ...grants.map((one) => grantedEvent(one, by)),
  ])
  // An identity provider may have told of the same name meanwhile.
  return checked.map((one) =>
    one.id && !here.has(one.id) ? { fault: { column: 'username', code: 'username-taken' } } : one,
  )
}

/** Of some e-mails and usernames, in lower case, those that nobody else may have. */
export async function takenOf(sql: Sql, emails: string[], usernames: string[], userId = '') {
  const taken = await store.taken(sql, emails, usernames)
  const released = await profile.releasedOf(sql, usernames, userId)
  return { emails: taken.emails, usernames: new Set([...taken.usernames, ...released]) }
}

/** What is in the way of a person; whoever is fit takes their names, for those who follow. */
export function faultOf(
  { email, username, roles }: Pick<Person, 'email' | 'username' | 'roles'>,
  taken: { emails: Set<string>; usernames: Set<string> },
  unknownRoles: Set<string>,
): PersonFault | undefined {
  const [mail, name] = [email?.toLowerCase(), username?.toLowerCase()]
  if (mail && taken.emails.has(mail)) return { column: 'email', code: 'email-taken' }
  if (name && taken.usernames.has(name)) return { column: 'username', code: 'username-taken' }
  if (roles.some((role) => unknownRoles.has(role))) return { column: 'roles', code: 'role-not-found' }
  if (mail) taken.emails.add(mail)
  if (name) taken.usernames.add(name)
  return undefined
}

const sentences = {
  'email-taken': 'Someone else has this e-mail.',
  'username-taken': 'Someone else has this username, or had it lately.',
  'role-not-found': 'There is no such role.',
}

/** The problem that a fault is where one person is added or changed. */
export function problemOf({ column, code }: PersonFault): Problem {
  const errors = [{ field: column, code, message: sentences[code] }]
  return new Problem(code === 'role-not-found' ? 400 : 409, code, sentences[code], { errors })
}

const createdEvent = (
  { id, username, displayName, email, emailVerified, isDisabled }: store.AddedUser,
  by: audit.Actor,
) => ({
  ...by,
  action: 'user.created' as const,
  target: { kind: 'user' as const, id },
  after: { username, displayname: displayName, email, emailVerified, ...(isDisabled && { disabled: true }) },
})

/** That a person has a role of themselves now. */
export const grantedEvent = ({ userId, role }: { userId: string; role: string }, by: audit.Actor) => ({
  ...by,
  action: 'role.granted' as const,
  target: { kind: 'user' as const, id: userId },
  after: { role },
})
