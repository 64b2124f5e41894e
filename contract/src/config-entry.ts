import type { GroupEntry, OrgEntry, RoleEntry } from './directory-config.ts'
import { toOrgFields } from './orgs.ts'

/** The fields of a role in the directory file. */
export const toRoleEntry = ({ name, description }: RoleEntry): RoleEntry => ({ name, description })

/** The fields of an organisation in the directory file. */
export const toOrgEntry = (org: OrgEntry): OrgEntry => ({ ...toOrgFields(org), domains: org.domains.toSorted() })

/** The fields of a group in the directory file. */
export const toGroupEntry = ({ org, name, description, roles }: GroupEntry): GroupEntry => ({
  org,
  name,
  description,
  roles: roles.toSorted(),
})
