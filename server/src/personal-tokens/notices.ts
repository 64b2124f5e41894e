import { Email } from '@passport/contract/email'
import type { Sql } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'
import type { IdentityApis } from '../identity-apis/cache.ts'
import { toAccountChange } from '../mail/account-mails.ts'
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
  await notify(sql, context, recipient, 'personal-token-created', {
    ...toAccountChange(visit),
    id,
    name,
    expiresAt,
    abilities: granted.map(({ description }) => description),
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
  await sendMail(sql, context, { name: displayName, address: email }, 'personal-token-revoked', { name })
}

/** Queues an email that tokens expire soon. */
export async function notifyOfExpiry(
  sql: Sql,
  context: MailContext,
  { displayName, email }: Recipient,
  tokens: ExpiringToken[],
): Promise<void> {
  if (!Email.safeParse(email).success || email === null) return
  if (tokens.length === 0) return
  await sendMail(sql, context, { name: displayName, address: email }, 'personal-tokens-expiring', { tokens })
}
