import { v7 as uuid } from 'uuid'
import { linkLogin } from '../accounts/link-login.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { applyDocument, ConcurrentChangeError } from '../directory-config/apply.ts'
import { commandLine } from '../directory-config/command-line.ts'
import { groupKey, readStructure } from '../directory-config/read.ts'
import { fold } from '../directory-config/store.ts'
import * as lists from '../groups/list-store.ts'
import { changeMembership } from '../groups/membership.ts'
import { isPassportRole } from '../http/caller.ts'
import * as directory from '../local-directory/store.ts'
import { identityIssuer } from '../local-directory/store.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles } from '../roles/change.ts'
import { addUsers } from '../users/create.ts'
import * as users from '../users/store.ts'
import { describeError, describeRejected, type Plan, planImport } from './plan.ts'
import type { Join, RecordKind } from './report.ts'
import type { Source, SourceGroup, SourceOrg, SourceRole, SourceUser } from './source.ts'
import * as store from './store.ts'

/** The fields of the audit events of an import. */
export const toActor = (importId: string): audit.ActorFields => ({ actorId: null, reason: `import ${importId}` })

/** Returns the context of an import, which gives none of Passport's own roles. */
const toContext = (importId: string) => ({
  ...commandLine,
  caller: { ...commandLine.caller, mayGive: (role: string) => !isPassportRole(role) },
  reason: `import ${importId}`,
})

/** What an import has added, or would add. */
export interface Result {
  /** Null if nothing was added. */
  importId: string | null
  roles: number
  organisations: number
  groups: number
  users: number
  /** Users that an earlier import of the same source added. */
  unchanged: number
}

export interface ImportOptions {
  isDryRun?: boolean
  /** Decides whether to join existing records, before anything is written. By default an import joins none. */
  confirmJoins?: (joins: Join[]) => boolean | Promise<boolean>
}

/** Thrown if an import would join existing records and this is not confirmed. Nothing was written. */
export class JoinsNotConfirmed extends Error {}

/**
 * Adds what the directory lacks; changes nothing that exists. Continues where an interrupted run stopped. A dry run counts
 * the same without writing. The report lists the existing records that users join, and the users who cannot be added.
 * Throws `JoinsNotConfirmed`, and `ConcurrentChangeError` if a record that users join changes after it was listed.
 */
export async function applySource(
  sql: Sql,
  source: Source,
  { isDryRun = false, confirmJoins = () => false }: ImportOptions = {},
): Promise<Result> {
  const plan = await planImport(sql, source)
  const { missing, joins, notJoined, unchanged } = plan
  source.report.joins = joins
  for (const record of notJoined) source.report.addNotJoined(record)
  const result: Result = {
    importId: null,
    roles: missing.roles.length,
    organisations: missing.orgs.length,
    groups: missing.groups.length,
    users: plan.users,
    unchanged,
  }
  if (isDryRun) {
    source.report.notImported.push(...plan.duplicates, ...plan.notImported)
    return result
  }
  if (joins.length > 0 && !(await confirmJoins(joins))) throw new JoinsNotConfirmed('The joins are not confirmed.')
  source.report.notImported.push(...plan.duplicates)
  const importId = await store.begin(sql, source.name)
  const targets = await addStructure(sql, importId, plan)
  result.users = 0
  for (const batch of plan.batches) result.users += await addBatch(sql, importId, batch, { source, plan, targets })
  const isEmpty = result.roles + result.organisations + result.groups + result.users === 0
  const [{ users: usersBefore = 0 } = {}] = await store.list(sql, importId)
  if (isEmpty && usersBefore === 0) await store.discard(sql, importId)
  else {
    await store.finish(sql, importId, 'applied')
    await audit.record(sql, {
      ...toActor(importId),
      action: 'users.imported',
      target: { kind: 'user', id: null },
      after: { import: importId, people: result.users },
    })
    result.importId = importId
  }
  return result
}

/** The organisations and groups of the directory that records of the source stand for, added or existing. */
interface Targets {
  orgs: Map<SourceOrg, string>
  groups: Map<SourceGroup, { id: string; roles: string[] }>
}

/** Adds roles, organisations and groups by the rules of the directory file, with the record of who added them. */
function addStructure(sql: Sql, importId: string, { missing, existing, refused }: Plan): Promise<Targets> {
  const toNames = (roles: SourceRole[]) => roles.filter((role) => !refused.has(role)).map(({ name }) => name)
  const document = {
    version: 1,
    roles: missing.roles.map(({ name, description }) => ({ name, description })),
    orgs: missing.orgs.map(({ slug, name, domains }) => ({ slug, name, domains })),
    groups: missing.groups.map(({ name, description, roles }) => ({
      org: null,
      name,
      description,
      roles: toNames(roles),
    })),
  }
  return transaction(sql, async (sql) => {
    const { done } = await applyDocument(sql, document, undefined, { onlyAdds: true })
    if (done.length !== document.roles.length + document.orgs.length + document.groups.length)
      throw new ConcurrentChangeError('A record was added concurrently. Run the import again.')
    const after = await readStructure(sql)
    const records = done.map(({ entity, key }): store.ImportRecord => {
      const recordId =
        entity === 'organisation' ? after.orgs.get(key)?.id : entity === 'group' ? after.groups.get(key)?.id : key
      return { kind: entity as RecordKind, sourceKey: key, recordId: recordId ?? key, version: null }
    })
    if (records.length > 0) await store.addRecords(sql, importId, records)
    const names = await fold(
      sql,
      missing.groups.map(({ name }) => name),
    )
    const targets: Targets = { orgs: new Map(), groups: new Map() }
    for (const org of missing.orgs) targets.orgs.set(org, after.orgs.get(org.slug)?.id ?? '')
    for (const [index, group] of missing.groups.entries()) {
      const { id, roles } = after.groups.get(groupKey(null, names[index] ?? '')) ?? { id: '', roles: [] }
      targets.groups.set(group, { id, roles })
    }
    for (const [record, { kind, id, roles }] of existing) {
      if (kind === 'organisation') targets.orgs.set(record as SourceOrg, id)
      if (kind === 'group') targets.groups.set(record as SourceGroup, { id, roles })
    }
    return targets
  })
}

