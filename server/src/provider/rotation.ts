import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Sql } from '../database/sql.ts'
import { createVault, type Vault } from '../vault.ts'
import { graceSeconds, type Outage } from './outage.ts'
import * as store from './store.ts'

/** The writes of a token request, which are committed together at its end. */
interface TokenRequest {
  /** The presented code or refresh token. */
  spent?: { kind: string; id: string }
  issued: store.NewArtifact[]
  /** The encrypted successor of a refresh token that was already spent. */
  sealedSuccessor?: string
}

const requests = new WeakMap<object, TokenRequest>()

/** Returns the current token request; undefined for other requests, whose writes are not collected. */
export const findTokenRequest = (ctx: object | undefined): TokenRequest | undefined => ctx && requests.get(ctx)

/**
 * Handles a token request atomically: `handle` only collects writes, and one statement spends the presented token and
 * saves the issued ones. The library would execute them one by one, and a crash in between would leave a user with a
 * spent refresh token and no other. A failed request spends nothing. Throws `invalid_grant`. A grant type that issues
 * stored tokens has to spend something.
 */
export async function commitTokens(
  { sql, issuer }: { sql: Sql; issuer: store.IssuerName },
  ctx: KoaContextWithOIDC,
  handle: () => Promise<void>,
): Promise<void> {
  const request: TokenRequest = { issued: [] }
  requests.set(ctx, request)
  await handle()
  const { spent, issued } = request
  if (!spent) {
    // They would be sent, and not exist.
    if (issued.length > 0) throw new Error('Tokens were issued for a request that spends nothing')
    return
  }
  if (spent.kind !== 'RefreshToken') {
    if (await store.spendForTokens(sql, issuer, spent, issued)) return
    throw new errors.InvalidGrant('already used')
  }
  const vault = createVault(spent.id)
  const jkt = ctx.oidc.entities.AccessToken?.jkt
  if (request.sealedSuccessor === undefined) {
    const successor = issued.find(({ kind }) => kind === 'RefreshToken')
    const stored = successor && sealSuccessor(vault, jkt, successor.id)
    if (await store.spendForTokens(sql, issuer, spent, issued, stored)) return
  }
  // Only one of concurrent requests spends the token; the others get its successor.
  const sealed = request.sealedSuccessor ?? (await store.findUnusedSuccessor(sql, issuer, spent.id))?.sealedValue
  const successor = sealed && openSuccessor(vault, jkt, sealed)
  const otherArtifacts = issued.filter(({ kind }) => kind !== 'RefreshToken')
  if (
    !successor ||
    !(await store.saveBesideUnusedSuccessor(sql, issuer, { spentId: spent.id, successorId: successor }, otherArtifacts))
  )
    throw new errors.InvalidGrant('already used')
  Object.assign(ctx.body as object, { refresh_token: successor })
}

/** A request with another DPoP key than that of the rotation cannot decrypt the successor. */
const purposeOfSuccessor = (jkt: string | undefined) => `successor:${jkt ?? ''}`

/** Encrypts the successor of a refresh token. `vault` is that of the token; `jkt` is of the key of the request, if any. */
export const sealSuccessor = (vault: Vault, jkt: string | undefined, id: string) => ({
  id,
  sealedValue: vault.seal(purposeOfSuccessor(jkt), id),
})

/** Decrypts the successor of a refresh token; undefined for a request with another key than that of the rotation. */
export const openSuccessor = (vault: Vault, jkt: string | undefined, sealedValue: string): string | undefined =>
  vault.open(purposeOfSuccessor(jkt), sealedValue)

/** Returns the encrypted successor of a spent refresh token within the grace period; otherwise undefined. */
export async function findSuccessorInGrace(
  sql: Sql,
  outage: Outage,
  issuer: store.IssuerName,
  id: string,
): Promise<string | undefined> {
  const successor = await store.findUnusedSuccessor(sql, issuer, id)
  if (!successor) return undefined
  const isInGrace = successor.ageSeconds <= graceSeconds || (await outage.covers(successor.issuedAt))
  return isInGrace ? successor.sealedValue : undefined
}
