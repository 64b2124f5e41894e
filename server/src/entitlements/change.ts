import type { EntitlementFields, NewGrant } from '@passport/contract/entitlements'
import { v7 as uuid } from 'uuid'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { addGrants } from './manual-grants.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

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
    await audit.record(sql, {
      action: 'entitlement.created',
      ...toActorFields(context),
      target: { kind: 'entitlement', id },
      after: { ...fields },
    })
    await addGrants(sql, { id, kind: fields.kind }, grants, context, (index) => `grants[${index}].`)
    return id
  })
}