interface BatchContext {
  source: Source
  plan: Plan
  targets: Targets
}

/** Adds the users of a batch whom no earlier run has added; returns their number. */
function addBatch(
  sql: Sql,
  importId: string,
  batch: SourceUser[],
  { source, plan: { refused }, targets }: BatchContext,
): Promise<number> {
  return transaction(sql, async (sql) => {
    const imported = await store.listImported(
      sql,
      source.name,
      batch.map(({ key }) => key),
    )
    const pending = batch.filter(({ key }) => !imported.has(key)).map((user) => ({ id: uuid(), user }))
    if (pending.length === 0) return 0
    const ids = pending.map(({ id }) => id)
    const inputs = pending.map(({ user }) => ({
      ...user,
      roles: user.roles.filter((role) => !refused.has(role)).map(({ name }) => name),
    }))
    const results = await changeRoles(sql, toContext(importId), ids, (sql) =>
      addUsers(sql, inputs, toActor(importId), ids),
    )
    const added = pending.filter((_, index) => results[index]?.id)
    for (const [index, { user }] of pending.entries()) {
      const { errors } = results[index] ?? {}
      if (errors) source.report.notImported.push(describeRejected(user, errors.map(describeError)))
    }
    await addLogins(sql, added, source)
    await addToOrgs(sql, importId, added, targets)
    await addToGroups(sql, importId, added, targets)
    const versions = new Map((await users.listRows(sql, ids)).map(({ id, version }) => [id, version]))
    const records = added.map(({ id, user }): store.ImportRecord => {
      return { kind: 'user', sourceKey: user.key, recordId: id, version: versions.get(id) ?? null }
    })
    if (records.length > 0) await store.addRecords(sql, importId, records)
    return added.length
  })
}

type Added = { id: string; user: SourceUser }[]

/** Adds passwords to the built-in directory, and the logins of all providers. */
async function addLogins(sql: Sql, added: Added, { report }: Source) {
  for (const { id, user } of added) {
    const identities = [...user.identities]
    if (user.password) {
      const { name, hash } = user.password
      const isFree = !(await isSignInName(sql, [name, user.email]))
      if (isFree) {
        const subject = await directory.add(sql, {
          name,
          displayName: user.displayName ?? user.label,
          email: user.email ?? '',
          passwordHash: hash,
          isDemoUser: false,
        })
        identities.push({ providerId: 'local', issuer: identityIssuer, subject, label: user.email ?? name })
      } else
        report.withoutPassword.push({
          user: user.label,
          reason: 'the built-in directory has this name or email already',
        })
    }
    for (const identity of identities) {
      const isLinked = await linkLogin(sql, id, identity)
      if (!isLinked)
        report.add('dropped', 'identity', {
          reason: 'another user has it',
          record: `${user.label} at ${identity.providerId}`,
        })
    }
  }
}

/** Reports whether someone signs in to the built-in directory with one of these names or emails. */
async function isSignInName(sql: Sql, names: (string | null)[]): Promise<boolean> {
  for (const name of names) if (name && (await directory.hasSignInName(sql, name))) return true
  return false
}

async function addToOrgs(sql: Sql, importId: string, added: Added, targets: Targets) {
  const members = Map.groupBy(
    added.flatMap(({ id, user }) =>
      user.orgs.flatMap((org) => {
        const orgId = targets.orgs.get(org)
        return orgId === undefined ? [] : { id, orgId }
      }),
    ),
    ({ orgId }) => orgId,
  )
  for (const [orgId, rows] of [...members].sort()) {
    if (!(await orgs.lock(sql, orgId))) throw changedConcurrently()
    const ids = rows.map(({ id }) => id)
    await orgs.addMembers(sql, orgId, ids, { role: 'member', addedBy: null })
    await audit.record(sql, {
      ...toActor(importId),
      action: 'org.member-added',
      target: { kind: 'org', id: orgId },
      after: { members: ids, role: 'member' },
    })
  }
}

async function addToGroups(sql: Sql, importId: string, added: Added, targets: Targets) {
  const members = Map.groupBy(
    added.flatMap(({ id, user }) =>
      user.groups.flatMap((group) => {
        const target = targets.groups.get(group)
        return target ? { id, target } : []
      }),
    ),
    ({ target }) => target,
  )
  const current = await lists.listWithRoles(
    sql,
    [...members.keys()].map(({ id }) => id),
  )
  const rolesById = new Map(current.map(({ id, roles }) => [id, roles]))
  for (const [{ id, roles }, rows] of [...members].sort(([a], [b]) => (a.id < b.id ? -1 : 1))) {
    // The lock of the change of roles keeps the roles of groups as they are until the transaction ends.
    if (!isSameList(rolesById.get(id), roles)) throw changedConcurrently()
    const userIds = rows.map((row) => row.id)
    await changeMembership(sql, id, { list: 'members', action: 'add', userIds }, toContext(importId))
  }
}

const isSameList = (current: string[] | undefined, listed: string[]) =>
  String(current?.toSorted()) === String(listed.toSorted())

const changedConcurrently = () =>
  new ConcurrentChangeError('A group or organisation that users join changed. Run the import again to continue.')
