import { invitationDays } from '@passport/contract/invitation-days'
import { groupNames, groupRoles, longNames, orgNames, roleDescriptions, toPersonName } from './company-names.ts'
import { generateId, hashNumber, pick, toAscii, toFraction } from './generated-directory.ts'

/* Generates a small company as it was thirty days ago; `company-activity.ts` simulates the days since then. All values
   are computed from the numbers of the records, so the same size gives the same company. */

/**
 * A time relative to the seed. From 0 up to 1, it is a fraction of the activity in the last thirty days. Below 0, it is
 * in days before these.
 */
export type RelativeTime = number

/** A grant or a membership, with the user who added it; null for the installation. */
export interface Grant {
  at: RelativeTime
  by: User | null
}
export interface User {
  number: number
  id: string
  username: string | null
  name: string
  email: string | null
  createdAt: RelativeTime
  /** The time of the first sign-in; null for a user who has not accepted their invitation. */
  activatedAt: RelativeTime | null
  disabledAt: RelativeTime | null
  deletedAt: RelativeTime | null
  lastSignInAt: RelativeTime | null
  changedAt: RelativeTime
  version: number
  /** Is disabled or deleted at some time, and therefore owns nothing. */
  isLeaving: boolean
  roles: Map<string, Grant>
  preferences: Map<string, { value: string; at: RelativeTime }>
  /** The roles and memberships of a deleted user, for a restore. */
  former: FormerMemberships | null
}
export type OrgMembership = Grant & { role: 'owner' | 'admin' | 'member' }
/** The roles and memberships of a deleted user, by the id of the group or organisation. */
export interface FormerMemberships {
  roles: [role: string, grant: Grant][]
  groups: [id: string, grant: Grant][]
  orgs: [id: string, membership: OrgMembership][]
}
export interface Org {
  number: number
  id: string
  name: string
  slug: string
  createdAt: RelativeTime
  changedAt: RelativeTime
  version: number
  members: Map<User, OrgMembership>
  /** Null until the domain is verified. */
  verifiedAt: RelativeTime | null
}
export interface Group {
  number: number
  id: string
  name: string
  description: string
  org: Org | null
  createdAt: RelativeTime
  changedAt: RelativeTime
  /** Does not change in the thirty days, except that deleted users leave it. */
  isQuiet: boolean
  version: number
  members: Map<User, Grant>
  owners: Map<User, Grant>
  roles: Map<string, Grant>
}
export interface Role {
  name: string
  description: string
  createdAt: RelativeTime
  changedAt: RelativeTime
  version: number
}
export interface Invitation {
  number: number
  id: string
  user: User
  email: string
  inviter: User
  org: Org | null
  sentAt: RelativeTime
  acceptedAt: RelativeTime | null
  version: number
}

export interface Company {
  users: User[]
  /** The administrators of the console, who are never disabled or deleted. */
  admins: User[]
  orgs: Org[]
  groups: Group[]
  roles: Role[]
  invitations: Invitation[]
  /** Users who accept their invitation within the thirty days. */
  joining: User[]
  /** Users who are invited within the thirty days, and do not accept yet. */
  invited: User[]
  /** Users who are disabled, enabled or deleted within the thirty days. */
  disabling: User[]
  enabling: User[]
  deleting: User[]
}

export interface CompanySize {
  users: number
  groups: number
  orgs: number
  /** Includes the built-in roles. */
  roles: number
  signIns: number
  /** The number of audit events other than sign-ins. */
  events: number
  sessions: number
}

/** Returns the size of a company by its users: 2,000 give 60 groups, 40 organisations and 15,000 sign-ins. */
export const toCompanySize = (users: number): CompanySize => ({
  users,
  groups: Math.min(groupNames.length, Math.max(6, Math.round(users * 0.03))),
  orgs: Math.min(orgNames.length, Math.max(4, Math.round(users * 0.02))),
  roles: 2 + Object.keys(roleDescriptions).length,
  signIns: Math.round(users * 7.5),
  events: Math.round(users * 2.5),
  sessions: Math.round(users * 0.2),
})

/** Returns the id of a record. Ids are in the order of the numbers, and contain a fixed time, so they never differ. */
export const toId = (kind: Parameters<typeof generateId>[0], number: number) =>
  generateId(kind, number, Date.UTC(2026, 0, 1) + number * 60_000)

const historyDays = 1100
const isOrgNew = (number: number) => number % 20 === 17
const isGroupNew = (number: number) => number % 20 === 13
const isRoleNew = (number: number) => number % 9 === 8

