import { changeRetention } from '../audit/retention.ts'
import { replaceBranding, replaceOrgBranding } from '../branding/change.ts'
import { type EncodedPicture, storePicture } from '../branding/pictures.ts'
import * as clients from '../clients/change.ts'
import { clientIdTaken } from '../clients/problems.ts'
import * as contents from '../content/change.ts'
import { replaceOrigins } from '../cors/change.ts'
import type { Sql } from '../database/sql.ts'
import * as entitlements from '../entitlements/change.ts'
import { linkTenant } from '../entra/create.ts'
import { deleteOrg } from '../entra/delete-org.ts'
import { replaceSettings } from '../entra/settings.ts'
import * as groups from '../groups/lifecycle.ts'
import { listUserIds } from '../groups/store.ts'
import { isPassportRole } from '../http/caller.ts'
import { Problem } from '../http/problem.ts'
import * as apis from '../identity-apis/change.ts'
import * as awsProducts from '../marketplace/product-change.ts'
import * as orgs from '../orgs/change.ts'
import { addDomain, removeDomain } from '../orgs/verify-domains.ts'
import { replaceDefinitions } from '../permissions/definitions.ts'
import * as roles from '../roles/edit.ts'
import { notGrantable } from '../roles/problems.ts'
import { commandLine } from './command-line.ts'
import type { Change } from './diff.ts'
import { hashOfUrl } from './pictures.ts'
import { nameGroup, type Structure } from './read.ts'

/** Thrown if a feature rejects an entry. The message begins with the path of the entry in the document. */
export class RuleViolation extends Error {
  constructor(location: string, cause: Problem) {
    super(`${location}: ${cause.message}`, { cause })
  }
}

type ChangeTo<Entity> = Extract<Change, { entity: Entity }>

/**
 * Applies changes through the features, which enforce their rules. Records are created after the records that they
 * refer to, and deleted before them.
 */
export async function applyChanges(
  sql: Sql,
  current: Structure,
  changes: Change[],
  pictures: Map<string, EncodedPicture>,
): Promise<void> {
  const orgIds = new Map([...current.orgs].map(([slug, { id }]) => [slug, id]))
  const groupIds = new Map([...current.groups.values()].map((group) => [nameGroup(group), group.id]))
  const deletedOrgs = new Set(
    changes.flatMap(({ entity, kind, key }) => (entity === 'organisation' && kind === 'missing' ? key : [])),
  )
  for (const change of changes.filter(({ kind }) => kind !== 'missing')) {
    await rethrowAsViolation(change, async () => {
      if (change.entity === 'API') await prepareApi(sql, change)
      if (change.entity === 'role') await writeRole(sql, change)
      if (change.entity === 'organisation') orgIds.set(change.key, await writeOrg(sql, change))
      if (change.entity === 'group') await writeGroup(sql, change, orgIds, groupIds)
      if (change.entity === 'application') await writeClient(sql, change)
      if (change.entity === 'entitlement') await writeEntitlement(sql, change)
      if (change.entity === 'AWS product') await writeAwsProduct(sql, change)
      if (change.entity === 'text') await writeContent(sql, change)
      if (change.entity === 'branding') await writeBranding(sql, change, pictures)
      if (change.entity === 'branding of') await writeOrgBranding(sql, change, orgIds, pictures)
      if (change.entity === 'allowed origins of') await writeOrigins(sql, change)
      if (change.entity === 'built-in API of') await writeBuiltInApi(sql, change)
      if (change.entity === 'tenant of') await writeTenant(sql, change, orgIds, groupIds)
      if (change.entity === 'permissions of') await writePermissions(sql, change)
      if (change.entity === 'audit log of') await writeAudit(sql, change)
    })
  }
  for (const change of changes)
    if (change.entity === 'API') await rethrowAsViolation(change, () => completeApi(sql, change))
  for (const change of changes.filter(({ kind }) => kind === 'missing').reverse()) {
    const isDeletedWithOrg =
      change.entity === 'group' && change.kind === 'missing' && deletedOrgs.has(change.current.org ?? '')
    if (!isDeletedWithOrg) await rethrowAsViolation(change, () => remove(sql, change))
  }
}

async function rethrowAsViolation(change: Change, run: () => Promise<void>) {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new RuleViolation(change.kind === 'missing' ? `${change.entity} ${change.key}` : change.path, error)
  }
}

async function writeRole(sql: Sql, change: ChangeTo<'role'>) {
  if (change.kind === 'added') await roles.create(sql, change.desired, commandLine)
  if (change.kind === 'changed') await roles.changeDescription(sql, change.key, change.desired.description, commandLine)
}

