import { Email } from '@passport/contract/email'
import type { MailTest } from '@passport/contract/mail'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import { deliverOnce } from './deliver.ts'
import { mailNotConfigured, ownEmailMissing } from './problems.ts'
import { composeMail } from './send.ts'
import * as store from './store.ts'

/**
 * Sends a test to the caller, and records it with the response of the mail server. Throws 409 without a mail server, or
 * without an address.
 */
export async function sendTest(services: Services, context: ChangeContext<Caller>): Promise<MailTest> {
  const { sql, config, vault } = services
  const { caller } = context
  if (!config.mail) throw mailNotConfigured()
  const { data: address } = Email.safeParse(caller.email)
  if (address === undefined) throw ownEmailMissing()
  const sender = caller.name ?? caller.username ?? address
  const { mail } = await composeMail(sql, services, { name: caller.name ?? null, address }, 'test', { sender })
  const { isAccepted, response, elapsedMs } = await deliverOnce({ mail: config.mail, vault }, mail)
  await transaction(sql, async (sql) => {
    await store.addEnded(sql, { ...mail, state: isAccepted ? 'sent' : 'failed' }, response)
    await audit.record(sql, {
      action: 'mail.tested',
      ...toActorFields(context),
      target: { kind: 'mail', id: mail.id },
      after: { email: mail.recipient, accepted: isAccepted, response },
    })
  })
  return { id: mail.id, recipient: mail.recipient, isAccepted, response, elapsedMs }
}
