import type { Action, TargetKind } from '@passport/contract/audit'
import type { JsonObject } from '../audit/store.ts'
import {
  type Company,
  type CompanySize,
  type Group,
  type Org,
  type Person,
  type Place,
  type Role,
  toId,
} from './company.ts'
import { userAgents } from './company-names.ts'
import { chance, hex, pick, pickByShare, spread } from './generated-directory.ts'

/* Thirty days in a company: each change is applied to its records and recorded as the services record it, so the audit
   agrees with the records. */

export interface Event {
  number: number
  at: Place
  action: Action
  actor: Person | null
  kind: TargetKind
  target: string | null
  before?: JsonObject
  after?: JsonObject
  reason?: string
  ip: string
  userAgent: string
}
export interface SignIn {
  person: Person
  at: Place
  amr: string[]
  ip: string
  userAgent: string
}
type Details = Pick<Event, 'before' | 'after' | 'reason'>

export const provider = { id: 'harbour', issuer: 'https://login.harbour.example' }
export const subjectOf = ({ number }: Person) => hex(spread(number, 16), 8) + hex(number, 8)
export const domainOf = ({ slug }: Org) => `${slug}.example`

/** Every 25th sign-in fails, which is 4 %. */
const isFailing = (number: number) => number % 25 === 12
const failures: [share: number, reason: string, message: string][] = [
  [34, 'cancelled', 'access_denied: The user cancelled the sign-in'],
  [20, 'attempt-expired', 'attempt-expired'],
  [14, 'not-invited', `${provider.issuer} `],
  [12, 'account-disabled', ''],
  [9, 'answer-replayed', 'answer-replayed'],
  [7, 'provider-unreachable', 'fetch failed'],
  [4, 'code-refused', 'invalid_grant: The code has expired'],
]

