import * as api from '@passport/contract/invitations'
import { maxCounted } from '@passport/contract/page'
import type { Feature } from '../feature.ts'
import { decodeInstantCursor, offsetOf, toPage } from '../http/paging.ts'
import { Created, WithETag } from '../http/serve.ts'
import { confirm } from './confirm.ts'
import * as problems from './problems.ts'
import { invite, resend, revoke } from './send.ts'
import * as store from './store.ts'

/** Email invitations, for administrators. */
export const invitations: Feature = ({ serve }, { sql, ...post }) => {
  const isMailConfigured = post.config.mail !== undefined

  serve(api.listInvitations, async ({ query }) => {
    const { status = null, query: search = '', limit } = query
    const range = { after: decodeInstantCursor(query.after), offset: offsetOf(query), limit: limit + 1 }
    const rows = await store.list(sql, { status, word: search }, range)
    const count = await store.count(sql, { status, word: search }, maxCounted)
    const { path } = api.listInvitations
    const listed = toPage({ path, query, rows, count, cursorOf: ({ createdAt, id }) => [createdAt, id] })
    return { ...listed, items: listed.items.map(toInvitation), isMailConfigured }
  })

  serve(api.createInvitation, async ({ caller, body, visit }) => {
    const { id, link } = await invite(sql, post, body, { caller, visit })
    const sent = await withLink(id, link)
    return new Created(sent, `${api.listInvitations.path}/${id}`, { etag: String(sent.version) })
  })

  serve(api.getSentInvitation, async ({ params, preconditions }) => {
    const invitation = await find(params.invitationId)
    const validators = { etag: String(invitation.version) }
    preconditions.check(validators)
    return new WithETag(invitation, validators)
  })

  serve(api.resendInvitation, async ({ caller, params, visit, preconditions }) => {
    const { id, link } = await resend(sql, post, params.invitationId, { caller, visit, preconditions })
    const sent = await withLink(id, link)
    return new WithETag(sent, { etag: String(sent.version) })
  })

  serve(api.revokeInvitation, ({ caller, params, visit, preconditions }) =>
    revoke(sql, params.invitationId, { caller, visit, preconditions }),
  )

  serve(api.confirmInvitation, async ({ caller, params, query, body, visit }) => {
    await confirm(sql, params.invitationId, body.userId, { caller, visit, ...query })
    return find(params.invitationId)
  })

  async function find(id: string): Promise<api.Invitation> {
    const row = await store.find(sql, id)
    if (!row) throw problems.invitationNotFound()
    return toInvitation(row)
  }

  /** Without a mail server the inviter receives the link, only once. */
  const withLink = async (id: string, link: string) => ({ ...(await find(id)), ...(!isMailConfigured && { link }) })
}

const toInvitation = ({ displayName, ...row }: store.InvitationRow): api.Invitation => ({
  ...row,
  displayname: displayName,
})
