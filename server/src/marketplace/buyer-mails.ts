import { type Sql, transaction } from '../database/sql.ts'
import type { Message } from '../mail/message.ts'
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
  const { productName, orgName, status } = subscription
  const isActive = status === 'active'
  await queue(sql, services, subscription, contactName, {
    subject: isActive
      ? `Your subscription to ${productName} is ready`
      : `Your subscription to ${productName} is set up`,
    paragraphs: [
      isActive
        ? `The subscription to ${productName} from AWS Marketplace now belongs to ${orgName}. Its members can use it.`
        : `The subscription to ${productName} from AWS Marketplace now belongs to ${orgName}. We are waiting for AWS to confirm it, and will email you when it is ready.`,
    ],
  })
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
  const { productName, orgName, status, contactEmail } = subscription
  if (contactEmail === null) return store.recordNotice(sql, subscription.id, status)
  await queue(sql, services, { ...subscription, contactEmail }, undefined, {
    subject: `Your subscription to ${productName} ${status === 'active' ? 'is ready' : 'has ended'}`,
    paragraphs: [
      status === 'active'
        ? `AWS has confirmed the subscription to ${productName}. The members of ${orgName} can use it.`
        : `The subscription of ${orgName} to ${productName} has ended, and so has the access that came with it. You can subscribe again in AWS Marketplace.`,
    ],
  })
}

async function queue(
  sql: Sql,
  services: MailContext,
  { id, status, contactEmail, supportEmail }: Mailed,
  contactName: string | undefined,
  { subject, paragraphs }: Pick<Message, 'subject' | 'paragraphs'>,
) {
  await sendMail(sql, services, {
    to: { name: contactName ?? null, address: contactEmail },
    subject,
    paragraphs: [contactName === undefined ? 'Hello,' : `Hello ${contactName},`, ...paragraphs],
    action: { label: 'See your subscriptions', url: `${services.config.publicUrl}/app/account/subscriptions` },
    smallPrint: `Questions? Write to ${supportEmail}.`,
  })
  await store.recordNotice(sql, id, status)
}
