import { toGroupEntry, toOrgEntry, toRoleEntry } from '@passport/contract/config-entry'
import type { DirectoryConfig, GroupEntry, OrgEntry, RoleEntry } from '@passport/contract/directory-config'
import { type Sql, transaction } from '../database/sql.ts'
import * as store from './store.ts'

/** Entries by their keys: the name of a role, the slug of an organisation, the organisation and name of a group. */
type Keyed<Entry> = Map<string, Entry>

/** The structure of the directory, without its users, in the order of the file. */
export interface Structure {
  roles: Keyed<RoleEntry>
  orgs: Keyed<OrgEntry & { id: string }>
  groups: Keyed<GroupEntry & { id: string }>
  /** The names of the built-in roles. */
  builtIn: Set<string>
}

/** Reads the structure of the directory from the database. */
export async function readStructure(sql: Sql): Promise<Structure> {
  const [roles, orgs, groups] = [await store.listRoles(sql), await store.listOrgs(sql), await store.listGroups(sql)]
  return {
    roles: toKeyed(roles.filter(({ builtIn }) => !builtIn).map((role) => [role.name, toRoleEntry(role)])),
    orgs: toKeyed(orgs.map((org) => [org.slug, { id: org.id, ...toOrgEntry(org) }])),
    groups: toKeyed(
      groups.map((group) => [groupKey(group.org, group.foldedName), { id: group.id, ...toGroupEntry(group) }]),
    ),
    builtIn: new Set(roles.filter(({ builtIn }) => builtIn).map(({ name }) => name)),
  }
}

/** Returns the key of a group, which is unique because slugs contain no slash. */
export const groupKey = (org: string | null, foldedName: string): string => `${org ?? ''}/${foldedName}`

/** Exports a consistent snapshot of the structure as a document. */
export async function exportDocument(sql: Sql): Promise<DirectoryConfig> {
  const { roles, orgs, groups } = await transaction(sql, readStructure, { isolation: 'serializable' })
  return {
    version: 1,
    roles: [...roles.values()],
    orgs: [...orgs.values()].map(toOrgEntry),
    groups: [...groups.values()].map(toGroupEntry),
  }
}

/** Sorts entries by code unit, so that the order is the same on every machine. */
function toKeyed<Entry>(entries: [string, Entry][]): Keyed<Entry> {
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
