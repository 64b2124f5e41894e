// The console uses these functions, and its first visit has no room for schemas: import types only.
import type { GroupEntry, OrgEntry, RoleEntry } from './directory-config.ts'

/** Returns the fields of a role in the directory file. */
export const toRoleEntry = ({ name, description }: RoleEntry): RoleEntry => ({ name, description })

/** Returns the fields of an organisation in the directory file. */
export const toOrgEntry = ({ slug, name, domains }: OrgEntry): OrgEntry => ({ slug, name, domains: domains.toSorted() })

/** Returns the fields of a group in the directory file. */
export const toGroupEntry = ({ org, name, description, roles }: GroupEntry): GroupEntry => ({
  org,
  name,
  description,
  roles: roles.toSorted(),
})
