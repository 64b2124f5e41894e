import { maxSetupLinks, setupHours } from '@passport/contract/setup'
import { v7 as uuid } from 'uuid'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { notLinked } from '../entra/problems.ts'
import * as entra from '../entra/store.ts'
import type { Caller } from '../http/caller.ts'
import { requireAccess } from '../orgs/access.ts'
import { orgNotFound } from '../orgs/problems.ts'
import * as orgs from '../orgs/store.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { generateToken, hashToken } from '../vault.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/** Throws 403 unless the caller is an owner of the organisation or an administrator, and 404 if they may not see it. */
async function requireOwner(sql: Sql, caller: Caller, orgId: string): Promise<void> {
  const { authority } = await requireAccess(sql, caller, orgId)
  if (authority !== 'owner' && authority !== 'administrator') throw problems.notOwner()
}

/**
 * Creates a set-up link of an organisation with a tenant. Returns it with its token, which is not stored. Throws 403, 404,
 * and 409 `setup-link-limit`.
 */
export function createLink(
  sql: Sql,
  orgId: string,
  context: ChangeContext<Caller>,
): Promise<{ link: store.LinkRow; token: string }> {
  return transaction(sql, async (sql) => {
    // The lock also keeps simultaneous calls within the limit.
    if (!(await orgs.lock(sql, orgId))) throw orgNotFound()
    await recheckCaller(sql, context.caller)
    await requireOwner(sql, context.caller, orgId)
    if (!(await entra.find(sql, orgId))) throw notLinked()
    if ((await store.countLive(sql, orgId)) >= maxSetupLinks) throw problems.linkLimit()
    const [id, token] = [uuid(), generateToken()]
    await store.add(sql, {
      id,
      orgId,
      tokenHash: hashToken(token),
      createdBy: context.caller.id,
      hours: setupHours,
    })
    const link = await store.lockOfOrg(sql, orgId, id)
    if (!link) throw problems.linkNotFound()
    await record(sql, 'org.setup-link-created', link, context, { after: toAudited(link) })
    return { link, token }
  })
}

const listedLinks = 20

/** Lists the last set-up links of an organisation, newest first. Throws 403 and 404. */
export async function listLinks(sql: Sql, orgId: string, caller: Caller): Promise<store.LinkRow[]> {
  await requireOwner(sql, caller, orgId)
  return store.list(sql, orgId, listedLinks)
}

/** Revokes a set-up link; one that is not live stays as it is. Throws 403 and 404. */
export function revokeLink(
  sql: Sql,
  { orgId, linkId }: { orgId: string; linkId: string },
  context: ChangeContext<Caller>,
): Promise<void> {
  return transaction(sql, async (sql) => {
    const link = await store.lockOfOrg(sql, orgId, linkId)
    await recheckCaller(sql, context.caller)
    await requireOwner(sql, context.caller, orgId)
    if (!link) throw problems.linkNotFound()
    if (link.status !== 'open' && link.status !== 'opened') return
    await store.revoke(sql, linkId)
    await record(sql, 'org.setup-link-revoked', link, context, { before: toAudited(link) })
  })
}

const toAudited = ({ id, status, expiresAt }: store.LinkRow) => ({ setupLink: id, status, expiresAt })

const record = (
  sql: Sql,
  action: 'org.setup-link-created' | 'org.setup-link-revoked',
  { orgId }: store.LinkRow,
  context: ChangeContext<Caller>,
  change: Pick<audit.AuditEvent, 'before' | 'after'>,
) => audit.record(sql, { action, ...toActorFields(context), target: { kind: 'org', id: orgId }, ...change })
