import type { JoinLink, LinkKind } from '@passport/contract/join'
import { v7 as uuid } from 'uuid'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import type { Preconditions } from '../http/conditional.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import { refuseFormer } from '../roles/former.ts'
import { hashToken, randomToken } from '../vault.ts'
import { refuseToInvite, refuseToRunTarget } from './right.ts'
import * as store from './store.ts'

interface Wish {
  kind: LinkKind
  targetId: string
  role: JoinLink['role']
  maxUses?: number | null | undefined
  expiresAt?: string | null | undefined
  domains?: string[] | undefined
  email?: string | null | undefined
}

interface By {
  caller: Caller
  visit: Visit
}

/** Makes a link and returns it with its token, which is stored nowhere. */
export function makeLink(sql: Sql, wish: Wish, by: By): Promise<{ link: store.LinkRow; token: string }> {
  refuseNonsense(wish)
  return transaction(sql, async (sql) => {
    await refuseToInvite(sql, by.caller, wish)
    const id = uuid()
    const token = randomToken()
    await store.add(sql, {
      id,
      tokenHash: hashToken(token),
      orgId: wish.kind === 'org' ? wish.targetId : null,
      groupId: wish.kind === 'group' ? wish.targetId : null,
      role: wish.role,
      // An address is one person's.
      maxUses: wish.maxUses ?? (wish.email ? 1 : null),
      expiresAt: wish.expiresAt ?? null,
      domains: [...new Set(wish.domains)].sort(),
      email: wish.email ?? null,
      createdBy: by.caller.id,
    })
    const link = await found(sql, id)
    await record(sql, 'join-link.created', link, by, { after: told(link) })
    return { link, token }
  })
}

function refuseNonsense({ kind, role, expiresAt }: Wish) {
  const errors = [
    ...(kind === 'group' && role !== 'member'
      ? [{ field: 'role', code: 'role-unknown', message: 'People join a group as members.' }]
      : []),
    ...(expiresAt && Date.parse(expiresAt) <= Date.now()
      ? [{ field: 'expiresAt', code: 'in-the-past', message: 'Must be in the future.' }]
      : []),
  ]
  const [first] = errors
  if (first) throw new Problem(400, 'invalid-request', `${first.field}: ${first.message}`, { errors })
}

/** Stops a link for good; one that is stopped stays so. Throws 404 for who may not know of it, and 412. */
export function stopLink(sql: Sql, id: string, by: By & { preconditions: Preconditions }): Promise<void> {
  return transaction(sql, async (sql) => {
    await store.lock(sql, id)
    await refuseFormer(sql, by.caller)
    const link = await found(sql, id)
    await refuseToRunTarget(sql, by.caller, link).catch((refusal) => {
      throw refusal instanceof Problem && refusal.status === 404 ? noSuchLink() : refusal
    })
    by.preconditions.check({ etag: String(versionOf(link)) })
    if (link.status === 'stopped') return
    await store.stop(sql, id)
    await record(sql, 'join-link.stopped', link, by, { before: told(link) })
  })
}

/** Nothing of a link changes but how often it was used, and that it is stopped. */
export const versionOf = ({ used, status }: Pick<store.LinkRow, 'used' | 'status'>): number =>
  used + (status === 'stopped' ? 2 : 1)

async function found(sql: Sql, id: string): Promise<store.LinkRow> {
  const link = await store.find(sql, id)
  if (!link) throw noSuchLink()
  return link
}

const noSuchLink = () => new Problem(404, 'join-link-not-found', 'There is no such link.')

const told = ({ id, role, maxUses, used, expiresAt, domains, email }: store.LinkRow) => ({
  joinLink: id,
  role,
  maxUses,
  used,
  expiresAt,
  domains,
  email,
})

/** Told of what it leads into, so that its history is one. */
const record = (
  sql: Sql,
  action: 'join-link.created' | 'join-link.stopped',
  { kind, targetId }: store.LinkRow,
  { caller, visit }: By,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, actorId: caller.id, target: { kind, id: targetId }, ...change, visit })
