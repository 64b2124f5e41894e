import * as z from 'zod/mini'
import { Email } from './email.ts'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { PageQuery, page } from './page.ts'
import { DisplayName } from './profile.ts'
import { RoleChangeQuery } from './role-effect.ts'

/**
 * `opened`: the link was looked at, which uses nothing up. `awaiting-confirmation`: someone took it whose verified
 * e-mail is not the invited one, and an administrator decides.
 */
export const InvitationStatus = z.enum(['sent', 'opened', 'awaiting-confirmation', 'accepted', 'expired', 'revoked'])
export type InvitationStatus = z.infer<typeof InvitationStatus>

const OrgRole = z.enum(['owner', 'admin', 'member'])
const Person = z.object({ id: z.string(), name: z.string() })

export const Invitation = z
  .object({
    id: z.string(),
    email: z.string(),
    displayname: z.nullable(z.string()),
    status: InvitationStatus,
    /** What is given on acceptance. */
    roles: z.array(z.string()),
    org: z.nullable(z.object({ id: z.string(), name: z.string(), role: OrgRole })),
    inviter: Person,
    /** The account that waits for them; null where someone has one with that e-mail already. */
    userId: z.nullable(z.string()),
    /** Who took it and waits to be confirmed. */
    claimant: z.nullable(z.extend(Person, { email: z.nullable(z.string()), emailVerified: z.boolean() })),
    acceptedBy: z.nullable(Person),
    /** Roles, or `org`, that the inviter could not give any more when it was accepted. */
    leftOut: z.array(z.string()),
    /** How far the mail has come; `off` where no mail server is configured. */
    mail: z.enum(['queued', 'sent', 'failed', 'off']),
    createdAt: Instant,
    sentAt: Instant,
    openedAt: z.nullable(Instant),
    acceptedAt: z.nullable(Instant),
    expiresAt: Instant,
    version: z.int(),
  })
  .check(z.meta({ id: 'Invitation' }))
export type Invitation = z.infer<typeof Invitation>

/** With `link`, which is told this once, where no mail brings it. */
const SentInvitation = z
  .object({ ...Invitation.shape, link: z.optional(z.url()) })
  .check(z.meta({ id: 'SentInvitation' }))

const one = z.object({ invitationId: z.string() })

export const listInvitations = endpoint('GET', '/passport/admin/users/invitations', {
  summary: 'List invitations, the latest first',
  access: 'admin',
  query: z.extend(PageQuery, {
    status: z.optional(InvitationStatus),
    /** A part of the address or of the name. */
    query: z.optional(z.string().check(z.trim(), z.maxLength(100))),
  }),
  returns: json(z.extend(page(Invitation), { isMailConfigured: z.boolean() })),
})
export const createInvitation = endpoint('POST', '/passport/admin/users/invitations', {
  summary: 'Invite someone by e-mail',
  access: 'admin',
  rateLimit: { requests: 200, perSeconds: 3600, by: 'caller' },
  body: json(
    z.object({
      email: Email,
      displayname: z.optional(z.nullable(DisplayName)),
      roles: z._default(z.array(z.string()).check(z.maxLength(50)), []),
      orgId: z.optional(z.nullable(z.string())),
      orgRole: z._default(OrgRole, 'member'),
    }),
  ),
  returns: json(SentInvitation),
  creates: true,
  fails: [409],
})
export const getSentInvitation = endpoint('GET', '/passport/admin/users/invitations/{invitationId}', {
  summary: 'Get one invitation',
  access: 'admin',
  params: one,
  returns: json(Invitation),
  conditional: true,
  fails: [404],
})
/** The link that was sent before is good for nothing any more. */
export const resendInvitation = endpoint('POST', '/passport/admin/users/invitations/{invitationId}/resend', {
  summary: 'Send an invitation again, with a new link',
  access: 'admin',
  rateLimit: { requests: 200, perSeconds: 3600, by: 'caller' },
  params: one,
  returns: json(SentInvitation),
  conditional: true,
  fails: [404, 409],
})
export const revokeInvitation = endpoint('DELETE', '/passport/admin/users/invitations/{invitationId}', {
  summary: 'Revoke an invitation, and remove the account that was made for it',
  access: 'admin',
  params: one,
  conditional: true,
  fails: [404, 409],
})
/** `userId` names the claimant that was seen: another may have taken the invitation meanwhile. */
export const confirmInvitation = endpoint('POST', '/passport/admin/users/invitations/{invitationId}/confirm', {
  summary: 'Let the one who took an invitation have what it gives',
  access: 'admin',
  params: one,
  query: RoleChangeQuery,
  body: json(z.strictObject({ userId: z.string() })),
  returns: json(Invitation),
  previews: true,
  fails: [404, 409],
})
