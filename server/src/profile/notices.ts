import type { Sql } from '../database/sql.ts'
import { describeOrigin } from '../http/user-agent.ts'
import type { Visit } from '../http/visit.ts'
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
  visit: Visit
}

/**
 * Queues emails that the username or the email of a user was changed, the latter to both addresses. Users cannot switch
 * them off. A change of letter case alone is not reported.
 */
export async function notifyOfNames(
  sql: Sql,
  context: MailContext,
  { id, before, after, isByAdministrator, visit }: Change,
): Promise<void> {
  const { name: brandName } = context.branding.current()
  const { publicUrl } = context.config
  const action = { label: 'See your profile', url: `${publicUrl}/app/account/profile` }
  const origin = isByAdministrator ? 'by an administrator' : `from ${describeOrigin(visit)}`
  if (!isSame(before.email, after.email)) {
    const subject = `The email of your ${brandName} account was changed`
    const notice = { kind: 'email-changed', subject, action } as const
    await notify(
      sql,
      context,
      { ...after, id, email: before.email },
      {
        ...notice,
        summary: `${before.email} is no longer the email of your ${brandName} account. This was changed ${origin}.`,
      },
    )
    await notify(
      sql,
      context,
      { ...after, id },
      {
        ...notice,
        summary: `${after.email} is now the email of your ${brandName} account. This was changed ${origin}.`,
      },
    )
  }
  if (!isSame(before.username, after.username))
    await notify(
      sql,
      context,
      { ...after, id },
      {
        kind: 'username-changed',
        subject: `The username of your ${brandName} account was changed`,
        summary: `The username of your ${brandName} account is now ${after.username ?? 'empty'}. It was ${before.username ?? 'empty'}. This was changed ${origin}.`,
        action,
      },
    )
}

const isSame = (a: string | null, b: string | null) => a?.toLowerCase() === b?.toLowerCase()
