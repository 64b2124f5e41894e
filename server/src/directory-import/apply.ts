import { v7 as uuid } from 'uuid'
import { linkLogin } from '../accounts/link-login.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { applyDocument } from '../directory-config/apply.ts'
import { commandLine } from '../directory-config/command-line.ts'
import { groupKey, readStructure, type Structure } from '../directory-config/read.ts'
import { changeMembership } from '../groups/membership.ts'
import { isPassportRole } from '../http/caller.ts'
import * as directory from '../local-directory/store.ts'
import { identityIssuer } from '../local-directory/store.ts'
import * as orgs from '../orgs/store.ts'
import { changeRoles } from '../roles/change.ts'
import { addUsers, findError, findTaken } from '../users/create.ts'
import * as users from '../users/store.ts'
import type { Source, SourceGroup, SourceUser } from './source.ts'
import * as store from './store.ts'

/** The number of users in one transaction. A crash loses at most one batch, which the next run repeats. */
const batchSize = 100

/** The fields of the audit events of an import. */
export const toActor = (importId: string): audit.ActorFields => ({ actorId: null, reason: `import ${importId}` })

/** The command line as the actor of an import, which gives none of Passport's own roles. */
const importer = { ...commandLine, caller: { ...commandLine.caller, mayGive: (role: string) => !isPassportRole(role) } }

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

/**
 * Adds what the directory lacks; changes nothing that exists. Continues where an interrupted run stopped. A dry run counts
 * the same without writing. Users who cannot be added are listed in the report.
 */
