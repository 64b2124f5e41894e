import { type Adapter, type AdapterPayload, type ClientMetadata, Provider } from 'oidc-provider'
import type { Sql } from '../database/sql.ts'
import { isValidText } from '../http/valid-text.ts'
import type { Log } from '../log.ts'
import type { Vault } from '../vault.ts'
import type { Outage } from './outage.ts'
import { findSuccessorInGrace, findTokenRequest } from './rotation.ts'
import * as store from './store.ts'
import { withProviderErrors } from './unavailable.ts'

/** Kinds with other ids in their payload, which is therefore encrypted as a whole; `uid` is one of those ids. */
const sealedKinds = new Set(['Interaction', 'DeviceCode'])
/** Kinds that come of a grant and end with it; an interaction only mentions one. */
const grantBoundKinds = new Set(['AuthorizationCode', 'DeviceCode', 'AccessToken', 'RefreshToken'])
/** Kinds that are found by uid and then used by id. */
const uidKinds = new Set(['Session'])
/** Kinds that are found by another key than their id, and then used by id. */
const indirectKinds = new Set(['Session', 'DeviceCode'])

/** Kinds that a token request issues; they are saved when the request is committed. */
const issuedKinds = new Set(['AccessToken', 'RefreshToken'])
/** Losing a race for a code is not theft: only later than this a spent code ends the grant. */
const raceSeconds = 3

type AnyMethod = (...args: unknown[]) => Promise<unknown>

interface Dependencies {
  issuer: store.IssuerName
  sql: Sql
  vault: Vault
  outage: Outage
  findClient?: ((clientId: string) => Promise<ClientMetadata | undefined>) | undefined
  log: Log
}

/**
 * Stores the artifacts of one issuer in the database for `oidc-provider`.
 *
 * The library looks a code or a refresh token up, checks it, and then consumes it; in between, a second request may do
 * the same. In a token request `commitTokens` settles that. Elsewhere `consume` succeeds for one of them only.
 */
export function createAdapter({
  issuer,
  sql,
  vault,
  outage,
  findClient,
  log,
}: Dependencies): (kind: string) => Adapter {
  return (kind) => {
    if (kind === 'Client')
      return readOnlyAdapter(
        withProviderErrors(
          async (id: string) => (isValidText(id) ? await findClient?.(id) : undefined) as AdapterPayload | undefined,
          log,
        ),
      )
    const purpose = purposeOfArtifact(issuer, kind)

    const toPayload = (
      artifact: store.Artifact,
      id?: string,
      isConsumed = artifact.spentSeconds !== null,
    ): AdapterPayload => {
      const { sealed } = artifact.payload
      const payload = typeof sealed === 'string' ? JSON.parse(vault.open(purpose, sealed) ?? '{}') : artifact.payload
      const jti = id ?? (artifact.sealedId ? vault.open(purpose, artifact.sealedId) : undefined)
      return { ...payload, jti, ...(isConsumed && { consumed: true }) }
    }

    const isConsumed = async (id: string, spentSeconds: number | null) => {
      const request = findTokenRequest(Provider.ctx)
      if (spentSeconds === null || !request) return spentSeconds !== null
      if (kind !== 'RefreshToken') return spentSeconds > raceSeconds
      const successor = await findSuccessorInGrace(sql, outage, issuer, id)
      if (successor !== undefined) request.sealedSuccessor = successor
      return successor === undefined
    }

    const adapter: Adapter = {
      upsert: async (id, { jti, ...payload }, expiresIn = 0) => {
        const artifact: store.NewArtifact = {
          issuer,
          kind,
          id,
          payload: sealedKinds.has(kind) ? { sealed: vault.seal(purpose, JSON.stringify(payload)) } : payload,
          sealedId: indirectKinds.has(kind) ? vault.seal(purpose, id) : null,
          accountId: payload.accountId ?? null,
          grantId: grantBoundKinds.has(kind) ? (payload.grantId ?? null) : null,
          uid: uidKinds.has(kind) ? (payload.uid ?? null) : null,
          userCode: payload.userCode ?? null,
          expiresInSeconds: expiresIn,
        }
        const request = issuedKinds.has(kind) ? findTokenRequest(Provider.ctx) : undefined
        if (request) request.issued.push(artifact)
        else await store.saveArtifact(sql, artifact)
      },
      find: async (id) => {
        const artifact = await store.findArtifact(sql, issuer, kind, id)
        return artifact && toPayload(artifact, id, await isConsumed(id, artifact.spentSeconds))
      },
      findByUid: async (uid) => {
        const artifact = await store.findArtifactByUid(sql, issuer, kind, uid)
        return artifact && toPayload(artifact)
      },
      findByUserCode: async (userCode) => {
        const artifact = await store.findArtifactByUserCode(sql, issuer, userCode)
        return artifact && toPayload(artifact)
      },
      consume: async (id) => {
        const request = findTokenRequest(Provider.ctx)
        if (!request) throw new Error('Only a token request spends an artifact')
        request.spent = { kind, id }
      },
      destroy: (id) => store.removeArtifact(sql, issuer, kind, id),
      revokeByGrantId: (grantId) => store.removeArtifactsOfGrant(sql, issuer, kind, grantId),
    }
    const methods = Object.entries(adapter).map(([name, method]) => [
      name,
      withProviderErrors(method as AnyMethod, log),
    ])
    return Object.fromEntries(methods) as Adapter
  }
}

export const purposeOfArtifact = (issuer: store.IssuerName, kind: string): string => `artifact:${issuer}:${kind}`

/** An adapter for kinds that the library reads and never writes. */
function readOnlyAdapter(find: Adapter['find']): Adapter {
  const rejectWrite = async () => {
    throw new Error('The library does not change clients')
  }
  return {
    find,
    findByUid: rejectWrite,
    findByUserCode: rejectWrite,
    upsert: rejectWrite,
    consume: rejectWrite,
    destroy: rejectWrite,
    revokeByGrantId: rejectWrite,
  }
}