/** Applies thirty days of sign-ins and changes to a company; returns the events and the successful sign-ins. */
export function liveOn(company: Company, size: CompanySize): { events: Event[]; signIns: SignIn[] } {
  const { people, admins, orgs, groups, roles } = company
  const events: Event[] = []
  const signIns: SignIn[] = []
  let drawn = 0
  /** The next number of the sequence that all choices come from. */
  const random = () => chance(drawn++, 200)
  const choose = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)]
  /** Chooses one that meets the condition; undefined if some attempts find none. */
  function find<T>(all: readonly T[], meets: (one: T) => boolean): T | undefined {
    for (let attempt = 0; attempt < 60; attempt++) {
      const one = choose(all)
      if (one !== undefined && meets(one)) return one
    }
    return undefined
  }
  let now: Place = 0
  const exists = ({ createdAt }: { createdAt: Place }) => createdAt <= now
  const isActive = (person: Person) =>
    exists(person) && person.activatedAt !== null && person.disabledAt === null && person.deletedAt === null
  const isMember = (person: Person) => exists(person) && person.deletedAt === null
  const admin = () => pick(admins, Math.floor(random() * admins.length * 3) % admins.length, 201)

  function record(action: Action, actor: Person | null, kind: TargetKind, target: string | null, details: Details) {
    const device = actor ? deviceOf(actor, random()) : deviceOf({ number: Math.floor(random() * 9999) }, random())
    events.push({ number: events.length, at: now, action, actor, kind, target, ...details, ...device })
  }
  const touch = (changed: Person | Org | Role) => {
    changed.changedAt = now
    changed.version++
  }

  function signIn(number: number): void {
    const isRegular = (person: Person) => random() < chance(person.number, 202) ** 2.5 + 0.02
    if (isFailing(number)) failToSignIn()
    else succeed(find(people, (person) => isActive(person) && isRegular(person)) ?? admin())
  }
  function succeed(person: Person): void {
    const amr = person.number % 3 === 0 ? ['pwd', 'otp'] : ['pwd']
    const after = { idp: provider.id, amr }
    record('signin.succeeded', person, 'user', person.id, { after })
    const { ip = '', userAgent = '' } = events.at(-1) ?? {}
    signIns.push({ person, at: now, amr, ip, userAgent })
    person.lastSignInAt = now
  }
  function failToSignIn(): void {
    const [, reason, text] = pickByShare(failures, ([share]) => share, random())
    const disabled =
      reason === 'account-disabled'
        ? find(people, (person) => exists(person) && person.disabledAt !== null && person.deletedAt === null)
        : undefined
    const stranger = hex(spread(drawn, 203), 8)
    const message = reason === 'account-disabled' ? (disabled?.id ?? reason) : text.replace(/ $/, ` ${stranger}`)
    record('signin.failed', null, 'attempt', null, { after: { idp: provider.id, message }, reason })
  }

  function invite(person: Person, org: Org | null): void {
    const actor = admin()
    const email = person.email ?? ''
    const number = company.invitations.length
    const invitation = { number, id: toId('invitation', number), person, email, inviter: actor, org, sentAt: now }
    company.invitations.push({ ...invitation, acceptedAt: null, version: 1 })
    person.createdAt = person.changedAt = now
    const names = { username: null, displayname: person.name, email, emailVerified: false }
    record('user.created', actor, 'user', person.id, { after: names })
    record('invitation.sent', actor, 'invitation', invitation.id, {
      after: {
        email,
        displayName: person.name,
        roles: [],
        org: org?.id ?? null,
        orgRole: org && 'member',
        user: person.id,
      },
    })
  }
  function accept(person: Person): void {
    const invitation = company.invitations.find((each) => each.person === person)
    if (!invitation) return
    const { org, inviter } = invitation
    invitation.acceptedAt = now
    invitation.version++
    person.activatedAt = now
    person.username = person.email?.split('@')[0] ?? null
    touch(person)
    if (org) {
      org.members.set(person, { role: 'member', at: now, by: inviter })
      touch(org)
      const after = { members: [person.id], role: 'member' }
      record('org.member-added', person, 'org', org.id, { after, reason: `invitation ${invitation.id}` })
    }
    record('invitation.accepted', person, 'invitation', invitation.id, {
      after: { user: person.id, roles: [], org: org?.id ?? null, orgRole: org && 'member', leftOut: [] },
    })
    const after = { idp: provider.id, issuer: provider.issuer, subject: subjectOf(person) }
    record('login.linked', person, 'user', person.id, { after })
    person.lastSignInAt = now
  }
  function setDisabled(person: Person, isDisabled: boolean): void {
    person.disabledAt = isDisabled ? now : null
    touch(person)
    const sides = { before: { disabled: !isDisabled }, after: { disabled: isDisabled } }
    record(isDisabled ? 'user.disabled' : 'user.enabled', admin(), 'user', person.id, sides)
  }
  function remove(person: Person): void {
    const ofGroups = groups.filter(({ members }) => members.has(person))
    const ofOrgs = orgs.filter(({ members }) => members.has(person))
    /** Returns the part of a person in each record. */
    const partsIn = <Part>(records: { id: string; members: Map<Person, Part> }[]) =>
      records.flatMap(({ id, members }): [string, Part][] => {
        const part = members.get(person)
        return part ? [[id, part]] : []
      })
    person.leftBehind = { roles: [...person.roles], groups: partsIn(ofGroups), orgs: partsIn(ofOrgs) }
    const before = {
      username: person.username,
      displayname: person.name,
      email: person.email,
      roles: [...person.roles.keys()].sort(),
      groups: ofGroups.map(({ id }) => id),
      orgs: ofOrgs.map(({ id }) => id),
    }
    for (const group of ofGroups) {
      group.members.delete(person)
      group.version++
    }
    for (const org of ofOrgs) {
      org.members.delete(person)
      touch(org)
    }
    person.roles.clear()
    person.deletedAt = now
    touch(person)
    record('user.deleted', admin(), 'user', person.id, { before })
  }
  function createOrg(org: Org): void {
    org.createdAt = org.changedAt = now
    const after = { slug: org.slug, name: org.name, domains: [domainOf(org)] }
    record('org.created', admin(), 'org', org.id, { after })
  }
  function verifyDomain(org: Org): void {
    org.verifiedAt = now
    touch(org)
    const domain = domainOf(org)
    const sides = { before: { domain, status: 'pending' }, after: { domain, status: 'verified' } }
    record('org.domain-verified', admin(), 'org', org.id, sides)
  }
  function createGroup(group: Group): void {
    group.createdAt = now
    const actor = admin()
    const given = { at: now, by: actor }
    group.owners.set(actor, given)
    for (let index = 0; index < 3; index++) {
      const member = find(people, (person) => isActive(person) && !person.isLeaving)
      if (member) group.members.set(member, given)
    }
    const { name, description, org } = group
    const [members, owners] = [idsOf(group.members), idsOf(group.owners)]
    const after = { name, description, orgId: org?.id ?? null, members, owners }
    record('group.created', actor, 'group', group.id, { after })
  }
  function createRole(role: Role): void {
    role.createdAt = role.changedAt = now
    const after = { name: role.name, description: role.description }
    record('role.created', admin(), 'role', role.name, { after })
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
    [1.5, describeGroup],
    [1, changeGroupRoles],
    [0.6, describeRole],
    [0.5, renameOrg],
    [0.4, exportUsers],
  ]
  function changeSomething(): void {
    const [, change] = pickByShare(changes, ([share]) => share, random())
    if (!change() && !signOut()) exportUsers()
  }

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
      if (change === 'added') list.set(person, { at: now, by: actor })
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
    person.roles.set(role.name, { at: now, by })
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
    org.members.set(person, { role, at: now, by })
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
    person.preferences.set(key, { value, at: now })
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
    const before = { session: toId('session', 1_000_000 + events.length), idp: provider.id }
    record('session.revoked', random() < 0.8 ? person : admin(), 'user', person.id, { before })
    return true
  }
  function describeGroup(): boolean {
    const group = find(groups, exists)
    if (!group) return false
    const { name, description } = group
    group.description = toggleEnd(description || name, ', see the wiki')
    group.version++
    const sides = { before: { name, description }, after: { name, description: group.description } }
    record('group.changed', managerOf(group), 'group', group.id, sides)
    return true
  }
  function changeGroupRoles(): boolean {
    const group = find(groups, (group) => exists(group) && group.members.size < size.people * 0.02)
    const role = find(roles, exists)
    if (!group || !role) return false
    const before = [...group.roles.keys()].sort()
    const by = admin()
    if (!group.roles.delete(role.name)) group.roles.set(role.name, { at: now, by })
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

  // Changes that are certain, with their times and the number of their events.
  const certain: [at: Place, events: number, run: () => void][] = [
    ...roles.filter(isLater).map((role) => planned(role.createdAt, 1, () => createRole(role))),
    ...groups.filter(isLater).map((group) => planned(group.createdAt, 1, () => createGroup(group))),
    ...orgs
      .filter(isLater)
      .flatMap((org) => [
        planned(org.createdAt, 1, () => createOrg(org)),
        planned(org.createdAt + 0.1, 1, () => verifyDomain(org)),
      ]),
    ...company.invited.map((person) => planned(person.createdAt, 2, () => invite(person, null))),
    ...company.joining.flatMap((person) => {
      const org = person.number % 3 === 0 ? null : pick(orgs.slice(0, 4), person.number, 206)
      return [
        planned(person.createdAt, 2, () => invite(person, org)),
        planned(person.createdAt + 0.03, org ? 3 : 2, () => accept(person)),
      ]
    }),
    ...spreadOut(company.disabling).map(([person, at]) => planned(at, 1, () => setDisabled(person, true))),
    ...spreadOut(company.enabling).map(([person, at]) => planned(at, 1, () => setDisabled(person, false))),
    ...spreadOut(company.deleting).map(([person, at]) => planned(at, 1, () => remove(person))),
  ]
  const certainEvents = certain.reduce((sum, [, events]) => sum + events, 0)
  const anyTime = (count: number) => Array.from({ length: count }, random).sort((a, b) => a - b)
  const steps: [at: Place, run: () => void][] = [
    ...certain.map(([at, , run]): [Place, () => void] => [at, run]),
    ...anyTime(size.signIns).map((at, number): [Place, () => void] => [at, () => signIn(number)]),
    ...anyTime(size.events - certainEvents).map((at): [Place, () => void] => [at, changeSomething]),
  ]
  for (const [at, run] of steps.sort(([a], [b]) => a - b)) {
    now = at
    run()
  }
  return { events, signIns }
}

