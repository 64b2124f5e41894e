import { type Group, type Org, toId, type User } from './company.ts'
import { provider, type Simulation } from './company-simulation.ts'
import { pick, pickByShare } from './generated-directory.ts'

/**
 * Returns a function that makes a random everyday change: applies it to the records, and records one audit event as the
 * server would.
 */
export function createChanges(simulation: Simulation, size: { users: number }): () => void {
  const { random, choose, find, exists, isActive, isMember, chooseAdmin, record, touch } = simulation
  const { users, admins, orgs, groups, roles } = simulation.company

  /** The changes by their share of the events. Each returns false if there is nothing to change. */
  const changes: [share: number, change: () => boolean][] = [
    [24, signOut],
    [18, () => changeMembership('members', 'added')],
    [14, () => changeMembership('members', 'removed')],
    [2, () => changeMembership('owners', 'added')],
    [1, () => changeMembership('owners', 'removed')],
    [9, grantRole],
    [6, revokeRole],
    [7, addOrgMember],
    [5, removeOrgMember],
    [3, changeOrgMember],
    [7, savePreference],
    [5, changeProfile],
    [4, changeEmail],
    [2, revokeSession],
    [0.4, describeGroup],
    [0.4, changeGroupRoles],
    [0.15, describeRole],
    [0.1, renameOrg],
    [0.4, exportUsers],
  ]
  function makeChange(): void {
    const [, change] = pickByShare(changes, ([share]) => share, random())
    if (!change() && !signOut()) exportUsers()
  }

  const isChanging = (group: Group) => exists(group) && !group.isQuiet

  /** Chooses a user who may change a group: an owner if it has no roles, otherwise an administrator. */
  function chooseManager(group: Group): User {
    const owner =
      group.roles.size === 0 && random() < 0.8 ? choose([...group.owners.keys()].filter(isActive)) : undefined
    return owner ?? chooseAdmin()
  }
  const chooseOrgManager = (org: Org) =>
    choose([...org.members].flatMap(([user, { role }]) => (role === 'owner' && isActive(user) ? [user] : []))) ??
    chooseAdmin()

  function signOut(): boolean {
    const user = find(users, isActive)
    if (!user) return false
    record('signout', user, 'user', user.id, { after: { idp: provider.id, client: null } })
    return true
  }
  function changeMembership(list: 'members' | 'owners', change: 'added' | 'removed'): boolean {
    const group = find(groups, (group) => isChanging(group) && random() < 0.1 + group.members.size / 200)
    if (!group) return false
    const [current, before] = [group[list], group[list].size]
    const count = list === 'owners' ? 1 : 1 + Math.floor(random() * 3)
    const candidates = group.org ? [...group.org.members.keys()] : users
    const isNew = (user: User) =>
      isActive(user) && !current.has(user) && !(list === 'owners' && user.isLeaving) && !changed.includes(user)
    const actor = chooseManager(group)
    const changed: User[] = []
    for (let index = 0; index < count; index++) {
      const isLast = before - changed.length <= 1
      const user = change === 'added' ? find(candidates, isNew) : isLast ? undefined : choose([...current.keys()])
      if (user && !changed.includes(user)) changed.push(user)
    }
    if (changed.length === 0 || (change === 'added' && before + changed.length > size.users * 0.2)) return false
    for (const user of changed)
      if (change === 'added') current.set(user, { at: simulation.now, by: actor })
      else current.delete(user)
    touch(group)
    const field = list === 'members' ? 'memberCount' : 'ownerCount'
    const ids = { [list]: changed.map(({ id }) => id) }
    record(`group.${list}-${change}`, actor, 'group', group.id, {
      before: { [field]: before, ...(change === 'removed' && ids) },
      after: { [field]: current.size, ...(change === 'added' && ids) },
    })
    return true
  }
  function grantRole(): boolean {
    const role = find(roles, exists)
    const user = find(users, (user) => isActive(user) && user.roles.get(role?.name ?? '') === undefined)
    if (!role || !user) return false
    const by = chooseAdmin()
    user.roles.set(role.name, { at: simulation.now, by })
    record('role.granted', by, 'user', user.id, { after: { role: role.name } })
    return true
  }
  function revokeRole(): boolean {
    const user = find(users, (user) => isMember(user) && user.roles.size > 0 && !admins.includes(user))
    const role = user && choose([...user.roles.keys()])
    if (!user || !role) return false
    user.roles.delete(role)
    record('role.taken', chooseAdmin(), 'user', user.id, { before: { role } })
    return true
  }
  function addOrgMember(): boolean {
    const org = find(orgs, exists)
    const user = org && find(users, (user) => isActive(user) && !org.members.has(user))
    if (!org || !user) return false
    const by = chooseOrgManager(org)
    const role = org.members.size === 0 && !user.isLeaving ? 'owner' : 'member'
    org.members.set(user, { role, at: simulation.now, by })
    touch(org)
    record('org.member-added', by, 'org', org.id, { after: { members: [user.id], role } })
    return true
  }
  function removeOrgMember(): boolean {
    const org = find(orgs, (org) => exists(org) && org.members.size > 2)
    const user = org && find([...org.members.keys()], (user) => org.members.get(user)?.role === 'member')
    if (!org || !user) return false
    org.members.delete(user)
    touch(org)
    const before = { members: { [user.id]: 'member' } }
    record('org.member-removed', chooseOrgManager(org), 'org', org.id, { before })
    return true
  }
  function changeOrgMember(): boolean {
    const org = find(orgs, (org) => exists(org) && org.members.size > 2)
    const user = org && find([...org.members.keys()], (user) => isActive(user) && !user.isLeaving)
    const member = user && org?.members.get(user)
    if (!org || !user || !member || member.role === 'owner') return false
    const { role: former } = member
    const role = former === 'admin' ? 'member' : 'admin'
    org.members.set(user, { ...member, role })
    touch(org)
    const sides = { before: { member: user.id, role: former }, after: { member: user.id, role } }
    record('org.member-changed', chooseOrgManager(org), 'org', org.id, sides)
    return true
  }
  function savePreference(): boolean {
    const user = find(users, isActive)
    const [key = '', values = []] = choose(preferences) ?? []
    const before = user?.preferences.get(key)?.value
    const value = find(values, (value) => value !== before)
    if (!user || !value) return false
    user.preferences.set(key, { value, at: simulation.now })
    const sides = { ...(before !== undefined && { before: { value: before } }), after: { value } }
    record('preference.saved', user, 'preference', `${user.id}/${key}`, sides)
    return true
  }
  /** Adds a middle initial, or removes it. */
  function changeProfile(): boolean {
    const user = find(users, (user) => isActive(user) && /^\p{Lu}\S+ (\p{Lu}\. )?\p{Lu}\S+$/u.test(user.name))
    if (!user) return false
    const before = user.name
    const initial = pick([...'ABDEHJKLMRST'], user.number, 204)
    const without = before.replace(/ \p{Lu}\. /u, ' ')
    user.name = without === before ? before.replace(' ', ` ${initial}. `) : without
    touch(user)
    const sides = { before: { displayname: before }, after: { displayname: user.name } }
    record('profile.changed', user, 'user', user.id, sides)
    return true
  }
  /** Changes the domain of an email address between `people` and an organisation's, or sets a missing address. */
  function changeEmail(): boolean {
    const user = find(users, isActive)
    if (!user?.username) return false
    const before = user.email
    const domain = before?.endsWith('@people.example') ? pick(orgs, user.number, 205).slug : 'people'
    const email = `${before?.split('@')[0] ?? user.username}@${domain}.example`
    user.email = email
    touch(user)
    const verified = before === null
    record('user.changed', chooseAdmin(), 'user', user.id, {
      before: { email: before, ...(verified && { emailVerified: false }) },
      after: { email, ...(verified && { emailVerified: true }) },
    })
    return true
  }
  function revokeSession(): boolean {
    const user = find(users, isActive)
    if (!user) return false
    const before = { session: toId('session', 1_000_000 + simulation.events.length), idp: provider.id }
    record('session.revoked', random() < 0.8 ? user : chooseAdmin(), 'user', user.id, { before })
    return true
  }
  function describeGroup(): boolean {
    const group = find(groups, isChanging)
    if (!group) return false
    const { name, description } = group
    group.description =
      description === '' ? seeWiki : description === seeWiki ? '' : toggleEnd(description, ', see the wiki')
    touch(group)
    const sides = { before: { name, description }, after: { name, description: group.description } }
    record('group.changed', chooseManager(group), 'group', group.id, sides)
    return true
  }
  function changeGroupRoles(): boolean {
    // Excludes the largest groups: their roles affect most users.
    const group = find(groups, (group) => isChanging(group) && group.members.size < size.users * 0.1)
    const role = find(roles.slice(0, 9), exists)
    if (!group || !role) return false
    const before = [...group.roles.keys()].sort()
    const by = chooseAdmin()
    if (!group.roles.delete(role.name)) group.roles.set(role.name, { at: simulation.now, by })
    touch(group)
    const after = [...group.roles.keys()].sort()
    record('group.roles-changed', by, 'group', group.id, { before: { roles: before }, after: { roles: after } })
    return true
  }
  function describeRole(): boolean {
    const role = find(roles, exists)
    if (!role) return false
    const before = role.description
    role.description = toggleEnd(before, ', in all countries')
    touch(role)
    const sides = { before: { description: before }, after: { description: role.description } }
    record('role.changed', chooseAdmin(), 'role', role.name, sides)
    return true
  }
  function renameOrg(): boolean {
    const org = find(orgs, exists)
    if (!org) return false
    const { slug, name } = org
    org.name = toggleEnd(name, ' Group')
    touch(org)
    record('org.changed', chooseAdmin(), 'org', org.id, { before: { slug, name }, after: { slug, name: org.name } })
    return true
  }
  function exportUsers(): boolean {
    record('users.exported', chooseAdmin(), 'user', null, { after: { sort: 'name', direction: 'asc' } })
    return true
  }

  return makeChange
}

const preferences: [key: string, values: string[]][] = [
  ['Wiki.Theme', ['dark', 'light', 'system']],
  ['Wiki.Language', ['en', 'de', 'es', 'fr', 'ja']],
  ['Desk.PageSize', ['25', '50', '100']],
  ['Stage.Autoplay', ['on', 'off']],
]
const seeWiki = 'See the wiki'
const toggleEnd = (text: string, end: string) => (text.endsWith(end) ? text.slice(0, -end.length) : text + end)
