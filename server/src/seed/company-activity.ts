import type { Company, CompanySize, Group, Org, RelativeTime, Role, User } from './company.ts'
import { toId } from './company.ts'
import { createChanges } from './company-changes.ts'
import { createSimulation, domainOf, type Event, provider, subjectOf } from './company-simulation.ts'
import { hashNumber, pick, pickByShare, toFraction, toHex } from './generated-directory.ts'

/* Simulates thirty days of activity in a company. Each change is applied to the records and audited as the server would
   audit it, so the audit log agrees with the records. */

export interface SignIn {
  user: User
  at: RelativeTime
  amr: string[]
  ip: string
  userAgent: string
}

/** One sign-in in 25 fails (4 %). */
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

type PlannedChange = [at: RelativeTime, events: number, run: () => void]

/** Applies thirty days of sign-ins and changes to a company. Returns the events, and the successful sign-ins. */
export function simulateActivity(company: Company, size: CompanySize): { events: Event[]; signIns: SignIn[] } {
  const { users, orgs, groups, roles } = company
  const simulation = createSimulation(company)
  const { random, find, exists, isActive, chooseAdmin, record, touch } = simulation
  const makeChange = createChanges(simulation, size)
  const signIns: SignIn[] = []

  function signIn(number: number): void {
    const isRegular = (user: User) => random() < toFraction(user.number, 202) ** 2.5 + 0.02
    if (isFailing(number)) recordFailure()
    else recordSuccess(find(users, (user) => isActive(user) && isRegular(user)) ?? chooseAdmin())
  }
  function recordSuccess(user: User): void {
    const amr = user.number % 3 === 0 ? ['pwd', 'otp'] : ['pwd']
    const after = { idp: provider.id, amr }
    const { ip, userAgent } = record('signin.succeeded', user, 'user', user.id, { after })
    signIns.push({ user, at: simulation.now, amr, ip, userAgent })
    user.lastSignInAt = simulation.now
  }
  function recordFailure(): void {
    const [, reason, text] = pickByShare(failures, ([share]) => share, random())
    const disabled =
      reason === 'account-disabled'
        ? find(users, (user) => exists(user) && user.disabledAt !== null && user.deletedAt === null)
        : undefined
    const stranger = toHex(hashNumber(simulation.events.length, 203), 8)
    const message = reason === 'account-disabled' ? (disabled?.id ?? reason) : text.replace(/ $/, ` ${stranger}`)
    record('signin.failed', null, 'attempt', null, { after: { idp: provider.id, message }, reason })
  }

  function invite(user: User, org: Org | null): void {
    const actor = chooseAdmin()
    const email = user.email ?? ''
    const number = company.invitations.length
    const invitation = {
      number,
      id: toId('invitation', number),
      user,
      email,
      inviter: actor,
      org,
      sentAt: simulation.now,
    }
    company.invitations.push({ ...invitation, acceptedAt: null, version: 1 })
    user.createdAt = user.changedAt = simulation.now
    const names = { username: null, displayname: user.name, email, emailVerified: false }
    record('user.created', actor, 'user', user.id, { after: names })
    record('invitation.sent', actor, 'invitation', invitation.id, {
      after: {
        email,
        displayName: user.name,
        roles: [],
        org: org?.id ?? null,
        orgRole: org && 'member',
        user: user.id,
      },
    })
  }
  function accept(user: User): void {
    const invitation = company.invitations.find((candidate) => candidate.user === user)
    if (!invitation) return
    const { org, inviter } = invitation
    invitation.acceptedAt = simulation.now
    invitation.version++
    user.activatedAt = simulation.now
    user.username = user.email?.split('@')[0] ?? null
    touch(user)
    if (org) {
      org.members.set(user, { role: 'member', at: simulation.now, by: inviter })
      touch(org)
      const after = { members: [user.id], role: 'member' }
      record('org.member-added', user, 'org', org.id, { after, reason: `invitation ${invitation.id}` })
    }
    record('invitation.accepted', user, 'invitation', invitation.id, {
      after: { user: user.id, roles: [], org: org?.id ?? null, orgRole: org && 'member', leftOut: [] },
    })
    const after = { idp: provider.id, issuer: provider.issuer, subject: subjectOf(user) }
    record('login.linked', user, 'user', user.id, { after })
    user.lastSignInAt = simulation.now
  }
  function setDisabled(user: User, isDisabled: boolean): void {
    user.disabledAt = isDisabled ? simulation.now : null
    touch(user)
    const sides = { before: { disabled: !isDisabled }, after: { disabled: isDisabled } }
    record(isDisabled ? 'user.disabled' : 'user.enabled', chooseAdmin(), 'user', user.id, sides)
  }
  function remove(user: User): void {
    const ofGroups = groups.filter(({ members }) => members.has(user))
    const ofOrgs = orgs.filter(({ members }) => members.has(user))
    /** Returns the membership of the user in each record, by its id. */
    const listMemberships = <Membership>(records: { id: string; members: Map<User, Membership> }[]) =>
      records.flatMap(({ id, members }): [string, Membership][] => {
        const membership = members.get(user)
        return membership ? [[id, membership]] : []
      })
    user.former = { roles: [...user.roles], groups: listMemberships(ofGroups), orgs: listMemberships(ofOrgs) }
    const before = {
      username: user.username,
      displayname: user.name,
      email: user.email,
      roles: [...user.roles.keys()].sort(),
      groups: ofGroups.map(({ id }) => id),
      orgs: ofOrgs.map(({ id }) => id),
    }
    for (const group of ofGroups) {
      group.members.delete(user)
      touch(group)
    }
    for (const org of ofOrgs) {
      org.members.delete(user)
      touch(org)
    }
    user.roles.clear()
    user.deletedAt = simulation.now
    touch(user)
    record('user.deleted', chooseAdmin(), 'user', user.id, { before })
  }
  function createOrg(org: Org): void {
    org.createdAt = org.changedAt = simulation.now
    const after = { slug: org.slug, name: org.name, domains: [domainOf(org)] }
    record('org.created', chooseAdmin(), 'org', org.id, { after })
  }
  function verifyDomain(org: Org): void {
    org.verifiedAt = simulation.now
    touch(org)
    const domain = domainOf(org)
    const sides = { before: { domain, status: 'pending' }, after: { domain, status: 'verified' } }
    record('org.domain-verified', chooseAdmin(), 'org', org.id, sides)
  }
  function createGroup(group: Group): void {
    group.createdAt = group.changedAt = simulation.now
    const actor = chooseAdmin()
    const membership = { at: simulation.now, by: actor }
    group.owners.set(actor, membership)
    for (let index = 0; index < 3; index++) {
      const member = find(users, (user) => isActive(user) && !user.isLeaving)
      if (member) group.members.set(member, membership)
    }
    const { name, description, org } = group
    const [members, owners] = [idsOf(group.members), idsOf(group.owners)]
    const after = { name, description, orgId: org?.id ?? null, members, owners }
    record('group.created', actor, 'group', group.id, { after })
  }
  function createRole(role: Role): void {
    role.createdAt = role.changedAt = simulation.now
    const after = { name: role.name, description: role.description }
    record('role.created', chooseAdmin(), 'role', role.name, { after })
  }

  // The changes of the plan, each with its time and its number of events. Random changes fill up to the wanted total.
  const planned: PlannedChange[] = [
    ...roles.filter(isLater).map((role): PlannedChange => [role.createdAt, 1, () => createRole(role)]),
    ...groups.filter(isLater).map((group): PlannedChange => [group.createdAt, 1, () => createGroup(group)]),
    ...orgs.filter(isLater).flatMap((org): PlannedChange[] => [
      [org.createdAt, 1, () => createOrg(org)],
      [org.createdAt + 0.1, 1, () => verifyDomain(org)],
    ]),
    ...company.invited.map((user): PlannedChange => [user.createdAt, 2, () => invite(user, null)]),
    ...company.joining.flatMap((user): PlannedChange[] => {
      const org = user.number % 3 === 0 ? null : pick(orgs.slice(0, 4), user.number, 206)
      return [
        [user.createdAt, 2, () => invite(user, org)],
        [user.createdAt + 0.03, org ? 3 : 2, () => accept(user)],
      ]
    }),
    ...spreadEvenly(company.disabling).map(([user, at]): PlannedChange => [at, 1, () => setDisabled(user, true)]),
    ...spreadEvenly(company.enabling).map(([user, at]): PlannedChange => [at, 1, () => setDisabled(user, false)]),
    ...spreadEvenly(company.deleting).map(([user, at]): PlannedChange => [at, 1, () => remove(user)]),
  ]
  const plannedEvents = planned.reduce((sum, [, events]) => sum + events, 0)
  const drawTimes = (count: number) => Array.from({ length: count }, random).sort((a, b) => a - b)
  const steps: [at: RelativeTime, run: () => void][] = [
    ...planned.map(([at, , run]): [RelativeTime, () => void] => [at, run]),
    ...drawTimes(size.signIns).map((at, number): [RelativeTime, () => void] => [at, () => signIn(number)]),
    ...drawTimes(size.events - plannedEvents).map((at): [RelativeTime, () => void] => [at, makeChange]),
  ]
  for (const [at, run] of steps.sort(([a], [b]) => a - b)) {
    simulation.now = at
    run()
  }
  return { events: simulation.events, signIns }
}

const isLater = ({ createdAt }: { createdAt: RelativeTime }) => createdAt >= 0
const idsOf = (users: Map<User, unknown>) => [...users.keys()].map(({ id }) => id)
const spreadEvenly = (users: User[]) =>
  users.map((user, index): [User, RelativeTime] => [user, (index + 0.5) / users.length])
