import * as api from '@passport/contract/notices'
import * as audit from '../audit/store.ts'
import { transaction } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import { type PageRequest, renderContact } from '../http/page.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { endEvent, findLink } from './end-event.ts'
import { renderLinkPage } from './pages.ts'
import * as store from './store.ts'

/** The links of emails about changes of accounts, and which of these emails users receive. */
export const notices: Feature = ({ page, serve }, { sql, branding }) => {
  const rateLimit = anonymousLimit('notices')
  const toContext = ({ url }: PageRequest) => ({
    path: url.pathname,
    supportContact: renderContact(branding.current()),
  })

  // Mail programs open links on their own, so only the form of the page ends anything.
  page(
    'GET',
    '/notices/{token}',
    async (request) => renderLinkPage(await findLink(sql, request.params['token'] ?? ''), toContext(request)),
    { rateLimit },
  )

  page(
    'POST',
    '/notices/{token}',
    async (request) =>
      renderLinkPage(await endEvent(sql, request.params['token'] ?? '', request.visit), toContext(request)),
    { rateLimit },
  )

  const readSettings = async (userId: string) => ({ newDevice: await store.wantsNewDeviceEmails(sql, userId) })

  serve(api.getNoticeSettings, ({ caller }) => readSettings(caller.id))

  serve(api.putNoticeSettings, ({ caller, body, visit }) =>
    transaction(sql, async (sql) => {
      if (await store.setNewDeviceEmails(sql, caller.id, body.newDevice))
        await audit.record(sql, {
          action: 'notice.settings-changed',
          actorId: caller.id,
          target: { kind: 'user', id: caller.id },
          before: { newDevice: !body.newDevice },
          after: { newDevice: body.newDevice },
          visit,
        })
      return body
    }),
  )
}
