import { maxSetupLinks, setupHours } from '@passport/contract/setup'
import { v7 as uuid } from 'uuid'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as consentLinks from '../entra/consent-store.ts'
import { notLinked } from '../entra/problems.ts'
import * as entra from '../entra/store.ts'
import type { Caller } from '../http/caller.ts'
import { requireAccess } from '../orgs/access.ts'
import { orgNotFound } from '../orgs/problems.ts'
import * as orgs from '../orgs/store.ts'
import { recheckCaller, recheckCreator } from '../roles/recheck-caller.ts'
import * as scim from '../scim/store.ts'
import { revokeTokensOfLink } from '../scim/tokens.ts'
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
): Promise<{ link: DescribedLink; token: string }> {
  return transaction(sql, async (sql) => {
    // The lock also keeps simultaneous calls within the limit.
    if (!(await orgs.lock(sql, orgId))) throw orgNotFound()
    await recheckCreator(sql, context.caller)
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
    return { link: { ...link, tokens: [], hasChangedSettings: false }, token }
  })
}

/** A link with what its browser has created and changed. */
export interface DescribedLink extends store.LinkRow {
  tokens: scim.TokenRow[]
  hasChangedSettings: boolean
}

async function describe(sql: Sql, orgId: string, links: store.LinkRow[]): Promise<DescribedLink[]> {
  const tokens = Map.groupBy(await scim.listTokens(sql, orgId), ({ setupLinkId }) => setupLinkId)
  const ids = links.map(({ id }) => `setup:${id}`)
  const changers = await audit.filterActors(sql, ids, 'org.entra-changed')
  return links.map((link) => ({
    ...link,
    tokens: tokens.get(link.id) ?? [],
    hasChangedSettings: changers.has(`setup:${link.id}`),
  }))
}

const listedLinks = 20

/** Lists the last set-up links of an organisation, newest first. Throws 403 and 404. */
export async function listLinks(sql: Sql, orgId: string, caller: Caller): Promise<DescribedLink[]> {
  await requireOwner(sql, caller, orgId)
  return describe(sql, orgId, await store.list(sql, orgId, listedLinks))
}

/**
 * Revokes a set-up link, its consent link and, if requested, the SCIM tokens that its browser has created; their
 * customer may use them already. A link that is not live stays as it is. Throws 403 and 404.
 */
export function revokeLink(
  sql: Sql,
  { orgId, linkId, withScimTokens = false }: { orgId: string; linkId: string; withScimTokens?: boolean | undefined },
  context: ChangeContext<Caller>,
): Promise<DescribedLink> {
  return transaction(sql, async (sql) => {
    // Its browser locks the organisation before the link.
    if (!(await orgs.lock(sql, orgId))) throw orgNotFound()
    const link = await store.lockOfOrg(sql, orgId, linkId)
    await recheckCaller(sql, context.caller)
    await requireOwner(sql, context.caller, orgId)
    if (!link) throw problems.linkNotFound()
    if (link.status === 'open' || link.status === 'opened') {
      await store.revoke(sql, linkId)
      await record(sql, 'org.setup-link-revoked', link, context, { before: toAudited(link) })
    }
    await consentLinks.endLinksOf(sql, linkId)
    if (withScimTokens) await revokeTokensOfLink(sql, { orgId, linkId }, context)
    const [after] = await describe(sql, orgId, [(await store.lockOfOrg(sql, orgId, linkId)) ?? link])
    return after as DescribedLink
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
