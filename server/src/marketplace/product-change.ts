import { isDeepStrictEqual } from 'node:util'
import { type AwsProductFields, toAwsProductFields } from '@passport/contract/aws-products'
import { v7 as uuid } from 'uuid'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as entitlements from '../entitlements/store.ts'
import type { Preconditions } from '../http/conditional.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import * as problems from './problems.ts'
import * as store from './product-store.ts'
import { listIdsWithAccess } from './subscription-list-store.ts'
import { refresh } from './subscriptions.ts'

interface VersionedContext extends ChangeContext {
  preconditions: Preconditions
}

/**
 * Creates a product; returns its id. Throws 409 `product-code-taken` and `product-id-taken`, and 400
 * `dimension-entitlement-invalid`.
 */
export function create(sql: Sql, fields: AwsProductFields, context: ChangeContext): Promise<string> {
  return throwIfTaken(
    transaction(sql, async (sql) => {
      await recheckCaller(sql, context.caller)
      const id = uuid()
      await store.add(sql, id, await resolveEntitlements(sql, fields))
      await record(sql, 'aws-product.created', id, context, { after: toAudited(fields) })
      return id
    }),
  )
}

/**
 * Replaces the settings and dimensions of a product; the grants of its subscriptions follow the dimensions. Throws like `create`, and 404 and 412.
 */
export function replace(sql: Sql, id: string, fields: AwsProductFields, context: VersionedContext): Promise<void> {
  return throwIfTaken(
    transaction(sql, async (sql) => {
      const before = toAwsProductFields(await lock(sql, id, context))
      if (isDeepStrictEqual(before, fields)) return
      await store.replace(sql, id, await resolveEntitlements(sql, fields))
      await refresh(sql, await listIdsWithAccess(sql, id), { actor: context.caller.id })
      await record(sql, 'aws-product.changed', id, context, { before: toAudited(before), after: toAudited(fields) })
    }),
  )
}

/** Moves a product to the trash. Throws 404, 409 `product-has-subscriptions`, and 412. */
export function remove(sql: Sql, id: string, context: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    const row = await lock(sql, id, context)
    if (Object.values(row.subscriptionCounts).some((count) => count > 0)) throw problems.productHasSubscriptions()
    await store.remove(sql, id)
    await record(sql, 'aws-product.deleted', id, context, { before: toAudited(toAwsProductFields(row)) })
  })
}

/**
 * Undoes `remove`. A dimension whose entitlement was deleted since then gives none. Throws 404, 409 `product-code-taken` and `product-id-taken`, and 412.
 */
export function restore(sql: Sql, id: string, { caller, preconditions, ...context }: VersionedContext): Promise<void> {
  return throwIfTaken(
    transaction(sql, async (sql) => {
      await recheckCaller(sql, caller)
      const version = await store.lockDeleted(sql, id)
      if (version === undefined) throw problems.productNotFound()
      preconditions.check({ etag: String(version) })
      await store.restore(sql, id)
      const row = await store.find(sql, id)
      if (!row) throw problems.productNotFound()
      const fields = await withLiveEntitlements(sql, toAwsProductFields(row))
      if (!isDeepStrictEqual(fields, toAwsProductFields(row)))
        await store.replace(sql, id, await resolveEntitlements(sql, fields))
      await record(sql, 'aws-product.restored', id, { caller, ...context }, { after: toAudited(fields) })
    }),
  )
}

/** Returns the fields without the entitlements that are deleted, and keeps the others from being deleted. */
async function withLiveEntitlements(sql: Sql, fields: AwsProductFields): Promise<AwsProductFields> {
  const keys = fields.dimensions.flatMap(({ entitlementKey }) => entitlementKey ?? [])
  const live = new Set((await entitlements.lockByKeys(sql, keys)).map(({ key }) => key))
  const toLive = (key: string | null) => (key !== null && live.has(key) ? key : null)
  return {
    ...fields,
    dimensions: fields.dimensions.map((one) => ({ ...one, entitlementKey: toLive(one.entitlementKey) })),
  }
}

async function lock(sql: Sql, id: string, { caller, preconditions }: VersionedContext): Promise<store.ProductRow> {
  await store.lock(sql, id)
  await recheckCaller(sql, caller)
  const row = await store.find(sql, id)
  if (!row) throw problems.productNotFound()
  preconditions.check({ etag: String(row.version) })
  return row
}

const takenProblems: Record<string, () => Error> = {
  aws_products_product_code_key: problems.productCodeTaken,
  aws_products_product_id_key: problems.productIdTaken,
}

/** Throws 409 if another product has the product code or the product id, which the database keeps unique. */
async function throwIfTaken<T>(change: Promise<T>): Promise<T> {
  try {
    return await change
  } catch (error) {
    const taken = takenProblems[(error as { constraint_name?: string }).constraint_name ?? '']
    throw taken ? taken() : error
  }
}

/** Replaces the keys of entitlements by their ids. Throws 400 for keys that do not exist, and for kinds that do not fit. */
async function resolveEntitlements(sql: Sql, fields: AwsProductFields): Promise<store.ProductToWrite> {
  const keys = fields.dimensions.flatMap(({ entitlementKey }) => entitlementKey ?? [])
  const found = new Map((await entitlements.lockByKeys(sql, keys)).map((row) => [row.key, row]))
  const errors = fields.dimensions.flatMap(({ kind, entitlementKey }, index) => {
    if (entitlementKey === null) return []
    const field = `dimensions[${index}].entitlementKey`
    const entitlement = found.get(entitlementKey)
    if (!entitlement)
      return [{ field, code: 'not-found', message: `The entitlement ${entitlementKey} does not exist.` }]
    return kind !== 'entitled' && entitlement.kind === 'flag'
      ? [{ field, code: 'kind-mismatch', message: `The entitlement ${entitlementKey} is a flag, which has no usage.` }]
      : []
  })
  if (errors.length > 0) throw problems.dimensionEntitlementInvalid(errors)
  return {
    ...fields,
    dimensions: fields.dimensions.map(({ entitlementKey, ...dimension }) => ({
      ...dimension,
      entitlementId: found.get(entitlementKey ?? '')?.id ?? null,
    })),
  }
}

/** Returns the fields for the audit trail, with the dimensions by key. */
const toAudited = (fields: AwsProductFields): audit.JsonObject => ({
  ...fields,
  dimensions: Object.fromEntries(
    fields.dimensions.map(({ key, kind, entitlementKey, unit }) => [
      key,
      [kind, unit && `in ${unit}`, entitlementKey && `→ ${entitlementKey}`].filter(Boolean).join(' '),
    ]),
  ),
})

const record = (
  sql: Sql,
  action: 'aws-product.created' | 'aws-product.changed' | 'aws-product.deleted' | 'aws-product.restored',
  id: string,
  context: ChangeContext,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, ...toActorFields(context), target: { kind: 'aws-product', id }, ...change })
