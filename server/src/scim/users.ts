import { v7 as uuid } from 'uuid'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { findAddressOwner } from '../orgs/address-owner.ts'
import * as orgs from '../orgs/store.ts'
import { remove } from '../users/states.ts'
import * as users from '../users/store.ts'
import { chooseAddress, noteRefusal, takeOwnAddress, toVerification } from './account-address.ts'
import { recheckToken } from './authenticate.ts'
import { actorOf, runChange, type ScimContext } from './context.ts'
import { type Decision, decide, listTies } from './decide.ts'
import { endMembership, resumeMembership } from './membership.ts'
import { describeLimits, toPerson } from './person.ts'
import { canReturn, isDeactivated, rehire } from './rehire.ts'
import { restoreUser } from './restore.ts'
import { resourceNotFound, ScimError, uniqueness } from './scim-error.ts'
import {
  applyValues,
  findExisting,
  mergeIdentity,
  noteNoLogin,
  noteShortened,
  resume,
  toResource,
  userNameTaken,
} from './user-changes.ts'
import * as store from './user-store.ts'
import { readUserValues, type UserValues } from './user-values.ts'
import type { Resource } from './values.ts'

/**
 * Provisions a user: creates the account, takes over the one that signed in with the object id, or brings back a deleted one,
 * or a deactivated one with the user name. Throws 409 `uniqueness` if the user exists, or if another one has the user name.
 */
export async function createUser(context: ScimContext, input: Resource): Promise<store.PersonRow> {
  const { client } = context
  const values = readUserValues({ active: true, ...input })
  return runChange(context, async (sql) => {
    await lockOrg(sql, client.orgId)
    const { row, found } = await findByIdentity(sql, client.orgId, values)
    const holderId = await store.findByUserName(sql, client.orgId, values.userName, found?.id)
    const holder = holderId === undefined ? undefined : await lockUser(sql, client.orgId, holderId)
    const isTaken = holder !== undefined && !isDeactivated(holder.found)
    const decision = decide('create', found && toPerson(found), isTaken)
    if (decision === 'uniqueness') throw isTaken ? userNameTaken() : uniqueness('The user with this externalId exists.')
    if (holder && !found && canReturn(holder.found)) {
      await rehire(sql, context, holder, values)
      return applyValues(sql, context, holder.row.id, values)
    }
    // A record whose membership has ended does not hold its name against its own organisation.
    if (holder) await removeUser(sql, context, holder)
    if (!row || !found) return addUser(sql, context, values)
    if (decision === 'restore') await bringBack(sql, context, row, found)
    await adopt(sql, context, found, values, decision)
    return applyValues(sql, context, row.id, values)
  })
}

/**
 * Finds and locks the user with an identity. One who is in the trash, and whose membership had ended before, is no user of the
 * organisation: it forgets them, and does not bring back an account that others had since.
 */
async function findByIdentity(
  sql: Sql,
  orgId: string,
  identity: store.Identity,
): Promise<{ row?: users.UserRow; found?: store.PersonRow }> {
  const id = await store.findByIdentity(sql, orgId, identity)
  const [row] = id === undefined ? [] : await users.lockRows(sql, [id])
  const found = row && (await store.findPerson(sql, orgId, row.id))
  if (!row || !found) return {}
  if (found.governs === null || found.endedAt === null || row.deletedAt === null) return { row, found }
  await store.forget(sql, orgId, row.id)
  return findByIdentity(sql, orgId, identity)
}

/**
 * Finds the user with an object id for a filter: one who signed in before is taken over. Returns the id, or undefined for
 * nobody, or for one that only a POST brings back.
 */
export function findOrAdopt(context: ScimContext, objectId: string): Promise<string | undefined> {
  const { services, client } = context
  return transaction(services.sql, async (sql) => {
    const identity = { externalId: objectId, objectId }
    const id = await store.findByIdentity(sql, client.orgId, identity)
    if (id === undefined) return undefined
    await lockOrg(sql, client.orgId)
    await recheckToken(sql, client)
    const [row] = await users.lockRows(sql, [id])
    const found = row && (await store.findPerson(sql, client.orgId, id))
    const decision = decide('find', found && toPerson(found))
    if (!found || decision === 'not-found') return undefined
    if (decision === 'read') return id
    const email = await findShownAddress(sql, client.orgId, found, decision)
    const userName = email ?? found.username ?? objectId
    const attributes: Resource = {
      active: true,
      ...(found.displayName !== null && { displayName: found.displayName }),
      ...(email !== null && { emails: [{ value: email, type: 'work', primary: true }] }),
    }
    await adopt(sql, context, found, { ...identity, userName, attributes }, decision)
    return id
  })
}

/**
 * Returns the address of a user who is taken over that the client learns. An account with other logins, organisations or roles
 * may have its address from them: only one at a domain of the organisation is shown.
 */
async function findShownAddress(sql: Sql, orgId: string, { email }: store.PersonRow, decision: Decision) {
  const isShown = email === null || decision === 'adopt-account' || (await findAddressOwner(sql, email)) === orgId
  return isShown ? email : null
}

async function lockOrg(sql: Sql, orgId: string) {
  if (await orgs.lock(sql, orgId)) return
  throw new ScimError(401, 'The token is not valid for this address.', { headers: { 'WWW-Authenticate': 'Bearer' } })
}

async function addUser(sql: Sql, context: ScimContext, values: UserValues): Promise<store.PersonRow> {
  const { orgId } = context.client
  const { displayName } = values
  await users.lockEmails(sql)
  const address = await chooseAddress(sql, orgId, values)
  const { email } = address
  const id = uuid()
  const isDisabled = values.active === false
  noteRefusal(context, address)
  noteShortened(context, values)
  noteNoLogin(context, values)
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
  const login = { userId: id, objectId: values.objectId, label: email ?? values.userName }
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

/** Records that SCIM provisions a user from now on. */
async function adopt(
  sql: Sql,
  context: ScimContext,
  found: store.PersonRow,
  { externalId, objectId, ...values }: Pick<UserValues, keyof store.Identity | 'userName' | 'attributes'>,
  decision: Decision,
) {
  const { orgId } = context.client
  const person = toPerson(found)
  const isOwn = decision !== 'adopt-membership' && listTies(person).length === 0
  const governs = found.governs ?? (isOwn ? 'account' : 'membership')
  const identity = mergeIdentity(found, { externalId, objectId })
  await store.save(sql, orgId, found.id, { ...values, ...identity, governs })
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

/** Deletes a user: moves the account to the trash, or ends the membership. Throws 404. */
export function deleteUser(context: ScimContext, id: string, check: (person: store.PersonRow) => void): Promise<void> {
  const { client } = context
  return runChange(context, async (sql) => {
    const user = await lockUser(sql, client.orgId, id)
    check(user.found)
    await removeUser(sql, context, user)
  })
}

async function removeUser(
  sql: Sql,
  context: ScimContext,
  { row, found }: { row: users.UserRow; found: store.PersonRow },
): Promise<void> {
  const { orgId } = context.client
  if (decide('delete', toPerson(found)) === 'trash-account') {
    await remove(sql, [row], actorOf(context))
    context.notes.push('The user is in the trash for 30 days.')
  } else {
    // Even if the membership had ended: the last owner or administrator at that time kept a part.
    const { ended } = await endMembership(sql, context, found)
    await store.setEnded(sql, orgId, row.id, true)
    context.notes.push(`The account stays, only ${ended} ended: ${describeLimits(found)}.`)
  }
  await store.release(sql, orgId, row.id)
}
