import * as z from 'zod/mini'
import { DomainName } from './domain-name.ts'
import { GroupDescription, GroupName, GroupRoles } from './groups.ts'
import { orgFields, Slug } from './orgs.ts'
import { RoleDescription, RoleName } from './roles.ts'

/** A role that is not built in, identified by its name. */
export const RoleEntry = z.strictObject({ name: RoleName, description: RoleDescription })
export type RoleEntry = z.infer<typeof RoleEntry>

/** An organisation, identified by its slug. */
export const OrgEntry = z.strictObject({ ...orgFields, domains: z.array(DomainName) })
export type OrgEntry = z.infer<typeof OrgEntry>

/** A group, identified by its name in its organisation; null means no organisation. */
export const GroupEntry = z.strictObject({
  org: z.nullable(Slug),
  name: GroupName,
  description: GroupDescription,
  roles: GroupRoles,
})
export type GroupEntry = z.infer<typeof GroupEntry>

/** The structure of a directory as a file, without its users. */
export const DirectoryConfig = z.strictObject({
  version: z.literal(1),
  roles: z.array(RoleEntry),
  orgs: z.array(OrgEntry),
  groups: z.array(GroupEntry),
})
export type DirectoryConfig = z.infer<typeof DirectoryConfig>
