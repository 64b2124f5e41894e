import { type Sql, transaction } from '../database/sql.ts'
import { groupKey, readStructure, type Structure } from '../directory-config/read.ts'
import { fold } from '../directory-config/store.ts'
import { isPassportRole } from '../http/caller.ts'
import { findErrors, findTaken, takeNames, type UserInputError } from '../users/create.ts'
import type { Join, NotJoined, RecordKind } from './report.ts'
import type { Source, SourceGroup, SourceOrg, SourceRole, SourceUser } from './source.ts'
import * as store from './store.ts'

/** The number of users in one transaction. A crash loses at most one batch, which the next run repeats. */
const batchSize = 100

type SourceRecord = SourceRole | SourceOrg | SourceGroup

/** What an import would do, found without writing. */
export interface Plan {
  /** The records that the directory lacks. */
  missing: Pick<Source, 'roles' | 'orgs' | 'groups'>
  /** The records of the directory that records of the source stand for. */
  existing: Map<SourceRecord, Pick<Join, 'kind' | 'id' | 'name' | 'roles'>>
  /** The records of the source that nobody joins, with the reasons. */
  refused: Map<SourceRecord, Pick<NotJoined, 'kind' | 'label' | 'reason'>>
  /** The users of the source in batches, each only once. */
  batches: SourceUser[][]
  /** The existing records that users and groups would join. */
  joins: Join[]
  notJoined: NotJoined[]
  /** The number of users that would be added. */
  users: number
  /** The number of users that an earlier import of the same source added. */
  unchanged: number
  /** The users that would not be added. */
  notImported: { user: string; reason: string }[]
  /** Those of them that the source has twice. */
  duplicates: { user: string; reason: string }[]
}

/** Compares a source with the directory. */
export async function planImport(sql: Sql, source: Source): Promise<Plan> {
  const structure = await transaction(sql, readStructure, { isolation: 'serializable' })
  const names = await fold(
    sql,
    source.groups.map(({ name }) => name),
  )
  const plan: Plan = {
    missing: { roles: [], orgs: [], groups: [] },
    existing: new Map(),
    refused: new Map(),
    batches: [],
    joins: [],
    notJoined: [],
    users: 0,
    unchanged: 0,
    notImported: [],
    duplicates: [],
  }
  for (const role of source.roles) resolveRole(plan, structure, role)
  for (const org of source.orgs) resolveOrg(plan, structure, org)
  resolveGroups(plan, structure, source.groups, names)
  const users = removeDuplicates(plan, source.users)
  for (let index = 0; index < users.length; index += batchSize) plan.batches.push(users.slice(index, index + batchSize))
  countJoins(plan, await findAdded(sql, plan, source.name))
  return plan
}

/** Names of Passport's own roles, however the source spells them. */
const isOwnName = (name: string) => isPassportRole(name) || /^passport\b/i.test(name)

function resolveRole({ missing, existing, refused }: Plan, structure: Structure, role: SourceRole) {
  const { name, label } = role
  if (structure.builtInRoles.has(name) || isOwnName(name))
    refused.set(role, { kind: 'role', label, reason: "an import gives none of Passport's own roles" })
  else if (structure.roles.get(name)) existing.set(role, { kind: 'role', id: name, name, roles: [] })
  else missing.roles.push(role)
}

/** An organisation is the same if the source has its slug or its name, not if only the slug of another name is the same. */
function resolveOrg({ missing, existing, refused }: Plan, structure: Structure, org: SourceOrg) {
  const found = structure.orgs.get(org.slug)
  const isSame = (a: string, b: string) => a.normalize().toLowerCase() === b.normalize().toLowerCase()
  if (!found) missing.orgs.push(org)
  else if (org.isNamedBySlug || isSame(org.name, found.name))
    existing.set(org, { kind: 'organisation', id: found.id, name: found.name, roles: [] })
  else
    refused.set(org, {
      kind: 'organisation',
      label: org.label,
      reason: `the organisation ${found.slug} has the name ${found.name} here`,
    })
}

