import type { MailState } from '@passport/contract/mail'
import { createTransport, type Transporter } from 'nodemailer'
import { type Config, isLoopbackHost } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import { subscribe } from '../database/subscribe.ts'
import { toStorableText } from '../http/storable-text.ts'
import type { Log } from '../log.ts'
import type { Vault } from '../vault.ts'
import { addHeldNote } from './message-html.ts'
import { mailPurpose, type SealedContent } from './send.ts'
import * as store from './store.ts'

/** Sends due emails until none is left. */
export type Deliver = () => Promise<void>

const maxAgeMs = 24 * 60 * 60 * 1000

interface Dependencies {
  config: Config
  sql: Sql
  vault: Vault
  log: Log
}

/**
 * Creates the delivery of queued emails to the mail server; undefined if none is configured. Each email is sent at
 * least once: an email whose response is lost is sent again. Failures are retried after 1, 2, 4 … 60 minutes. An email
 * fails after a day, or at once after a permanent failure (5xx); administrators can queue it again.
 */
export function createDelivery({ config, sql, vault, log }: Dependencies): Deliver | undefined {
  const { mail } = config
  if (!mail) return undefined
  const transport = createTransport(toTransportOptions(mail.smtpUrl))
  return async () => {
    for (;;) {
      const due = await store.lease(sql)
      if (due.length === 0) return
      await Promise.all(due.map((queued) => deliver(queued, mail.from, { transport, sql, vault, log })))
    }
  }
}

/**
 * Starts a delivery when the database notifies this process of a new mail. Of several processes, the first one sends
 * it.
 */
export async function deliverMailOnNotification(sql: Sql, deliver: Deliver, log: Log): Promise<void> {
  const startDelivery = () => void deliver().catch((error) => log.error({ err: error }, 'mail'))
  await subscribe(sql, log, 'mail', startDelivery)
}

/** Opens a session with the mail server, signs in, and ends it. Rejects with the reason within some seconds. */
export async function probeMailServer(smtpUrl: string, timeoutMs: number): Promise<void> {
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs }
  const transport = createTransport({ ...toTransportOptions(smtpUrl), ...timeouts })
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

/**
 * Emails may contain links with credentials, so they use TLS unless they stay on this machine; with `?requireTLS=false`
 * the operator declares the network as trusted.
 */
function toTransportOptions(smtpUrl: string) {
  const url = new URL(smtpUrl)
  const requireTLS = url.searchParams.get('requireTLS') !== 'false' && !isLoopbackHost(url.hostname)
  const isSecure = url.protocol === 'smtps:'
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (isSecure ? 465 : 587),
    secure: isSecure,
    requireTLS: requireTLS && !isSecure,
    ...(url.username && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

async function deliver(
  queued: store.QueuedMail,
  from: Sender,
  { transport, sql, vault, log }: { transport: Transporter; sql: Sql; vault: Vault; log: Log },
): Promise<void> {
  const { id, attempts } = queued
  if (queued.isStale) return store.recordOutcome(sql, id, 'failed', 'Its content is no longer valid.')
  const opened = openContent(vault, queued.sealedContent)
  const content = opened && describeHeld(opened, queued.heldCount)
  if (!content) {
    log.error({ mail: id }, 'mail-not-opened')
    return store.recordOutcome(sql, id, 'failed', 'It was encrypted with another secret.')
  }
  const [state, response] = await transmit(transport, from, queued, content).then(
    (response): [MailState, string] => ['sent', response],
    (error): [MailState, string] => {
      const isLast = isPermanentFailure(error) || Date.now() - Date.parse(queued.queuedAt) > maxAgeMs
      log.warn({ mail: id, attempts, isLast, ...toLoggedFailure(error) }, 'mail-not-sent')
      return [isLast ? 'failed' : 'queued', (error as Error).message]
    },
  )
  await store.recordOutcome(sql, id, state, response)
}

/** Says in an email that it stands for several of its kind. */
function describeHeld(content: SealedContent, count: number): SealedContent {
  if (count <= 1) return content
  const note = `This email stands for ${count} of its kind within a day, and describes the latest.`
  return {
    ...content,
    text: content.text.replace('\n\n', () => `\n\n${note}\n\n`),
    html: addHeldNote(content.html, note),
  }
}

interface Sender {
  name: string
  address: string
}

function openContent(vault: Vault, sealed: string): SealedContent | undefined {
  const opened = vault.open(mailPurpose, sealed)
  return opened === undefined ? undefined : JSON.parse(opened)
}

/** Sends an email; returns the response of the mail server. Rejects with the reason. */
async function transmit(
  transport: Transporter,
  from: Sender,
  { id, recipient, subject }: Pick<store.QueuedMail, 'id' | 'recipient' | 'subject'>,
  { text, html, name, logo }: SealedContent,
): Promise<string> {
  const { response } = await transport.sendMail({
    from,
    to: { name, address: recipient },
    subject,
    text,
    html,
    ...(logo && {
      attachments: [{ filename: 'logo.png', cid: logo.contentId, content: logo.png, encoding: 'base64' }],
    }),
    messageId: `<${id}@${from.address.split('@')[1]}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
  return String(response ?? '')
}

const testTimeoutMs = 20_000

/** Sends an email at once, in a session of its own, and returns what the mail server responded within 20 seconds. */
export async function deliverOnce(
  { mail: { smtpUrl, from }, vault }: { mail: NonNullable<Config['mail']>; vault: Vault },
  mail: store.NewMail,
): Promise<{ isAccepted: boolean; response: string; elapsedMs: number }> {
  const transport = createTransport({ ...toTransportOptions(smtpUrl), socketTimeout: testTimeoutMs })
  const startedAt = performance.now()
  const finish = (isAccepted: boolean, response: string) => {
    return {
      isAccepted,
      response: toStorableText(response, store.maxResponse),
      elapsedMs: Math.round(performance.now() - startedAt),
    }
  }
  const content = openContent(vault, mail.sealedContent)
  if (!content) throw new Error('an email that was just sealed cannot be opened')
  const timer = setTimeout(() => transport.close(), testTimeoutMs)
  try {
    return finish(true, await transmit(transport, from, mail, content))
  } catch (error) {
    return finish(false, (error as Error).message)
  } finally {
    clearTimeout(timer)
    transport.close()
  }
}

/**
 * Returns the reason of a failure without email addresses, because mail servers repeat the recipient in their
 * responses.
 */
export function toLoggedFailure(error: unknown) {
  const { code, responseCode, message } = error as { code?: string; responseCode?: number; message: string }
  // In words, since a pattern that looks for an @ takes time that grows with the square of a long word.
  const reason = toStorableText(message, maxLoggedReason).replaceAll(/[^\s<>]+/g, (word) => {
    const at = word.indexOf('@', 1)
    return at > 0 && at < word.length - 1 ? '{address}' : word
  })
  return { code, responseCode, reason }
}

/** The most of a mail server's message in the log, in UTF-16 code units. */
const maxLoggedReason = 1000

/** Reports whether the server permanently rejected the recipient or the email (RFC 5321, section 4.2.1), not the sign-in. */
const isPermanentFailure = (error: unknown): boolean => {
  const { responseCode, code } = error as { responseCode?: number; code?: string }
  const isRejected = code === 'EENVELOPE' || code === 'EMESSAGE'
  return isRejected && responseCode !== undefined && responseCode >= 500
}
