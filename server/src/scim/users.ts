import { isDeepStrictEqual } from 'node:util'
import { v7 as uuid } from 'uuid'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { cutText } from '../http/storable-text.ts'
import * as orgs from '../orgs/store.ts'
import { notifyOfNames } from '../profile/notices.ts'
import { changeRoles } from '../roles/change.ts'
import { disable, enable, remove } from '../users/states.ts'
import * as users from '../users/store.ts'
import {
  type AccountAddress,
  chooseAddress,
  findTaken,
  noteRefusal,
  takeOwnAddress,
  toVerification,
} from './account-address.ts'
import { actorOf, runChange, type ScimContext, toCaller } from './context.ts'
import { type Decision, decide, listTies } from './decide.ts'
import { endMembership, isLoginLinked, resumeMembership } from './membership.ts'
import { describe, describeLimits, toPerson } from './person.ts'
import { restoreUser } from './restore.ts'
import { resourceNotFound, ScimError, uniqueness } from './scim-error.ts'
import * as store from './user-store.ts'
import { readUserValues, type UserValues } from './user-values.ts'
import type { Resource } from './values.ts'

/**
 * Provisions a user: creates the account, takes over the one that signed in with the object id, or brings back a deleted one.
 * Throws 409 `uniqueness` if the user exists, or for the names of another user as of `findTaken`.
 */
export async function createUser(context: ScimContext, input: Resource): Promise<store.PersonRow> {
  const { client } = context
  const values = readUserValues({ active: true, ...input })
  return runChange(context, async (sql) => {
    await lockOrg(sql, client.orgId)
    const id = values.externalId === null ? undefined : await store.findByIdentity(sql, client.orgId, values.externalId)
    const [row] = id === undefined ? [] : await users.lockRows(sql, [id])
    const found = row && (await store.findPerson(sql, client.orgId, row.id))
    await users.lockEmails(sql)
    const address = await chooseAddress(sql, client.orgId, values, found)
    const taken = await findTaken(sql, client.orgId, { ...values, address }, found)
    const decision = decide('create', found && toPerson(found), taken !== undefined)
    if (decision === 'uniqueness') throw uniqueness(taken ?? 'The user with this externalId exists.')
    if (!row || !found) return addUser(sql, context, values, address)
    if (decision === 'restore') await bringBack(sql, context, row, found)
    await adopt(sql, context, found, values, decision)
    return applyValues(sql, context, row.id, values)
  })
}

/**
 * Finds the user with an object id for a filter: one who signed in before is taken over. Returns the id, or undefined for
 * nobody, or for one that only a POST brings back.
 */
export function findOrAdopt(context: ScimContext, externalId: string): Promise<string | undefined> {
  const { services, client } = context
  return transaction(services.sql, async (sql) => {
    const id = await store.findByIdentity(sql, client.orgId, externalId)
    if (id === undefined) return undefined
    await lockOrg(sql, client.orgId)
    const [row] = await users.lockRows(sql, [id])
    const found = row && (await store.findPerson(sql, client.orgId, id))
    const decision = decide('find', found && toPerson(found))
    if (!found || decision === 'not-found') return undefined
    if (decision === 'read') return id
    const userName = found.email ?? found.username ?? externalId
    const attributes: Resource = {
      active: true,
      ...(found.displayName !== null && { displayName: found.displayName }),
      ...(found.email !== null && { emails: [{ value: found.email, type: 'work', primary: true }] }),
    }
    await adopt(sql, context, found, { externalId, userName, statedEmail: found.email, attributes }, decision)
    return id
  })
}

async function lockOrg(sql: Sql, orgId: string) {
  if (await orgs.lock(sql, orgId)) return
  throw new ScimError(401, 'The token is not valid for this address.', { headers: { 'WWW-Authenticate': 'Bearer' } })
}

