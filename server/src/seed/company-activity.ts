import type { Company, CompanySize, Group, Org, Person, Place, Role } from './company.ts'
import { toId } from './company.ts'
import { createChanges } from './company-changes.ts'
import { createLife, domainOf, type Event, provider, subjectOf } from './company-life.ts'
import { chance, hex, pick, pickByShare, spread } from './generated-directory.ts'

/* Thirty days in a company: each change is applied to its records and recorded as the services record it, so the audit
   agrees with the records. */

export interface SignIn {
  person: Person
  at: Place
  amr: string[]
  ip: string
  userAgent: string
}

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
  const { people, orgs, groups, roles } = company
  const life = createLife(company)
  const { random, find, exists, isActive, admin, record, touch } = life
  const changeSomething = createChanges(life, size)
  const signIns: SignIn[] = []

  function signIn(number: number): void {
    const isRegular = (person: Person) => random() < chance(person.number, 202) ** 2.5 + 0.02
    if (isFailing(number)) failToSignIn()
    else succeed(find(people, (person) => isActive(person) && isRegular(person)) ?? admin())
  }
  function succeed(person: Person): void {
    const amr = person.number % 3 === 0 ? ['pwd', 'otp'] : ['pwd']
    const after = { idp: provider.id, amr }
    const { ip, userAgent } = record('signin.succeeded', person, 'user', person.id, { after })
    signIns.push({ person, at: life.now, amr, ip, userAgent })
    person.lastSignInAt = life.now
  }
  function failToSignIn(): void {
    const [, reason, text] = pickByShare(failures, ([share]) => share, random())
    const disabled =
      reason === 'account-disabled'
        ? find(people, (person) => exists(person) && person.disabledAt !== null && person.deletedAt === null)
        : undefined
    const stranger = hex(spread(life.events.length, 203), 8)
    const message = reason === 'account-disabled' ? (disabled?.id ?? reason) : text.replace(/ $/, ` ${stranger}`)
    record('signin.failed', null, 'attempt', null, { after: { idp: provider.id, message }, reason })
  }

  function invite(person: Person, org: Org | null): void {
    const actor = admin()
    const email = person.email ?? ''
    const number = company.invitations.length
    const invitation = { number, id: toId('invitation', number), person, email, inviter: actor, org, sentAt: life.now }
    company.invitations.push({ ...invitation, acceptedAt: null, version: 1 })
    person.createdAt = person.changedAt = life.now
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
    invitation.acceptedAt = life.now
    invitation.version++
    person.activatedAt = life.now
    person.username = person.email?.split('@')[0] ?? null
    touch(person)
    if (org) {
      org.members.set(person, { role: 'member', at: life.now, by: inviter })
      touch(org)
      const after = { members: [person.id], role: 'member' }
      record('org.member-added', person, 'org', org.id, { after, reason: `invitation ${invitation.id}` })
    }
    record('invitation.accepted', person, 'invitation', invitation.id, {
      after: { user: person.id, roles: [], org: org?.id ?? null, orgRole: org && 'member', leftOut: [] },
    })
    const after = { idp: provider.id, issuer: provider.issuer, subject: subjectOf(person) }
    record('login.linked', person, 'user', person.id, { after })
    person.lastSignInAt = life.now
  }
  function setDisabled(person: Person, isDisabled: boolean): void {
    person.disabledAt = isDisabled ? life.now : null
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
    person.deletedAt = life.now
    touch(person)
    record('user.deleted', admin(), 'user', person.id, { before })
  }
  function createOrg(org: Org): void {
    org.createdAt = org.changedAt = life.now
    const after = { slug: org.slug, name: org.name, domains: [domainOf(org)] }
    record('org.created', admin(), 'org', org.id, { after })
  }
  function verifyDomain(org: Org): void {
    org.verifiedAt = life.now
    touch(org)
    const domain = domainOf(org)
    const sides = { before: { domain, status: 'pending' }, after: { domain, status: 'verified' } }
    record('org.domain-verified', admin(), 'org', org.id, sides)
  }
  function createGroup(group: Group): void {
    group.createdAt = life.now
    const actor = admin()
    const given = { at: life.now, by: actor }
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
    role.createdAt = role.changedAt = life.now
    const after = { name: role.name, description: role.description }
    record('role.created', admin(), 'role', role.name, { after })
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
    life.now = at
    run()
  }
  return { events: life.events, signIns }
}

const isLater = ({ createdAt }: { createdAt: Place }) => createdAt >= 0
const idsOf = (people: Map<Person, unknown>) => [...people.keys()].map(({ id }) => id)
const planned = (at: Place, events: number, run: () => void): [Place, number, () => void] => [at, events, run]
const spreadOut = (people: Person[]) =>
  people.map((person, index): [Person, Place] => [person, (index + 0.5) / people.length])
