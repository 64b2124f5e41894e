import * as z from 'zod/mini'
import { endpoint, json, negotiatedText } from './endpoint.ts'
import { Instant } from './instant.ts'
import { mailKinds } from './mail-kinds.ts'
import { PageQuery, page } from './page.ts'
import { action } from './request-body.ts'

/** The days for which the rows of emails are kept. */
export const mailDays = 180
/** The days for which a failed email can be sent again; shorter for those that are true for a shorter time. */
export const resendDays = 7
/** The most emails in one call. */
export const maxResent = 100
/** The number of days in the figures, the current one included. */
export const mailFigureDays = 30

/** `off`: there was no mail server. */
const MailState = z.enum(['queued', 'sent', 'failed', 'off'])
export type MailState = z.infer<typeof MailState>

const kindIds = Object.keys(mailKinds) as (keyof typeof mailKinds)[]

/** An email without its content, which may have links with credentials. */
export const Mail = z
  .object({
    id: z.string(),
    /** One of the kinds; null for an email of an earlier version. */
    kind: z.nullable(z.string()),
    recipient: z.string(),
    state: MailState,
    /** The number of attempts, since it was last queued. */
    attempts: z.int(),
    createdAt: Instant,
    /** The next attempt; null unless it is queued. */
    dueAt: z.nullable(Instant),
    endedAt: z.nullable(Instant),
    /** The last response of the mail server, or the reason for which there was none. */
    response: z.nullable(z.string()),
    /** Until when it can be sent again; null unless it failed and its content is still stored. */
    resendUntil: z.nullable(Instant),
  })
  .check(z.meta({ id: 'Mail' }))
export type Mail = z.infer<typeof Mail>

export const listMails = endpoint('GET', '/passport/admin/mails', {
  summary: 'List emails, newest first',
  description: `Without their contents. They are kept for ${mailDays} days.`,
  access: 'admin',
  query: z.extend(PageQuery, {
    /** The beginnings of words in the recipient. */
    query: z.optional(z.string().check(z.maxLength(100))),
    state: z.optional(MailState),
    kind: z.optional(z.enum(kindIds)),
  }),
  returns: json(page(Mail)),
})

export const resendMails = endpoint('POST', '/passport/admin/mails/resend', {
  summary: 'Send failed emails again',
  description:
    'Each is queued again with its content. One that did not fail, or whose content is deleted, is skipped. 409 `mail-not-configured`.',
  access: 'admin',
  body: action(z.object({ ids: z.array(z.string()).check(z.minLength(1), z.maxLength(maxResent)) })),
  returns: json(z.object({ resent: z.array(z.string()), skipped: z.array(z.string()) })),
  fails: [409],
})

/** The mail server as the last check left it, and the emails of the last days. */
export const MailStatus = z
  .object({
    /** The sender of all emails; null without a mail server. */
    from: z.nullable(z.object({ name: z.string(), address: z.string() })),
    /** The check of the mail server on the health page; null before the first one. */
    health: z.nullable(z.object({ status: z.enum(['ok', 'slow', 'down', 'off']), since: Instant })),
    waiting: z.int(),
    /** When the oldest waiting email was queued. */
    oldestWaitingAt: z.nullable(Instant),
    /** Failed emails that can be sent again. */
    resendable: z.int(),
    /** `mailFigureDays` days in UTC, oldest first. */
    days: z.array(z.object({ day: z.iso.date(), sent: z.int(), failed: z.int() })),
  })
  .check(z.meta({ id: 'MailStatus' }))
export type MailStatus = z.infer<typeof MailStatus>

export const getMailStatus = endpoint('GET', '/passport/admin/mail', {
  summary: 'Get the state of the delivery of emails',
  access: 'admin',
  polled: true,
  returns: json(MailStatus),
})

/** What the mail server answered to a test. */
export const MailTest = z
  .object({
    id: z.string(),
    recipient: z.string(),
    isAccepted: z.boolean(),
    /** The response of the mail server, or the reason for which there was none. */
    response: z.string(),
    elapsedMs: z.int(),
  })
  .check(z.meta({ id: 'MailTest' }))
export type MailTest = z.infer<typeof MailTest>

export const sendTestMail = endpoint('POST', '/passport/admin/mail/test', {
  summary: "Send a test email to the caller's address",
  description:
    'Waits for the mail server, at most 20 seconds. An accepted email may still be rejected by the server of its recipient. 409 `mail-not-configured`, or `own-email-missing`.',
  access: 'admin',
  returns: json(MailTest),
  fails: [409],
  rateLimit: { requests: 10, perSeconds: 60, by: 'caller' },
  oneAtATime: 'mail-test',
  waitsForOthers: true,
})

const kindParams = z.object({ kind: z.enum(kindIds) })
/** The name of a case, as in `examples`; the first one by default. */
const example = z.optional(z.string().check(z.maxLength(60)))

/** A kind of email with an example. Its links do nothing. */
export const MailPreview = z
  .object({
    kind: z.string(),
    name: z.string(),
    when: z.string(),
    examples: z.array(z.string()),
    subject: z.string(),
    text: z.string(),
  })
  .check(z.meta({ id: 'MailPreview' }))
export type MailPreview = z.infer<typeof MailPreview>

export const previewMail = endpoint('GET', '/passport/admin/mail/kinds/{kind}', {
  summary: 'Preview a kind of email as text',
  description: 'With the brand of the installation and the data of an example.',
  access: 'admin',
  params: kindParams,
  query: z.object({ example }),
  returns: json(MailPreview),
})

export const previewMailHtml = endpoint('GET', '/passport/admin/mail/kinds/{kind}/html', {
  summary: 'Preview a kind of email as HTML',
  description: 'A document for a frame of the console: it runs no scripts, and its links open nothing.',
  access: 'admin',
  params: kindParams,
  query: z.object({ example, theme: z._default(z.enum(['light', 'dark']), 'light') }),
  returns: negotiatedText(['text/html']),
  headers: {
    'Content-Security-Policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox",
    'X-Frame-Options': 'SAMEORIGIN',
  },
})
