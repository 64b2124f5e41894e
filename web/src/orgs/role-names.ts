import type { OrgRole } from '@passport/contract/orgs'

/** The display names of organisation roles. */
export const roleNames: Record<OrgRole, string> = { owner: 'Owner', admin: 'Admin', member: 'Member' }

export const roles = ['owner', 'admin', 'member'] as const
