import { isDeepStrictEqual } from 'node:util'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import { cutText } from '../http/storable-text.ts'
import { notifyOfNames } from '../profile/notices.ts'
import { changeRoles } from '../roles/change.ts'
import { disable, enable } from '../users/states.ts'
import * as users from '../users/store.ts'
import { chooseAddress, noteRefusal, takeOwnAddress, toVerification } from './account-address.ts'
import { actorOf, type ScimContext, toCaller } from './context.ts'
import { decide, listTies } from './decide.ts'
import { endMembership, isLoginLinked, resumeMembership } from './membership.ts'
import { describe, describeLimits, toPerson } from './person.ts'
import { resourceNotFound, ScimError, uniqueness } from './scim-error.ts'
import * as store from './user-store.ts'
import { readUserValues, type UserValues } from './user-values.ts'
import type { Resource } from './values.ts'

/** Returns the resource of a user as clients set it. */
export const toResource = ({ externalId, userName, attributes }: store.PersonRow): Resource => ({
  ...attributes,
  ...(externalId !== null && { externalId }),
  ...(userName !== null && { userName }),
})

/** Writes the values of a locked user, as far as the rules allow. */
export async function applyValues(
  sql: Sql,
  context: ScimContext,
  id: string,
  sent: UserValues,
  known?: store.PersonRow,
): Promise<store.PersonRow> {
  const { orgId } = context.client
  const found = known ?? (await findExisting(sql, orgId, id))
  const values = { ...sent, ...mergeIdentity(found, sent) }
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

/** Returns the identity of a user after a request. An external id that is no object id keeps the one that the user has. */
export const mergeIdentity = (found: store.Identity, { externalId, objectId }: store.Identity): store.Identity => ({
  externalId,
  objectId: externalId === null ? null : (objectId ?? found.objectId),
})

export const userNameTaken = () => uniqueness('Another user has this userName.')

/** Notes for the log that an external id leads to no login. */
export function noteNoLogin({ notes }: ScimContext, { externalId, objectId }: store.Identity): void {
  if (externalId === null || objectId !== null) return
  notes.push('The user cannot sign in at the tenant: the externalId is no object id. Map externalId to objectId.')
}

/** Notes for the log that the account shows another name than the client sent. */
export function noteShortened({ notes }: ScimContext, { attributes, displayName }: UserValues): void {
  const sent = attributes['displayName']
  if (sent !== undefined && displayName !== null && displayName !== sent)
    notes.push(`The name is returned as sent, and shown as “${displayName}”.`)
}

/**
 * Links the login of a new object id. Throws 400 `mutability` if the account has ties, unless the user linked that login
 * before, and 409 `uniqueness`.
 */
async function changeIdentity(
  sql: Sql,
  context: ScimContext,
  found: store.PersonRow,
  values: UserValues,
  governsAccount: boolean,
) {
  const { externalId, objectId, email, userName } = values
  if (externalId === found.externalId) return
  const holder = await store.findByIdentity(sql, context.client.orgId, values)
  if (holder !== undefined && holder !== found.id) throw uniqueness('Another user has this externalId.')
  noteNoLogin(context, values)
  if (objectId === found.objectId) return
  const cannotChange = (help: string) =>
    new ScimError(400, 'The externalId of this user cannot change.', { scimType: 'mutability', help })
  if (found.objectId !== null && !governsAccount) throw cannotChange('SCIM governs only the membership of the user.')
  const ties = listTies(toPerson(found))
  if (objectId !== null && holder === undefined && ties.length > 0)
    throw cannotChange(`It would link the login at the tenant, but ${describe(ties)}.`)
  if (found.endedAt !== null) return
  if (found.objectId !== null) await endMembership(sql, context, found, { keepMember: true })
  await resumeMembership(sql, context, { userId: found.id, objectId, label: email ?? userName })
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
  if (isRenamed && (await store.findByUserName(sql, orgId, userName, found.id)) !== undefined) throw userNameTaken()
  if (!governsAccount) {
    if (saysOtherNames(found, values))
      context.notes.push(`Name and email address of the account stay as they are: ${describeLimits(found)}.`)
    return
  }
  // An invalid address takes the way of one of another organisation.
  const isSameAddress = values.email === found.email && (values.email !== null || values.statedEmail === null)
  if (!isNew && isSameAddress && displayName === found.displayName) return
  await users.lockEmails(sql)
  const address = await chooseAddress(sql, orgId, values, found)
  const { email } = address
  if (isNew || saysOtherNames(found, values)) {
    noteRefusal(context, address)
    noteShortened(context, values)
  }
  if (displayName === found.displayName && email === found.email) return
  if (email !== found.email) await takeOwnAddress(sql, context, address)
  const { username } = found
  const [before] = await users.listRows(sql, [found.id])
  await users.save(sql, found.id, { username, displayName, email, ...toVerification(orgId, address, before) })
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
/** Makes a user whose membership had ended a member again, with the login of the object id unless the account has ties. */
export async function resume(sql: Sql, context: ScimContext, found: store.PersonRow) {
  const { id, email, userName } = found
  const ties = listTies(toPerson(found))
  const objectId = ties.length > 0 ? null : found.objectId
  await resumeMembership(sql, context, { userId: id, objectId, label: email ?? userName ?? id })
  await store.setEnded(sql, context.client.orgId, id, false)
  context.notes.push('The user is a member of the organisation again.')
  if (objectId !== found.objectId && !(await isLoginLinked(sql, context, found)))
    context.notes.push(`The login at the tenant stays unlinked: ${describe(ties)}.`)
}

export async function findExisting(sql: Sql, orgId: string, id: string): Promise<store.PersonRow> {
  const found = await store.findPerson(sql, orgId, id)
  if (!found) throw resourceNotFound('User', id)
  return found
}
