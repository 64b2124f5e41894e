import { type Sql, transaction } from '../database/sql.ts'
import type { MailData } from '../mail/kinds.ts'
import { type MailContext, sendMail } from '../mail/send.ts'
import * as store from './buyer-store.ts'

/** The subscriptions of one transaction of `sendBuyerMails`. */
const batchSize = 50

type Mailed = Pick<store.BuyerSubscriptionRow, 'id' | 'productName' | 'orgName' | 'status' | 'supportEmail'> & {
  contactEmail: string
}

/** Queues the confirmation of a redeemed subscription in the caller's transaction. */
export async function queueConfirmation(
  sql: Sql,
  services: MailContext,
  subscription: Mailed,
  contactName: string | undefined,
): Promise<void> {
  const change = subscription.status === 'active' ? 'active' : 'pending'
  await queue(sql, services, subscription, contactName, change)
}

/** Queues emails about redeemed subscriptions that became active or ended since the last one. */
export async function sendBuyerMails({ sql, ...services }: MailContext & { sql: Sql }): Promise<void> {
  for (;;) {
    const count = await transaction(sql, async (sql) => {
      const changed = await store.lockChanged(sql, batchSize)
      for (const subscription of changed) await queueChange(sql, services, subscription)
      return changed.length
    })
    if (count < batchSize) return
  }
}

async function queueChange(sql: Sql, services: MailContext, subscription: store.BuyerSubscriptionRow) {
  const { status, contactEmail } = subscription
  if (contactEmail === null) return store.recordNotice(sql, subscription.id, status)
  const change = status === 'active' ? 'confirmed' : 'ended'
  await queue(sql, services, { ...subscription, contactEmail }, undefined, change)
}

async function queue(
  sql: Sql,
  services: MailContext,
  { id, status, productName, orgName, contactEmail, supportEmail }: Mailed,
  contactName: string | undefined,
  change: MailData<'subscription'>['change'],
) {
  const to = { name: contactName ?? null, address: contactEmail }
  await sendMail(sql, services, to, 'subscription', { productName, orgName, supportEmail, change })
  await store.recordNotice(sql, id, status)
}
