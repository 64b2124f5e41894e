import type { GroupEntry, OrgEntry, RoleEntry } from './directory-config.ts'

/** What the file of the directory tells of a role. */
export const roleEntry = ({ name, description }: RoleEntry): RoleEntry => ({ name, description })

/** The same of an organisation. */
export const orgEntry = ({ slug, name, domains }: OrgEntry): OrgEntry => ({ slug, name, domains: domains.toSorted() })

/** The same of a group. */
export const groupEntry = ({ org, name, description, roles }: GroupEntry): GroupEntry => ({
  org,
  name,
  description,
  roles: roles.toSorted(),
})