async function addUser(
  sql: Sql,
  context: ScimContext,
  values: UserValues,
  address: AccountAddress,
): Promise<store.PersonRow> {
  const { orgId } = context.client
  const { displayName } = values
  const { email } = address
  const id = uuid()
  const isDisabled = values.active === false
  noteRefusal(context, address)
  await takeOwnAddress(sql, context, address)
  const fields = { username: null, displayName, email, ...toVerification(orgId, address) }
  await users.addAll(sql, [{ id, ...fields, isDisabled }])
  const created: audit.AuditEvent = {
    action: 'user.created',
    ...actorOf(context),
    target: { kind: 'user', id },
    after: {
      displayname: displayName,
      email,
      emailVerified: fields.emailVerified,
      ...(isDisabled && { disabled: true }),
    },
  }
  const login = { userId: id, externalId: values.externalId, label: email ?? values.userName }
  await resumeMembership(sql, context, login, [created])
  await store.save(sql, orgId, id, { ...values, governs: 'account' })
  if (isDisabled) await store.recordDisabled(sql, orgId, id)
  return findExisting(sql, orgId, id)
}

async function bringBack(sql: Sql, context: ScimContext, row: users.UserRow, found: store.PersonRow) {
  const isGoverned = found.governs === 'account' && !found.hasOtherLogins
  if (row.deletedAt !== null) await restoreUser(sql, context, row, { isGoverned })
  if (found.endedAt !== null) await resume(sql, context, await findExisting(sql, context.client.orgId, row.id))
}

/** Makes a user whose membership had ended a member again, with the login of the object id unless the account has ties. */
async function resume(sql: Sql, context: ScimContext, found: store.PersonRow) {
  const { id, email, userName } = found
  const ties = listTies(toPerson(found))
  const externalId = ties.length > 0 ? null : found.externalId
  await resumeMembership(sql, context, { userId: id, externalId, label: email ?? userName ?? id })
  await store.setEnded(sql, context.client.orgId, id, false)
  context.notes.push('The user is a member of the organisation again.')
  if (externalId !== found.externalId && !(await isLoginLinked(sql, context, found)))
    context.notes.push(`The login at the tenant stays unlinked: ${describe(ties)}.`)
}

/** Records that SCIM provisions a user from now on. */
async function adopt(
  sql: Sql,
  context: ScimContext,
  found: store.PersonRow,
  { externalId, ...values }: Pick<UserValues, 'externalId' | 'userName' | 'statedEmail' | 'attributes'>,
  decision: Decision,
) {
  const { orgId } = context.client
  const person = toPerson(found)
  const isOwn = decision !== 'adopt-membership' && listTies(person).length === 0
  const governs = found.governs ?? (isOwn ? 'account' : 'membership')
  const kept = externalId ?? found.externalId
  await store.save(sql, orgId, found.id, { ...values, externalId: kept, governs })
  if (found.governs !== null) return
  await audit.record(sql, {
    action: 'user.adopted',
    ...actorOf(context),
    target: { kind: 'user', id: found.id },
    after: { org: orgId, governs },
  })
  context.notes.push(
    governs === 'account'
      ? 'The user had signed in before; SCIM governs the account from now on.'
      : 'The user had signed in before and has other logins, organisations or roles, so SCIM governs only the membership and the login.',
  )
}

/** Returns a provisioned user under a lock. Throws 404. */
async function lockUser(sql: Sql, orgId: string, id: string) {
  const [row] = await users.lockRows(sql, [id])
  const found = row && (await store.findPerson(sql, orgId, id))
  if (!row || !found || decide('read', toPerson(found)) === 'not-found') throw resourceNotFound('User', id)
  return { row, found }
}

/** Returns a provisioned user. Throws 404. */
export async function requireUser(sql: Sql, orgId: string, id: string): Promise<store.PersonRow> {
  const found = await store.findPerson(sql, orgId, id)
  if (!found || decide('read', toPerson(found)) === 'not-found') throw resourceNotFound('User', id)
  return found
}

async function findExisting(sql: Sql, orgId: string, id: string): Promise<store.PersonRow> {
  const found = await store.findPerson(sql, orgId, id)
  if (!found) throw resourceNotFound('User', id)
  return found
}

