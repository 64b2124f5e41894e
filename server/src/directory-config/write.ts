import type { By } from '../audit/actor.ts'
import type { Sql } from '../database/sql.ts'
import * as groups from '../groups/lifecycle.ts'
import { type Preconditions, preconditionsOf } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import { addDomain, removeDomain } from '../org-domains/prove.ts'
import * as orgs from '../orgs/change.ts'
import * as roles from '../roles/edit.ts'
import type { Change } from './diff.ts'
import type { Structure } from './read.ts'

/** Whoever runs a command on the machine is nobody, and may what administrators may. */
const by: By & { preconditions: Preconditions } = {
  caller: { id: null, roles: new Set(['Passport.Admin']), orgs: [] },
  reason: 'command line',
  preconditions: preconditionsOf('PUT', {}),
}

/** A rule of its room is against an entry. */
export class Refused extends Error {
  constructor(where: string, cause: Problem) {
    super(`${where}: ${cause.message}`, { cause })
  }
}

type Of<Kind> = Extract<Change, { of: Kind }>

/** Writes changes by the rules of the rooms: what others refer to is there before them, and goes after them. */
export async function write(sql: Sql, here: Structure, changes: Change[]): Promise<void> {
  const orgIds = new Map([...here.orgs].map(([slug, { id }]) => [slug, id]))
  const going = new Set(
    changes.flatMap(({ of, kind, key }) => (of === 'organisation' && kind === 'missing' ? key : [])),
  )
  for (const change of changes.filter(({ kind }) => kind !== 'missing')) {
    await refusing(change, async () => {
      if (change.of === 'role') await writeRole(sql, change)
      if (change.of === 'organisation') orgIds.set(change.key, await writeOrg(sql, change))
      if (change.of === 'group') await writeGroup(sql, change, orgIds)
    })
  }
  for (const change of changes.filter(({ kind }) => kind === 'missing').reverse()) {
    const goesWithOrg = change.of === 'group' && change.kind === 'missing' && going.has(change.here.org ?? '')
    if (!goesWithOrg) await refusing(change, () => remove(sql, change))
  }
}

async function refusing(change: Change, act: () => Promise<void>) {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Refused(change.kind === 'missing' ? `${change.of} ${change.key}` : change.path, error)
  }
}

async function writeRole(sql: Sql, change: Of<'role'>) {
  if (change.kind === 'added') await roles.create(sql, change.wanted, by)
  if (change.kind === 'changed') await roles.describe(sql, change.key, change.wanted.description, by)
}

/** Returns its id. */
async function writeOrg(sql: Sql, change: Of<'organisation'>): Promise<string> {
  if (change.kind === 'added') return (await orgs.create(sql, change.wanted, by)).id
  const { id: orgId, slug, domains } = change.here
  if (change.kind === 'missing') return orgId
  const { name, domains: wanted } = change.wanted
  await orgs.rename(sql, orgId, { name, slug }, by)
  for (const domain of domains.filter((one) => !wanted.includes(one))) await removeDomain(sql, { orgId, domain }, by)
  for (const domain of wanted.filter((one) => !domains.includes(one))) await addDomain(sql, { orgId, domain }, by)
  return orgId
}

async function writeGroup(sql: Sql, change: Of<'group'>, orgIds: Map<string, string>) {
  if (change.kind === 'missing') return
  const { org, name, description, roles } = change.wanted
  if (change.kind === 'added') {
    const orgId = org === null ? null : (orgIds.get(org) ?? null)
    const { id } = await groups.createGroup(sql, { name, description, orgId, members: [], owners: [] }, by)
    if (roles.length > 0) await groups.changeRolesOf(sql, id, roles, by)
    return
  }
  const { id, roles: had } = change.here
  await groups.renameGroup(sql, id, { name, description }, by)
  if (String(had) !== String(roles)) await groups.changeRolesOf(sql, id, roles, by)
}

async function remove(sql: Sql, change: Change) {
  if (change.kind !== 'missing') return
  if (change.of === 'role') await roles.remove(sql, change.key, by)
  if (change.of === 'organisation') await orgs.remove(sql, change.here.id, {}, by)
  if (change.of === 'group') await groups.deleteGroup(sql, change.here.id, by)
}
