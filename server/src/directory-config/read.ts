import { groupEntry, orgEntry, roleEntry } from '@passport/contract/config-entry'
import type { DirectoryConfig, GroupEntry, OrgEntry, RoleEntry } from '@passport/contract/directory-config'
import { type Sql, transaction } from '../database/sql.ts'
import * as store from './store.ts'

/** Entries by what they are known by: the name of a role, the slug of an organisation, the place and name of a group. */
type Keyed<Entry> = Map<string, Entry>

/** The structure as the database has it, in the order in which a file has it. */
export interface Structure {
  roles: Keyed<RoleEntry>
  orgs: Keyed<OrgEntry & { id: string }>
  groups: Keyed<GroupEntry & { id: string }>
  /** The names of the roles that every installation has. */
  builtIn: Set<string>
}

/** Reads the structure. */
export async function readStructure(sql: Sql): Promise<Structure> {
  const [roles, orgs, groups] = [await store.listRoles(sql), await store.listOrgs(sql), await store.listGroups(sql)]
  return {
    roles: keyed(roles.filter(({ builtIn }) => !builtIn).map((role) => [role.name, roleEntry(role)])),
    orgs: keyed(orgs.map((org) => [org.slug, { id: org.id, ...orgEntry(org) }])),
    groups: keyed(
      groups.map((group) => [groupKey(group.org, group.foldedName), { id: group.id, ...groupEntry(group) }]),
    ),
    builtIn: new Set(roles.filter(({ builtIn }) => builtIn).map(({ name }) => name)),
  }
}

/** A group by its place and its name; no slug holds a slash. */
export const groupKey = (org: string | null, foldedName: string): string => `${org ?? ''}/${foldedName}`

/** The structure of one moment as a document. */
export async function exportDocument(sql: Sql): Promise<DirectoryConfig> {
  const { roles, orgs, groups } = await transaction(sql, readStructure, { isolation: 'serializable' })
  return {
    version: 1,
    roles: [...roles.values()],
    orgs: [...orgs.values()].map(orgEntry),
    groups: [...groups.values()].map(groupEntry),
  }
}

/** Sorted by code unit, so that every machine has the same order. */
function keyed<Entry>(entries: [string, Entry][]): Keyed<Entry> {
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
