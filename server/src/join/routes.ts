import * as api from '@passport/contract/join'
import { readPageTexts } from '../content/page-texts.ts'
import type { Feature } from '../feature.ts'
import { decodeInstantCursor, offsetOf, toPage } from '../http/paging.ts'
import { Problem } from '../http/problem.ts'
import { reportRejection } from '../http/report.ts'
import { Created } from '../http/serve.ts'
import { accept } from './accept.ts'
import { createLink, revokeLink, versionOf } from './create.ts'
import { findInvitation } from './open.ts'
import { renderErrorPage, renderInvitationPage } from './pages.ts'
import { requireTargetManager } from './policy.ts'
import * as store from './store.ts'

/** Join links of organisations and groups: creating, opening and accepting them. */
export const join: Feature = ({ serve, page }, services) => {
  const { sql, config, branding, http, log } = services
  serve(api.createJoinLink, async ({ body, caller, visit }) => {
    const { link, token } = await createLink(sql, body, { caller, visit })
    const joinLink = { ...toJoinLink(link), url: `${config.publicUrl}/join/${token}` }
    return new Created(joinLink, `/passport/joinlinks/${link.id}`, { etag: String(versionOf(link)) })
  })

  serve(api.listJoinLinks, async ({ query, caller }) => {
    await requireTargetManager(sql, caller, query)
    const range = { after: decodeInstantCursor(query.after), offset: offsetOf(query), limit: query.limit + 1 }
    const [rows, count] = await Promise.all([store.list(sql, query, range), store.count(sql, query)])
    const { path } = api.listJoinLinks
    const listed = toPage({ path, query: { ...query }, rows, count, cursorOf: (row) => [row.createdAt, row.id] })
    return { ...listed, items: listed.items.map(toJoinLink) }
  })

  serve(api.revokeJoinLink, ({ params, ...context }) => revokeLink(sql, params.linkId, context))

  const limit = http.limitAddress({ name: api.linkRateLimit.sharedAs, ...api.linkRateLimit })
  const paths = ['/join/index/{id}', '/join/{id}'] as const

  for (const path of paths) {
    page(
      'GET',
      path,
      async (request) => {
        const { params, visit } = request
        try {
          await limit(visit)
          const invitation = await findInvitation(services, params['id'] ?? '')
          const texts = await readPageTexts(services, 'join.notice', request)
          return renderInvitationPage({ ...invitation, texts })
        } catch (error) {
          if (error instanceof Problem)
            return renderErrorPage(error, reportRejection(log, visit, { code: error.code, path }))
          throw error
        }
      },
      { besideEndpoint: true },
    )
  }

  for (const endpoint of [api.getJoinInvitationAtIndexPath, api.getJoinInvitation]) {
    serve(endpoint, ({ params }) => findInvitation(services, params.id))
  }

  serve(api.acceptJoinInvitation, ({ params, caller, visit }) =>
    accept(sql, params.id, { caller, visit }, branding.current().name),
  )
}

const toJoinLink = ({ createdBy, makerName, ...link }: store.LinkRow): api.JoinLink => ({
  ...link,
  version: versionOf(link),
  createdBy: { id: createdBy, name: makerName ?? createdBy },
})
