import { invitationDays } from '@passport/contract/invitation-days'
import { groupNames, groupRoles, longNames, orgNames, roleDescriptions, toPersonName } from './company-names.ts'
import { chance, generateId, pick, spread, toAscii } from './generated-directory.ts'

/* A small company as it was thirty days ago. `company-activity.ts` continues it to the present. Everything is computed
   from numbers, so the same size gives the same company. */

/**
 * A time, independent of the clock: from 0 up to 1 in the thirty days before the seed, and below 0 in days before
 * these.
 */
export type Place = number

/** A grant or a membership, with the person who gave it; null for the installation. */
export interface Given {
  at: Place
  by: Person | null
}
export interface Person {
  number: number
  id: string
  username: string | null
  name: string
  email: string | null
  createdAt: Place
  /** Of the first sign-in; null for a person who has not accepted their invitation. */
  activatedAt: Place | null
  disabledAt: Place | null
  deletedAt: Place | null
  lastSignInAt: Place | null
  changedAt: Place
  version: number
  /** Disabled or deleted at some time, so that they own nothing. */
  isLeaving: boolean
  roles: Map<string, Given>
  preferences: Map<string, { value: string; at: Place }>
  /** The memberships of a deleted person, for the restore. */
  leftBehind: LeftBehind | null
}
export type OrgMembership = Given & { role: 'owner' | 'admin' | 'member' }
/** The roles, and the ids of groups and organisations, of a deleted person. */
export interface LeftBehind {
  roles: [role: string, given: Given][]
  groups: [id: string, given: Given][]
  orgs: [id: string, given: OrgMembership][]
}
export interface Org {
  number: number
  id: string
  name: string
  slug: string
  createdAt: Place
  changedAt: Place
  version: number
  members: Map<Person, OrgMembership>
  /** Null until the domain is verified. */
  verifiedAt: Place | null
}
export interface Group {
  number: number
  id: string
  name: string
  description: string
  org: Org | null
  createdAt: Place
  version: number
  members: Map<Person, Given>
  owners: Map<Person, Given>
  roles: Map<string, Given>
}
export interface Role {
  name: string
  description: string
  createdAt: Place
  changedAt: Place
  version: number
}
export interface Invitation {
  number: number
  id: string
  person: Person
  email: string
  inviter: Person
  org: Org | null
  sentAt: Place
  acceptedAt: Place | null
  version: number
}

export interface Company {
  people: Person[]
  /** The administrators of the console. They stay. */
  admins: Person[]
  orgs: Org[]
  groups: Group[]
  roles: Role[]
  invitations: Invitation[]
  /** People who sign in for the first time in the thirty days, or do not accept their invitation in them. */
  joining: Person[]
  invited: Person[]
  /** People who are disabled, enabled or deleted in the thirty days. */
  disabling: Person[]
  enabling: Person[]
  deleting: Person[]
}

export interface CompanySize {
  people: number
  groups: number
  orgs: number
  /** With the built-in ones. */
  roles: number
  signIns: number
  /** Events of the audit that are no sign-ins. */
  events: number
  sessions: number
}

/** The sizes of everything for a number of people: 2,000 gives 60 groups, 40 organisations and 15,000 sign-ins. */
export const sizeOfCompany = (people: number): CompanySize => ({
  people,
  groups: Math.min(groupNames.length, Math.max(6, Math.round(people * 0.03))),
  orgs: Math.min(orgNames.length, Math.max(4, Math.round(people * 0.02))),
  roles: 2 + Object.keys(roleDescriptions).length,
  signIns: Math.round(people * 7.5),
  events: Math.round(people * 2.5),
  sessions: Math.round(people * 0.2),
})

/** Ids are in the order of creation. Their time is fixed: the same record has the same id whenever it is generated. */
export const toId = (kind: Parameters<typeof generateId>[0], number: number) =>
  generateId(kind, number, Date.UTC(2026, 0, 1) + number * 60_000)

const historyDays = 1100
const isOrgNew = (number: number) => number % 20 === 17
const isGroupNew = (number: number) => number % 20 === 13
const isRoleNew = (number: number) => number % 9 === 8

