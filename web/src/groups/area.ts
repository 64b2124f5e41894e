import type { Group } from '@passport/contract/groups'

/** The area of the console that a group page belongs to: administration, or the user's own account. */
export type Area = 'admin' | 'account'

export const listLinks = {
  admin: { to: '/admin/groups', label: 'Groups' },
  account: { to: '/account/groups', label: 'Groups' },
} as const

const tabs = {
  admin: {
    members: '',
    owners: '/owners',
    roles: '/roles',
    links: '/joinlinks',
    activity: '/activity',
  },
  account: { members: '', owners: '/owners', links: '/joinlinks' },
}
const labels = {
  members: 'Members',
  owners: 'Owners',
  roles: 'Roles',
  links: 'Join links',
  activity: 'Activity',
}
/** Tabs for owners and administrators only. */
const managerTabs = ['links']

/** Reports whether the current user may change the group. */
export const canManageGroup = (area: Area, group: Pick<Group, 'isOwner'>): boolean => area === 'admin' || group.isOwner

/** Returns the tabs of a group; plain members have no join links. */
export function buildTabs(area: Area, group: Group) {
  return Object.entries(tabs[area])
    .filter(([name]) => !managerTabs.includes(name) || canManageGroup(area, group))
    .map(([name, path]) => ({
      to: `${listLinks[area].to}/$groupId${path}` as never,
      params: { groupId: group.id },
      label: labels[name as keyof typeof labels],
      count: { members: group.memberCount, owners: group.ownerCount, roles: group.roles.length }[name],
    }))
}

export const nouns = { members: ['member', 'members'], owners: ['owner', 'owners'] } as const
export type GroupUserKind = keyof typeof nouns
