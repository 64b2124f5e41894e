import { isDeepStrictEqual } from 'node:util'
import type { EntitlementFields, NewGrant } from '@passport/contract/entitlements'
import { v7 as uuid } from 'uuid'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Preconditions } from '../http/conditional.ts'
import { invalidFields } from '../http/problems.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { addGrants } from './manual-grants.ts'
import { previewGrants } from './preview.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

interface VersionedContext extends ChangeContext {
  preconditions: Preconditions
  preview?: boolean | undefined
}

/**
 * Creates an entitlement with its first grants; returns its id. Throws 409 `key-taken`, and for the grants like
 * `addGrants`.
 */
export function create(
  sql: Sql,
  { grants, ...fields }: EntitlementFields & { grants: NewGrant[] },
  context: ChangeContext,
): Promise<string> {
  return transaction(sql, async (sql) => {
    await recheckCaller(sql, context.caller)
    const id = uuid()
    if (!(await store.add(sql, { id, ...fields }, context.caller.id))) throw problems.keyTaken()
    await record(sql, 'entitlement.created', id, context, { after: { ...fields } })
    await addGrants(sql, { id, kind: fields.kind }, grants, context, (index) => `grants[${index}].`)
    return id
  })
}

type ChangeableFields = Omit<EntitlementFields, 'key' | 'kind'>

/** Changes an entitlement. Throws 404, 412, and 400 `unit-invalid`. A preview throws `DryRunRollback`. */
export function replace(
  sql: Sql,
  id: string,
  { name, description, unit, enabled }: ChangeableFields,
  { preconditions, preview, ...context }: VersionedContext,
): Promise<void> {
  return transaction(sql, async (sql) => {
    const row = await lock(sql, id, { preconditions, ...context })
    const [before, after] = [toFields(row), { ...toFields(row), name, description, unit, enabled }]
    if (row.kind === 'flag' && unit !== null) {
      const message = 'Only a quantity has a unit.'
      throw invalidFields['unit-invalid'](message, [{ field: 'unit', code: 'unit-invalid', message }])
    }
    await previewAll(sql, preview, row, async () => {
      if (isDeepStrictEqual(before, after)) return
      await store.replace(sql, id, { name, description, unit, enabled }, context.caller.id)
      await record(sql, 'entitlement.changed', id, context, { before, after })
    })
  })
}

/**
 * Moves an entitlement to the trash, where its grants count nothing. Throws 404, 412, and 409 `entitlement-mapped`. A
 * preview throws `DryRunRollback`.
 */
export function remove(sql: Sql, id: string, { preconditions, preview, ...context }: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    const row = await lock(sql, id, { preconditions, ...context })
    const [mapping] = await store.listMappings(sql, [id])
    if (mapping) throw problems.entitlementMapped(mapping.productName, mapping.dimension)
    await previewAll(sql, preview, row, async () => {
      await store.remove(sql, id, context.caller.id)
      await record(sql, 'entitlement.deleted', id, context, { before: toFields(row) })
    })
  })
}

/** Undoes `remove`. The key is still free, because an entitlement keeps it until it is purged. Throws 404 and 412. */
export function restore(sql: Sql, id: string, { preconditions, ...context }: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    await recheckCaller(sql, context.caller)
    const row = await store.lockDeleted(sql, id)
    if (!row) throw problems.entitlementNotFound()
    preconditions.check({ etag: String(row.version) })
    await store.restore(sql, id, context.caller.id)
    await record(sql, 'entitlement.restored', id, context, { after: toFields(row) })
  })
}

/** Restores the entitlement with this key if it is in the trash, and returns its id. Throws 409 `key-taken` for another kind. */
export function restoreIfDeleted(
  sql: Sql,
  { key, kind }: Pick<EntitlementFields, 'key' | 'kind'>,
  context: VersionedContext,
): Promise<{ id: string } | undefined> {
  return transaction(sql, async (sql) => {
    const row = await store.findByKey(sql, key)
    if (!row || row.deletedAt === null) return undefined
    if (row.kind !== kind) throw problems.keyTaken()
    await restore(sql, row.id, context)
    return { id: row.id }
  })
}

async function lock(sql: Sql, id: string, { caller, preconditions }: VersionedContext): Promise<store.EntitlementRow> {
  const row = await store.lock(sql, id)
  await recheckCaller(sql, caller)
  if (!row) throw problems.entitlementNotFound()
  preconditions.check({ etag: String(row.version) })
  return row
}

const previewAll = (
  sql: Sql,
  isPreview: boolean | undefined,
  entitlement: store.EntitlementRow,
  change: () => Promise<void>,
) => previewGrants(sql, isPreview, { entitlement, orgId: null, now: new Date().toISOString(), moments: [] }, change)

const toFields = ({ key, kind, name, description, unit, enabled }: store.EntitlementRow) => ({
  key,
  kind,
  name,
  description,
  unit,
  enabled,
})

const record = (
  sql: Sql,
  action: 'entitlement.created' | 'entitlement.changed' | 'entitlement.deleted' | 'entitlement.restored',
  id: string,
  context: ChangeContext,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, ...toActorFields(context), target: { kind: 'entitlement', id }, ...change })
