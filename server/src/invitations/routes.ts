import * as api from '@passport/contract/invitations'
import { maxCounted } from '@passport/contract/page'
import { addLink, canEnrol, formatLinkUrl } from '../enrolment/create.ts'
import type { Feature } from '../feature.ts'
import { decodeCursor, isInstant, offsetOf, toPage } from '../http/paging.ts'
import { Created, WithETag } from '../http/serve.ts'
import { showEmail } from '../users/show-email.ts'
import { confirm } from './confirm.ts'
import * as problems from './problems.ts'
import { type EnrolmentLinks, invite, resend, revoke } from './send.ts'
import * as store from './store.ts'

/** The orders of the list: the key of an invitation in each, and the check of a cursor's key. */
const orders = {
  created: { keyOf: ({ createdAt }: store.InvitationRow) => createdAt, isKey: isInstant },
  name: { keyOf: ({ sortName }: { sortName: string }) => sortName, isKey: () => true },
  sent: { keyOf: ({ sentAt }: store.InvitationRow) => sentAt, isKey: isInstant },
  expires: { keyOf: ({ expiresAt }: store.InvitationRow) => expiresAt, isKey: isInstant },
}

/** Email invitations, for administrators. */
export const invitations: Feature = ({ serve }, services) => {
  const { sql, config } = services
  const isMailConfigured = config.mail !== undefined
  const links: EnrolmentLinks = {
    canEnrol: (sql, userId) => canEnrol(sql, services, userId),
    add: async (sql, input, context) => {
      await addLink(sql, services, input, context)
      return formatLinkUrl(config.publicUrl, input.token)
    },
  }

  serve(api.listInvitations, async ({ query }) => {
    const { status = null, query: search = '', limit, sort, direction } = query
    const { keyOf, isKey } = orders[sort ?? 'created']
    const order = sort && { key: store.sortColumns[sort], isDescending: direction === 'desc' }
    const range = { after: decodeCursor(query.after, isKey), offset: offsetOf(query), limit: limit + 1 }
    const rows = await store.list(sql, { status, word: search }, range, order)
    const count = await store.count(sql, { status, word: search }, maxCounted)
    const { path } = api.listInvitations
    const listed = toPage({ path, query, rows, count, cursorOf: (row) => [keyOf(row), row.id] })
    return { ...listed, items: listed.items.map(({ sortName: _, ...row }) => toInvitation(row)), isMailConfigured }
  })

  serve(api.createInvitation, async ({ caller, body, visit }) => {
    const { id, link } = await invite(sql, { ...services, links }, body, { caller, visit })
    const sent = { ...(await find(id)), ...(link && { link }) }
    return new Created(sent, `${api.listInvitations.path}/${id}`, { etag: String(sent.version) })
  })

  serve(api.getInvitation, async ({ params, preconditions }) => {
    const invitation = await find(params.invitationId)
    const validators = { etag: String(invitation.version) }
    preconditions.check(validators)
    return new WithETag(invitation, validators)
  })

  serve(api.resendInvitation, async ({ caller, params, body, visit, preconditions }) => {
    const sending = { id: params.invitationId, ...body }
    const { id, link } = await resend(sql, { ...services, links }, sending, { caller, visit, preconditions })
    const sent = { ...(await find(id)), ...(link && { link }) }
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
}

const toInvitation = ({ displayName, ...row }: store.InvitationRow): api.Invitation => ({
  ...row,
  email: showEmail(row.email),
  displayname: displayName,
})