/** Returns the company of a size, thirty days ago. */
export function foundCompany({ people: count, ...size }: CompanySize): Company {
  const deletedCount = Math.max(1, Math.round(count * 0.006))
  const newCount = Math.round(count * 0.06)
  const invitedCount = Math.round(count * 0.04)
  const total = count + deletedCount
  const people = generatePeople(total, total - newCount)
  const [early, late] = [people.slice(0, total - newCount), people.slice(total - newCount)]
  const invited = late.filter((_, index) => index % 2 === 1)
  const invitedEarlier = early.slice(early.length - (invitedCount - invited.length))
  for (const person of [...late, ...invitedEarlier]) Object.assign(person, { activatedAt: null, lastSignInAt: null })
  const admins = early.slice(0, count < 500 ? 3 : 6)
  const employees = early.filter((person) => person.activatedAt !== null && !admins.includes(person))
  const takeLeaving = createDraw(employees, 3)
  const disabledCount = Math.round(count * 0.03)
  const disabledEarlier = takeLeaving(Math.ceil((disabledCount * 2) / 3))
  const enabling = takeLeaving(Math.round(count * 0.002))
  const disabling = takeLeaving(disabledCount - disabledEarlier.length)
  const deleting = takeLeaving(deletedCount)
  for (const person of [...disabledEarlier, ...enabling]) {
    person.disabledAt = Math.max(person.createdAt, -1 - 300 * chance(person.number, 101)) / 2
    person.lastSignInAt = Math.max(person.createdAt, person.disabledAt * 1.2)
    person.changedAt = person.disabledAt
    person.version++
  }
  for (const person of [...disabledEarlier, ...enabling, ...disabling, ...deleting]) person.isLeaving = true
  const staying = employees.filter(({ isLeaving }) => !isLeaving)
  const roles = generateRoles()
  const orgs = generateOrgs(size.orgs, employees, staying)
  giveAddresses(people, orgs)
  const groups = generateGroups(size.groups, count, { orgs, employees, staying, admins })
  grantRoles({ roles, groups, employees, admins })
  return {
    people,
    admins,
    orgs,
    groups,
    roles,
    invitations: invitedEarlier
      .filter(({ email }) => email !== null)
      .map((person, number) => ({
        number,
        id: toId('invitation', number),
        person,
        email: person.email ?? '',
        inviter: pick(admins, number, 102),
        org: null,
        sentAt: Math.min(-invitationDays, person.createdAt),
        acceptedAt: null,
        version: 1,
      })),
    joining: late.filter((person) => !invited.includes(person)),
    invited,
    disabling,
    enabling,
    deleting,
  }
}

function generatePeople(total: number, earlyCount: number): Person[] {
  return Array.from({ length: total }, (_, number) => {
    const isEarly = number < earlyCount
    const createdAt = isEarly
      ? -1 - historyDays * (1 - number / earlyCount) ** 1.3
      : 0.95 * ((number - earlyCount + 0.5) / (total - earlyCount))
    const lastSignInAt = -0.01 - Math.min(-createdAt - 0.02, 120 * chance(number, 103) ** 3)
    return {
      number,
      id: toId('user', number),
      username: null,
      name: pickName(number).name,
      email: null,
      createdAt,
      activatedAt: createdAt,
      disabledAt: null,
      deletedAt: null,
      lastSignInAt: isEarly ? lastSignInAt : null,
      changedAt: createdAt,
      version: 1,
      isLeaving: false,
      roles: new Map(),
      preferences: new Map(),
      leftBehind: null,
    }
  })
}

function pickName(number: number) {
  const generated = toPersonName(chance(number, 104), chance(number, 105), chance(number, 106))
  if (number % 160 !== 77) return generated
  const name = pick(longNames, number, 107)
  const [first = '', last = ''] = [name.split(' ')[0], name.split(/[ -]/).at(-1)]
  return { name, first, last }
}

/** Usernames and emails are unique. Some people have no email, and those who never signed in have no username. */
function giveAddresses(people: Person[], orgs: Org[]): void {
  const orgOf = new Map(orgs.flatMap((org) => [...org.members.keys()].map((person) => [person, org])))
  const seen = new Map<string, number>()
  for (const person of people) {
    const { first, last } = pickName(person.number)
    const base = `${toLogin(first)}.${toLogin(last)}`.slice(0, 28)
    const repeated = seen.get(base) ?? 0
    seen.set(base, repeated + 1)
    const username = repeated === 0 ? base : `${base}${repeated + 1}`
    const isInvited = person.activatedAt === null
    if (!isInvited) person.username = username
    const domain = orgOf.get(person)?.slug ?? 'people'
    if (isInvited || chance(person.number, 108) >= 0.02) person.email = `${username}@${domain}.example`
  }
}
const toLogin = (name: string) => toAscii(name).replaceAll('-', '')

/** Returns a function that takes a number of things, each thing once, in a deterministic order. */
function createDraw<T extends { number: number }>(things: T[], purpose: number): (count: number) => T[] {
  const left = things.toSorted((a, b) => spread(a.number, purpose) - spread(b.number, purpose))
  return (count) => left.splice(0, count)
}

const generateRoles = (): Role[] =>
  Object.entries(roleDescriptions).map(([name, description], number) => {
    const createdAt = isRoleNew(number) ? 0.1 + number / 40 : -historyDays + number * 40
    return { name, description, createdAt, changedAt: createdAt, version: 1 }
  })

