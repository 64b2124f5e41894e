import * as api from '@passport/contract/join'
import { decodeInstantCursor, offsetOf, pageOf } from '../http/paging.ts'
import { Problem } from '../http/problem.ts'
import { reportRefusal } from '../http/report.ts'
import { Created } from '../http/serve.ts'
import type { Room } from '../room.ts'
import { accept } from './accept.ts'
import { makeLink, stopLink, versionOf } from './make.ts'
import { findInvitation } from './open.ts'
import { endedPage, invitationPage } from './pages.ts'
import { refuseToRunTarget } from './right.ts'
import * as store from './store.ts'

/** Links by which people join organisations and groups: for those who make them, and for those who hold one. */
export const join: Room = ({ serve, page }, { sql, config, door, log }) => {
  serve(api.createJoinLink, async ({ body, caller, visit }) => {
    const { link, token } = await makeLink(sql, body, { caller, visit })
    const told = { ...toldLink(link), url: `${config.publicUrl}/join/${token}` }
    return new Created(told, `/passport/joinlinks/${link.id}`, { etag: String(versionOf(link)) })
  })

  serve(api.listJoinLinks, async ({ query, caller }) => {
    await refuseToRunTarget(sql, caller, query)
    const asked = { after: decodeInstantCursor(query.after), offset: offsetOf(query), limit: query.limit + 1 }
    const [rows, counted] = await Promise.all([store.list(sql, query, asked), store.count(sql, query)])
    const { path } = api.listJoinLinks
    const listed = pageOf({ path, query: { ...query }, rows, counted, cursorOf: (row) => [row.createdAt, row.id] })
    return { ...listed, items: listed.items.map(toldLink) }
  })

  serve(api.stopJoinLink, ({ params, ...by }) => stopLink(sql, params.linkId, by))

  const limit = door.limitAddress({ name: api.openingLimit.sharedAs, ...api.openingLimit })
  const paths = ['/join/index/{id}', '/join/{id}'] as const

  for (const path of paths) {
    page(
      'GET',
      path,
      async ({ params, visit }) => {
        try {
          await limit(visit)
          return invitationPage(await findInvitation(sql, params['id'] ?? '', config.brandName))
        } catch (error) {
          if (error instanceof Problem) return endedPage(error, reportRefusal(log, visit, { code: error.code, path }))
          throw error
        }
      },
      { besideEndpoint: true },
    )
  }

  for (const endpoint of [api.getInvitationByIndex, api.getInvitation]) {
    serve(endpoint, ({ params }) => findInvitation(sql, params.id, config.brandName))
  }

  serve(api.acceptInvitation, ({ params, caller, visit }) =>
    accept(sql, params.id, { caller, visit }, config.brandName),
  )
}

const toldLink = ({ createdBy, makerName, ...link }: store.LinkRow): api.JoinLink => ({
  ...link,
  version: versionOf(link),
  createdBy: { id: createdBy, name: makerName ?? createdBy },
})
