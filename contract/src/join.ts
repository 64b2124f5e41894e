import * as z from 'zod/mini'
import { DomainName } from './domain-name.ts'
import { endpoint, json } from './endpoint.ts'
import { Instant, Moment } from './instant.ts'
import { PageQuery, page } from './page.ts'

/** What a link leads into. */
const LinkKind = z.enum(['org', 'group'])
export type LinkKind = z.infer<typeof LinkKind>

/** As what people come in; a group has members only, and nobody becomes an owner by a link. */
const LinkRole = z.enum(['member', 'admin'])

/** A link by which people join. Its address is told once, when it is made, and stored nowhere. */
const JoinLink = z
  .object({
    id: z.string(),
    kind: LinkKind,
    targetId: z.string(),
    role: LinkRole,
    /** How many may come in by it; null for any number. */
    maxUses: z.nullable(z.int()),
    used: z.int(),
    expiresAt: z.nullable(Instant),
    /** Only people with a verified e-mail address of one of these come in; of any where there are none. */
    domains: z.array(z.string()),
    /** Only the person with this verified e-mail address comes in. */
    email: z.nullable(z.string()),
    status: z.enum(['open', 'used', 'expired', 'stopped']),
    /** Counts uses and the stop; If-Match is held against it. */
    version: z.int(),
    createdAt: Instant,
    createdBy: z.object({ id: z.string(), name: z.string() }),
  })
  .check(z.meta({ id: 'JoinLink' }))
export type JoinLink = z.infer<typeof JoinLink>

const NewJoinLink = z.object({ ...JoinLink.shape, url: z.url() }).check(z.meta({ id: 'NewJoinLink' }))
export type NewJoinLink = z.infer<typeof NewJoinLink>

/** For whoever runs the organisation or the group, and for administrators; to anyone else the target is not there (404). */
export const createJoinLink = endpoint('POST', '/passport/joinlinks', {
  summary: 'Make a link by which people join an organisation or a group',
  access: 'signedIn',
  body: json(
    z.object({
      kind: LinkKind,
      targetId: z.string(),
      role: z._default(LinkRole, 'member'),
      maxUses: z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(100_000)))),
      expiresAt: z.optional(z.nullable(Moment)),
      domains: z.optional(z.array(DomainName).check(z.maxLength(20))),
      email: z.optional(
        z.nullable(z.string().check(z.trim(), z.toLowerCase(), z.maxLength(254), z.regex(/^[^\s@]+@[^\s@]+$/))),
      ),
    }),
  ),
  returns: json(NewJoinLink),
  creates: true,
  fails: [404],
})
export const listJoinLinks = endpoint('GET', '/passport/joinlinks', {
  summary: 'List the links into an organisation or a group, the latest first',
  access: 'signedIn',
  query: z.extend(PageQuery, { kind: LinkKind, targetId: z.string() }),
  returns: json(page(JoinLink)),
  fails: [404],
})
/** Stopping it again changes nothing. */
export const stopJoinLink = endpoint('DELETE', '/passport/joinlinks/{linkId}', {
  summary: 'Stop a link: nobody joins by it any more',
  access: 'signedIn',
  params: z.object({ linkId: z.string() }),
  conditional: true,
  fails: [404],
})

/** What whoever holds a link may know. Nothing of it depends on who asks. */
const Invitation = z
  .object({
    id: z.string(),
    /** `invitation`: someone was invited by e-mail, to an organisation or to the installation itself. */
    kind: z.enum(['org', 'group', 'space', 'invitation']),
    title: z.string(),
    description: z.string(),
    inviter: z.object({ displayname: z.string() }),
    expiresAt: z.nullable(Instant),
    requiresSignIn: z.literal(true),
    status: z.literal('open'),
    acceptUrl: z.string(),
    appUrl: z.string(),
  })
  .check(z.meta({ id: 'JoinInvitation' }))
export type Invitation = z.infer<typeof Invitation>

/** Whoever sees the address may join: it is not to be told to the next page, nor to be found by a search engine. */
export const linkHeaders = { 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' } as const

/** Of the calls and the pages of a link together. */
export const openingLimit = { requests: 30, perSeconds: 60, by: 'address', sharedAs: 'join' } as const

const shown = {
  access: 'anyone',
  rateLimit: openingLimit,
  params: z.object({ id: z.string() }),
  headers: linkHeaders,
  returns: json(Invitation),
  fails: [404, 409, 410],
} as const
/** Browsers get a page. Consumes nothing: the scanners of mail programs open every link. */
export const getInvitation = endpoint('GET', '/join/{id}', {
  summary: 'Tell what a link leads into',
  ...shown,
})
export const getInvitationByIndex = endpoint('GET', '/join/index/{id}', {
  summary: 'Tell what a link leads into; the same as without `index`',
  ...shown,
})
/** Who is in already stays what they are, and uses nothing up: `joined` is false. */
export const acceptInvitation = endpoint('POST', '/join/{id}/accept', {
  summary: 'Join by a link',
  access: 'signedIn',
  params: z.object({ id: z.string() }),
  headers: linkHeaders,
  rateLimit: { requests: 30, perSeconds: 60, by: 'caller' },
  returns: json(
    z.object({
      target: z.object({ kind: z.enum(['org', 'group', 'invitation']), id: z.string(), name: z.string() }),
      role: z.string(),
      joined: z.boolean(),
      /** An administrator confirms first that this is the person who was invited. */
      awaitsConfirmation: z.optional(z.literal(true)),
    }),
  ),
  fails: [404, 409, 410],
})
