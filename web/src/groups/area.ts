import type { Group } from '@passport/contract/groups'

/** Where a group is shown: in the console of administrators, or among one's own. */
export type Area = 'admin' | 'account'

export const listOf = {
  admin: { to: '/admin/groups', label: 'Groups' },
  account: { to: '/account/groups', label: 'Your groups' },
} as const

const tabs = {
  admin: {
    members: '',
    owners: '/owners',
    roles: '/roles',
    links: '/joinlinks',
    settings: '/settings',
    activity: '/activity',
  },
  account: { members: '', owners: '/owners', links: '/joinlinks', settings: '/settings' },
}
const labels = {
  members: 'Members',
  owners: 'Owners',
  roles: 'Roles',
  links: 'Join links',
  settings: 'Settings',
  activity: 'Activity',
}
/** For those who run the group. */
const closed = ['links', 'settings']

/** Whether whoever looks at a group may change it. */
export const mayRun = (area: Area, group: Pick<Group, 'isOwner'>): boolean => area === 'admin' || group.isOwner

/** The pages of a group. Who is only a member has nothing to set, and lets nobody in. */
export function tabsOf(area: Area, group: Group) {
  return Object.entries(tabs[area])
    .filter(([name]) => !closed.includes(name) || mayRun(area, group))
    .map(([name, path]) => ({
      to: `${listOf[area].to}/$groupId${path}` as never,
      params: { groupId: group.id },
      label: labels[name as keyof typeof labels],
    }))
}

/** “1 member”, “1,204 members”. */
export const counted = (count: number, [one, many]: readonly [string, string]): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

export const nouns = { members: ['member', 'members'], owners: ['owner', 'owners'] } as const
export type Part = keyof typeof nouns