/** Generates the company of a size as it was thirty days ago. */
export function generateCompany({ users: count, ...size }: CompanySize): Company {
  const deletedCount = Math.max(1, Math.round(count * 0.006))
  const newCount = Math.round(count * 0.06)
  const invitedCount = Math.round(count * 0.04)
  const total = count + deletedCount
  const users = generateUsers(total, total - newCount)
  const [early, late] = [users.slice(0, total - newCount), users.slice(total - newCount)]
  const invited = late.filter((_, index) => index % 2 === 1)
  const invitedEarlier = early.slice(early.length - (invitedCount - invited.length))
  for (const user of [...late, ...invitedEarlier]) Object.assign(user, { activatedAt: null, lastSignInAt: null })
  const admins = early.slice(0, count < 500 ? 3 : 6)
  const employees = early.filter((user) => user.activatedAt !== null && !admins.includes(user))
  const takeLeaving = createPicker(employees, 3)
  const disabledCount = Math.round(count * 0.03)
  const disabledEarlier = takeLeaving(Math.ceil((disabledCount * 2) / 3))
  const enabling = takeLeaving(Math.round(count * 0.002))
  const disabling = takeLeaving(disabledCount - disabledEarlier.length)
  const deleting = takeLeaving(deletedCount)
  for (const user of [...disabledEarlier, ...enabling]) {
    user.disabledAt = Math.max(user.createdAt, -1 - 300 * toFraction(user.number, 101)) / 2
    user.lastSignInAt = Math.max(user.createdAt, user.disabledAt * 1.2)
    user.changedAt = user.disabledAt
    user.version++
  }
  for (const user of [...disabledEarlier, ...enabling, ...disabling, ...deleting]) user.isLeaving = true
  const staying = employees.filter(({ isLeaving }) => !isLeaving)
  const roles = generateRoles()
  const orgs = generateOrgs(size.orgs, employees, staying)
  assignUsernames(users, orgs)
  const groups = generateGroups(size.groups, count, { orgs, employees, staying, admins })
  grantRoles({ roles, groups, employees, admins })
  for (const group of groups) group.changedAt = findLastChange(group)
  return {
    users,
    admins,
    orgs,
    groups,
    roles,
    invitations: invitedEarlier
      .filter(({ email }) => email !== null)
      .map((user, number) => ({
        number,
        id: toId('invitation', number),
        user,
        email: user.email ?? '',
        inviter: pick(admins, number, 102),
        org: null,
        sentAt: Math.min(-invitationDays, user.createdAt),
        acceptedAt: null,
        version: 1,
      })),
    joining: late.filter((user) => !invited.includes(user)),
    invited,
    disabling,
    enabling,
    deleting,
  }
}

function generateUsers(total: number, earlyCount: number): User[] {
  return Array.from({ length: total }, (_, number) => {
    const isEarly = number < earlyCount
    const createdAt = isEarly
      ? -1 - historyDays * (1 - number / earlyCount) ** 1.3
      : 0.95 * ((number - earlyCount + 0.5) / (total - earlyCount))
    const lastSignInAt = -0.01 - Math.min(-createdAt - 0.02, 120 * toFraction(number, 103) ** 3)
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
      former: null,
    }
  })
}

function pickName(number: number) {
  const generated = toPersonName(toFraction(number, 104), toFraction(number, 105), toFraction(number, 106))
  if (number % 160 !== 77) return generated
  const name = pick(longNames, number, 107)
  const [first = '', last = ''] = [name.split(' ')[0], name.split(/[ -]/).at(-1)]
  return { name, first, last }
}

/** Assigns unique usernames and emails. Some users have no email; users who have not signed in have no username. */
function assignUsernames(users: User[], orgs: Org[]): void {
  const orgOf = new Map(orgs.flatMap((org) => [...org.members.keys()].map((user) => [user, org])))
  const useCounts = new Map<string, number>()
  for (const user of users) {
    const { first, last } = pickName(user.number)
    const base = `${toUsername(first)}.${toUsername(last)}`.slice(0, 28)
    const uses = useCounts.get(base) ?? 0
    useCounts.set(base, uses + 1)
    const username = uses === 0 ? base : `${base}${uses + 1}`
    const isInvited = user.activatedAt === null
    if (!isInvited) user.username = username
    const domain = orgOf.get(user)?.slug ?? 'people'
    if (isInvited || toFraction(user.number, 108) >= 0.02) user.email = `${username}@${domain}.example`
  }
}
const toUsername = (name: string) => toAscii(name).replaceAll('-', '')

/** Returns a function that takes the next items, each item once, in a deterministic random order. */
function createPicker<T extends { number: number }>(items: T[], purpose: number): (count: number) => T[] {
  const remaining = items.toSorted((a, b) => hashNumber(a.number, purpose) - hashNumber(b.number, purpose))
  return (count) => remaining.splice(0, count)
}

const generateRoles = (): Role[] =>
  Object.entries(roleDescriptions).map(([name, description], number) => {
    const createdAt = isRoleNew(number) ? 0.1 + number / 40 : -historyDays + number * 40
    return { name, description, createdAt, changedAt: createdAt, version: 1 }
  })

