import type { JoinLink, LinkKind } from '@passport/contract/join'
import { v7 as uuid } from 'uuid'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import type { Preconditions } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import { invalidRequest } from '../http/problems.ts'
import { isRecentlyAuthenticated } from '../http/recent.ts'
import type { Visit } from '../http/visit.ts'
import { recheckCaller, recheckCreator } from '../roles/recheck-caller.ts'
import { generateToken, hashToken } from '../vault.ts'
import { requireInviter, requireTargetManager } from './policy.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

interface LinkOptions {
  kind: LinkKind
  targetId: string
  role: JoinLink['role']
  maxUses?: number | null | undefined
  expiresAt?: string | null | undefined
  domains?: string[] | undefined
  email?: string | null | undefined
}

interface LinkChangeContext {
  caller: Caller
  visit: Visit
}

/**
 * Creates a link and returns it with its token, which is not stored. Throws 401 for a link that gives a role unless the
 * caller authenticated recently: users who join later are not asked.
 */
export function createLink(
  sql: Sql,
  options: LinkOptions,
  context: LinkChangeContext,
): Promise<{ link: store.LinkRow; token: string }> {
  validateOptions(options)
  return transaction(sql, async (sql) => {
    await recheckCreator(sql, context.caller)
    await requireInviter(sql, context.caller, options)
    const id = uuid()
    const token = generateToken()
    await store.add(sql, {
      id,
      tokenHash: hashToken(token),
      orgId: options.kind === 'org' ? options.targetId : null,
      groupId: options.kind === 'group' ? options.targetId : null,
      role: options.role,
      // An email address belongs to one user.
      maxUses: options.maxUses ?? (options.email ? 1 : null),
      expiresAt: options.expiresAt ?? null,
      domains: [...new Set(options.domains)].sort(),
      email: options.email ?? null,
      createdBy: context.caller.id,
      mayGiveRoles: isAdministrator(context.caller) && isRecentlyAuthenticated(context.caller),
    })
    const link = await findOrThrow(sql, id)
    await record(sql, 'join-link.created', link, context, { after: toAuditValues(link) })
    return { link, token }
  })
}

function validateOptions({ kind, role, expiresAt }: LinkOptions) {
  const errors = [
    ...(kind === 'group' && role !== 'member'
      ? [{ field: 'role', code: 'role-unknown', message: 'The role must be member for a link to a group.' }]
      : []),
    ...(expiresAt && Date.parse(expiresAt) <= Date.now()
      ? [{ field: 'expiresAt', code: 'in-the-past', message: 'Must be in the future.' }]
      : []),
  ]
  const [first] = errors
  if (first) throw invalidRequest(`${first.field}: ${first.message}`, errors)
}

/** Revokes a link permanently; idempotent. Throws 404 for callers who may not see the target, 403 and 412. */
export function revokeLink(
  sql: Sql,
  id: string,
  context: LinkChangeContext & { preconditions: Preconditions },
): Promise<void> {
  return transaction(sql, async (sql) => {
    await store.lock(sql, id)
    await recheckCaller(sql, context.caller)
    const link = await findOrThrow(sql, id)
    await requireTargetManager(sql, context.caller, link).catch((error) => {
      throw error instanceof Problem && error.status === 404 ? problems.linkNotFound() : error
    })
    context.preconditions.check({ etag: String(versionOf(link)) })
    if (link.status === 'stopped') return
    await store.revoke(sql, id)
    await record(sql, 'join-link.stopped', link, context, { before: toAuditValues(link) })
  })
}

/** Returns the version of a link, of which only the use count and the revocation ever change. */
export const versionOf = ({ used, status }: Pick<store.LinkRow, 'used' | 'status'>): number =>
  used + (status === 'stopped' ? 2 : 1)

async function findOrThrow(sql: Sql, id: string): Promise<store.LinkRow> {
  const link = await store.find(sql, id)
  if (!link) throw problems.linkNotFound()
  return link
}

const toAuditValues = ({ id, role, maxUses, used, expiresAt, domains, email }: store.LinkRow) => ({
  joinLink: id,
  role,
  maxUses,
  used,
  expiresAt,
  domains,
  email,
})

/** Records an event of the target, so that its history includes its links. */
const record = (
  sql: Sql,
  action: 'join-link.created' | 'join-link.stopped',
  { kind, targetId }: store.LinkRow,
  { caller, visit }: LinkChangeContext,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, actorId: caller.id, target: { kind, id: targetId }, ...change, visit })
