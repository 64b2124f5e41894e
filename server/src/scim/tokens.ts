import type { NewScimToken } from '@passport/contract/scim'
import { maxScimTokens } from '@passport/contract/scim'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { lockConnection } from '../entra/create.ts'
import { scimTokenForm } from '../prefixed-token.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

/**
 * Creates a token of an organisation and returns it with its value, which is not stored. Throws 404 `entra-not-linked`
 * and 409 `too-many-scim-tokens`.
 */
export function createToken(
  sql: Sql,
  orgId: string,
  { name, expiresInDays }: NewScimToken,
  context: ChangeContext,
): Promise<{ token: store.TokenRow; value: string }> {
  return transaction(sql, async (sql) => {
    await lockConnection(sql, orgId, context)
    const live = (await store.listTokens(sql, orgId)).filter(({ state }) => state === 'live')
    if (live.length >= maxScimTokens) throw problems.tooManyTokens()
    const value = scimTokenForm.generate()
    const { setupLinkId = null } = context.caller
    const id = await store.addToken(sql, value, {
      orgId,
      name,
      start: value.slice(0, scimTokenForm.startLength),
      expiresInDays,
      createdBy: setupLinkId === null ? context.caller.id : null,
      setupLinkId,
    })
    const token = (await store.listTokens(sql, orgId)).find((row) => row.id === id) as store.TokenRow
    await audit.record(sql, {
      action: 'org.scim-token-created',
      ...toActorFields(context),
      target: { kind: 'org', id: orgId },
      after: toAuditFields(token),
    })
    return { token, value }
  })
}

/**
 * Revokes a token of an organisation; by a set-up link, only one that such a link has created. Throws 404
 * `scim-token-not-found` and `entra-not-linked`.
 */
export function revokeToken(
  sql: Sql,
  { orgId, tokenId }: { orgId: string; tokenId: string },
  context: ChangeContext,
): Promise<void> {
  return transaction(sql, async (sql) => {
    await lockConnection(sql, orgId, context)
    const isOwn = context.caller.setupLinkId === undefined
    const revoked = await revokeWhere(sql, orgId, context, (row) => row.id === tokenId && (isOwn || row.fromSetupLink))
    if (revoked === 0) throw problems.tokenNotFound()
  })
}

/** Revokes the tokens that the browser of a set-up link has created. The organisation must be locked. */
export const revokeTokensOfLink = (
  sql: Sql,
  { orgId, linkId }: { orgId: string; linkId: string },
  context: ChangeContext,
): Promise<number> => revokeWhere(sql, orgId, context, ({ setupLinkId }) => setupLinkId === linkId)

/** Revokes the matching tokens that are not revoked, and records each; returns how many. */
async function revokeWhere(
  sql: Sql,
  orgId: string,
  context: ChangeContext,
  isMatching: (row: store.TokenRow) => boolean,
): Promise<number> {
  let count = 0
  for (const token of (await store.listTokens(sql, orgId)).filter(isMatching)) {
    if (!(await store.revokeToken(sql, orgId, token.id))) continue
    count++
    await audit.record(sql, {
      action: 'org.scim-token-revoked',
      ...toActorFields(context),
      target: { kind: 'org', id: orgId },
      before: toAuditFields(token),
    })
  }
  return count
}

const toAuditFields = ({ name, start, expiresAt, fromSetupLink }: store.TokenRow) => ({
  token: name,
  start,
  expiresAt,
  ...(fromSetupLink && { fromSetupLink }),
})
