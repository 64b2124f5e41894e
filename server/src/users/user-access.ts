import type { OrgRole } from '@passport/contract/orgs'

// The roles and memberships of a user, shared by the stores of the features that list, remove and restore them.

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
  /** Whether the user or an administrator agreed to the membership; missing in older records, which means yes. */
  isAccepted?: boolean
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
export interface FormerGroups {
  member: FormerMembership[]
  owner: FormerMembership[]
}

/** A former membership or ownership, with the time and the user that added it. */
export interface FormerMembership {
  groupId: string
  addedAt: string
  addedBy: string | null
}
