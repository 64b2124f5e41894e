import * as z from 'zod/mini'
import { DomainName } from './domain-name.ts'
import { foldEmail } from './email.ts'
import { endpoint, json } from './endpoint.ts'
import { Instant, Moment } from './instant.ts'
import { PageQuery, page } from './page.ts'
import { entity } from './request-body.ts'

/** The kind of target of a link. */
const LinkKind = z.enum(['org', 'group'])
export type LinkKind = z.infer<typeof LinkKind>

/** The role that a link grants; a link to a group grants membership only. */
const LinkRole = z.enum(['member', 'admin'])

/** A join link. Its URL is returned once, on creation, and is not stored. */
const JoinLink = z
  .object({
    id: z.string(),
    kind: LinkKind,
    targetId: z.string(),
    role: LinkRole,
    /** The maximum number of uses; null for unlimited. */
    maxUses: z.nullable(z.int()),
    /** The number of uses. */
    used: z.int(),
    expiresAt: z.nullable(Instant),
    /** Restricts the link to verified email addresses of these domains; empty means no restriction. */
    domains: z.array(z.string()),
    /** Restricts the link to the user with this verified email address. */
    email: z.nullable(z.string()),
    status: z.enum(['open', 'used', 'expired', 'stopped']),
    /** Incremented by each use and by revocation; compared with If-Match. */
    version: z.int(),
    createdAt: Instant,
    createdBy: z.object({ id: z.string(), name: z.string() }),
  })
  .check(z.meta({ id: 'JoinLink' }))
export type JoinLink = z.infer<typeof JoinLink>

const CreatedJoinLink = z.object({ ...JoinLink.shape, url: z.url() }).check(z.meta({ id: 'CreatedJoinLink' }))
export type CreatedJoinLink = z.infer<typeof CreatedJoinLink>

/** Requires an owner or admin of the target, or an administrator; for others the target does not exist (404). */
export const createJoinLink = endpoint('POST', '/passport/joinlinks', {
  summary: 'Create a join link for an organisation or a group',
  access: 'signedIn',
  recent: { ifGivesRoles: true },
  body: entity(
    z.object({
      kind: LinkKind,
      targetId: z.string(),
      role: z._default(LinkRole, 'member'),
      maxUses: z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(100_000)))),
      expiresAt: z.optional(z.nullable(Moment)),
      domains: z.optional(z.array(DomainName).check(z.maxLength(20))),
      email: z.optional(
        z.nullable(z.string().check(z.trim(), z.overwrite(foldEmail), z.maxLength(254), z.regex(/^[^\s@]+@[^\s@]+$/))),
      ),
    }),
  ),
  returns: json(CreatedJoinLink),
  creates: true,
  rateLimit: { requests: 200, perSeconds: 3600, by: 'caller' },
  fails: [404],
})
export const listJoinLinks = endpoint('GET', '/passport/joinlinks', {
  summary: 'List join links of an organisation or a group',
  description: 'Lists the newest first.',
  access: 'signedIn',
  query: z.extend(PageQuery, { kind: LinkKind, targetId: z.string() }),
  returns: json(page(JoinLink)),
  fails: [404],
})
/** Idempotent: revoking a revoked link succeeds. */
export const revokeJoinLink = endpoint('DELETE', '/passport/joinlinks/{linkId}', {
  summary: 'Revoke a join link',
  access: 'signedIn',
  params: z.object({ linkId: z.string() }),
  conditional: true,
  fails: [404],
})

/** The public view of a join link, the same for every caller. */
const JoinInvitation = z
  .object({
    id: z.string(),
    /** `invitation` is an email invitation, to an organisation or to the installation itself; `space` is reserved. */
    kind: z.enum(['org', 'group', 'space', 'invitation']),
    title: z.string(),
    description: z.string(),
    inviter: z.object({ displayname: z.string() }),
    expiresAt: z.nullable(Instant),
    requiresSignIn: z.literal(true),
    status: z.literal('open'),
    acceptUrl: z.string(),
    /** Where the addressee of an email, who has no account to sign in to, sets a password, which also accepts. */
    enrolUrl: z.optional(z.string()),
    appUrl: z.string(),
  })
  .check(z.meta({ id: 'JoinInvitation' }))
export type JoinInvitation = z.infer<typeof JoinInvitation>

/** Keeps the URL, which is a credential, out of the Referer header and search engines. */
export const linkHeaders = { 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' } as const

/** Shared by the endpoints and the pages of a link. */
export const linkRateLimit = { requests: 30, perSeconds: 60, by: 'address', sharedAs: 'join' } as const

const previewEndpoint = {
  access: 'anyone',
  rateLimit: linkRateLimit,
  params: z.object({ id: z.string() }),
  headers: linkHeaders,
  returns: json(JoinInvitation),
  fails: [404, 409, 410],
} as const
/** Returns HTML to browsers. Does not count as a use, because mail scanners open every link. */
export const getJoinInvitation = endpoint('GET', '/join/{id}', {
  summary: 'Get the organisation or group of a join link',
  ...previewEndpoint,
})
export const getJoinInvitationAtIndexPath = endpoint('GET', '/join/index/{id}', {
  summary: 'Get the organisation or group of a join link',
  description: 'Same as the path without `index`.',
  ...previewEndpoint,
})
/** For an existing member, changes nothing, does not count as a use, and returns `joined: false`. */
export const acceptJoinInvitation = endpoint('POST', '/join/{id}/accept', {
  summary: 'Join with a link',
  access: 'signedIn',
  params: z.object({ id: z.string() }),
  headers: linkHeaders,
  rateLimit: { requests: 30, perSeconds: 60, by: 'caller' },
  returns: json(
    z.object({
      target: z.object({ kind: z.enum(['org', 'group', 'invitation']), id: z.string(), name: z.string() }),
      role: z.string(),
      joined: z.boolean(),
      /** An administrator must first confirm that this is the invited person. */
      awaitsConfirmation: z.optional(z.literal(true)),
    }),
  ),
  fails: [404, 409, 410],
})