/** Creates or changes an organisation; returns its id. */
async function writeOrg(sql: Sql, change: ChangeTo<'organisation'>): Promise<string> {
  if (change.kind === 'added') return (await orgs.create(sql, change.desired, commandLine)).id
  const { id: orgId, slug, domains } = change.current
  if (change.kind === 'missing') return orgId
  const { domains: desiredDomains, ...fields } = change.desired
  await orgs.replace(sql, orgId, { ...fields, slug }, commandLine)
  for (const domain of domains.filter((item) => !desiredDomains.includes(item)))
    await removeDomain(sql, { orgId, domain }, commandLine)
  for (const domain of desiredDomains.filter((item) => !domains.includes(item)))
    await addDomain(sql, { orgId, domain }, commandLine)
  return orgId
}

async function writeGroup(
  sql: Sql,
  change: ChangeTo<'group'>,
  orgIds: Map<string, string>,
  groupIds: Map<string, string>,
) {
  if (change.kind === 'missing') return
  const { org, name, description, roles } = change.desired
  if (change.kind === 'added') {
    const orgId = org === null ? null : (orgIds.get(org) ?? null)
    const { id } = await groups.createGroup(sql, { name, description, orgId, members: [], owners: [] }, commandLine)
    groupIds.set(nameGroup(change.desired), id)
    if (roles.length > 0) await groups.changeGroupRoles(sql, id, roles, commandLine)
    return
  }
  const { id, roles: currentRoles } = change.current
  groupIds.set(nameGroup(change.desired), id)
  await groups.updateGroup(sql, id, { name, description }, commandLine)
  if (String(currentRoles) === String(roles)) return
  const added = roles.filter((role) => !currentRoles.includes(role))
  await groups.changeGroupRoles(sql, id, roles, commandLine)
  await requireNoUsers(sql, id, name, added.find(isPassportRole))
}

/**
 * Throws 403 for one of Passport's own roles that a group with users would get: any user may have created a group with the
 * name in the file. The group must be locked, and its roles may have been changed: the transaction ends.
 */
async function requireNoUsers(sql: Sql, id: string, name: string, role: string | undefined) {
  if (role === undefined || (await listUserIds(sql, id)).length === 0) return
  throw notGrantable(
    role,
    `The group ${name} exists and has users, who would get ${role}. Give it in the console, which shows them.`,
  )
}

/** Restores an application that is in the trash, since its client id is taken. A new one has no secret yet. */
async function writeClient(sql: Sql, change: ChangeTo<'application'>) {
  if (change.kind === 'missing') return
  const { clientId, confidential, ...fields } = change.desired
  if (change.kind === 'changed') return clients.replace(sql, clientId, fields, commandLine)
  const restored = await clients.restoreIfDeleted(sql, clientId, commandLine)
  if (!restored) return clients.createWithoutSecret(sql, change.desired, commandLine)
  if (restored.confidential !== confidential) throw clientIdTaken()
  await clients.replace(sql, clientId, fields, commandLine)
}

/**
 * Creates an API, or adds its new scopes: the applications that come next may have them. APIs and applications name each
 * other, so an API loses scopes and gets its applications only in `completeApi`.
 */
async function prepareApi(sql: Sql, change: ChangeTo<'API'>) {
  if (change.kind === 'missing') return
  const withoutClients = { ...change.desired, allowedClients: change.desired.allowedClients && [], resourceServers: [] }
  if (change.kind === 'added') {
    const isRestored = await apis.restoreIfDeleted(sql, change.key, commandLine)
    if (!isRestored) await apis.create(sql, withoutClients, commandLine)
    return
  }
  const { id, ...current } = change.current
  const known = new Set(current.scopes.map(({ name }) => name))
  const added = change.desired.scopes.filter(({ name }) => !known.has(name))
  if (added.length > 0) await apis.replace(sql, id, { ...current, scopes: [...current.scopes, ...added] }, commandLine)
}

async function completeApi(sql: Sql, change: ChangeTo<'API'>) {
  if (change.kind === 'missing') return
  const id = await apis.findId(sql, change.key)
  await apis.replace(sql, id, change.desired, commandLine)
}

/** Restores an entitlement that is in the trash, since its key is taken. */
async function writeEntitlement(sql: Sql, change: ChangeTo<'entitlement'>) {
  if (change.kind === 'missing') return
  const { key, kind, ...fields } = change.desired
  const existing =
    change.kind === 'changed' ? change.current : await entitlements.restoreIfDeleted(sql, { key, kind }, commandLine)
  if (existing) await entitlements.replace(sql, existing.id, fields, commandLine)
  else await entitlements.create(sql, { ...change.desired, grants: [] }, commandLine)
}

