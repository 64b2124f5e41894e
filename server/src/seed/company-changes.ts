import { type Group, type Org, type Person, toId } from './company.ts'
import { type Life, provider } from './company-life.ts'
import { pick, pickByShare } from './generated-directory.ts'

/**
 * Returns a function that makes one of the everyday changes, each of one event: it applies the change to its records and
 * records it as the services do.
 */
export function createChanges(life: Life, size: { people: number }): () => void {
  const { random, choose, find, exists, isActive, isMember, admin, record, touch } = life
  const { people, admins, orgs, groups, roles } = life.company

  /** Changes of one event each. They return false if there is nothing to change. */
  const changes: [share: number, change: () => boolean][] = [
    [24, signOut],
    [18, () => changePeople('members', 'added')],
    [14, () => changePeople('members', 'removed')],
    [2, () => changePeople('owners', 'added')],
    [1, () => changePeople('owners', 'removed')],
    [9, grantRole],
    [6, takeRole],
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
  function changeSomething(): void {
    const [, change] = pickByShare(changes, ([share]) => share, random())
    if (!change() && !signOut()) exportUsers()
  }

  /** Someone who may change a group: an owner, or an administrator if it has roles. */
  function managerOf(group: Group): Person {
    const owner =
      group.roles.size === 0 && random() < 0.8 ? choose([...group.owners.keys()].filter(isActive)) : undefined
    return owner ?? admin()
  }
  const managerOfOrg = (org: Org) =>
    choose([...org.members].flatMap(([person, { role }]) => (role === 'owner' && isActive(person) ? [person] : []))) ??
    admin()

  function signOut(): boolean {
    const person = find(people, isActive)
    if (!person) return false
    record('signout', person, 'user', person.id, { after: { idp: provider.id, client: null } })
    return true
  }
  function changePeople(part: 'members' | 'owners', change: 'added' | 'removed'): boolean {
    const group = find(groups, (group) => exists(group) && random() < 0.1 + group.members.size / 200)
    if (!group) return false
    const [list, before] = [group[part], group[part].size]
    const count = part === 'owners' ? 1 : 1 + Math.floor(random() * 3)
    const circle = group.org ? [...group.org.members.keys()] : people
    const isNew = (person: Person) =>
      isActive(person) && !list.has(person) && !(part === 'owners' && person.isLeaving) && !changed.includes(person)
    const actor = managerOf(group)
    const changed: Person[] = []
    for (let index = 0; index < count; index++) {
      const isLast = before - changed.length <= 1
      const person = change === 'added' ? find(circle, isNew) : isLast ? undefined : choose([...list.keys()])
      if (person && !changed.includes(person)) changed.push(person)
    }
    if (changed.length === 0 || (change === 'added' && before + changed.length > size.people * 0.2)) return false
    for (const person of changed)
      if (change === 'added') list.set(person, { at: life.now, by: actor })
      else list.delete(person)
    group.version++
    const field = part === 'members' ? 'memberCount' : 'ownerCount'
    const named = { [part]: changed.map(({ id }) => id) }
    record(`group.${part}-${change}`, actor, 'group', group.id, {
      before: { [field]: before, ...(change === 'removed' && named) },
      after: { [field]: list.size, ...(change === 'added' && named) },
    })
    return true
  }
  function grantRole(): boolean {
    const role = find(roles, exists)
    const person = find(people, (person) => isActive(person) && person.roles.get(role?.name ?? '') === undefined)
    if (!role || !person) return false
    const by = admin()
    person.roles.set(role.name, { at: life.now, by })
    record('role.granted', by, 'user', person.id, { after: { role: role.name } })
    return true
  }
  function takeRole(): boolean {
    const person = find(people, (person) => isMember(person) && person.roles.size > 0 && !admins.includes(person))
    const role = person && choose([...person.roles.keys()])
    if (!person || !role) return false
    person.roles.delete(role)
    record('role.taken', admin(), 'user', person.id, { before: { role } })
    return true
  }
  function addOrgMember(): boolean {
    const org = find(orgs, exists)
    const person = org && find(people, (person) => isActive(person) && !org.members.has(person))
    if (!org || !person) return false
    const by = managerOfOrg(org)
    const role = org.members.size === 0 && !person.isLeaving ? 'owner' : 'member'
    org.members.set(person, { role, at: life.now, by })
    touch(org)
    record('org.member-added', by, 'org', org.id, { after: { members: [person.id], role } })
    return true
  }
  function removeOrgMember(): boolean {
    const org = find(orgs, (org) => exists(org) && org.members.size > 2)
    const person = org && find([...org.members.keys()], (person) => org.members.get(person)?.role === 'member')
    if (!org || !person) return false
    org.members.delete(person)
    touch(org)
    const before = { members: { [person.id]: 'member' } }
    record('org.member-removed', managerOfOrg(org), 'org', org.id, { before })
    return true
  }
  function changeOrgMember(): boolean {
    const org = find(orgs, (org) => exists(org) && org.members.size > 2)
    const person = org && find([...org.members.keys()], (person) => isActive(person) && !person.isLeaving)
    const member = person && org?.members.get(person)
    if (!org || !person || !member || member.role === 'owner') return false
    const { role: former } = member
    const role = former === 'admin' ? 'member' : 'admin'
    org.members.set(person, { ...member, role })
    touch(org)
    const sides = { before: { member: person.id, role: former }, after: { member: person.id, role } }
    record('org.member-changed', managerOfOrg(org), 'org', org.id, sides)
    return true
  }
  function savePreference(): boolean {
    const person = find(people, isActive)
    const [key = '', values = []] = choose(preferences) ?? []
    const before = person?.preferences.get(key)?.value
    const value = find(values, (value) => value !== before)
    if (!person || !value) return false
    person.preferences.set(key, { value, at: life.now })
    const sides = { ...(before !== undefined && { before: { value: before } }), after: { value } }
    record('preference.saved', person, 'preference', `${person.id}/${key}`, sides)
    return true
  }
  /** Adds a middle initial, or removes it. */
  function changeProfile(): boolean {
    const person = find(people, (person) => isActive(person) && /^\p{Lu}\S+ (\p{Lu}\. )?\p{Lu}\S+$/u.test(person.name))
    if (!person) return false
    const before = person.name
    const initial = pick([...'ABDEHJKLMRST'], person.number, 204)
    const without = before.replace(/ \p{Lu}\. /u, ' ')
    person.name = without === before ? before.replace(' ', ` ${initial}. `) : without
    touch(person)
    const sides = { before: { displayname: before }, after: { displayname: person.name } }
    record('profile.changed', person, 'user', person.id, sides)
    return true
  }
  /** Corrects the domain of an email, or sets the missing one. */
  function changeEmail(): boolean {
    const person = find(people, isActive)
    if (!person?.username) return false
    const before = person.email
    const domain = before?.endsWith('@people.example') ? pick(orgs, person.number, 205).slug : 'people'
    const email = `${before?.split('@')[0] ?? person.username}@${domain}.example`
    person.email = email
    touch(person)
    const verified = before === null
    record('user.changed', admin(), 'user', person.id, {
      before: { email: before, ...(verified && { emailVerified: false }) },
      after: { email, ...(verified && { emailVerified: true }) },
    })
    return true
  }
  function revokeSession(): boolean {
    const person = find(people, isActive)
    if (!person) return false
    const before = { session: toId('session', 1_000_000 + life.events.length), idp: provider.id }
    record('session.revoked', random() < 0.8 ? person : admin(), 'user', person.id, { before })
    return true
  }
  function describeGroup(): boolean {
    const group = find(groups, exists)
    if (!group) return false
    const { name, description } = group
    group.description =
      description === '' ? seeWiki : description === seeWiki ? '' : toggleEnd(description, ', see the wiki')
    group.version++
    const sides = { before: { name, description }, after: { name, description: group.description } }
    record('group.changed', managerOf(group), 'group', group.id, sides)
    return true
  }
  function changeGroupRoles(): boolean {
    // A change of the largest ones would change what most people can do.
    const group = find(groups, (group) => exists(group) && group.members.size < size.people * 0.1)
    const role = find(roles.slice(0, 9), exists)
    if (!group || !role) return false
    const before = [...group.roles.keys()].sort()
    const by = admin()
    if (!group.roles.delete(role.name)) group.roles.set(role.name, { at: life.now, by })
    group.version++
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
    record('role.changed', admin(), 'role', role.name, sides)
    return true
  }
  function renameOrg(): boolean {
    const org = find(orgs, exists)
    if (!org) return false
    const { slug, name } = org
    org.name = toggleEnd(name, ' Group')
    touch(org)
    record('org.changed', admin(), 'org', org.id, { before: { slug, name }, after: { slug, name: org.name } })
    return true
  }
  function exportUsers(): boolean {
    record('users.exported', admin(), 'user', null, { after: { sort: 'name', direction: 'asc' } })
    return true
  }

  return changeSomething
}

const preferences: [key: string, values: string[]][] = [
  ['Wiki.Theme', ['dark', 'light', 'system']],
  ['Wiki.Language', ['en', 'de', 'es', 'fr', 'ja']],
  ['Desk.PageSize', ['25', '50', '100']],
  ['Stage.Autoplay', ['on', 'off']],
]
const seeWiki = 'See the wiki'
const toggleEnd = (text: string, end: string) => (text.endsWith(end) ? text.slice(0, -end.length) : text + end)
