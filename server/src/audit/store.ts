import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'
import type { Visit } from '../http/visit.ts'

/** The names of what is recorded: kind of thing, then what happened to it. */
export type Action =
  | 'signin.succeeded'
  | 'signin.failed'
  | 'signout'
  | 'signout.everywhere'
  | 'session.revoked'
  | 'login.linked'
  | 'login.unlinked'
  | 'user.created'
  | 'user.changed'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.locked-down'
  | 'user.deleted'
  | 'user.restored'
  | 'users.imported'
  | 'users.import-taken-back'
  | 'users.exported'
  | 'profile.changed'
  | 'role.granted'
  | 'role.taken'
  | 'role.created'
  | 'role.changed'
  | 'role.deleted'
  | 'org.created'
  | 'org.changed'
  | 'org.deleted'
  | 'org.restored'
  | 'org.member-added'
  | 'org.member-changed'
  | 'org.member-removed'
  | 'org.domain-added'
  | 'org.domain-verified'
  | 'org.domain-removed'
  | 'group.created'
  | 'group.changed'
  | 'group.deleted'
  | 'group.restored'
  | 'group.members-added'
  | 'group.members-removed'
  | 'group.owners-added'
  | 'group.owners-removed'
  | 'group.roles-changed'
  | 'invitation.sent'
  | 'invitation.resent'
  | 'invitation.revoked'
  | 'invitation.claimed'
  | 'invitation.confirmed'
  | 'invitation.accepted'
  | 'join-link.created'
  | 'join-link.stopped'
  | 'join-link.accepted'
  | 'audit.exported'
  | 'audit.retention-changed'
  | 'preference.saved'
  | 'preference.removed'
  | 'client.authorized'
  | 'client.refused'
  | 'device.approved'
  | 'device.denied'
  | 'grant.revoked'
  | 'directory.password-set'
  | 'directory.password-refused'
  | 'directory.locked'
  | 'cast.dismissed'
  | 'key.rotated'

/** The kinds of things that something can be done to. */
export type TargetKind =
  | 'user'
  | 'preference'
  | 'directory-person'
  | 'client'
  | 'key'
  | 'attempt'
  | 'role'
  | 'org'
  | 'group'
  | 'invitation'
  | 'join-link'
  | 'audit'

export interface AuditEvent {
  action: Action
  /** Nobody where no one was signed in, or where the system acted. */
  actorId?: string | null
  target: { kind: TargetKind; id: string | null }
  before?: JsonObject
  after?: JsonObject
  reason?: string
  visit?: Visit
}
type JsonObject = { [name: string]: string | number | boolean | null | string[] | JsonObject }

/** Appends to the audit; called in the transaction of the change it tells of, so that neither is without the other. */
export async function record(sql: Sql, event: AuditEvent): Promise<void> {
  const { action, actorId = null, target, before, after, reason = null, visit } = event
  await sql`
    insert into audit_events (id, action, actor_id, target_kind, target_id, before, after, reason, ip, user_agent, trace_id)
    values (
      ${uuid()}, ${action}, ${actorId}, ${target.kind}, ${target.id},
      ${before ? sql.json(before) : null}, ${after ? sql.json(after) : null}, ${reason},
      ${visit?.ip ?? null}, ${visit?.userAgent ?? null}, ${visit?.traceId ?? null}
    )`
}

export interface ActivityRow {
  id: string
  at: string
  action: Action
  idp: string | null
  reason: string | null
  ip: string
  userAgent: string
  traceId: string
}

/** What people are shown of their own account: who came in or tried to, and what may act for them. */
const ofConcern = ['signin.%', 'signout%', 'session.%', 'login.%', 'client.%', 'grant.%', 'device.%', 'directory.%']

/** What happened to a person's account, newest first, from after the event `after` on. */
export async function listActivity(
  sql: Sql,
  userId: string,
  limit: number,
  after: string | undefined,
): Promise<ActivityRow[]> {
  return sql<ActivityRow[]>`
    select id, at, action, after ->> 'idp' as idp, reason, coalesce(ip, '') as ip,
      coalesce(user_agent, '') as user_agent, coalesce(trace_id, '') as trace_id
    from audit_events
    where target_kind = 'user' and target_id = ${userId} and id < ${after ?? '~'}
      and action like any(${ofConcern})
    order by id desc
    limit ${limit}`
}
