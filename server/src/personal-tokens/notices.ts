import { Email } from '@passport/contract/email'
import type { Sql } from '../database/sql.ts'
import { describeOrigin } from '../http/user-agent.ts'
import type { Visit } from '../http/visit.ts'
import type { IdentityApis } from '../identity-apis/cache.ts'
import { notify, type Recipient } from '../mail/notify.ts'
import { type MailContext, sendMail } from '../mail/send.ts'
import { listGrantableScopes } from './scopes.ts'
import type { ExpiringToken, PersonalTokenRow } from './store.ts'

/** Queues an email that a token was created; none for a user without an address. Users cannot switch it off. */
export async function notifyOfCreation(
  sql: Sql,
  context: MailContext & { apis: IdentityApis },
  recipient: Recipient,
  { id, name, scopes, expiresAt }: PersonalTokenRow,
  visit: Visit,
): Promise<void> {
  const grantable = await listGrantableScopes(context.apis)
  const granted = grantable.filter((scope) => scopes.includes(scope.name))
  await notify(sql, context, recipient, {
    kind: 'personal-token-created',
    subject: `New personal token for your ${context.branding.current().name} account`,
    summary: `The personal token “${name}” was created for your account from ${describeOrigin(visit)}. It is valid until ${formatDay(expiresAt)}.`,
    paragraphs: [
      `A program that has it can: ${granted.map(({ description }) => description.toLowerCase()).join('; ')}.`,
      'If you did not create it, revoke it, end your other sessions, and inform an administrator.',
    ],
    action: toAction(context),
    ends: { personalTokenId: id },
  })
}

/** Queues an email that an administrator revoked a token. */
export async function notifyOfRevocation(
  sql: Sql,
  context: MailContext,
  { displayName, email }: Recipient,
  name: string,
): Promise<void> {
  if (email === null) return
  await sendMail(sql, context, {
    to: { name: displayName, address: email },
    subject: `Personal token revoked in your ${context.branding.current().name} account`,
    paragraphs: [
      displayName === null ? 'Hello,' : `Hello ${displayName},`,
      `An administrator revoked your personal token “${name}”. Programs that use it no longer have access.`,
    ],
    action: toAction(context),
  })
}

/** Queues an email that tokens expire soon. */
export async function notifyOfExpiry(
  sql: Sql,
  context: MailContext,
  { displayName, email }: Recipient,
  tokens: ExpiringToken[],
): Promise<void> {
  if (!Email.safeParse(email).success || email === null) return
  const [first, ...others] = tokens
  if (!first) return
  const { brandName } = context.config
  await sendMail(sql, context, {
    to: { name: displayName, address: email },
    subject:
      others.length === 0
        ? `A personal token of your ${brandName} account expires soon`
        : `${tokens.length} personal tokens of your ${brandName} account expire soon`,
    paragraphs: [
      displayName === null ? 'Hello,' : `Hello ${displayName},`,
      ...tokens.map(
        ({ name, start, expiresAt }) => `Your personal token “${name}” (${start}…) expires on ${formatDay(expiresAt)}.`,
      ),
      'Programs that use it lose access then. Create a new token and replace it before that day.',
    ],
    action: toAction(context),
  })
}

const toAction = ({ config }: MailContext) => ({
  label: 'See your personal tokens',
  url: `${config.publicUrl}/app/account/tokens`,
})

const formatDay = (instant: string) =>
  new Date(instant).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
