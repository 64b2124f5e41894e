import { invitationDays } from '@passport/contract/invitation-days'
import * as sessions from '../accounts/session-store.ts'
import * as accounts from '../accounts/store.ts'
import * as audit from '../audit/store.ts'
import type { Cell } from '../database/bulk-load.ts'
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
  type FormerMemberships,
  type Grant,
  type RelativeTime,
  toId,
  type User,
} from './company.ts'
import type { SignIn } from './company-activity.ts'
import { domainOf, type Event, provider, subjectOf } from './company-simulation.ts'
import { type Table, toTraceId, toUsageTables } from './company-usage.ts'
import { hashNumber, toFraction, toHex } from './generated-directory.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const periodDays = 30
/** The activity of each hour of the day in UTC: several offices, most of them in Europe. */
const activityByHour = [2, 2, 2, 3, 4, 6, 10, 18, 30, 38, 40, 38, 30, 36, 40, 38, 34, 26, 18, 13, 10, 7, 4, 3]
const weekendFactor = 0.12

/**
 * Returns a function from a relative time to milliseconds since 1970. In the thirty days before `now`, most activity is
 * in office hours. It keeps the order of times, so the order of events does not depend on `now`.
 */
function createCalendar(now: number): (time: RelativeTime) => number {
  const start = now - periodDays * dayMs
  const sums = [0]
  for (let hour = 0; hour < periodDays * 24; hour++) {
    const date = new Date(start + hour * hourMs)
    const isWeekend = date.getUTCDay() % 6 === 0
    const activity = (activityByHour[date.getUTCHours()] ?? 0) * (isWeekend ? weekendFactor : 1)
    sums.push((sums[hour] ?? 0) + activity)
  }
  const total = sums.at(-1) ?? 1
  return (time) => {
    if (time < 0) return start + time * dayMs
    const sum = time * total
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

/** Returns the rows of every table of a company, in the order of loading: a row is after those that it refers to. `now` is in milliseconds since 1970. */
export function toTables(
  company: Company,
  { events, signIns }: { events: Event[]; signIns: SignIn[] },
  size: CompanySize,
  now: number,
): Table[] {
  const toMs = createCalendar(now)
  const at = (time: RelativeTime) => new Date(toMs(time)).toISOString()
  const atOrNull = (time: RelativeTime | null) => (time === null ? null : at(time))
  const idOf = (user: User | null) => user?.id ?? null
  const json = (value: object | undefined) => (value ? JSON.stringify(value) : null)
  const toGrantRows = <Kind extends Grant>(grants: Map<User, Kind>, toRow: (user: User, grant: Kind) => Cell[]) =>
    [...grants].map(([user, grant]) => [...toRow(user, grant), at(grant.at), idOf(grant.by)])

  return [
    {
      name: 'roles',
      target: roles.definitionCopyTarget,
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
      target: { ...orgs.copyTarget, columns: [...orgs.copyTarget.columns, 'version'] },
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
      target: domains.copyTarget,
      rows: company.orgs
        .filter(({ createdAt, verifiedAt, number }) => createdAt >= 0 || verifiedAt !== null || number % 2 === 0)
        .map((org) => [
          org.id,
          domainOf(org),
          org.verifiedAt === null ? 'pending' : 'verified',
          toHex(hashNumber(org.number, 300), 8).repeat(4),
          at(org.createdAt),
          atOrNull(org.verifiedAt),
          org.verifiedAt === null ? null : new Date(now).toISOString(),
        ]),
    },
    {
      name: `users, of which ${company.users.length - size.users} are in the trash`,
      target: { ...users.copyTarget, columns: [...users.copyTarget.columns, 'deleted_at', 'left_behind', 'version'] },
      rows: company.users.map((user) => [
        user.id,
        user.username,
        user.name,
        user.email,
        user.email !== null && user.activatedAt !== null,
        atOrNull(user.disabledAt),
        atOrNull(user.activatedAt),
        atOrNull(user.lastSignInAt),
        at(user.createdAt),
        at(user.changedAt),
        atOrNull(user.deletedAt),
        user.former && JSON.stringify(toFormerMemberships(user.id, user.former, at)),
        user.version,
      ]),
    },
    {
      name: 'organisation members',
      target: { ...orgs.memberCopyTarget, columns: [...orgs.memberCopyTarget.columns, 'added_by'] },
      rows: company.orgs.flatMap(({ id, members }) => toGrantRows(members, (user, { role }) => [id, user.id, role])),
    },
    {
      name: 'logins',
      target: { ...accounts.copyTarget, columns: [...accounts.copyTarget.columns, 'last_used_at'] },
      rows: company.users
        .filter(({ activatedAt }) => activatedAt !== null)
        .map((user) => [
          toId('login', user.number),
          user.id,
          provider.id,
          provider.issuer,
          subjectOf(user),
          user.email ?? user.username,
          atOrNull(user.activatedAt),
          atOrNull(user.lastSignInAt),
        ]),
    },
    {
      name: 'groups',
      target: { ...groups.copyTarget, columns: [...groups.copyTarget.columns, 'last_modified', 'version'] },
      rows: company.groups.map(({ id, name, description, org, members, owners, createdAt, changedAt, version }) => [
        id,
        name,
        description,
        org?.id ?? null,
        members.size,
        owners.size,
        at(createdAt),
        at(changedAt),
        new Date(Math.floor(toMs(changedAt) / 1000 + 1) * 1000).toISOString(),
        version,
      ]),
    },
    {
      name: 'group members',
      target: { ...groups.memberCopyTarget, columns: [...groups.memberCopyTarget.columns, 'added_by'] },
      rows: company.groups.flatMap(({ id, members }) => toGrantRows(members, (user) => [id, user.id])),
    },
    {
      name: 'group owners',
      target: { ...groups.ownerCopyTarget, columns: [...groups.ownerCopyTarget.columns, 'added_by'] },
      rows: company.groups.flatMap(({ id, owners }) => toGrantRows(owners, (user) => [id, user.id])),
    },
    {
      name: 'group roles',
      target: { ...groups.roleCopyTarget, columns: [...groups.roleCopyTarget.columns, 'granted_at', 'granted_by'] },
      rows: company.groups.flatMap(({ id, roles }) =>
        [...roles].map(([role, grant]) => [id, role, at(grant.at), idOf(grant.by)]),
      ),
    },
    {
      name: 'user roles',
      target: { ...roles.copyTarget, columns: [...roles.copyTarget.columns, 'granted_at', 'granted_by'] },
      rows: company.users.flatMap(({ id, roles }) =>
        [...roles].map(([role, grant]) => [role, id, at(grant.at), idOf(grant.by)]),
      ),
    },
    {
      name: 'invitations',
      target: invitations.copyTarget,
      rows: company.invitations.map(({ number, id, user, email, inviter, org, sentAt, acceptedAt, version }) => [
        id,
        email,
        user.name,
        user.id,
        true,
        org?.id ?? null,
        inviter.id,
        toUnusableHash('invitation', number),
        toId('mail', number),
        at(sentAt),
        new Date(toMs(sentAt) + invitationDays * dayMs).toISOString(),
        acceptedAt === null && number % 3 === 0 ? at(sentAt) : atOrNull(acceptedAt),
        acceptedAt === null ? null : user.id,
        atOrNull(acceptedAt),
        at(sentAt),
        at(acceptedAt ?? sentAt),
        version,
      ]),
    },
    {
      name: 'preferences',
      target: preferences.copyTarget,
      rows: company.users.flatMap(({ id, preferences }) =>
        [...preferences].map(([key, { value, at: savedAt }]) => [id, key, value, at(savedAt)]),
      ),
    },
    { name: 'sessions', target: sessions.copyTarget, rows: toSessionRows(signIns, size, now, toMs) },
    {
      name: `audit events, of which ${size.signIns.toLocaleString('en')} are sign-ins`,
      target: audit.copyTarget,
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
        toTraceId(event.number),
      ]),
    },
    ...toUsageTables(events, toMs, now),
  ]
}

