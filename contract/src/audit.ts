import * as z from 'zod/mini'
import { UserAgent } from './accounts.ts'
import { endpoint, file, json } from './endpoint.ts'
import { Instant, Moment } from './instant.ts'
import { CursorQuery, cursorPage } from './page.ts'

/** The names of what is recorded: kind of thing, then what happened to it. */
export const actions = [
  'signin.succeeded',
  'signin.failed',
  'signout',
  'signout.everywhere',
  'session.revoked',
  'login.linked',
  'login.unlinked',
  'user.created',
  'user.changed',
  'user.disabled',
  'user.enabled',
  'user.locked-down',
  'user.deleted',
  'user.restored',
  'users.imported',
  'users.import-taken-back',
  'users.import-checked',
  'users.import-stopped',
  'users.exported',
  'profile.changed',
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
  'group.created',
  'group.changed',
  'group.deleted',
  'group.restored',
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
  'bin.purged',
  'preference.saved',
  'preference.removed',
  'client.authorized',
  'client.refused',
  'device.approved',
  'device.denied',
  'device.confirmed',
  'grant.revoked',
  'directory.password-set',
  'directory.password-refused',
  'directory.locked',
  'cast.dismissed',
  'key.rotated',
  'permissions.relationships-changed',
  'permissions.schema-changed',
  'permissions.imported',
  'permissions.exported',
  'permissions.assertion-saved',
  'permissions.assertion-deleted',
] as const
export type Action = (typeof actions)[number]

/** The kinds of things that something can be done to. */
export const targetKinds = [
  'user',
  'preference',
  'directory-person',
  'client',
  'key',
  'attempt',
  'role',
  'org',
  'group',
  'invitation',
  'join-link',
  'audit',
  'bin',
  'permissions',
] as const
export type TargetKind = (typeof targetKinds)[number]

const Values = z.nullable(z.record(z.string(), z.unknown()))

/** Something that happened: who did what to what, and from where. */
export const AuditEntry = z
  .object({
    id: z.string(),
    at: Instant,
    /** One of `actions`, or a name that an earlier version gave. */
    action: z.string(),
    /** Nobody where no one was signed in, or where the system acted. */
    actor: z.nullable(z.object({ id: z.string(), name: z.string() })),
    /** The name is null where the thing has none, or is gone for good. */
    target: z.object({ kind: z.string(), id: z.nullable(z.string()), name: z.nullable(z.string()) }),
    before: Values,
    after: Values,
    reason: z.nullable(z.string()),
    ip: z.nullable(z.string()),
    userAgent: z.nullable(UserAgent),
    traceId: z.nullable(z.string()),
    /** What the person saw if it went wrong: the start of the trace. */
    supportCode: z.nullable(z.string()),
  })
  .check(z.meta({ id: 'AuditEntry' }))
export type AuditEntry = z.infer<typeof AuditEntry>

/** What to tell of; whatever is left out does not matter. */
export const AuditFilter = z.object({
  /** The id of who did it. */
  actor: z.optional(z.string()),
  /** A name of `actions`, or all that begin so: `group.`. */
  action: z.optional(z.string().check(z.regex(/^[a-z-]+(\.[a-z-]*)?$/))),
  /** What it was done to: its kind, then its id, `group:0199…`. */
  target: z.optional(z.string().check(z.regex(/^[a-z-]+:./))),
  /** From this moment on. */
  from: z.optional(Moment),
  /** Before this moment. */
  to: z.optional(Moment),
  traceId: z.optional(z.string().check(z.regex(/^[0-9a-f]{32}$/))),
  /** From the page that told of a failure: `4BF9-2F35`. */
  supportCode: z.optional(z.string().check(z.regex(/^[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}$/))),
})
export type AuditFilter = z.infer<typeof AuditFilter>

export const listAuditEntries = endpoint('GET', '/passport/admin/audit', {
  summary: 'List what happened, newest first',
  access: 'admin',
  query: z.extend(AuditFilter, CursorQuery.shape),
  returns: json(cursorPage(AuditEntry)),
})

/** Everything that the filter lets through, newest first, as a file; a cell that a spreadsheet would run begins with `'`. */
export const exportAuditEntries = endpoint('GET', '/passport/admin/audit/export', {
  summary: 'Send what happened as a file',
  access: 'admin',
  query: z.extend(AuditFilter, { format: z._default(z.enum(['csv', 'json']), 'csv') }),
  returns: file('text/csv', 'application/json'),
})

/** For how many days events are kept; none is kept for less than a year. */
export const AuditRetention = z
  .object({ days: z.int().check(z.minimum(365), z.maximum(36_500)) })
  .check(z.meta({ id: 'AuditRetention' }))
export type AuditRetention = z.infer<typeof AuditRetention>

export const getAuditRetention = endpoint('GET', '/passport/admin/audit/retention', {
  summary: 'Tell for how long events are kept',
  access: 'admin',
  returns: json(AuditRetention),
})
export const putAuditRetention = endpoint('PUT', '/passport/admin/audit/retention', {
  summary: 'Set for how long events are kept',
  access: 'admin',
  body: json(AuditRetention),
  returns: json(AuditRetention),
})