/** Changes a user; `change` returns the whole new resource from the current one. Throws 404, 409 and what `change` throws. */
export function changeUser(
  context: ScimContext,
  id: string,
  change: (current: Resource, person: store.PersonRow) => Resource,
): Promise<store.PersonRow> {
  const { client } = context
  return runChange(context, async (sql) => {
    const { found } = await lockUser(sql, client.orgId, id)
    const next = change(toResource(found), found)
    return applyValues(sql, context, id, readUserValues(next), found)
  })
}

/** Returns the resource of a user as clients set it. */
const toResource = ({ externalId, userName, attributes }: store.PersonRow): Resource => ({
  ...attributes,
  ...(externalId !== null && { externalId }),
  ...(userName !== null && { userName }),
})

/** Writes the values of a locked user, as far as the rules allow. */
async function applyValues(
  sql: Sql,
  context: ScimContext,
  id: string,
  values: UserValues,
  known?: store.PersonRow,
): Promise<store.PersonRow> {
  const { orgId } = context.client
  const found = known ?? (await findExisting(sql, orgId, id))
  const before = toResource(found)
  const governsAccount = decide('change', toPerson(found)) === 'change-account'
  await changeIdentity(sql, context, found, values, governsAccount)
  await changeNames(sql, context, found, values, { governsAccount, isNew: known === undefined })
  const after = toResource({ ...found, ...values })
  if (!isDeepStrictEqual(before, after)) {
    await store.save(sql, orgId, id, { ...values, governs: found.governs ?? 'membership' })
    // Enabling and disabling have their own events.
    const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
      (name) => name !== 'active' && !isDeepStrictEqual(before[name], after[name]),
    )
    if (changed.length > 0)
      await audit.record(sql, {
        action: 'user.changed',
        ...actorOf(context),
        target: { kind: 'user', id },
        before: toAuditFields(before, changed),
        after: toAuditFields(after, changed),
      })
  }
  if (values.active !== undefined) await changeActive(sql, context, { ...found, ...values }, values.active)
  return findExisting(sql, orgId, id)
}

/**
 * Links the login of a new object id. Throws 400 `mutability` if the account has ties, unless the user linked that login
 * before, and 409 `uniqueness`.
 */
async function changeIdentity(
  sql: Sql,
  context: ScimContext,
  found: store.PersonRow,
  { externalId, email, userName }: UserValues,
  governsAccount: boolean,
) {
  if (externalId === found.externalId) return
  const cannotChange = (help: string) =>
    new ScimError(400, 'The externalId of this user cannot change.', { scimType: 'mutability', help })
  if (found.externalId !== null && !governsAccount) throw cannotChange('SCIM governs only the membership of the user.')
  if (externalId !== null) {
    const holder = await store.findByIdentity(sql, context.client.orgId, externalId)
    if (holder !== undefined && holder !== found.id) throw uniqueness('Another user has this externalId.')
    const ties = listTies(toPerson(found))
    if (holder === undefined && ties.length > 0)
      throw cannotChange(`It would link the login at the tenant, but ${describe(ties)}.`)
  }
  if (found.endedAt !== null) return
  if (found.externalId !== null) await endMembership(sql, context, found, { keepMember: true })
  await resumeMembership(sql, context, { userId: found.id, externalId, label: email ?? userName })
}