/** Nearly everyone works for one organisation. The first is the largest, and new ones have no members yet. */
function generateOrgs(count: number, employees: Person[], staying: Person[]): Org[] {
  const orgs = Array.from({ length: count }, (_, number): Org => {
    const name = orgNames[number] ?? ''
    const createdAt = isOrgNew(number) ? 0.2 + number / 100 : -historyDays + number * 20
    return {
      number,
      id: toId('org', number),
      name,
      slug: toAscii(name).replace(/-+/g, '-').slice(0, 60),
      createdAt,
      changedAt: createdAt,
      version: 1,
      members: new Map(),
      verifiedAt: createdAt < 0 && number % 5 !== 4 ? createdAt + 1 : null,
    }
  })
  const old = orgs.filter(({ createdAt }) => createdAt < 0)
  const join = (org: Org | undefined, person: Person | undefined, role: OrgMembership['role']) => {
    if (!org || !person || org.members.has(person)) return
    org.members.set(person, { role, at: Math.max(org.createdAt, person.createdAt), by: null })
  }
  const takeOwner = createDraw(staying, 4)
  for (const org of old) join(org, takeOwner(1)[0], 'owner')
  for (const person of employees) {
    if (chance(person.number, 109) < 0.05 || old.some(({ members }) => members.has(person))) continue
    const skewed = () => old[Math.floor(old.length * chance(person.number, 110) ** 2.2)]
    join(skewed(), person, !person.isLeaving && chance(person.number, 111) < 0.06 ? 'admin' : 'member')
    if (chance(person.number, 112) < 0.06) join(pick(old, person.number, 113), person, 'member')
  }
  return orgs
}

/** The first group has a fifth of all people, and the last ones one or two. */
function generateGroups(
  count: number,
  peopleCount: number,
  { orgs, employees, staying, admins }: { orgs: Org[]; employees: Person[]; staying: Person[]; admins: Person[] },
): Group[] {
  return Array.from({ length: count }, (_, number) => {
    const [name = '', description = ''] = groupNames[number]?.split(': ') ?? []
    const org = number > 5 && chance(number, 114) < 0.5 ? (orgs[Math.floor(8 * chance(number, 115))] ?? null) : null
    const createdAt = isGroupNew(number) ? 0.3 + number / 120 : -900 + number * 12
    const group: Group = {
      number,
      id: toId('group', number),
      name,
      description,
      org: org && org.createdAt < 0 ? org : null,
      createdAt,
      version: 1,
      members: new Map(),
      owners: new Map(),
      roles: new Map(),
    }
    if (createdAt >= 0) return group
    const circle = group.org ? [...group.org.members.keys()] : employees
    const size = Math.max(1, Math.round(peopleCount * 0.2 * (1 - number / count) ** 3.2))
    const by = pick(admins, number, 116)
    const since = (person: Person) =>
      Math.max(createdAt, person.createdAt) * (0.2 + 0.8 * chance(person.number + number, 117))
    for (const person of createDraw(circle, 500 + number)(size)) group.members.set(person, { at: since(person), by })
    const owners = createDraw(
      circle.filter((person) => staying.includes(person)),
      600 + number,
    )
    for (const person of owners(1 + (number % 3))) group.owners.set(person, { at: since(person), by })
    if (group.owners.size === 0) group.owners.set(by, { at: createdAt, by: null })
    return group
  })
}

/** Common roles are granted to many people, and some to groups. */
function grantRoles({
  roles,
  groups,
  employees,
  admins,
}: Pick<Company, 'roles' | 'groups' | 'admins'> & { employees: Person[] }): void {
  const old = roles.filter(({ createdAt }) => createdAt < 0)
  for (const person of admins) {
    person.roles.set('Passport.Admin', { at: person.createdAt, by: null })
    person.roles.set('Passport.Developer', { at: person.createdAt, by: null })
  }
  for (const person of employees) {
    const by = pick(admins, person.number, 118)
    const at = person.createdAt * (0.3 + 0.6 * chance(person.number, 119))
    if (chance(person.number, 120) < 0.02) person.roles.set('Passport.Developer', { at, by })
    for (let index = 0; index < 2; index++) {
      if (chance(person.number, 121 + index) >= 0.18) continue
      const role = old[Math.floor(old.length * chance(person.number, 123 + index) ** 1.8)]
      if (role) person.roles.set(role.name, { at: Math.max(at, role.createdAt), by })
    }
  }
  for (const group of groups.filter(({ createdAt }) => createdAt < 0)) {
    const by = pick(admins, group.number, 125)
    for (const role of old.filter(({ name }) => groupRoles[group.name]?.includes(name)))
      group.roles.set(role.name, { at: Math.max(group.createdAt, role.createdAt) / 2, by })
  }
}
