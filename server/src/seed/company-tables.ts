import { invitationDays } from '@passport/contract/invitation-days'
import * as sessions from '../accounts/session-store.ts'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import type { Cell, CopyTarget } from '../database/bulk-load.ts'
import * as groups from '../groups/store.ts'
import * as invitations from '../invitations/store.ts'
import * as domains from '../orgs/domain-store.ts'
import * as orgs from '../orgs/store.ts'
import * as preferences from '../preferences/store.ts'
import * as roles from '../roles/store.ts'
import * as users from '../users/store.ts'
import {
  type Company,
  type CompanySize,
  type Given,
  type LeftBehind,
  type Person,
  type Place,
  toId,
} from './company.ts'
import type { SignIn } from './company-activity.ts'
import { domainOf, type Event, provider, subjectOf } from './company-life.ts'
import { chance, hex, spread } from './generated-directory.ts'

export interface Table {
  name: string
  load: CopyTarget
  rows: Cell[][]
}

const dayMs = 86_400_000
const hourMs = 3_600_000
const periodDays = 30
/** The activity of each hour of the day in UTC: several offices, most of them in Europe. */
const activityByHour = [2, 2, 2, 3, 4, 6, 10, 18, 30, 38, 40, 38, 30, 36, 40, 38, 34, 26, 18, 13, 10, 7, 4, 3]
const weekendFactor = 0.12

/**
 * Returns a function from a place to an instant: of thirty days before `now`, most activity is in office hours. The
 * order of places is the order of instants, so what happens does not depend on `now`, only when.
 */
function createCalendar(now: number): (place: Place) => number {
  const start = now - periodDays * dayMs
  const sums = [0]
  for (let hour = 0; hour < periodDays * 24; hour++) {
    const date = new Date(start + hour * hourMs)
    const isWeekend = date.getUTCDay() % 6 === 0
    const activity = (activityByHour[date.getUTCHours()] ?? 0) * (isWeekend ? weekendFactor : 1)
    sums.push((sums[hour] ?? 0) + activity)
  }
  const total = sums.at(-1) ?? 1
  return (place) => {
    if (place < 0) return start + place * dayMs
    const sum = place * total
    let [low, high] = [0, sums.length - 1]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) <= sum) low = middle
      else high = middle
    }
    const [from = 0, to = 1] = [sums[low], sums[high]]
    return Math.floor(start + (low + (sum - from) / (to - from)) * hourMs)
  }
}

