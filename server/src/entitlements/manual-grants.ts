import type { NewGrant } from '@passport/contract/entitlements'
import type { FieldError } from '@passport/contract/problem'
import { v7 as uuid } from 'uuid'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import { invalidFields, unknownOrg } from '../http/problems.ts'
import * as grantStore from './grant-store.ts'
import * as problems from './problems.ts'
import type { EntitlementRow } from './store.ts'

/**
 * Adds grants of an entitlement, in the caller's transaction; returns their ids. `prefixOf` is the path of a grant in
 * the request. Throws 400 `quantity-invalid`, `period-invalid` and `unknown-org`, and 409 `grant-from-aws`.
 */
export async function addGrants(
  sql: Sql,
  { id: entitlementId, kind }: Pick<EntitlementRow, 'id' | 'kind'>,
  grants: NewGrant[],
  context: ChangeContext,
  prefixOf: (index: number) => string,
): Promise<string[]> {
  if (grants.length === 0) return []
  if (grants.some(({ source }) => source === 'aws')) throw problems.grantFromAws()
  requireValid(kind, grants, prefixOf)
  const existing = await grantStore.lockOrgs(sql, [...new Set(grants.map(({ orgId }) => orgId))])
  const missing = grants.findIndex(({ orgId }) => !existing.has(orgId))
  if (missing >= 0) throw unknownOrg(`${prefixOf(missing)}orgId`)
  const now = new Date().toISOString()
  const rows = grants.map(({ orgId, quantity, startsAt = now, endsAt, note }) => ({
    id: uuid(),
    entitlementId,
    orgId,
    quantity,
    startsAt,
    endsAt,
    note,
  }))
  await grantStore.addManual(sql, rows, context.caller.id)
  await audit.recordAll(
    sql,
    rows.map(({ id, entitlementId, orgId, ...after }) => ({
      action: 'entitlement.granted',
      ...toActorFields(context),
      target: { kind: 'entitlement', id: entitlementId },
      after: { grant: id, org: existing.get(orgId) ?? orgId, orgId, ...after },
    })),
  )
  return rows.map(({ id }) => id)
}

type GrantValues = Pick<NewGrant, 'quantity' | 'startsAt' | 'endsAt'>

/** Throws 400 if a quantity lacks its number, a flag has one, or a period ends before it starts. */
function requireValid(kind: EntitlementRow['kind'], grants: GrantValues[], prefixOf: (index: number) => string): void {
  const quantities = grants.flatMap(({ quantity }, index) =>
    (quantity === null) === (kind === 'flag')
      ? []
      : [
          toError(
            `${prefixOf(index)}quantity`,
            'quantity-invalid',
            kind === 'flag' ? 'A flag has no quantity.' : 'A quantity is required.',
          ),
        ],
  )
  if (quantities.length > 0) throw invalidFields['quantity-invalid'](toDetail(quantities), quantities)
  const now = new Date().toISOString()
  const periods = grants.flatMap(({ startsAt = now, endsAt }, index) =>
    endsAt === null || endsAt > startsAt
      ? []
      : [toError(`${prefixOf(index)}endsAt`, 'period-invalid', 'Must be after the start.')],
  )
  if (periods.length > 0) throw invalidFields['period-invalid'](toDetail(periods), periods)
}

const toError = (field: string, code: string, message: string): FieldError => ({ field, code, message })
const toDetail = (errors: FieldError[]) => errors.map(({ field, message }) => `${field}: ${message}`).join(' ')