/** Finds groups by the rules of the database, by which their names are unique. */
function resolveGroups(
  { missing, existing, refused }: Plan,
  structure: Structure,
  groups: SourceGroup[],
  names: string[],
) {
  const earlier = new Map<string, SourceGroup>()
  for (const [index, group] of groups.entries()) {
    const key = groupKey(null, names[index] ?? '')
    const [found, other] = [structure.groups.get(key), earlier.get(key)]
    const ownRoles = found?.roles.filter((role) => structure.builtInRoles.has(role) || isPassportRole(role)) ?? []
    const refuse = (reason: string) => refused.set(group, { kind: 'group', label: group.label, reason })
    if (other) refuse(`${other.label} has the same name`)
    else if (ownRoles.length > 0) refuse(`the group ${found?.name} has ${ownRoles.join(' and ')}`)
    else if (found) existing.set(group, { kind: 'group', id: found.id, name: found.name, roles: found.roles })
    else missing.groups.push(group)
    earlier.set(key, other ?? group)
  }
}

function removeDuplicates({ duplicates }: Plan, users: SourceUser[]): SourceUser[] {
  const keys = new Set<string>()
  return users.filter((user) => {
    const isNew = !keys.has(user.key)
    if (!isNew) duplicates.push(describeRejected(user, ['an earlier user of the source has the same id or name']))
    keys.add(user.key)
    return isNew
  })
}

/** Returns the users that the import would add, and counts the others. */
async function findAdded(sql: Sql, plan: Plan, sourceName: string): Promise<SourceUser[]> {
  const taken = { emails: new Set<string>(), usernames: new Set<string>() }
  const lower = (text: string | null) => text?.toLowerCase() ?? []
  const added: SourceUser[] = []
  for (const batch of plan.batches) {
    const imported = await store.listImported(
      sql,
      sourceName,
      batch.map(({ key }) => key),
    )
    plan.unchanged += imported.size
    const pending = batch.filter(({ key }) => !imported.has(key))
    const current = await findTaken(
      sql,
      pending.flatMap(({ email }) => lower(email)),
      pending.flatMap(({ username }) => lower(username)),
    )
    for (const email of current.emails) taken.emails.add(email)
    for (const username of current.usernames) taken.usernames.add(username)
    for (const user of pending) {
      const { email, username } = user
      const errors = findErrors({ email, username, roles: [] }, taken, new Set())
      if (errors.length > 0) plan.notImported.push(describeRejected(user, errors.map(describeError)))
      else {
        takeNames(user, taken)
        added.push(user)
      }
    }
  }
  plan.users = added.length
  return added
}

/** Describes a user who is not added, with the line of the source if it has lines. */
export const describeRejected = ({ label, line }: Pick<SourceUser, 'label' | 'line'>, reasons: string[]) => {
  return { user: label, reason: `${line === null ? '' : `line ${line}: `}${reasons.join(', ')}` }
}

/** Returns why a user cannot be added. */
export const describeError = ({ code }: UserInputError): string =>
  (({ 'email-taken': 'the email is taken', 'username-taken': 'the username is taken' }) as Record<string, string>)[
    code
  ] ?? code

/** Counts the users who would join each record of the source, and the new groups with a role of it. */
function countJoins(plan: Plan, users: SourceUser[]) {
  const counts = new Map<SourceRecord, { users: number; groups: number }>()
  const count = (record: SourceRecord, what: 'users' | 'groups') => {
    const found = counts.get(record) ?? { users: 0, groups: 0 }
    found[what]++
    counts.set(record, found)
  }
  for (const { roles, orgs, groups } of users)
    for (const record of new Set([...roles, ...orgs, ...groups])) count(record, 'users')
  for (const { roles } of plan.missing.groups) for (const role of roles) count(role, 'groups')
  for (const [record, found] of counts) {
    const [existing, refused] = [plan.existing.get(record), plan.refused.get(record)]
    if (existing) plan.joins.push({ ...existing, label: record.label, ...found })
    if (refused) plan.notJoined.push({ ...refused, users: found.users })
  }
  const order: RecordKind[] = ['role', 'organisation', 'group']
  plan.joins.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
}
