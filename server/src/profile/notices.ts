import type { Sql } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import { toAccountChange } from '../mail/account-mails.ts'
import { notify } from '../mail/notify.ts'
import type { MailContext } from '../mail/send.ts'

interface Names {
  displayName: string | null
  username: string | null
  email: string | null
}

interface Change {
  id: string
  before: Names
  after: Names
  isByAdministrator: boolean
  /** The organisation that has verified the domain of the email, and gave it to another user. */
  owner?: string | undefined
  /** The address that the identity provider states, and that another account has. */
  refusedEmail?: string | null | undefined
  visit: Visit
}

/**
 * Queues emails that the username or the email of a user was changed, the latter to both addresses, or that another account
 * has the address that their provider states. Users cannot switch them off. A change of letter case alone is not reported.
 */
export async function notifyOfNames(
  sql: Sql,
  context: MailContext,
  { id, before, after, isByAdministrator, owner, refusedEmail, visit }: Change,
): Promise<void> {
  const change = toAccountChange(isByAdministrator ? null : visit)
  if (refusedEmail && after.email !== null) {
    const emails = { ...change, formerEmail: after.email, email: after.email, isToFormer: false, refusedEmail }
    await notify(sql, context, { ...after, id }, 'email-changed', emails)
  }
  if (!isSame(before.email, after.email)) {
    const emails = { ...change, formerEmail: before.email, email: after.email, ...(owner !== undefined && { owner }) }
    const former = { ...after, id, email: before.email }
    await notify(sql, context, former, 'email-changed', { ...emails, isToFormer: true })
    await notify(sql, context, { ...after, id }, 'email-changed', { ...emails, isToFormer: false })
  }
  if (!isSame(before.username, after.username)) {
    const usernames = { formerUsername: before.username, username: after.username }
    await notify(sql, context, { ...after, id }, 'username-changed', { ...change, ...usernames })
  }
}

const isSame = (a: string | null, b: string | null) => a?.toLowerCase() === b?.toLowerCase()
