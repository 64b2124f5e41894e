import type { OrgRole } from '@passport/contract/orgs'

/** The access of a user in other features, shared by the stores that list, remove and restore it. */

/** An organisation of a user, with their role. */
export interface OrgOfUser {
  id: string
  name: string
  role: OrgRole
}

/** An organisation that a user was removed from, with their former role. */
export interface FormerOrg {
  orgId: string
  role: string
  addedAt: string
  addedBy: string | null
}

/** A direct role of a user. */
export interface DirectRole {
  userId: string
  role: string
  /** ISO 8601. */
  grantedAt: string
  grantedBy: string | null
}

/** The groups that a user was removed from. */
export interface LeftGroups {
  member: FormerMembership[]
  owner: FormerMembership[]
}

/** A former membership or ownership, with the time and the user that added it. */
export interface FormerMembership {
  groupId: string
  addedAt: string
  addedBy: string | null
}
