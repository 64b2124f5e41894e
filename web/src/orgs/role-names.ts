import type { OrgRole } from '@passport/contract/orgs'

/** What people can be in an organisation, in words. */
export const roleNames: Record<OrgRole, string> = { owner: 'Owner', admin: 'Admin', member: 'Member' }

export const roles = ['owner', 'admin', 'member'] as const
