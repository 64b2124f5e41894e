import * as z from 'zod/mini'
import { UserAgent } from './accounts.ts'
import { endpoint, file, json } from './endpoint.ts'
import { Instant, Moment } from './instant.ts'
import { CursorQuery, cursorPage } from './page.ts'
import { entity } from './request-body.ts'

/** Action names: the target's kind, a dot and a past participle. */
export const actions = [
  'signin.succeeded',
  'signin.failed',
  'signout',
  'signout.everywhere',
  'session.revoked',
  'notice.disputed',
  'notice.settings-changed',
  'login.linked',
  'login.unlinked',
  'connection.linked',
  'connection.moved',
  'connection.move-undone',
  'connection.removed',
  'user.created',
  'user.changed',
  'user.disabled',
  'user.enabled',
  'user.locked-down',
  'user.deleted',
  'user.restored',
  'user.roles-left',
  'user.adopted',
  'user.enrolment-link-created',
  'user.enrolment-link-opened',
  'user.enrolment-link-used',
  'user.enrolment-link-revoked',
  'users.imported',
  'users.import-taken-back',
  'users.import-checked',
  'users.import-stopped',
  'users.exported',
  'profile.changed',
  'profile.avatar-changed',
  'profile.avatar-archived',
  'role.granted',
  'role.taken',
  'role.created',
  'role.changed',
  'role.deleted',
  'org.created',
  'org.changed',
  'org.deleted',
  'org.restored',
  'org.member-added',
  'org.member-changed',
  'org.member-removed',
  'org.domain-added',
  'org.domain-verified',
  'org.domain-lapsed',
  'org.domain-removed',
  'org.entra-linked',
  'org.entra-changed',
  'org.entra-enabled',
  'org.entra-disabled',
  'org.entra-tested',
  'org.consent-requested',
  'org.consent-granted',
  'org.consent-failed',
  'org.consent-revoked',
  'org.branding-changed',
  'org.setup-link-created',
  'org.setup-link-opened',
  'org.setup-link-revoked',
  'org.scim-token-created',
  'org.scim-token-revoked',
  'group.created',
  'group.changed',
  'group.deleted',
  'group.restored',
  'group.roles-left',
  'group.members-added',
  'group.members-removed',
  'group.owners-added',
  'group.owners-removed',
  'group.roles-changed',
  'invitation.sent',
  'invitation.resent',
  'invitation.revoked',
  'invitation.claimed',
  'invitation.confirmed',
  'invitation.accepted',
  'join-link.created',
  'join-link.stopped',
  'join-link.accepted',
  'audit.exported',
  'audit.retention-changed',
  'audit.purged',
  'trash.purged',
  'preference.saved',
  'preference.removed',
  'preference.history-deleted',
  'client.created',
  'client.changed',
  'client.deleted',
  'client.restored',
  'client.secret-created',
  'client.secret-deleted',
  'client.called',
  'identity-api.created',
  'identity-api.changed',
  'identity-api.deleted',
  'identity-api.restored',
  'aws-product.created',
  'aws-product.changed',
  'aws-product.deleted',
  'aws-product.restored',
  'aws-subscription.redeemed',
  'aws-subscription.created',
  'aws-subscription.changed',
  'aws-subscription.assigned',
  'aws-subscription.refreshed',
  'aws-subscription.status-changed',
  'aws-subscription.usage-retried',
  'aws-event.redriven',
  'aws-event.assigned',
  'aws-event.simulated',
  'branding.changed',
  'cors.changed',
  'mail.resent',
  'mail.tested',
  'content.created',
  'content.changed',
  'content.draft-discarded',
  'content.published',
  'content.reverted',
  'content.deleted',
  'content.restored',
  'entitlement.created',
  'entitlement.changed',
  'entitlement.deleted',
  'entitlement.restored',
  'entitlement.granted',
  'entitlement.grant-changed',
  'entitlement.grant-closed',
  'entitlement.usage-reported',
  'client.authorized',
  'client.refused',
  'device.approved',
  'device.denied',
  'device.confirmed',
  'grant.revoked',
  'developer-token.revoked',
  'personal-token.created',
  'personal-token.revoked',
  'directory.password-set',
  'directory.password-refused',
  'directory.locked',
  'directory.guesses-stopped',
  'directory.signed-up',
  'directory.sign-up-stopped',
  'demo-user.removed',
  'key.rotated',
  'key.revoked',
  'permissions.relationships-changed',
  'permissions.schema-changed',
  'permissions.imported',
  'permissions.exported',
  'permissions.assertion-saved',
  'permissions.assertion-deleted',
] as const
export type Action = (typeof actions)[number]

