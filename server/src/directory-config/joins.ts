import type { TenantEntry } from '@passport/contract/directory-config'
import { adminScopes } from '@passport/contract/endpoint'
import * as clients from '../clients/store.ts'
import type { Sql } from '../database/sql.ts'
import * as entitlements from '../entitlements/store.ts'
import { listUserIds } from '../groups/store.ts'
import * as apis from '../identity-apis/store.ts'
import type { Change } from './diff.ts'
import { formatGroup, formatMapping } from './lines.ts'
import { nameGroup, type Structure } from './read.ts'

/**
 * What a document gives to an existing record, which may not be the one that its author meant: a name is all that the two
 * share. Equal joins have equal texts.
 */
export type Join = string

/** Thrown if a document would give something to existing records and this is not confirmed. Nothing was changed. */
export class JoinsNotConfirmed extends Error {
  readonly joins: Join[]

  constructor(joins: Join[]) {
    super('What it gives to existing records is not confirmed.')
    this.joins = joins
  }
}

/**
 * Lists what changes, which are not yet applied, give to existing records: roles to groups, scopes for administration to
 * applications, roles and groups to the users of tenants, and what records in the trash had, since entries with their names
 * restore them.
 */
export async function listJoins(sql: Sql, current: Structure, changes: Change[]): Promise<Join[]> {
  const joins: Join[] = []
  for (const change of changes) {
    if (change.entity === 'group' && change.kind === 'changed') {
      const roles = subtract(change.desired.roles, change.current.roles)
      const users = roles.length > 0 ? (await listUserIds(sql, change.current.id)).length : 0
      if (roles.length > 0) joins.push(`${formatGroup(change.current)}: ${roles.join(', ')}; ${count(users, 'user')}`)
    }
    if (change.kind === 'added') joins.push(...(await listRestored(sql, change)))
    if (change.entity === 'application' && change.kind === 'changed') {
      if (change.desired.enabled && !change.current.enabled) joins.push(`application ${change.key}: enabled again`)
      const scopes = subtract(change.desired.scopes, change.current.scopes).filter(isAdminScope)
      if (scopes.length > 0) joins.push(`application ${change.key}: ${scopes.join(', ')}`)
    }
    if (change.entity === 'tenant of' && change.kind !== 'missing') {
      const known = change.kind === 'changed' ? change.current.mappings.map(formatMapping) : []
      const added = change.desired.mappings.filter((mapping) => !known.includes(formatMapping(mapping)))
      const rolesOf = readGroupRoles(current, changes)
      for (const mapping of added.filter((mapping) => joinsExisting(mapping, change.key, current, rolesOf)))
        joins.push(`tenant of ${change.key}: ${formatMapping(mapping)}`)
    }
  }
  return joins
}

/** Lists what the record in the trash had that an added entry restores. */
async function listRestored(sql: Sql, { entity, key }: Change): Promise<Join[]> {
  if (entity === 'application' && (await clients.isRestorable(sql, key))) {
    const secrets = (await clients.listSecrets(sql, [key])).length
    return [`application ${key}: restored from the trash with ${count(secrets, 'secret')}`]
  }
  if (entity === 'API' && (await apis.findByName(sql, key))?.deletedAt != null)
    return [`API ${key}: restored from the trash with the scopes that users and applications have`]
  if (entity === 'entitlement' && (await entitlements.findByKey(sql, key))?.deletedAt != null)
    return [`entitlement ${key}: restored from the trash with its grants`]
  return []
}

type Mapping = TenantEntry['mappings'][number]

/** Reports whether a mapping leads to an existing group or role, or gives a role to users of an existing organisation. */
function joinsExisting(
  { group, role }: Mapping,
  org: string,
  { orgs, groups, roles: existingRoles }: Structure,
  rolesOf: Map<string, string[]>,
) {
  if (role !== undefined) return orgs.has(org) || existingRoles.has(role)
  const key = nameGroup(group ?? { name: '' })
  const isExisting = [...groups.values()].some((existing) => nameGroup(existing) === key)
  return isExisting || (orgs.has(org) && rolesOf.get(key)?.length !== 0)
}

/** Returns the roles that groups have after the changes, by their names. */
function readGroupRoles(current: Structure, changes: Change[]): Map<string, string[]> {
  const roles = new Map([...current.groups.values()].map((group) => [nameGroup(group), group.roles]))
  for (const change of changes)
    if (change.entity === 'group' && change.kind !== 'missing')
      roles.set(nameGroup(change.desired), change.desired.roles)
  return roles
}

const subtract = (items: readonly string[], known: readonly string[]) => items.filter((item) => !known.includes(item))
const isAdminScope = (scope: string) => (adminScopes as readonly string[]).includes(scope)
const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