/** Generates organisations. Most employees are members of one; the first is the largest, and new ones are empty. */
function generateOrgs(count: number, employees: User[], staying: User[]): Org[] {
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
  const join = (org: Org | undefined, user: User | undefined, role: OrgMembership['role']) => {
    if (!org || !user || org.members.has(user)) return
    org.members.set(user, { role, at: Math.max(org.createdAt, user.createdAt), by: null })
  }
  const takeOwner = createPicker(staying, 4)
  for (const org of old) join(org, takeOwner(1)[0], 'owner')
  for (const user of employees) {
    if (toFraction(user.number, 109) < 0.05 || old.some(({ members }) => members.has(user))) continue
    const skewed = () => old[Math.floor(old.length * toFraction(user.number, 110) ** 2.2)]
    join(skewed(), user, !user.isLeaving && toFraction(user.number, 111) < 0.06 ? 'admin' : 'member')
    if (toFraction(user.number, 112) < 0.06) join(pick(old, user.number, 113), user, 'member')
  }
  return orgs
}

/** Generates groups. The first has a fifth of all users as members, the last ones one or two; new ones are empty. */
function generateGroups(
  count: number,
  userCount: number,
  { orgs, employees, staying, admins }: { orgs: Org[]; employees: User[]; staying: User[]; admins: User[] },
): Group[] {
  return Array.from({ length: count }, (_, number) => {
    const [name = '', description = ''] = groupNames[number]?.split(': ') ?? []
    const org =
      number > 5 && toFraction(number, 114) < 0.5 ? (orgs[Math.floor(8 * toFraction(number, 115))] ?? null) : null
    const createdAt = isGroupNew(number) ? 0.3 + number / 120 : -900 + number * 12
    const group: Group = {
      number,
      id: toId('group', number),
      name,
      description,
      org: org && org.createdAt < 0 ? org : null,
      createdAt,
      changedAt: createdAt,
      isQuiet: number % 2 === 1,
      version: 1,
      members: new Map(),
      owners: new Map(),
      roles: new Map(),
    }
    if (createdAt >= 0) return group
    // A quiet group has had no changes for up to a year.
    const lastChange = group.isQuiet ? Math.max(createdAt, -335) * (0.1 + 0.8 * toFraction(number, 126)) : 0
    const candidates = (group.org ? [...group.org.members.keys()] : employees).filter(
      (user) => user.createdAt < lastChange,
    )
    const size = Math.max(1, Math.round(userCount * 0.2 * (1 - number / count) ** 3.2))
    const by = pick(admins, number, 116)
    const since = (user: User) =>
      Math.min(lastChange, Math.max(createdAt, user.createdAt) * (0.2 + 0.8 * toFraction(user.number + number, 117)))
    for (const user of createPicker(candidates, 500 + number)(size)) group.members.set(user, { at: since(user), by })
    const takeOwners = createPicker(
      candidates.filter((user) => staying.includes(user)),
      600 + number,
    )
    for (const user of takeOwners(1 + (number % 3))) group.owners.set(user, { at: since(user), by })
    if (group.owners.size === 0) group.owners.set(by, { at: createdAt, by: null })
    return group
  })
}

/** Returns the time of the latest change of members, owners or roles. */
function findLastChange({ createdAt, members, owners, roles }: Group): RelativeTime {
  const times = [members, owners, roles].flatMap((grants) => [...grants.values()].map(({ at }) => at))
  return Math.max(createdAt, ...times)
}

/** Grants the common roles to many users, and some roles to groups. */
function grantRoles({
  roles,
  groups,
  employees,
  admins,
}: Pick<Company, 'roles' | 'groups' | 'admins'> & { employees: User[] }): void {
  const old = roles.filter(({ createdAt }) => createdAt < 0)
  for (const user of admins) {
    user.roles.set('Passport.Admin', { at: user.createdAt, by: null })
    user.roles.set('Passport.Developer', { at: user.createdAt, by: null })
  }
  for (const user of employees) {
    const by = pick(admins, user.number, 118)
    const at = user.createdAt * (0.3 + 0.6 * toFraction(user.number, 119))
    if (toFraction(user.number, 120) < 0.02) user.roles.set('Passport.Developer', { at, by })
    for (let index = 0; index < 2; index++) {
      if (toFraction(user.number, 121 + index) >= 0.18) continue
      const role = old[Math.floor(old.length * toFraction(user.number, 123 + index) ** 1.8)]
      if (role) user.roles.set(role.name, { at: Math.max(at, role.createdAt), by })
    }
  }
  for (const group of groups.filter(({ createdAt }) => createdAt < 0)) {
    const by = pick(admins, group.number, 125)
    for (const role of old.filter(({ name }) => groupRoles[group.name]?.includes(name)))
      group.roles.set(role.name, { at: Math.max(group.createdAt, role.createdAt), by })
  }
}