async function writeAwsProduct(sql: Sql, change: ChangeTo<'AWS product'>) {
  if (change.kind === 'added') await awsProducts.create(sql, change.desired, commandLine)
  if (change.kind === 'changed') await awsProducts.replace(sql, change.current.id, change.desired, commandLine)
}

async function writeContent(sql: Sql, change: ChangeTo<'text'>) {
  if (change.kind === 'missing') return
  const { slug, locale, ...fields } = change.desired
  await contents.replacePublished(sql, { slug, locale }, fields, commandLine)
}

async function writeBranding(sql: Sql, change: ChangeTo<'branding'>, pictures: Map<string, EncodedPicture>) {
  if (change.kind === 'missing') return
  const { logo, favicon, ...fields } = change.desired
  const hashes = { logo: await storeUrl(sql, logo, pictures), favicon: await storeUrl(sql, favicon, pictures) }
  await replaceBranding(sql, { ...fields, ...hashes }, commandLine)
}

async function writeOrgBranding(
  sql: Sql,
  change: ChangeTo<'branding of'>,
  orgIds: Map<string, string>,
  pictures: Map<string, EncodedPicture>,
) {
  if (change.kind === 'missing') return
  const { org, name, logo } = change.desired
  const fields = { name, logo: await storeUrl(sql, logo, pictures) }
  await replaceOrgBranding(sql, orgIds.get(org) ?? '', fields, commandLine)
}

/** Stores a picture unless it is stored; returns its hash. */
async function storeUrl(sql: Sql, url: string | null, pictures: Map<string, EncodedPicture>): Promise<string | null> {
  if (url === null) return null
  const picture = pictures.get(url)
  return picture ? (await storePicture(sql, picture)).hash : hashOfUrl(url)
}

async function writeOrigins(sql: Sql, change: ChangeTo<'allowed origins of'>) {
  if (change.kind !== 'missing') await replaceOrigins(sql, change.key, change.desired.origins, commandLine)
}

async function writeBuiltInApi(sql: Sql, change: ChangeTo<'built-in API of'>) {
  if (change.kind !== 'missing') await apis.replaceBuiltIn(sql, change.desired, commandLine)
}

/** Links a tenant that the organisation does not have yet, and replaces its mappings. */
async function writeTenant(
  sql: Sql,
  change: ChangeTo<'tenant of'>,
  orgIds: Map<string, string>,
  groupIds: Map<string, string>,
) {
  if (change.kind === 'missing') return
  const orgId = orgIds.get(change.key) ?? ''
  const { allowGuests, mappings, ...tenant } = change.desired
  if (change.kind === 'added') await linkTenant(sql, orgId, tenant, commandLine)
  const withIds = mappings.map(({ group, ...mapping }) => ({
    ...mapping,
    ...(group && { groupId: groupIds.get(nameGroup(group)) ?? '' }),
  }))
  await replaceSettings(sql, orgId, { allowGuests, mappings: withIds }, commandLine)
}

async function writePermissions(sql: Sql, change: ChangeTo<'permissions of'>) {
  if (change.kind !== 'missing') await replaceDefinitions(sql, change.desired, commandLine)
}

async function writeAudit(sql: Sql, change: ChangeTo<'audit log of'>) {
  if (change.kind !== 'missing') await changeRetention(sql, change.desired, commandLine)
}

async function remove(sql: Sql, change: Change) {
  if (change.kind !== 'missing') return
  if (change.entity === 'branding of')
    await replaceOrgBranding(sql, change.current.id, { name: null, logo: null }, commandLine)
  if (change.entity === 'allowed origins of') await replaceOrigins(sql, change.key, null, commandLine)
  if (change.entity === 'role') await roles.remove(sql, change.key, commandLine)
  if (change.entity === 'organisation') await deleteOrg(sql, change.current.id, {}, commandLine)
  if (change.entity === 'group') await groups.deleteGroup(sql, change.current.id, commandLine)
  if (change.entity === 'API') await apis.remove(sql, change.current.id, commandLine)
  if (change.entity === 'application') await clients.remove(sql, change.key, commandLine)
  if (change.entity === 'entitlement') await entitlements.remove(sql, change.current.id, commandLine)
  if (change.entity === 'AWS product') await awsProducts.remove(sql, change.current.id, commandLine)
  if (change.entity === 'text') await contents.remove(sql, change.current, commandLine)
}
