import { isDeepStrictEqual } from 'node:util'
import { type OrgFields, toOrgFields } from '@passport/contract/orgs'
import type { RoleChangeQuery } from '@passport/contract/role-effect'
import { v7 as uuid } from 'uuid'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as groups from '../groups/store.ts'
import type { Preconditions } from '../http/conditional.ts'
import { changeRoles } from '../roles/change.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { addWithFreeSlug, deriveSlug } from '../slug.ts'
import * as domains from './domain-store.ts'
import * as problems from './problems.ts'
import { rejectPublicMail } from './public-mail.ts'
import * as store from './store.ts'

interface OrgChangeContext extends ChangeContext {
  preconditions: Preconditions
}

interface NewOrg extends Omit<OrgFields, 'slug'> {
  slug?: string | undefined
  domains?: string[] | undefined
  /** Defaults to `standard`. */
  kind?: store.OrgRow['kind']
}

/** Creates an organisation. Throws 409 `slug-taken` for a given slug; a slug derived from the name gets a number. */
export function create(sql: Sql, newOrg: NewOrg, context: ChangeContext): Promise<store.OrgRow> {
  rejectPublicMail(newOrg.domains ?? [], (index) => `domains[${index}]`)
  return transaction(sql, async (sql) => {
    const org = await addWithSlug(sql, newOrg)
    const pending = [...new Set(newOrg.domains)]
    for (const domain of pending) await domains.add(sql, org.id, domain)
    await audit.record(sql, {
      action: 'org.created',
      ...toActorFields(context),
      target: { kind: 'org', id: org.id },
      after: { ...toOrgFields(org), domains: pending },
    })
    return org
  })
}

async function addWithSlug(sql: Sql, { slug, kind, ...newOrg }: NewOrg): Promise<store.OrgRow> {
  const id = uuid()
  const add = (slug: string) => store.add(sql, id, toOrgFields({ ...newOrg, slug }), kind)
  const org = await (slug === undefined ? addWithFreeSlug(deriveSlug(newOrg.name, 'org'), add) : add(slug))
  if (!org) throw problems.slugTaken()
  return org
}

/** Replaces the editable fields of an organisation. Throws 404, 412 and 409 `slug-taken`. */
export function replace(sql: Sql, id: string, fields: OrgFields, context: OrgChangeContext): Promise<store.OrgRow> {
  return transaction(sql, async (sql) => {
    const before = await store.lock(sql, id)
    await recheckCaller(sql, context.caller)
    if (!before) throw problems.orgNotFound()
    context.preconditions.check({ etag: String(before.version) })
    if (isDeepStrictEqual(toOrgFields(before), toOrgFields(fields))) return before
    await mapSlugConflict(() => store.replace(sql, id, fields))
    if (before.name !== fields.name) await groups.touchAllOfOrg(sql, id)
    await record(sql, 'org.changed', id, context, { before: toOrgFields(before), after: toOrgFields(fields) })
    return requireFound(await store.find(sql, id))
  })
}

/** What else users gain or lose with an organisation: what the mappings of its tenant give. */
interface Mappings {
  /** Finds the users to whom they apply. */
  findUsers: (sql: Sql) => Promise<string[]>
  apply: (sql: Sql) => Promise<void>
}

/**
 * Soft-deletes an organisation with its groups; their members lose the roles of these groups, and its users what its mappings
 * gave them.
 */
export function remove(
  sql: Sql,
  id: string,
  query: RoleChangeQuery,
  context: OrgChangeContext,
  mappings: Mappings,
): Promise<void> {
  const findHolders = async (sql: Sql) => [
    ...new Set([...(await groups.listHoldersOfOrg(sql, id, null)), ...(await mappings.findUsers(sql))]),
  ]
  return changeRoles(sql, { ...query, caller: context.caller }, findHolders, async (sql) => {
    const before = await store.lock(sql, id)
    if (!before) throw problems.orgNotFound()
    context.preconditions.check({ etag: String(before.version) })
    const groupCount = await groups.deleteAllOfOrg(sql, id, await store.remove(sql, id))
    await record(sql, 'org.deleted', id, context, {
      before: { ...toOrgFields(before), members: before.memberCount, groups: groupCount },
    })
    await mappings.apply(sql)
  })
}

/**
 * Undoes `remove`, within 30 days. Throws 404, 412, and 409 `slug-taken` if another organisation has the slug now; retry
 * with another slug.
 */
export function restore(
  sql: Sql,
  id: string,
  { slug, ...query }: RoleChangeQuery & { slug?: string | undefined },
  context: OrgChangeContext,
  mappings: Mappings,
): Promise<store.OrgRow> {
  const findHolders = async (sql: Sql) => {
    const deleted = await store.lockDeleted(sql, id)
    if (!deleted) return []
    const holders = await groups.listHoldersOfOrg(sql, id, deleted.deletedAt)
    return [...new Set([...holders, ...(await mappings.findUsers(sql)), ...(await store.listOwnerIds(sql, id))])]
  }
  return changeRoles(sql, { ...query, caller: context.caller }, findHolders, async (sql) => {
    const before = await store.lockDeleted(sql, id)
    if (!before?.deletedAt) throw problems.orgNotFound()
    context.preconditions.check({ etag: String(before.version) })
    await mapSlugConflict(() => store.restore(sql, id, slug ?? before.slug))
    const groupCount = await groups.restoreAllOfOrg(sql, id, before.deletedAt)
    const after = requireFound(await store.find(sql, id))
    await record(sql, 'org.restored', id, context, {
      before: toOrgFields(before),
      after: { ...toOrgFields(after), groups: groupCount },
    })
    await mappings.apply(sql)
    return after
  })
}

function requireFound(org: store.OrgRow | undefined): store.OrgRow {
  if (!org) throw problems.orgNotFound()
  return org
}

async function mapSlugConflict(write: () => Promise<void>) {
  try {
    await write()
  } catch (error) {
    throw (error as { code?: string }).code === '23505' ? problems.slugTaken() : error
  }
}

const record = (
  sql: Sql,
  action: 'org.changed' | 'org.deleted' | 'org.restored',
  id: string,
  context: OrgChangeContext,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, ...toActorFields(context), target: { kind: 'org', id }, ...change })
