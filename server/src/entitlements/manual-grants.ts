import type { NewGrant } from '@passport/contract/entitlements'
import type { FieldError } from '@passport/contract/problem'
import { v7 as uuid } from 'uuid'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Preconditions } from '../http/conditional.ts'
import { invalidFields, unknownOrg } from '../http/problems.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import * as grantStore from './grant-store.ts'
import { previewGrants } from './preview.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

interface GrantChangeContext extends ChangeContext {
  preconditions: Preconditions
  preview?: boolean | undefined
}

/**
 * Grants an entitlement to an organisation; returns the id of the grant. Throws 404, and like `addGrants`. A preview
 * throws `DryRunRollback`.
 */
export function createGrant(
  sql: Sql,
  entitlementId: string,
  grant: NewGrant,
  { preview, ...context }: ChangeContext & { preview?: boolean | undefined },
): Promise<string> {
  return transaction(sql, async (sql) => {
    await recheckCaller(sql, context.caller)
    const entitlement = await store.lockForGrants(sql, entitlementId)
    if (!entitlement) throw problems.entitlementNotFound()
    const now = new Date().toISOString()
    const startsAt = grant.startsAt ?? now
    const change = { entitlement, orgId: grant.orgId, now, moments: [startsAt, grant.endsAt] }
    const [id = ''] = await previewGrants(sql, preview, change, () =>
      addGrants(sql, entitlement, [{ ...grant, startsAt }], context, () => ''),
    )
    return id
  })
}

/**
 * Adds grants of an entitlement, in the caller's transaction; returns their ids. `prefixOf` is the path of a grant in
 * the request. Throws 400 `quantity-invalid`, `period-invalid` and `unknown-org`, and 409 `grant-from-aws`.
 */
export async function addGrants(
  sql: Sql,
  { id: entitlementId, kind }: Pick<store.EntitlementRow, 'id' | 'kind'>,
  grants: NewGrant[],
  context: ChangeContext,
  prefixOf: (index: number) => string,
): Promise<string[]> {
  if (grants.length === 0) return []
  if (grants.some(({ source }) => source === 'aws')) throw problems.grantFromAws()
  const now = new Date().toISOString()
  const rows = grants.map(({ orgId, quantity, startsAt = now, endsAt, note }) => {
    return { id: uuid(), entitlementId, orgId, quantity, startsAt, endsAt, note }
  })
  requireValid(kind, rows, prefixOf)
  const orgNames = await grantStore.lockOrgs(sql, [...new Set(rows.map(({ orgId }) => orgId))])
  const missing = rows.findIndex(({ orgId }) => !orgNames.has(orgId))
  if (missing >= 0) throw unknownOrg(`${prefixOf(missing)}orgId`)
  await grantStore.addManual(sql, rows, context.caller.id)
  await audit.recordAll(
    sql,
    rows.map(({ id, orgId, quantity, startsAt, endsAt, note }) => ({
      action: 'entitlement.granted',
      ...toActorFields(context),
      target: { kind: 'entitlement', id: entitlementId },
      after: { grant: id, org: orgNames.get(orgId) ?? orgId, orgId, quantity, startsAt, endsAt, note },
    })),
  )
  return rows.map(({ id }) => id)
}

/**
 * Replaces a grant of an administrator. Throws 404, 409 `grant-from-aws`, 412, and 400 like `addGrants`. A preview throws
 * `DryRunRollback`.
 */
export function replaceGrant(
  sql: Sql,
  ids: { entitlementId: string; grantId: string },
  fields: grantStore.GrantFields,
  context: GrantChangeContext,
): Promise<void> {
  return changeGrant(sql, ids, context, 'grant-changed', (_, kind) => {
    requireValid(kind, [fields], () => '')
    return fields
  })
}

/** Ends a grant of an administrator now, unless it has ended. Throws like `replaceGrant`. */
export function closeGrant(
  sql: Sql,
  ids: { entitlementId: string; grantId: string },
  context: GrantChangeContext,
): Promise<void> {
  return changeGrant(sql, ids, context, 'grant-closed', (before, _kind, now) => ({
    ...before,
    endsAt: before.endsAt !== null && before.endsAt <= now ? before.endsAt : now,
  }))
}

function changeGrant(
  sql: Sql,
  { entitlementId, grantId }: { entitlementId: string; grantId: string },
  { preview, preconditions, ...context }: GrantChangeContext,
  action: 'grant-changed' | 'grant-closed',
  change: (before: grantStore.GrantFields, kind: store.EntitlementRow['kind'], now: string) => grantStore.GrantFields,
): Promise<void> {
  return transaction(sql, async (sql) => {
    await recheckCaller(sql, context.caller)
    const entitlement = await store.lockForGrants(sql, entitlementId)
    if (!entitlement) throw problems.entitlementNotFound()
    const locked = await grantStore.lock(sql, entitlementId, grantId)
    if (!locked) throw problems.grantNotFound()
    preconditions.check({ etag: String(locked.version) })
    if (locked.source === 'aws') throw problems.grantFromAws()
    const { orgId, quantity, startsAt, endsAt, note } = locked
    const before = { quantity, startsAt, endsAt, note }
    const now = new Date().toISOString()
    const after = change(before, entitlement.kind, now)
    const moments = [startsAt, endsAt, after.startsAt, after.endsAt]
    await previewGrants(sql, preview, { entitlement, orgId, now, moments }, async () => {
      const names = { grant: grantId, org: (await grantStore.lockOrgs(sql, [orgId])).get(orgId) ?? orgId, orgId }
      if (isSame(before, after)) return
      await grantStore.replace(sql, grantId, after, context.caller.id)
      await audit.record(sql, {
        action: `entitlement.${action}`,
        ...toActorFields(context),
        target: { kind: 'entitlement', id: entitlementId },
        before: { ...names, ...before },
        after: { ...names, ...after },
      })
    })
  })
}

const isSame = (a: grantStore.GrantFields, b: grantStore.GrantFields) =>
  a.quantity === b.quantity && a.startsAt === b.startsAt && a.endsAt === b.endsAt && a.note === b.note

type Values = Pick<grantStore.GrantFields, 'quantity' | 'startsAt' | 'endsAt'>

/** Throws 400 if a quantity lacks its number, a flag has one, or a period ends before it starts. */
function requireValid(kind: store.EntitlementRow['kind'], grants: Values[], prefixOf: (index: number) => string) {
  const message = kind === 'flag' ? 'A flag has no quantity.' : 'A quantity is required.'
  const quantities = grants.flatMap(({ quantity }, index): FieldError[] =>
    (quantity === null) === (kind === 'flag')
      ? []
      : [{ field: `${prefixOf(index)}quantity`, code: 'quantity-invalid', message }],
  )
  if (quantities.length > 0) throw invalidFields['quantity-invalid'](message, quantities)
  const periods = grants.flatMap(({ startsAt, endsAt }, index): FieldError[] =>
    endsAt === null || endsAt > startsAt
      ? []
      : [{ field: `${prefixOf(index)}endsAt`, code: 'period-invalid', message: 'Must be after the start.' }],
  )
  if (periods.length > 0) throw invalidFields['period-invalid']('The end must be after the start.', periods)
}
