import { createTransport, type Transporter } from 'nodemailer'
import { type Config, isLoopbackHost } from '../config.ts'
import { hear } from '../database/hear.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../http/log.ts'
import type { Vault } from '../vault.ts'
import { purpose, type SealedContent } from './send.ts'
import * as store from './store.ts'

/** Sends what is due, until nothing is. */
export type Deliver = () => Promise<void>

const givenUpAfterMs = 24 * 60 * 60 * 1000

interface Given {
  config: Config
  sql: Sql
  vault: Vault
  log: Log
}

/**
 * Hands queued mails to the mail server, each at least once: one whose answer is lost goes out again. What fails is
 * tried again after 1, 2, 4 … 60 minutes, and given up after a day, or at once where the server
 * says never (5xx). Undefined where no mail server is configured.
 */
export function createDelivery({ config, sql, vault, log }: Given): Deliver | undefined {
  const { mail } = config
  if (!mail) return undefined
  const transport = createTransport(transportOf(mail.smtpUrl))
  return async () => {
    for (;;) {
      const due = await store.lease(sql)
      if (due.length === 0) return
      await Promise.all(due.map((queued) => deliver(queued, mail.from, { transport, sql, vault, log })))
    }
  }
}

/** Sends mails as they are written, by whichever process hears of them first. */
export async function deliverMailAtOnce(sql: Sql, deliver: Deliver, log: Log): Promise<void> {
  const begin = () => void deliver().catch((error) => log.error({ err: error }, 'mail'))
  await hear(sql, log, 'mail', begin)
}

/**
 * A letter may hold a link that opens something, so it goes over TLS where it leaves this machine; with
 * `?requireTLS=false` the operator says that the network between is theirs.
 */
function transportOf(smtpUrl: string) {
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
  queued: store.Queued,
  from: { name: string; address: string },
  { transport, sql, vault, log }: { transport: Transporter; sql: Sql; vault: Vault; log: Log },
): Promise<void> {
  const { id, recipient, subject, attempts } = queued
  const opened = vault.open(purpose, queued.sealedContent)
  if (opened === undefined) {
    log.error({ mail: id }, 'mail-not-opened')
    return store.note(sql, id, 'failed', 'It was sealed with another secret.')
  }
  const { text, html, name }: SealedContent = JSON.parse(opened)
  try {
    await transport.sendMail({
      from,
      to: { name, address: recipient },
      subject,
      text,
      html,
      messageId: `<${id}@${from.address.split('@')[1]}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    await store.note(sql, id, 'sent', '')
  } catch (error) {
    const isLast = isRefused(error) || Date.now() - Date.parse(queued.createdAt) > givenUpAfterMs
    log.warn({ err: error, mail: id, attempts, isLast }, 'mail-not-sent')
    await store.note(sql, id, isLast ? 'failed' : 'queued', (error as Error).message)
  }
}

/** The server answered for good that it takes no mail for this recipient (RFC 5321, section 4.2.1). */
const isRefused = (error: unknown): boolean => {
  const { responseCode, code } = error as { responseCode?: number; code?: string }
  return code === 'EENVELOPE' && responseCode !== undefined && responseCode >= 500
}