/** The kinds of targets that actions apply to. An `attempt` is a sign-in attempt. */
export const targetKinds = [
  'user',
  'preference',
  'directory-person',
  'client',
  'identity-api',
  'aws-product',
  'aws-subscription',
  'aws-event',
  'branding',
  'cors',
  'mail',
  'content',
  'entitlement',
  'key',
  'attempt',
  'role',
  'org',
  'group',
  'invitation',
  'join-link',
  'audit',
  'trash',
  'permissions',
] as const
export type TargetKind = (typeof targetKinds)[number]

const Values = z.nullable(z.record(z.string(), z.unknown()))

/** An audit event: actor, action, target and origin. */
export const AuditEntry = z
  .object({
    id: z.string(),
    at: Instant,
    /** One of `actions`, or a name that an earlier version used. */
    action: z.string(),
    /** Null for anonymous callers and for the system. */
    actor: z.nullable(z.object({ id: z.string(), name: z.string() })),
    /** The name is null if the target has none or was purged. */
    target: z.object({ kind: z.string(), id: z.nullable(z.string()), name: z.nullable(z.string()) }),
    before: Values,
    after: Values,
    /** Names of the users, organisations and groups whose ids occur in before and after, as far as they exist. */
    names: z.record(z.string(), z.string()),
    /** The URLs of the pictures of actor and target, by the id of the user. */
    pictures: z.record(z.string(), z.string()),
    reason: z.nullable(z.string()),
    ip: z.nullable(z.string()),
    userAgent: z.nullable(UserAgent),
    traceId: z.nullable(z.string()),
    /** The code that the user sees if the request fails, which no caller can choose. */
    supportCode: z.nullable(z.string()),
  })
  .check(z.meta({ id: 'AuditEntry' }))
export type AuditEntry = z.infer<typeof AuditEntry>

/** Filters audit events; an omitted field matches everything. */
export const AuditFilter = z.object({
  /** The id of the actor. */
  actor: z.optional(z.string()),
  /** One of `actions`, or a prefix such as `group.`. */
  action: z.optional(z.string().check(z.regex(/^[a-z-]+(\.[a-z-]*)?$/))),
  /** Kind and id of the target: `group:0199…`. */
  target: z.optional(z.string().check(z.regex(/^[a-z-]+:./))),
  /** A role: changes to it, and its assignments to users and groups. */
  role: z.optional(z.string().check(z.minLength(1))),
  /** Inclusive. */
  from: z.optional(Moment),
  /** Exclusive. */
  to: z.optional(Moment),
  traceId: z.optional(z.string().check(z.regex(/^[0-9a-f]{32}$/))),
  /** The code that the error page shows: `4BF9-2F35`. */
  supportCode: z.optional(z.string().check(z.regex(/^[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}$/))),
  /** Selects sign-ins, by their result. */
  signIns: z.optional(z.enum(['any', 'succeeded', 'failed'])),
  /** The id of the identity provider of a sign-in. */
  provider: z.optional(z.string().check(z.minLength(1))),
  /** The client id of the application that a sign-in was for. */
  client: z.optional(z.string().check(z.minLength(1))),
  /** The code of the reason: of a failed sign-in, one of the sign-in traces. */
  reason: z.optional(z.string().check(z.regex(/^[a-z_-]+$/))),
  /** `hidden` omits the settings that the console saves for its users, such as the columns of a table. */
  settings: z.optional(z.enum(['hidden'])),
})
export type AuditFilter = z.infer<typeof AuditFilter>

