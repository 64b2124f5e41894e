import type { Sql } from '../database/sql.ts'
import { describeOrigin } from '../http/user-agent.ts'
import type { Visit } from '../http/visit.ts'
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
  const { name: brandName } = context.branding.current()
  const { publicUrl } = context.config
  const isLinked = kind === 'login-linked'
  const origin = isByAdministrator ? 'by an administrator' : `from ${describeOrigin(visit)}`
  return notify(sql, context, user, {
    kind,
    subject: `Sign-in method ${isLinked ? 'added to' : 'removed from'} your ${brandName} account`,
    summary: `${label} at ${providerName} ${isLinked ? 'can now' : 'can no longer'} sign in to your ${brandName} account. This was changed ${origin}.`,
    action: { label: 'See your sign-in methods', url: `${publicUrl}/app/account/logins` },
  })
}
