import * as z from 'zod/mini'
import { Email } from './email.ts'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { PageQuery, page, sortedBy } from './page.ts'
import { DisplayName } from './profile.ts'
import { action, entity } from './request-body.ts'
import { RoleChangeQuery } from './role-effect.ts'

/**
 * `opened`: the link was viewed, which does not consume it. `awaiting-confirmation`: the claimant's verified email is
 * not the invited one, so an administrator decides.
 */
export const InvitationStatus = z.enum(['sent', 'opened', 'awaiting-confirmation', 'accepted', 'expired', 'revoked'])
export type InvitationStatus = z.infer<typeof InvitationStatus>

const OrgRole = z.enum(['owner', 'admin', 'member'])
const NamedUser = z.object({ id: z.string(), name: z.string() })

export const Invitation = z
  .object({
    id: z.string(),
    email: z.string(),
    displayname: z.nullable(z.string()),
    status: InvitationStatus,
    /** Granted on acceptance. */
    roles: z.array(z.string()),
    org: z.nullable(z.object({ id: z.string(), name: z.string(), role: OrgRole })),
    inviter: NamedUser,
    /** The account prepared for the recipient; null if a user with that email had signed in before. */
    userId: z.nullable(z.string()),
    /** The user who claimed the invitation and awaits confirmation. */
    claimant: z.nullable(z.extend(NamedUser, { email: z.nullable(z.string()), emailVerified: z.boolean() })),
    acceptedBy: z.nullable(NamedUser),
    /** Roles, or `org`, that the inviter could no longer grant at acceptance. */
    leftOut: z.array(z.string()),
    /** The delivery state of the email; `off` for a link that was handed over. */
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

/** `link` is returned only once, and only if it was not emailed: for the inviter to hand over. */
const SentInvitation = z
  .object({ ...Invitation.shape, link: z.optional(z.url()) })
  .check(z.meta({ id: 'SentInvitation' }))

/**
 * How the link reaches its recipient; `link` returns it. By default `email`, if a mail server is configured. A link that is
 * handed over to the user of a prepared account is an enrolment link, by which they set a password.
 */
const Delivery = z.optional(z.enum(['email', 'link']))

const invitationParams = z.object({ invitationId: z.string() })

export const listInvitations = endpoint('GET', '/passport/admin/users/invitations', {
  summary: 'List invitations, newest first',
  access: 'admin',
  query: z.extend(PageQuery, {
    /** `open` matches `sent`, `opened` and `awaiting-confirmation`. */
    status: z.optional(z.enum(['open', ...InvitationStatus.options])),
    /** A substring of the email or of the name. */
    query: z.optional(z.string().check(z.trim(), z.maxLength(100))),
    /** `name` is the name of the recipient, or else the email. */
    ...sortedBy(['name', 'sent', 'expires']),
  }),
  returns: json(z.extend(page(Invitation), { isMailConfigured: z.boolean() })),
})
export const createInvitation = endpoint('POST', '/passport/admin/users/invitations', {
  summary: 'Invite a user by email',
  access: 'admin',
  recent: { ifRoles: true, ifGivesRoles: true },
  rateLimit: { requests: 200, perSeconds: 3600, by: 'caller' },
  body: entity(
    z.object({
      email: Email,
      displayname: z.optional(z.nullable(DisplayName)),
      roles: z._default(z.array(z.string()).check(z.maxLength(50)), []),
      orgId: z.optional(z.nullable(z.string())),
      orgRole: z._default(OrgRole, 'member'),
      delivery: Delivery,
    }),
  ),
  returns: json(SentInvitation),
  creates: true,
  fails: [409],
})
export const getInvitation = endpoint('GET', '/passport/admin/users/invitations/{invitationId}', {
  summary: 'Get an invitation',
  access: 'admin',
  params: invitationParams,
  returns: json(Invitation),
  conditional: true,
  fails: [404],
})
/** Invalidates the previous link. */
export const resendInvitation = endpoint('POST', '/passport/admin/users/invitations/{invitationId}/resend', {
  summary: 'Resend an invitation with a new link',
  access: 'admin',
  recent: { ifGivesRoles: true },
  rateLimit: { requests: 200, perSeconds: 3600, by: 'caller' },
  params: invitationParams,
  body: action(z.object({ delivery: Delivery }), { isOptional: true }),
  returns: json(SentInvitation),
  conditional: true,
  fails: [404, 409],
})
export const revokeInvitation = endpoint('DELETE', '/passport/admin/users/invitations/{invitationId}', {
  summary: 'Revoke an invitation and delete its account',
  access: 'admin',
  params: invitationParams,
  conditional: true,
  fails: [404, 409],
})
/** `userId` is the claimant that the administrator reviewed: another user may have claimed the invitation since. */
export const confirmInvitation = endpoint('POST', '/passport/admin/users/invitations/{invitationId}/confirm', {
  summary: 'Confirm the user who claimed an invitation',
  description: 'The user then receives the roles and memberships of the invitation.',
  access: 'admin',
  recent: { ifGivesRoles: true },
  params: invitationParams,
  query: RoleChangeQuery,
  body: action(z.object({ userId: z.string() })),
  returns: json(Invitation),
  previews: true,
  fails: [404, 409],
})
