import type { ChangeContext } from '../audit/actor.ts'
import type { Sql } from '../database/sql.ts'
import * as groups from '../groups/lifecycle.ts'
import { type Preconditions, readPreconditions } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import * as orgs from '../orgs/change.ts'
import { addDomain, removeDomain } from '../orgs/verify-domains.ts'
import * as roles from '../roles/edit.ts'
import type { Change } from './diff.ts'
import type { Structure } from './read.ts'

/** A command on the machine has no user, and the rights of an administrator. */
const by: ChangeContext & { preconditions: Preconditions } = {
  caller: { id: null, roles: new Set(['Passport.Admin']), orgs: [] },
  reason: 'command line',
  preconditions: readPreconditions('PUT', {}),
}

/** Thrown if a rule of its feature forbids an entry. */
export class RuleViolation extends Error {
  constructor(location: string, cause: Problem) {
    super(`${location}: ${cause.message}`, { cause })
  }
}

type Of<Kind> = Extract<Change, { entity: Kind }>

/**
 * Applies changes by the rules of the features: references are created after their targets, and deleted before them.
 */
export async function write(sql: Sql, current: Structure, changes: Change[]): Promise<void> {
  const orgIds = new Map([...current.orgs].map(([slug, { id }]) => [slug, id]))
  const deletedOrgs = new Set(
    changes.flatMap(({ entity, kind, key }) => (entity === 'organisation' && kind === 'missing' ? key : [])),
  )
  for (const change of changes.filter(({ kind }) => kind !== 'missing')) {
    await withRuleViolations(change, async () => {
      if (change.entity === 'role') await writeRole(sql, change)
      if (change.entity === 'organisation') orgIds.set(change.key, await writeOrg(sql, change))
      if (change.entity === 'group') await writeGroup(sql, change, orgIds)
    })
  }
  for (const change of changes.filter(({ kind }) => kind === 'missing').reverse()) {
    const goesWithOrg =
      change.entity === 'group' && change.kind === 'missing' && deletedOrgs.has(change.current.org ?? '')
    if (!goesWithOrg) await withRuleViolations(change, () => remove(sql, change))
  }
}

async function withRuleViolations(change: Change, act: () => Promise<void>) {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new RuleViolation(change.kind === 'missing' ? `${change.entity} ${change.key}` : change.path, error)
  }
}

async function writeRole(sql: Sql, change: Of<'role'>) {
  if (change.kind === 'added') await roles.create(sql, change.desired, by)
  if (change.kind === 'changed') await roles.describe(sql, change.key, change.desired.description, by)
}

/** Returns its id. */
async function writeOrg(sql: Sql, change: Of<'organisation'>): Promise<string> {
  if (change.kind === 'added') return (await orgs.create(sql, change.desired, by)).id
  const { id: orgId, slug, domains } = change.current
  if (change.kind === 'missing') return orgId
  const { domains: desired, ...fields } = change.desired
  await orgs.replace(sql, orgId, { ...fields, slug }, by)
  for (const domain of domains.filter((item) => !desired.includes(item))) await removeDomain(sql, { orgId, domain }, by)
  for (const domain of desired.filter((item) => !domains.includes(item))) await addDomain(sql, { orgId, domain }, by)
  return orgId
}

async function writeGroup(sql: Sql, change: Of<'group'>, orgIds: Map<string, string>) {
  if (change.kind === 'missing') return
  const { org, name, description, roles } = change.desired
  if (change.kind === 'added') {
    const orgId = org === null ? null : (orgIds.get(org) ?? null)
    const { id } = await groups.createGroup(sql, { name, description, orgId, members: [], owners: [] }, by)
    if (roles.length > 0) await groups.changeGroupRoles(sql, id, roles, by)
    return
  }
  const { id, roles: before } = change.current
  await groups.renameGroup(sql, id, { name, description }, by)
  if (String(before) !== String(roles)) await groups.changeGroupRoles(sql, id, roles, by)
}

async function remove(sql: Sql, change: Change) {
  if (change.kind !== 'missing') return
  if (change.entity === 'role') await roles.remove(sql, change.key, by)
  if (change.entity === 'organisation') await orgs.remove(sql, change.current.id, {}, by)
  if (change.entity === 'group') await groups.deleteGroup(sql, change.current.id, by)
}
