import { type Adapter, type AdapterPayload, type ClientMetadata, errors } from 'oidc-provider'
import type { Sql } from '../database/sql.ts'
import { isStorable } from '../http/storable.ts'
import type { Vault } from '../vault.ts'
import * as store from './store.ts'

/** What holds ids of other things in its payload, and so is sealed whole; `uid` is one of those ids. */
const sealedKinds = new Set(['Interaction', 'DeviceCode'])
/** What comes of a grant and ends with it; an interaction only mentions one. */
const endWithGrant = new Set(['AuthorizationCode', 'DeviceCode', 'AccessToken', 'RefreshToken'])
/** What is found by its uid and then used by its id. */
const foundByUid = new Set(['Session'])
/** What is found by something else than its id and then used by that. */
const foundOtherwise = new Set(['Session', 'DeviceCode'])

/**
 * Keeps the artifacts of one issuer in the database for `oidc-provider`.
 *
 * The library looks a code or a refresh token up, checks it, and then consumes it; between the two a second request
 * may do the same. So `consume` succeeds for one of them only and the others are refused with `invalid_grant`.
 */
export function adapterFor(
  issuer: store.IssuerName,
  sql: Sql,
  vault: Vault,
  findClient: (clientId: string) => Promise<ClientMetadata | undefined> = async () => undefined,
): (kind: string) => Adapter {
  return (kind) => {
    if (kind === 'Client')
      return onlyFinding(
        async (id) => (isStorable(id) ? await findClient(id) : undefined) as AdapterPayload | undefined,
      )
    const purpose = `artifact:${issuer}:${kind}`

    const reveal = (found: store.Artifact | undefined, id?: string): AdapterPayload | undefined => {
      if (!found) return undefined
      const { sealed } = found.payload
      const payload = typeof sealed === 'string' ? JSON.parse(vault.open(purpose, sealed) ?? '{}') : found.payload
      const jti = id ?? (found.sealedId ? vault.open(purpose, found.sealedId) : undefined)
      return { ...payload, jti, ...(found.consumed && { consumed: true }) }
    }

    return {
      upsert: async (id, { jti, ...payload }, expiresIn = 0) => {
        await store.saveArtifact(sql, {
          issuer,
          kind,
          id,
          payload: sealedKinds.has(kind) ? { sealed: vault.seal(purpose, JSON.stringify(payload)) } : payload,
          sealedId: foundOtherwise.has(kind) ? vault.seal(purpose, id) : null,
          accountId: payload.accountId ?? null,
          grantId: endWithGrant.has(kind) ? (payload.grantId ?? null) : null,
          uid: foundByUid.has(kind) ? (payload.uid ?? null) : null,
          userCode: payload.userCode ?? null,
          expiresInSeconds: expiresIn,
        })
      },
      find: async (id) => reveal(await store.findArtifact(sql, issuer, kind, id), id),
      findByUid: async (uid) => reveal(await store.findArtifactByUid(sql, issuer, kind, uid)),
      findByUserCode: async (userCode) => reveal(await store.findArtifactByUserCode(sql, issuer, userCode)),
      consume: async (id) => {
        const isWinner = await store.consumeArtifact(sql, issuer, kind, id)
        if (!isWinner) throw new errors.InvalidGrant('already used')
      },
      destroy: (id) => store.removeArtifact(sql, issuer, kind, id),
      revokeByGrantId: (grantId) => store.removeArtifactsOfGrant(sql, issuer, kind, grantId),
    }
  }
}

/** What the library reads and never writes. */
function onlyFinding(find: Adapter['find']): Adapter {
  const never = async () => {
    throw new Error('The library changes no clients')
  }
  return {
    find,
    findByUid: never,
    findByUserCode: never,
    upsert: never,
    consume: never,
    destroy: never,
    revokeByGrantId: never,
  }
}