export async function applySource(sql: Sql, source: Source, { isDryRun = false } = {}): Promise<Result> {
  const structure = await transaction(sql, readStructure, { isolation: 'serializable' })
  const missing = findMissing(structure, source)
  const result: Result = {
    importId: null,
    roles: missing.roles.length,
    organisations: missing.orgs.length,
    groups: missing.groups.length,
    users: 0,
    unchanged: 0,
  }
  if (isDryRun) return previewUsers(sql, source, result)
  const importId = await store.begin(sql, source.name)
  await addStructure(sql, importId, missing)
  const targets = toTargets(await transaction(sql, readStructure, { isolation: 'serializable' }))
  for (let index = 0; index < source.users.length; index += batchSize) {
    const batch = source.users.slice(index, index + batchSize)
    const { added, unchanged } = await addBatch(sql, importId, batch, { source, targets })
    result.users += added
    result.unchanged += unchanged
  }
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

type Missing = Pick<Source, 'roles' | 'orgs' | 'groups'>

function findMissing(structure: Structure, { roles, orgs, groups }: Source): Missing {
  const existingRoles = new Set([...structure.roles.keys(), ...structure.builtInRoles])
  return {
    roles: roles.filter(({ name }) => !existingRoles.has(name)),
    orgs: orgs.filter(({ slug }) => !structure.orgs.has(slug)),
    groups: groups.filter((group) => !structure.groups.has(keyOfGroup(group))),
  }
}

const keyOfGroup = ({ org, name }: Pick<SourceGroup, 'org' | 'name'>) => groupKey(org, name.toLowerCase())

/** Adds roles, organisations and groups by the rules of the directory file, with the record of who added them. */
function addStructure(sql: Sql, importId: string, missing: Missing): Promise<void> {
  return transaction(sql, async (sql) => {
    const { done } = await applyDocument(sql, { version: 1, ...missing })
    const after = done.length > 0 ? await readStructure(sql) : undefined
    const records = done.map(({ entity, key }): store.ImportRecord => {
      const recordId =
        entity === 'organisation' ? after?.orgs.get(key)?.id : entity === 'group' ? after?.groups.get(key)?.id : key
      return { kind: entity as store.RecordKind, sourceKey: key, recordId: recordId ?? key, version: null }
    })
    if (records.length > 0) await store.addRecords(sql, importId, records)
  })
}

/** The ids of organisations and groups by their keys. */
interface Targets {
  orgs: Map<string, string>
  groups: Map<string, string>
}

const toTargets = ({ orgs, groups }: Structure): Targets => ({
  orgs: new Map([...orgs].map(([slug, { id }]) => [slug, id])),
  groups: new Map([...groups].map(([key, { id }]) => [key, id])),
})

function addBatch(
  sql: Sql,
  importId: string,
  batch: SourceUser[],
  { source, targets }: { source: Source; targets: Targets },
): Promise<{ added: number; unchanged: number }> {
  return transaction(sql, async (sql) => {
    const imported = await store.listImported(
      sql,
      batch.map(({ key }) => key),
    )
    const pending = batch.filter(({ key }) => !imported.has(key)).map((user) => ({ id: uuid(), user }))
    if (pending.length === 0) return { added: 0, unchanged: batch.length }
    const ids = pending.map(({ id }) => id)
    const results = await changeRoles(sql, importer, ids, (sql) =>
      addUsers(
        sql,
        pending.map(({ user }) => user),
        toActor(importId),
        ids,
      ),
    )
    const added = pending.filter((_, index) => results[index]?.id)
    for (const [index, { error }] of results.entries())
      if (error)
        source.report.notImported.push({ user: pending[index]?.user.label ?? '', reason: describe(error.code) })
    await addLogins(sql, added, source)
    await addToOrgs(sql, importId, added, targets)
    await addToGroups(sql, added, targets)
    const versions = new Map((await users.listRows(sql, ids)).map(({ id, version }) => [id, version]))
    const records = added.map(({ id, user }): store.ImportRecord => {
      return { kind: 'user', sourceKey: user.key, recordId: id, version: versions.get(id) ?? null }
    })
    if (records.length > 0) await store.addRecords(sql, importId, records)
    return { added: added.length, unchanged: imported.size }
  })
}

const describe = (code: string) =>
  ({ 'email-taken': 'the email is taken', 'username-taken': 'the username is taken' })[code] ?? code

type Added = { id: string; user: SourceUser }[]

/** Adds passwords to the built-in directory, and the logins of all providers. */
async function addLogins(sql: Sql, added: Added, { report }: Source) {
  for (const { id, user } of added) {
    const identities = [...user.identities]
    if (user.password) {
      const { name, hash } = user.password
      const isFree = !(await directory.findByName(sql, name))
      if (isFree) {
        const subject = await directory.add(sql, {
          name,
          displayName: user.displayName ?? user.label,
          email: user.email ?? '',
          passwordHash: hash,
          isDemoUser: false,
        })
        identities.push({ providerId: 'local', issuer: identityIssuer, subject, label: user.email ?? name })
      } else report.withoutPassword.push({ user: user.label, reason: 'the built-in directory has this name already' })
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

async function addToOrgs(sql: Sql, importId: string, added: Added, targets: Targets) {
  const members = Map.groupBy(
    added.flatMap(({ id, user }) => user.orgs.map((slug) => ({ id, orgId: targets.orgs.get(slug) }))),
    ({ orgId }) => orgId,
  )
  for (const [orgId, rows] of [...members].sort()) {
    if (orgId === undefined || !(await orgs.lock(sql, orgId))) continue
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

async function addToGroups(sql: Sql, added: Added, targets: Targets) {
  const members = Map.groupBy(
    added.flatMap(({ id, user }) =>
      user.groups.map((group) => ({ id, groupId: targets.groups.get(keyOfGroup(group)) })),
    ),
    ({ groupId }) => groupId,
  )
  for (const [groupId, rows] of [...members].sort()) {
    if (groupId === undefined) continue
    const userIds = rows.map(({ id }) => id)
    await changeMembership(sql, groupId, { list: 'members', action: 'add', userIds }, importer)
  }
}

/** Counts the users that an import would add, and lists in the report those whom it would not. */
async function previewUsers(sql: Sql, { users: all, report }: Source, result: Result): Promise<Result> {
  for (let index = 0; index < all.length; index += batchSize) {
    const batch = all.slice(index, index + batchSize)
    const imported = await store.listImported(
      sql,
      batch.map(({ key }) => key),
    )
    const pending = batch.filter(({ key }) => !imported.has(key))
    const lower = (text: string | null) => text?.toLowerCase() ?? []
    const taken = await findTaken(
      sql,
      pending.flatMap(({ email }) => lower(email)),
      pending.flatMap(({ username }) => lower(username)),
    )
    for (const user of pending) {
      const error = findError(user, taken, new Set())
      if (error) report.notImported.push({ user: user.label, reason: describe(error.code) })
      else result.users++
    }
    result.unchanged += imported.size
  }
  return result
}