const preferences: [key: string, values: string[]][] = [
  ['Wiki.Theme', ['dark', 'light', 'system']],
  ['Wiki.Language', ['en', 'de', 'es', 'fr', 'ja']],
  ['Desk.PageSize', ['25', '50', '100']],
  ['Stage.Autoplay', ['on', 'off']],
]
const isLater = ({ createdAt }: { createdAt: Place }) => createdAt >= 0
const idsOf = (people: Map<Person, unknown>) => [...people.keys()].map(({ id }) => id)
const planned = (at: Place, events: number, run: () => void): [Place, number, () => void] => [at, events, run]
const spreadOut = (people: Person[]) =>
  people.map((person, index): [Person, Place] => [person, (index + 0.5) / people.length])
const toggleEnd = (text: string, end: string) => (text.endsWith(end) ? text.slice(0, -end.length) : text + end)

/** A browser and an address of a person: most use one device, some a second one. Addresses are of documentation networks. */
function deviceOf({ number }: { number: number }, chosen: number): { ip: string; userAgent: string } {
  const device = chosen < 0.75 ? 0 : 1
  const host = spread(number, 207 + device)
  const network = pick(['192.0.2', '198.51.100', '203.0.113'], number, 209)
  const ip =
    host % 10 === 0
      ? `2001:db8:${hex(host & 0xff, 1)}:${hex((host >>> 8) & 0xff, 1)}::${hex((host >>> 16) & 0xff, 1)}`
      : `${network}.${1 + (host % 254)}`
  return { ip, userAgent: pick(userAgents, number + device * 3, 210) }
}