/** Returns the rows of every table of a company, in the order in which they are loaded. */
export function toTables(
  company: Company,
  { events, signIns }: { events: Event[]; signIns: SignIn[] },
  size: CompanySize,
  now: number,
): Table[] {
  const instantOf = createCalendar(now)
  const at = (place: Place) => new Date(instantOf(place)).toISOString()
  const atOrNull = (place: Place | null) => (place === null ? null : at(place))
  const idOf = (person: Person | null) => person?.id ?? null
  const json = (value: object | undefined) => (value ? JSON.stringify(value) : null)
  const { people } = company
  const given = <Kind extends Given>(list: Map<Person, Kind>, toRow: (person: Person, given: Kind) => Cell[]) =>
    [...list].map(([person, one]) => [...toRow(person, one), at(one.at), idOf(one.by)])

  return [
    {
      name: 'roles',
      load: roles.definitionLoad,
      rows: company.roles.map(({ name, description, createdAt, changedAt, version }) => [
        name,
        description,
        at(createdAt),
        at(changedAt),
        version,
      ]),
    },
    {
      name: 'organisations',
      load: { ...orgs.load, columns: [...orgs.load.columns, 'version'] },
      rows: company.orgs.map(({ id, name, slug, members, createdAt, changedAt, version }) => [
        id,
        name,
        slug,
        members.size,
        at(createdAt),
        at(changedAt),
        version,
      ]),
    },
    {
      name: 'domains',
      load: domains.load,
      rows: company.orgs
        .filter(({ createdAt, verifiedAt, number }) => createdAt >= 0 || verifiedAt !== null || number % 2 === 0)
        .map((org) => [
          org.id,
          domainOf(org),
          org.verifiedAt === null ? 'pending' : 'verified',
          hex(spread(org.number, 300), 8).repeat(4),
          at(org.createdAt),
          atOrNull(org.verifiedAt),
          org.verifiedAt === null ? null : new Date(now).toISOString(),
        ]),
    },
    // Before the users, whose versions and times the trigger on memberships would change.
    {
      name: 'organisation members',
      load: { ...orgs.memberLoad, columns: [...orgs.memberLoad.columns, 'added_by'] },
      rows: company.orgs.flatMap(({ id, members }) => given(members, (person, { role }) => [id, person.id, role])),
    },
    {
      name: `users, of which ${people.length - size.people} are in the trash`,
      load: { ...users.load, columns: [...users.load.columns, 'deleted_at', 'left_behind', 'version'] },
      rows: people.map((person) => [
        person.id,
        person.username,
        person.name,
        person.email,
        person.email !== null && person.activatedAt !== null,
        atOrNull(person.disabledAt),
        atOrNull(person.activatedAt),
        atOrNull(person.lastSignInAt),
        at(person.createdAt),
        at(person.changedAt),
        atOrNull(person.deletedAt),
        person.leftBehind && JSON.stringify(toFormerMemberships(person.id, person.leftBehind, at)),
        person.version,
      ]),
    },
    {
      name: 'logins',
      load: { ...accounts.load, columns: [...accounts.load.columns, 'last_used_at'] },
      rows: people
        .filter(({ activatedAt }) => activatedAt !== null)
        .map((person) => [
          toId('login', person.number),
          person.id,
          provider.id,
          provider.issuer,
          subjectOf(person),
          person.email ?? person.username,
          atOrNull(person.activatedAt),
          atOrNull(person.lastSignInAt),
        ]),
    },
    {
      name: 'groups',
      load: { ...groups.load, columns: [...groups.load.columns, 'version'] },
      rows: company.groups.map(({ id, name, description, org, members, owners, createdAt, version }) => [
        id,
        name,
        description,
        org?.id ?? null,
        members.size,
        owners.size,
        at(createdAt),
        at(createdAt),
        version,
      ]),
    },
    {
      name: 'group members',
      load: { ...groups.memberLoad, columns: [...groups.memberLoad.columns, 'added_by'] },
      rows: company.groups.flatMap(({ id, members }) => given(members, (person) => [id, person.id])),
    },
    {
      name: 'group owners',
      load: { ...groups.ownerLoad, columns: [...groups.ownerLoad.columns, 'added_by'] },
      rows: company.groups.flatMap(({ id, owners }) => given(owners, (person) => [id, person.id])),
    },
    {
      name: 'group roles',
      load: { ...groups.roleLoad, columns: [...groups.roleLoad.columns, 'granted_at', 'granted_by'] },
      rows: company.groups.flatMap(({ id, roles }) =>
        [...roles].map(([role, grant]) => [id, role, at(grant.at), idOf(grant.by)]),
      ),
    },
    {
      name: 'user roles',
      load: { ...roles.load, columns: [...roles.load.columns, 'granted_at', 'granted_by'] },
      rows: people.flatMap(({ id, roles }) =>
        [...roles].map(([role, grant]) => [role, id, at(grant.at), idOf(grant.by)]),
      ),
    },
    {
      name: 'invitations',
      load: invitations.load,
      rows: company.invitations.map(({ number, id, person, email, inviter, org, sentAt, acceptedAt, version }) => [
        id,
        email,
        person.name,
        person.id,
        true,
        org?.id ?? null,
        inviter.id,
        toUnusableHash('invitation', number),
        toId('mail', number),
        at(sentAt),
        new Date(instantOf(sentAt) + invitationDays * dayMs).toISOString(),
        acceptedAt === null && number % 3 === 0 ? at(sentAt) : atOrNull(acceptedAt),
        acceptedAt === null ? null : person.id,
        atOrNull(acceptedAt),
        at(sentAt),
        at(acceptedAt ?? sentAt),
        version,
      ]),
    },
    {
      name: 'preferences',
      load: preferences.load,
      rows: people.flatMap(({ id, preferences }) =>
        [...preferences].map(([key, { value, at: savedAt }]) => [id, key, value, at(savedAt)]),
      ),
    },
    { name: 'sessions', load: sessions.load, rows: toSessionRows(signIns, size, now, instantOf) },
    {
      name: `audit events, of which ${size.signIns.toLocaleString('en')} are sign-ins`,
      load: audit.load,
      rows: events.map((event) => [
        toId('event', event.number),
        at(event.at),
        idOf(event.actor),
        event.action,
        event.kind,
        event.target,
        json(event.before),
        json(event.after),
        event.reason ?? null,
        event.ip,
        event.userAgent,
        [301, 302, 303, 304].map((purpose) => hex(spread(event.number, purpose), 8)).join(''),
      ]),
    },
  ]
}

function toFormerMemberships(
  userId: string,
  { roles, groups, orgs }: LeftBehind,
  at: (place: Place) => string,
): users.FormerMemberships {
  const toAdded = (given: Given) => ({ addedAt: at(given.at), addedBy: given.by?.id ?? null })
  return {
    roles: roles.map(([role, given]) => ({
      userId,
      role,
      grantedAt: at(given.at),
      grantedBy: given.by?.id ?? null,
    })),
    groups: { member: groups.map(([groupId, given]) => ({ groupId, ...toAdded(given) })), owner: [] },
    orgs: orgs.map(([orgId, given]) => ({ orgId, role: given.role, ...toAdded(given) })),
  }
}

/** The sessions of the most recent sign-ins of people who can sign in, all active within the last hours. */
function toSessionRows(signIns: SignIn[], size: CompanySize, now: number, instantOf: (place: Place) => number) {
  return signIns
    .filter(({ person }) => person.disabledAt === null && person.deletedAt === null)
    .toReversed()
    .filter((_, index) => index % 2 === 0)
    .slice(0, size.sessions)
    .map(({ person, at, amr, ip, userAgent }, number): Cell[] => {
      const createdMs = instantOf(at)
      const lastSeenMs = Math.max(createdMs, now - Math.round(8 * hourMs * chance(number, 305) ** 2))
      return [
        toUnusableHash('session', number),
        toId('session', number),
        person.id,
        toId('login', person.number),
        provider.id,
        new Date(createdMs - 2000).toISOString(),
        `{${amr.join()}}`,
        ip,
        userAgent,
        new Date(createdMs).toISOString(),
        new Date(lastSeenMs).toISOString(),
        new Date(createdMs + sessions.sessionLifetimeDays * dayMs).toISOString(),
      ]
    })
}

/** No token has this hash, so nobody can use the record: the hash of a token never has a colon. */
const toUnusableHash = (kind: string, number: number) => `generated:${kind}:${number}`
