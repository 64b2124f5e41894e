import type { NewScimToken } from '@passport/contract/scim'
import { maxScimTokens } from '@passport/contract/scim'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import { lockConnection } from '../entra/create.ts'
import { scimTokenForm } from '../prefixed-token.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

type TokenContext = ChangeContext & {
  /** The customer's administrator creates or revokes it by a set-up link. */
  isBySetupLink?: boolean
}

/**
 * Creates a token of an organisation and returns it with its value, which is not stored. Throws 404 `entra-not-linked`
 * and 409 `too-many-scim-tokens`.
 */
export function createToken(
  sql: Sql,
  orgId: string,
  { name, expiresInDays }: NewScimToken,
  { isBySetupLink = false, ...context }: TokenContext,
): Promise<{ token: store.TokenRow; value: string }> {
  return transaction(sql, async (sql) => {
    await lockConnection(sql, orgId, context)
    const live = (await store.listTokens(sql, orgId)).filter(({ state }) => state === 'live')
    if (live.length >= maxScimTokens) throw problems.tooManyTokens()
    const value = scimTokenForm.generate()
    const id = await store.addToken(sql, value, {
      orgId,
      name,
      start: value.slice(0, scimTokenForm.startLength),
      expiresInDays,
      createdBy: isBySetupLink ? null : context.caller.id,
      fromSetupLink: isBySetupLink,
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
  { isBySetupLink = false, ...context }: TokenContext,
): Promise<void> {
  return transaction(sql, async (sql) => {
    await lockConnection(sql, orgId, context)
    const token = (await store.listTokens(sql, orgId)).find(
      ({ id, fromSetupLink }) => id === tokenId && (fromSetupLink || !isBySetupLink),
    )
    if (!token || !(await store.revokeToken(sql, orgId, tokenId))) throw problems.tokenNotFound()
    await audit.record(sql, {
      action: 'org.scim-token-revoked',
      ...toActorFields(context),
      target: { kind: 'org', id: orgId },
      before: toAuditFields(token),
    })
  })
}

const toAuditFields = ({ name, start, expiresAt, fromSetupLink }: store.TokenRow) => ({
  token: name,
  start,
  expiresAt,
  ...(fromSetupLink && { fromSetupLink }),
})
