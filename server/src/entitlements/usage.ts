import { type CountedUsage, maxUsageHours } from '@passport/contract/entitlement-usage'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { clockSlackSeconds } from '../http/clock-slack.ts'
import { invalidFields, invalidRequest, unknownOrg } from '../http/problems.ts'
import * as grantStore from './grant-store.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'
import * as usageStore from './usage-store.ts'

const hourMs = 60 * 60 * 1000

/** The current hour and the one before are closed early when a subscription ends. */
const maxSkippedHours = 2

interface Usage {
  key: string
  orgId: string
  quantity: number
  at?: string | undefined
}

/**
 * Counts usage of a quantity; returns the entitlement's id with the hour. Throws 404, and 400 `usage-too-old`,
 * `quantity-invalid` for a flag or for too much in an hour, `unknown-org`, and for a moment in the future.
 */
export function reportUsage(
  sql: Sql,
  { key, orgId, quantity, at }: Usage,
  context: Omit<ChangeContext, 'caller'> & { caller: Pick<ChangeContext['caller'], 'id'> },
): Promise<CountedUsage & { entitlementId: string }> {
  const now = Date.now()
  const moment = at === undefined ? now : Date.parse(at)
  if (moment < now - maxUsageHours * hourMs) throw problems.usageTooOld()
  if (moment > now + clockSlackSeconds * 1000) {
    const message = 'Must not be in the future.'
    throw invalidRequest(message, [{ field: 'at', code: 'in-the-future', message }])
  }
  return transaction(sql, async (sql) => {
    const entitlement = await store.findByKey(sql, key)
    if (!entitlement || entitlement.deletedAt !== null) throw problems.entitlementNotFound()
    if (entitlement.kind === 'flag') throw rejectQuantity('A flag has no usage.')
    const orgs = await grantStore.lockOrgs(sql, [orgId])
    if (!orgs.has(orgId)) throw unknownOrg()
    const report = { entitlementId: entitlement.id, orgId, quantity, at: new Date(Math.min(moment, now)).toISOString() }
    const { hour, quantity: total, former, subscriptionId } = await count(sql, report)
    const names = { org: orgs.get(orgId) ?? orgId, orgId, hour }
    await audit.record(sql, {
      action: 'entitlement.usage-reported',
      ...toActorFields(context as ChangeContext),
      target: { kind: 'entitlement', id: entitlement.id },
      before: { ...names, quantity: former },
      after: { ...names, quantity: total },
    })
    return { entitlementId: entitlement.id, orgId, hour, quantity: total, subscriptionId }
  })
}

async function count(sql: Sql, report: Omit<Parameters<typeof usageStore.add>[1], 'skippedHours'>) {
  try {
    for (let skippedHours = 0; skippedHours <= maxSkippedHours; skippedHours++) {
      const counted = await usageStore.add(sql, { ...report, skippedHours })
      if (counted) return counted
    }
    throw new Error('The next hours are closed')
  } catch (error) {
    const isTooMuch = (error as { code?: string }).code === '22003'
    throw isTooMuch ? rejectQuantity('The hour has too much usage.') : error
  }
}

const rejectQuantity = (message: string) =>
  invalidFields['quantity-invalid'](message, [{ field: 'quantity', code: 'quantity-invalid', message }])
