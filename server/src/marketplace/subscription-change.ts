import { isDeepStrictEqual } from 'node:util'
import type { AwsSubscriptionFields, NewAwsSubscription } from '@passport/contract/aws-subscriptions'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as grantStore from '../entitlements/grant-store.ts'
import type { Services } from '../feature.ts'
import type { Preconditions } from '../http/conditional.ts'
import { unknownOrg } from '../http/problems.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { licenseKeyOf } from './aws.ts'
import { lockMatching, wake } from './event-store.ts'
import { previewAssignment } from './preview-assignment.ts'
import * as problems from './problems.ts'
import * as products from './product-store.ts'
import * as listStore from './subscription-list-store.ts'
import * as store from './subscription-store.ts'
import { assignOrg, checkWithAws, findOrCreateSubscription, unparkEventsOf } from './subscriptions.ts'

interface VersionedContext extends ChangeContext {
  preconditions: Preconditions
}

/**
 * Creates the subscription of a licence for an organisation; returns its id. It stays pending until AWS confirms it, and
 * AWS is asked soon. Throws 400 for an unknown product or organisation, and 409 `license-exists`.
 */
export function create(sql: Sql, fields: NewAwsSubscription, context: ChangeContext): Promise<string> {
  const { productId, orgId, customerAwsAccountId, licenseArn, agreementId, contactEmail, note } = fields
  const licenseKey = licenseKeyOf(licenseArn)
  return transaction(sql, async (sql) => {
    await recheckCaller(sql, context.caller)
    await products.lock(sql, productId)
    const product = await products.find(sql, productId)
    if (!product) throw problems.unknownProduct()
    if (!product.enabled) throw problems.productDisabled()
    const org = await lockOrg(sql, orgId)
    const existing = licenseKey && (await listStore.findByLicense(sql, licenseKey))
    if (existing) throw problems.licenseExists(existing)
    const created = await findOrCreateSubscription(sql, {
      product,
      licenseKey,
      licenseArn,
      accountId: customerAwsAccountId,
      agreementId,
      source: 'manual',
    })
    await store.writeFields(sql, created.id, { agreementId, contactEmail, note })
    await assignOrg(sql, created, { orgId, actor: context.caller.id })
    await store.requestChecksOf(sql, [created.id])
    await wake(sql)
    await record(sql, 'aws-subscription.created', created.id, context, {
      after: { ...fields, product: product.name, org },
    })
    return created.id
  })
}

/** Changes the agreement, the contact and the note. Events of a new agreement count. Throws 404 and 412. */
export function replace(sql: Sql, id: string, fields: AwsSubscriptionFields, context: VersionedContext): Promise<void> {
  return transaction(sql, async (sql) => {
    await lockMatching(sql)
    const row = await lock(sql, id, context)
    const { agreementId, contactEmail, note } = row
    const before = { agreementId, contactEmail, note }
    if (isDeepStrictEqual(before, fields)) return
    await store.writeFields(sql, id, fields)
    if (fields.agreementId !== agreementId) {
      await unparkEventsOf(sql, [{ ...row, ...fields }])
      await store.requestChecksOf(sql, [id])
      await wake(sql)
    }
    await record(sql, 'aws-subscription.changed', id, context, { before, after: { ...fields } })
  })
}

/**
 * Gives a subscription to an organisation, with its grants. With `isPreview`, rolls back by throwing `DryRunRollback`
 * with an `AssignmentEffect`. Throws 400 `unknown-org`, 404 and 412.
 */
export function assign(
  sql: Sql,
  id: string,
  { orgId, isPreview }: { orgId: string; isPreview: boolean | undefined },
  context: VersionedContext,
): Promise<void> {
  return transaction(sql, async (sql) => {
    const row = await lock(sql, id, context)
    const org = await lockOrg(sql, orgId)
    if (row.orgId === orgId && !isPreview) return
    const before = await listStore.find(sql, id)
    await previewAssignment(sql, isPreview, { row, orgId }, () =>
      assignOrg(sql, row, { orgId, actor: context.caller.id }),
    )
    await record(sql, 'aws-subscription.assigned', id, context, {
      before: { org: before?.org?.name ?? null, orgId: row.orgId },
      after: { org, orgId },
    })
  })
}

/** Asks AWS about a subscription now; state and grants follow. Throws 404, and the problems of the calls to AWS. */
export async function refreshNow(services: Services, id: string, context: ChangeContext): Promise<void> {
  const before = await store.find(services.sql, id)
  const after = await checkWithAws(services, id)
  await record(services.sql, 'aws-subscription.refreshed', id, context, {
    before: { checkedAt: before?.lastCheckedAt ?? null },
    after: { checkedAt: after.lastCheckedAt },
  })
}

async function lock(sql: Sql, id: string, { caller, preconditions }: VersionedContext): Promise<store.SubscriptionRow> {
  const [row] = await store.lockAll(sql, [id])
  await recheckCaller(sql, caller)
  if (!row) throw problems.subscriptionNotFound()
  preconditions.check({ etag: String(row.version) })
  return row
}

/** Returns the name of an organisation, which is not deleted until the transaction ends. */
async function lockOrg(sql: Sql, orgId: string): Promise<string> {
  const name = (await grantStore.lockOrgs(sql, [orgId])).get(orgId)
  if (name === undefined) throw unknownOrg()
  return name
}

const record = (
  sql: Sql,
  action:
    | 'aws-subscription.created'
    | 'aws-subscription.changed'
    | 'aws-subscription.assigned'
    | 'aws-subscription.refreshed',
  id: string,
  context: ChangeContext,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, ...toActorFields(context), target: { kind: 'aws-subscription', id }, ...change })
