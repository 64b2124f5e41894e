import type { Sql } from '../database/sql.ts'
import { describeUserAgent } from '../http/user-agent.ts'
import type { Visit } from '../http/visit.ts'
import type { IdentityApis } from '../identity-apis/cache.ts'
import { type MailContext, sendMail } from '../mail/send.ts'
import type { User } from '../users/store.ts'
import { listGrantableScopes } from './scopes.ts'
import type { PersonalTokenRow } from './store.ts'

type Recipient = Pick<User, 'displayName' | 'email'>

/** Queues an email that a token was created; none for a user without an address. Users cannot switch it off. */
export async function notifyOfCreation(
  sql: Sql,
  context: MailContext & { apis: IdentityApis },
  recipient: Recipient,
  { name, scopes, expiresAt }: PersonalTokenRow,
  { ip, userAgent }: Visit,
): Promise<void> {
  const { browser, os } = describeUserAgent(userAgent)
  const origin = [ip, [browser, os].filter(Boolean).join(' on ')].filter(Boolean).join(', ')
  const grantable = await listGrantableScopes(context.apis)
  const granted = grantable.filter((scope) => scopes.includes(scope.name))
  await send(sql, context, recipient, `New personal token for your ${context.config.brandName} account`, [
    `The personal token “${name}” was created for your account from ${origin}. It is valid until ${formatDay(expiresAt)}.`,
    `A program that has it can: ${granted.map(({ description }) => description.toLowerCase()).join('; ')}.`,
    'If you did not create it, revoke it, end your other sessions, and inform an administrator.',
  ])
}

/** Queues an email that an administrator revoked a token. */
export const notifyOfRevocation = (sql: Sql, context: MailContext, recipient: Recipient, name: string): Promise<void> =>
  send(sql, context, recipient, `Personal token revoked in your ${context.config.brandName} account`, [
    `An administrator revoked your personal token “${name}”. Programs that use it no longer have access.`,
  ])

async function send(
  sql: Sql,
  context: MailContext,
  { displayName, email }: Recipient,
  subject: string,
  paragraphs: string[],
): Promise<void> {
  if (email === null) return
  await sendMail(sql, context, {
    to: { name: displayName, address: email },
    subject,
    paragraphs: [displayName === null ? 'Hello,' : `Hello ${displayName},`, ...paragraphs],
    action: { label: 'See your personal tokens', url: `${context.config.publicUrl}/app/account/tokens` },
  })
}

const formatDay = (instant: string) =>
  new Date(instant).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
