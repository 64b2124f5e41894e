import { type Adapter, type AdapterPayload, type ClientMetadata, Provider } from 'oidc-provider'
import type { Sql } from '../database/sql.ts'
import { isValidText } from '../http/storable-text.ts'
import type { Log } from '../log.ts'
import { personalTokenForm } from '../prefixed-token.ts'
import type { Vault } from '../vault.ts'
import type { Outage } from './outage.ts'
import { findSuccessorInGrace, findTokenRequest } from './rotation.ts'
import * as store from './store.ts'
import { withProviderErrors } from './unavailable.ts'

/** Kinds whose payload is encrypted, because it has the ids of other artifacts. */
const sealedKinds = new Set(['Interaction'])
/** Kinds that are issued for a grant and end with it; an interaction only refers to one. */
const grantBoundKinds = new Set(['AuthorizationCode', 'AccessToken', 'RefreshToken'])
/** Kinds that the library finds by uid. */
const uidKinds = new Set(['Session'])
/** Kinds whose id is stored encrypted: the library finds them by another key, and then uses the id. */
const indirectKinds = new Set(['Session'])

/** Kinds that a token request issues; they are saved when the request is committed. */
const issuedKinds = new Set(['AccessToken', 'RefreshToken'])
/** A code that is presented again within this time was sent twice, not stolen; later, it ends the grant (decision 0092). */
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
 * Creates the adapter by which `oidc-provider` stores the artifacts of an issuer in the database.
 *
 * The library finds a code or a refresh token, checks it, and then consumes it; a concurrent request may do the same.
 * So `consume` spends it for one of the requests only. In a token request it only records the artifact, which
 * `commitTokens` spends.
 */
export function createAdapter({
  issuer,
  sql,
  vault,
  outage,
  findClient,
  log,
}: Dependencies): (kind: string) => Adapter {
  const readClient = onceInRequest(
    async (id) => (isValidText(id) ? await findClient?.(id) : undefined) as AdapterPayload | undefined,
  )
  return (kind) => {
    if (kind === 'Client') return createReadOnlyAdapter(withProviderErrors(readClient, log))
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
        // The library saves an empty session for the cookie of an ended one.
        if (kind === 'Session' && payload.accountId === undefined) return
        const artifact: store.NewArtifact = {
          issuer,
          kind,
          id,
          payload: sealedKinds.has(kind) ? { sealed: vault.seal(purpose, JSON.stringify(payload)) } : payload,
          sealedId: indirectKinds.has(kind) ? vault.seal(purpose, id) : null,
          accountId: payload.accountId ?? null,
          grantId: grantBoundKinds.has(kind) ? (payload.grantId ?? null) : null,
          uid: uidKinds.has(kind) ? (payload.uid ?? null) : null,
          expiresInSeconds: expiresIn,
        }
        const request = issuedKinds.has(kind) ? findTokenRequest(Provider.ctx) : undefined
        if (request) request.issued.push(artifact)
        else await store.saveArtifact(sql, artifact)
      },
      find: async (id) => {
        if (personalTokenForm.hasForm(id)) return undefined
        const artifact = await store.findArtifact(sql, issuer, kind, id)
        if (!artifact) return undefined
        return toPayload(artifact, id, await isConsumed(id, artifact.spentSeconds))
      },
      findByUid: async (uid) => {
        const artifact = await store.findArtifactByUid(sql, issuer, kind, uid)
        return artifact ? toPayload(artifact) : undefined
      },
      findByUserCode: async () => undefined,
      consume: async (id) => {
        const request = findTokenRequest(Provider.ctx)
        if (!request) throw new Error('Only a token request spends an artifact')
        request.spent = { kind, id }
      },
      destroy: (id) => store.removeArtifact(sql, issuer, kind, id),
      // The grant is removed as well, and its tokens with it.
      revokeByGrantId: async () => {},
    }
    const methods = Object.entries(adapter).map(([name, method]) => [
      name,
      withProviderErrors(method as AnyMethod, log),
    ])
    return Object.fromEntries(methods) as Adapter
  }
}

export const purposeOfArtifact = (issuer: store.IssuerName, kind: string): string => `artifact:${issuer}:${kind}`

/**
 * Lets a request decide by one state of each record: a client may be disabled between two reads, and the library fails on
 * one that is gone after its token was found.
 */
function onceInRequest<T>(read: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const requests = new WeakMap<object, Map<string, Promise<T>>>()
  return (id) => {
    const { ctx } = Provider
    if (!ctx) return read(id)
    const known = requests.get(ctx) ?? new Map<string, Promise<T>>()
    requests.set(ctx, known)
    const record = known.get(id) ?? read(id)
    known.set(id, record)
    return record
  }
}

/** Creates an adapter for a kind that the library reads and never writes. */
function createReadOnlyAdapter(find: Adapter['find']): Adapter {
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
