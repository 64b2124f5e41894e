import * as api from '@passport/contract/invitations'
import { maxCounted } from '@passport/contract/page'
import { decodeInstantCursor, offsetOf, pageOf } from '../http/paging.ts'
import { Problem } from '../http/problem.ts'
import { Created, Tagged } from '../http/serve.ts'
import type { Room } from '../room.ts'
import { confirm } from './confirm.ts'
import { invite, resend, revoke } from './send.ts'
import * as store from './store.ts'

/** Invitations by e-mail, as administrators send and follow them. */
export const invitations: Room = ({ serve }, { sql, ...post }) => {
  const isMailConfigured = post.config.mail !== undefined

  serve(api.listInvitations, async ({ query }) => {
    const { status = null, query: word = '', limit } = query
    const place = { after: decodeInstantCursor(query.after), offset: offsetOf(query), limit: limit + 1 }
    const rows = await store.list(sql, { status, word, ...place })
    const counted = await store.count(sql, { status, word }, maxCounted + 1)
    const { path } = api.listInvitations
    const listed = pageOf({ path, query, rows, counted, cursorOf: ({ createdAt, id }) => [createdAt, id] })
    return { ...listed, items: listed.items.map(told), isMailConfigured }
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
    return new Tagged(invitation, validators)
  })

  serve(api.resendInvitation, async ({ caller, params, visit, preconditions }) => {
    const { id, link } = await resend(sql, post, params.invitationId, { caller, visit, preconditions })
    const sent = await withLink(id, link)
    return new Tagged(sent, { etag: String(sent.version) })
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
    if (!row) throw new Problem(404, 'invitation-not-found', 'There is no such invitation.')
    return told(row)
  }

  /** Where no mail brings the link, the inviter is told it, this once. */
  const withLink = async (id: string, link: string) => ({ ...(await find(id)), ...(!isMailConfigured && { link }) })
}

const told = ({ displayName, ...row }: store.ToldRow): api.Invitation => ({ ...row, displayname: displayName })
