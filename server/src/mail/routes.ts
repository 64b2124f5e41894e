import * as api from '@passport/contract/mail'
import { toAddressWordQuery } from '../database/word-search.ts'
import type { Feature } from '../feature.ts'
import { findState } from '../health/store.ts'
import { decodeInstantCursor, offsetOf, toPage } from '../http/paging.ts'
import { Representations } from '../http/serve.ts'
import { listUtcDays } from '../utc-days.ts'
import { previewHtml, previewText } from './preview.ts'
import { mailNotConfigured } from './problems.ts'
import { resend } from './resend.ts'
import { sendTest } from './send-test.ts'
import * as store from './store.ts'

/** The queue of emails, their kinds, and tests of the mail server, for administrators. */
export const mail: Feature = ({ serve }, services) => {
  const { sql, config } = services

  serve(api.listMails, async ({ query }) => {
    const { query: text, state, kind, limit } = query
    const filter = { words: text ? toAddressWordQuery(text) : null, state, kind }
    const range = { after: decodeInstantCursor(query.after), offset: offsetOf(query), limit: limit + 1 }
    const [rows, count] = await Promise.all([store.list(sql, filter, range), store.count(sql, filter)])
    const cursorOf = ({ createdAt, id }: api.Mail) => [createdAt, id] as const
    return toPage({ path: api.listMails.path, query, rows, count, cursorOf })
  })

  serve(api.resendMails, ({ caller, body, visit }) => {
    if (!config.mail) throw mailNotConfigured()
    return resend(sql, body.ids, { caller, visit })
  })

  serve(api.getMailStatus, async () => {
    const days = listUtcDays(new Date(), api.mailFigureDays)
    const [health, figures] = await Promise.all([findState(sql, 'mail'), store.readFigures(sql, days[0] ?? '')])
    const { byDay, ...queue } = figures
    return {
      from: config.mail?.from ?? null,
      health: health ?? null,
      ...queue,
      days: days.map((day) => byDay.find((found) => found.day === day) ?? { day, sent: 0, failed: 0 }),
    }
  })

  serve(api.sendTestMail, ({ caller, visit }) => sendTest(services, { caller, visit }))

  serve(api.previewMail, ({ params, query }) => previewText(sql, services, params.kind, query.example))

  serve(api.previewMailHtml, async ({ params, query }) => {
    const html = await previewHtml(sql, services, params.kind, query)
    return new Representations('en', { 'text/html': html })
  })
}
