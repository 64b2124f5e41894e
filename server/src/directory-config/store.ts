import type { GroupEntry, OrgBrandingEntry, OrgEntry, RoleEntry } from '@passport/contract/directory-config'
import type { Sql } from '../database/sql.ts'

export const listRoles = async (sql: Sql): Promise<(RoleEntry & { builtIn: boolean })[]> =>
  sql<(RoleEntry & { builtIn: boolean })[]>`select name, description, built_in from config_roles`

export const listOrgs = async (sql: Sql): Promise<(OrgEntry & { id: string })[]> =>
  sql<(OrgEntry & { id: string })[]>`select * from config_orgs`

export const listGroups = async (sql: Sql): Promise<(GroupEntry & { id: string; foldedName: string })[]> =>
  sql<(GroupEntry & { id: string; foldedName: string })[]>`
    select id, org, name, folded_name, description, roles from config_groups`

/** Lists the brandings of organisations, with the hashes of their logos. */
export const listOrgBrandings = async (sql: Sql): Promise<(OrgBrandingEntry & { id: string })[]> =>
  sql<(OrgBrandingEntry & { id: string })[]>`select id, org, name, logo from config_org_brandings`

/** Converts names to lower case as the database does, since group names are unique by its rules. */
export async function fold(sql: Sql, names: string[]): Promise<string[]> {
  const rows = await sql<{ folded: string }[]>`
    select lower(name) as folded from unnest(${names}::text[]) with ordinality as given (name, place) order by place`
  return rows.map(({ folded }) => folded)
}
