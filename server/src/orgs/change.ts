import type { RoleChangeQuery } from '@passport/contract/role-effect'
import { v7 as uuid } from 'uuid'
import { actorOf, type By as Doing } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { deleteAllOfOrg, holdersOfOrg, restoreAllOfOrg, touchAllOfOrg } from '../groups/of-org.ts'
import type { Preconditions } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import { refusePublicMail } from '../org-domains/public-mail.ts'
import * as domains from '../org-domains/store.ts'
import { changeRoles } from '../roles/change.ts'
import { refuseFormer } from '../roles/former.ts'
import { noSuchOrg } from './access.ts'
import { numbered, slugOf } from './slug.ts'
import * as store from './store.ts'

interface By extends Doing {
  preconditions: Preconditions
}

interface NewOrg {
  name: string
  slug?: string | undefined
  domains?: string[] | undefined
}

/** Makes an organisation. Throws 409 `slug-taken` where the slug was chosen; one from the name is made to fit. */
export function create(sql: Sql, wish: NewOrg, by: Doing): Promise<store.OrgRow> {
  refusePublicMail(wish.domains ?? [], (at) => `domains[${at}]`)
  return transaction(sql, async (sql) => {
    const org = await addWithSlug(sql, wish)
    const pending = [...new Set(wish.domains)]
    for (const domain of pending) await domains.add(sql, org.id, domain)
    await audit.record(sql, {
      action: 'org.created',
      ...actorOf(by),
      target: { kind: 'org', id: org.id },
      after: { ...told(org), domains: pending },
    })
    return org
  })
}

const triesForSlug = 100

async function addWithSlug(sql: Sql, { name, slug }: NewOrg): Promise<store.OrgRow> {
  const id = uuid()
  const wanted = slug ?? slugOf(name)
  for (let number = 1; number <= triesForSlug; number++) {
    const org = await store.add(sql, { id, name, slug: number === 1 ? wanted : numbered(wanted, number) })
    if (org) return org
    if (slug !== undefined) break
  }
  throw slugTaken()
}

/** Renames an organisation. Throws 409 `slug-taken`. */
export function rename(sql: Sql, id: string, wish: { name: string; slug: string }, by: By): Promise<store.OrgRow> {
  return transaction(sql, async (sql) => {
    const before = await store.lock(sql, id)
    await refuseFormer(sql, by.caller)
    if (!before) throw noSuchOrg()
    by.preconditions.check({ etag: String(before.version) })
    if (before.name === wish.name && before.slug === wish.slug) return before
    await unlessTaken(() => store.rename(sql, id, wish))
    if (before.name !== wish.name) await touchAllOfOrg(sql, id)
    await record(sql, 'org.changed', id, by, { before: told(before), after: told(wish) })
    return found(await store.find(sql, id))
  })
}

/** Deletes an organisation with its groups, after which people may lack the roles that these carried. */
export function remove(sql: Sql, id: string, query: RoleChangeQuery, by: By): Promise<void> {
  const concerned = (sql: Sql) => holdersOfOrg(sql, id, null)
  return changeRoles(sql, { ...query, caller: by.caller }, concerned, async (sql) => {
    const before = await store.lock(sql, id)
    if (!before) throw noSuchOrg()
    by.preconditions.check({ etag: String(before.version) })
    const groups = await deleteAllOfOrg(sql, id, await store.remove(sql, id))
    await record(sql, 'org.deleted', id, by, { before: { ...told(before), members: before.memberCount, groups } })
  })
}

/**
 * Undoes `remove`, within 30 days. Throws 409 `slug-taken` where another organisation has the slug by now; then it
 * comes back by another one.
 */
export function restore(
  sql: Sql,
  id: string,
  { slug, ...query }: RoleChangeQuery & { slug?: string | undefined },
  by: By,
): Promise<store.OrgRow> {
  const concerned = async (sql: Sql) => {
    const deleted = await store.lockDeleted(sql, id)
    return deleted ? holdersOfOrg(sql, id, deleted.deletedAt) : []
  }
  return changeRoles(sql, { ...query, caller: by.caller }, concerned, async (sql) => {
    const before = await store.lockDeleted(sql, id)
    if (!before?.deletedAt) throw noSuchOrg()
    by.preconditions.check({ etag: String(before.version) })
    await unlessTaken(() => store.restore(sql, id, slug ?? before.slug))
    const groups = await restoreAllOfOrg(sql, id, before.deletedAt)
    const after = found(await store.find(sql, id))
    await record(sql, 'org.restored', id, by, { before: told(before), after: { ...told(after), groups } })
    return after
  })
}

function found(org: store.OrgRow | undefined): store.OrgRow {
  if (!org) throw noSuchOrg()
  return org
}

async function unlessTaken(write: () => Promise<void>) {
  try {
    await write()
  } catch (error) {
    throw (error as { code?: string }).code === '23505' ? slugTaken() : error
  }
}

const slugTaken = () =>
  new Problem(409, 'slug-taken', 'Another organisation has that slug.', {
    errors: [{ field: 'slug', code: 'slug-taken', message: 'Another organisation has it.' }],
  })

const told = ({ name, slug }: { name: string; slug: string }) => ({ name, slug })

const record = (
  sql: Sql,
  action: 'org.changed' | 'org.deleted' | 'org.restored',
  id: string,
  by: By,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, ...actorOf(by), target: { kind: 'org', id }, ...change })
