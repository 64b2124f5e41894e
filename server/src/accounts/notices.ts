import type { Sql } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import { toAccountChange } from '../mail/account-mails.ts'
import { notify, type Recipient } from '../mail/notify.ts'
import type { MailContext } from '../mail/send.ts'

/** A login that was linked or unlinked. */
interface LoginChange {
  kind: 'login-linked' | 'login-unlinked'
  providerName: string
  /** The name of the user at the provider. */
  label: string
  isByAdministrator?: boolean
  visit: Visit
}

/** Queues an email that a login was linked to an account or unlinked from it. Users cannot switch it off. */
export function notifyOfLogin(
  sql: Sql,
  context: MailContext,
  user: Recipient,
  { kind, providerName, label, isByAdministrator = false, visit }: LoginChange,
): Promise<void> {
  const change = toAccountChange(isByAdministrator ? null : visit)
  return notify(sql, context, user, kind, { ...change, providerName, label })
}
