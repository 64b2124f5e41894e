import { combineWrites } from '../database/combine.ts'
import type { Sql } from '../database/sql.ts'
import { generateToken, hashToken, type Vault } from '../vault.ts'
import { epochSeconds, lifetimes } from './lifetimes.ts'

/** An authorization request as the client sent it, which is read again whenever it continues. */
export interface StoredRequest {
  clientId: string
  parameters: Record<string, string>
  resources: string[]
}

/** A request that waits for its user. */
export interface PendingRequest extends StoredRequest {
  /** In seconds since 1970; undefined before it is saved. */
  waitsSince?: number
  /** The pushed request that it was, which its authorization spends. */
  pushedId?: string | undefined
  consent?: GivenConsent | undefined
}

/** The user has allowed the request, on its page. */
export interface GivenConsent {
  userId: string
  /** The session in which they did. */
  tokenHash: string
  /** In seconds since 1970. */
  at: number
}

/** A pushed request (RFC 9126). */
interface PushedRequest extends StoredRequest {
  isSpent: boolean
}

/** Stores authorization requests, encrypted, for a short time. */
export type RequestStore = ReturnType<typeof createRequestStore>

type Kind = 'Interaction' | 'PushedAuthorizationRequest'

interface NewRequest {
  kind: Kind
  id: string
  payload: StoredPayload
  seconds: number
}

/** The client is readable, so that its requests end with it. */
type StoredPayload = { sealed: string; clientId: string }

const purpose = 'authorization-request'

export function createRequestStore(sql: Sql, vault: Vault) {
  const seal = (request: StoredRequest): StoredPayload => ({
    sealed: vault.seal(purpose, JSON.stringify(request)),
    clientId: request.clientId,
  })
  const saveAll = combineWrites((requests: NewRequest[]) => insert(sql, requests))

  async function save(kind: Kind, request: StoredRequest, seconds: number): Promise<string> {
    const id = generateToken()
    await saveAll({ kind, id, payload: seal(request), seconds })
    return id
  }

  /** Opens what is stored of a request; undefined if it was encrypted with a key that is gone. */
  function open<T extends StoredRequest>(payload: Record<string, unknown>): T | undefined {
    const text = typeof payload['sealed'] === 'string' ? vault.open(purpose, payload['sealed']) : undefined
    return text === undefined ? undefined : (JSON.parse(text) as T)
  }

  return {
    openPending: (payload: Record<string, unknown>) => open<PendingRequest>(payload),

    /** Saves a request until its user has done what it needs; returns its id. */
    savePending: (request: PendingRequest) =>
      save('Interaction', { ...request, waitsSince: epochSeconds() } as PendingRequest, lifetimes.Interaction),

    findPending: async (uid: string): Promise<PendingRequest | undefined> => {
      const row = await find(sql, 'Interaction', uid)
      return row && open<PendingRequest>(row.payload)
    },

    /** Records the consent of its user with a request; returns false if it has expired, or was continued. */
    allow: (inner: Sql, uid: string, request: PendingRequest, consent: GivenConsent): Promise<boolean> =>
      replace(inner, uid, seal({ ...request, consent } as PendingRequest)),

    /** Gives its user the full time again, for the next page. */
    extendPending: (uid: string) => extend(sql, uid, lifetimes.Interaction),

    /** Removes a request; returns false if it has expired, or was continued. */
    removePending: (uid: string) => remove(sql, uid),

    savePushed: (request: StoredRequest) => save('PushedAuthorizationRequest', request, lifetimes.PushedRequest),

    /** Reports whether an authorization has spent a pushed request, which may have expired since. */
    isSpent: (id: string) => isSpent(sql, id),

    findPushed: async (id: string): Promise<PushedRequest | undefined> => {
      const row = await find(sql, 'PushedAuthorizationRequest', id)
      const request = row && open<StoredRequest>(row.payload)
      return request && { ...request, isSpent: row.isSpent }
    },
  }
}

/**
 * Saves requests. The response does not wait for the disk: if the database crashes at this moment, the user starts again.
 */
async function insert(sql: Sql, requests: NewRequest[]): Promise<void> {
  const rows = requests.map(({ kind, id, payload, seconds }) => ({ kind, id_hash: hashToken(id), payload, seconds }))
  await sql`
    insert into authorization_requests (issuer, kind, id_hash, payload, expires_at)
    select 'passport', kind, id_hash, payload, now() + make_interval(secs => seconds)
    from set_config('synchronous_commit', 'off', true), jsonb_to_recordset(${sql.json(rows)}) as request (
      kind text, id_hash text, payload jsonb, seconds float8
    )`
}

async function find(sql: Sql, kind: Kind, id: string) {
  const [row] = await sql<{ payload: Record<string, unknown>; isSpent: boolean }[]>`
    select payload, consumed_at is not null as is_spent from authorization_requests
    where kind = ${kind} and id_hash = ${hashToken(id)} and issuer = 'passport' and expires_at > now()`
  return row
}

async function isSpent(sql: Sql, id: string): Promise<boolean> {
  const spent = await sql`
    select from authorization_requests
    where issuer = 'passport' and kind = 'PushedAuthorizationRequest' and id_hash = ${hashToken(id)}
      and consumed_at is not null`
  return spent.length > 0
}

async function replace(sql: Sql, uid: string, payload: StoredPayload): Promise<boolean> {
  const replaced = await sql`
    update authorization_requests set payload = ${sql.json(payload)}
    where issuer = 'passport' and kind = 'Interaction' and id_hash = ${hashToken(uid)} and expires_at > now()`
  return replaced.count > 0
}

async function extend(sql: Sql, uid: string, seconds: number): Promise<void> {
  await sql`
    update authorization_requests set expires_at = now() + make_interval(secs => ${seconds})
    where issuer = 'passport' and kind = 'Interaction' and id_hash = ${hashToken(uid)} and expires_at > now()`
}

async function remove(sql: Sql, uid: string): Promise<boolean> {
  const removed = await sql`
    delete from authorization_requests
    where issuer = 'passport' and kind = 'Interaction' and id_hash = ${hashToken(uid)} and expires_at > now()`
  return removed.count > 0
}