function toFormerMemberships(
  userId: string,
  { roles, groups, orgs }: FormerMemberships,
  at: (time: RelativeTime) => string,
): users.FormerMemberships {
  const toAdded = (grant: Grant) => ({ addedAt: at(grant.at), addedBy: grant.by?.id ?? null })
  return {
    roles: roles.map(([role, grant]) => ({
      userId,
      role,
      grantedAt: at(grant.at),
      grantedBy: grant.by?.id ?? null,
    })),
    groups: { member: groups.map(([groupId, grant]) => ({ groupId, ...toAdded(grant) })), owner: [] },
    orgs: orgs.map(([orgId, membership]) => ({ orgId, role: membership.role, ...toAdded(membership) })),
  }
}

/** Returns sessions of the latest sign-ins of enabled users, each active within the last 8 hours. */
function toSessionRows(signIns: SignIn[], size: CompanySize, now: number, toMs: (time: RelativeTime) => number) {
  return signIns
    .filter(({ user }) => user.disabledAt === null && user.deletedAt === null)
    .toReversed()
    .filter((_, index) => index % 2 === 0)
    .slice(0, size.sessions)
    .map(({ user, at, amr, ip, userAgent }, number): Cell[] => {
      const createdMs = toMs(at)
      const lastSeenMs = Math.max(createdMs, now - Math.round(8 * hourMs * toFraction(number, 305) ** 2))
      return [
        toUnusableHash('session', number),
        toId('session', number),
        user.id,
        toId('login', user.number),
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

/** Returns a value that is the hash of no token, since it has a colon: the record cannot be used to sign in. */
const toUnusableHash = (kind: string, number: number) => `generated:${kind}:${number}`