export const listAuditEntries = endpoint('GET', '/passport/admin/audit', {
  summary: 'List audit events, newest first',
  access: 'admin',
  query: z.extend(AuditFilter, CursorQuery.shape),
  returns: json(cursorPage(AuditEntry)),
})

/** The number of events of a day; `failed` of them are failed sign-ins. */
const AuditDay = z.object({ day: z.iso.date(), events: z.int(), failed: z.int() }).check(z.meta({ id: 'AuditDay' }))
export type AuditDay = z.infer<typeof AuditDay>

/** The longest period to count, in days. */
export const maxAuditDays = 92

/** A name of the IANA database: `Europe/Berlin`. */
const TimeZone = z
  .string()
  .check(z.regex(/^[A-Za-z][\w+-]*(\/[A-Za-z][\w+-]*)*$/), z.refine(isTimeZone, { error: 'Must be a time zone.' }))

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Counts the matching events of each day in a time zone, in at most the 92 days before `to`. Omits days without any. */
export const countAuditEntries = endpoint('GET', '/passport/admin/audit/days', {
  summary: 'Count audit events per day',
  access: 'admin',
  query: z.extend(AuditFilter, { zone: z._default(TimeZone, 'UTC') }),
  returns: json(z.array(AuditDay)),
})

/** The number of sign-ins with a value, most frequent first. */
const Facet = z.array(z.object({ value: z.string(), name: z.string(), count: z.int() }))

/** The sign-ins of a period in equal steps, oldest first, and how many have which provider, application and reason. */
export const SignInCounts = z
  .object({
    from: Instant,
    to: Instant,
    step: z.enum(['10 minutes', 'hour', 'day']),
    buckets: z.array(z.object({ at: Instant, succeeded: z.int(), failed: z.int() })),
    providers: Facet,
    clients: Facet,
    reasons: Facet,
  })
  .check(z.meta({ id: 'SignInCounts' }))
export type SignInCounts = z.infer<typeof SignInCounts>

/** Counts the matching sign-ins in at most the 92 days before `to`, by default the last 30. Steps are of the time zone. */
export const countSignIns = endpoint('GET', '/passport/admin/audit/signins', {
  summary: 'Count sign-ins over time',
  access: 'admin',
  query: z.extend(
    z.pick(AuditFilter, {
      signIns: true,
      provider: true,
      client: true,
      reason: true,
      actor: true,
      from: true,
      to: true,
    }),
    {
      zone: z._default(TimeZone, 'UTC'),
    },
  ),
  returns: json(SignInCounts),
})

/** Exports all matching events, newest first; a cell that a spreadsheet would evaluate is prefixed with `'`. */
export const exportAuditEntries = endpoint('GET', '/passport/admin/audit/export', {
  summary: 'Export audit events as a file',
  access: 'admin',
  recent: true,
  query: z.extend(AuditFilter, { format: z._default(z.enum(['csv', 'json']), 'csv') }),
  returns: file({ 'text/csv': z.string(), 'application/json': z.array(AuditEntry) }),
})

/** The retention of audit events in days; at least one year. */
export const AuditRetention = z
  .object({ days: z.int().check(z.minimum(365), z.maximum(36_500)) })
  .check(z.meta({ id: 'AuditRetention' }))
export type AuditRetention = z.infer<typeof AuditRetention>

export const getAuditRetention = endpoint('GET', '/passport/admin/audit/retention', {
  summary: 'Get the audit retention period',
  access: 'admin',
  returns: json(AuditRetention),
})
export const putAuditRetention = endpoint('PUT', '/passport/admin/audit/retention', {
  summary: 'Set the audit retention period',
  access: 'admin',
  recent: true,
  body: entity(AuditRetention),
  returns: json(AuditRetention),
})