/** Changes the names of the account, if the organisation governs it; `isNew` if SCIM has just taken it over, or brought it back. */
async function changeNames(
  sql: Sql,
  context: ScimContext,
  found: store.PersonRow,
  values: UserValues,
  { governsAccount, isNew }: { governsAccount: boolean; isNew: boolean },
) {
  const { orgId } = context.client
  const { userName, displayName } = values
  const isRenamed = userName.toLowerCase() !== found.userName?.toLowerCase()
  if (!governsAccount) {
    const names = { userName, email: null }
    const taken = isRenamed ? await store.findOwnTaken(sql, orgId, names, found.id) : undefined
    if (taken?.userName) throw uniqueness('Another user has this userName.')
    if (saysOtherNames(found, values))
      context.notes.push(`Name and email address of the account stay as they are: ${describeLimits(found)}.`)
    return
  }
  // An invalid address takes the way of one of another organisation.
  const isSameAddress = values.email === found.email && (values.email !== null || values.statedEmail === null)
  if (!isNew && !isRenamed && isSameAddress && displayName === found.displayName) return
  await users.lockEmails(sql)
  const address = await chooseAddress(sql, orgId, values, found)
  const { email } = address
  const isStated = isNew || values.statedEmail !== readUserValues(toResource(found)).statedEmail
  if (isRenamed || isStated || email !== found.email) {
    const statedEmail = isStated ? values.statedEmail : null
    const taken = await findTaken(sql, orgId, { userName, statedEmail, address }, found)
    if (taken) throw uniqueness(taken)
  }
  if (isNew || saysOtherNames(found, values)) noteRefusal(context, address)
  if (displayName === found.displayName && email === found.email) return
  if (email !== found.email) await takeOwnAddress(sql, context, address)
  const { username } = found
  await users.save(sql, found.id, { username, displayName, email, ...toVerification(orgId, address) })
  await notifyOfNames(sql, context.services, {
    id: found.id,
    before: { username, displayName: found.displayName, email: found.email },
    after: { username, displayName, email },
    isByAdministrator: true,
    visit: context.visit,
  })
}

/** Reports whether a request has another name or email address of the account than the last one. */
function saysOtherNames(found: store.PersonRow, { displayName, statedEmail }: UserValues): boolean {
  const said = readUserValues(toResource(found))
  return said.displayName !== displayName || said.statedEmail !== statedEmail
}

async function changeActive(sql: Sql, context: ScimContext, found: store.PersonRow, active: boolean): Promise<void> {
  const { orgId } = context.client
  const { id } = found
  const decision = decide(active ? 'activate' : 'deactivate', toPerson(found))
  if (decision === 'nothing') return
  if (decision === 'keep-disabled') {
    context.notes.push(
      found.disabledByScim
        ? `The account stays disabled: ${describeLimits(found)}.`
        : 'The account stays disabled, because an administrator disabled it.',
    )
    return
  }
  const rows = await users.lockRows(sql, [id])
  if (decision === 'disable-account') {
    await disable(sql, rows, actorOf(context))
    return store.recordDisabled(sql, orgId, id)
  }
  if (decision === 'end-membership') {
    const { ended } = await endMembership(sql, context, found)
    await store.setEnded(sql, orgId, id, true)
    context.notes.push(`Only ${ended} ended: ${describeLimits(found)}.`)
    return
  }
  if (decision === 'enable-account')
    await changeRoles(sql, { caller: toCaller(context, { isMembership: true }) }, [id], (sql) =>
      enable(sql, rows, actorOf(context)),
    )
  if (found.endedAt !== null) await resume(sql, context, found)
}

/** Deletes a user: moves the account to the trash, or ends the membership. Throws 404. */
export function deleteUser(context: ScimContext, id: string, check: (person: store.PersonRow) => void): Promise<void> {
  const { client } = context
  return runChange(context, async (sql) => {
    const { row, found } = await lockUser(sql, client.orgId, id)
    check(found)
    if (decide('delete', toPerson(found)) === 'trash-account') {
      await remove(sql, [row], actorOf(context))
      context.notes.push('The user is in the trash for 30 days.')
    } else {
      // Even if the membership had ended: the last owner or administrator at that time kept a part.
      const { ended } = await endMembership(sql, context, found)
      await store.setEnded(sql, client.orgId, id, true)
      context.notes.push(`The account stays, only ${ended} ended: ${describeLimits(found)}.`)
    }
    await store.release(sql, client.orgId, id)
  })
}

/** The longest value in an audit event, in UTF-16 code units. */
const maxAudited = 500

const toAuditFields = (resource: Resource, names: string[]): audit.JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = resource[name]
      if (value === undefined) return []
      return [
        [name.replace(/^urn:.*:/, ''), typeof value === 'object' ? cutText(JSON.stringify(value), maxAudited) : value],
      ]
    }),
  )
