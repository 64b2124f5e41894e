import { combineLookups, toRows } from '../database/combine.ts'
import type { Sql } from '../database/sql.ts'
import { hashToken } from '../vault.ts'

export interface DeviceRequest {
  clientId: string
  scopes: string[]
  /** ISO 8601. */
  requestedAt: string
  expiresAt: string
  isExpired: boolean
  ip: string
  userAgent: string
  matchNumber: string | null
  matchAttemptsLeft: number
  decision: 'approved' | 'denied' | null
  decidedBy: string | null
  isPinRequired: boolean
  /** The encrypted approval, while it awaits the PIN. */
  sealedApproval: string | null
}

export interface NewDeviceRequest {
  userCode: string
  deviceCode: string
  clientId: string
  scopes: string[]
  expiresInSeconds: number
  ip: string
  userAgent: string
  sessionId: string | null
  matchNumber: string | null
  isPinRequired: boolean
}

export async function add(sql: Sql, request: NewDeviceRequest): Promise<void> {
  const { userCode, deviceCode, clientId, scopes, expiresInSeconds, ip, userAgent, sessionId } = request
  const { matchNumber, isPinRequired } = request
  await sql`
    insert into device_authorizations (
      user_code_hash, device_code_hash, client_id, scopes, expires_at, ip, user_agent, session_id, match_number,
      is_pin_required
    )
    values (
      ${hashToken(userCode)}, ${hashToken(deviceCode)}, ${clientId}, ${scopes},
      now() + make_interval(secs => ${expiresInSeconds}), ${ip}, ${userAgent}, ${sessionId}, ${matchNumber},
      ${isPinRequired}
    )`
}

/** Finds the request of a user code; one of a disabled or unknown client does not count. */
export async function find(sql: Sql, userCode: string): Promise<DeviceRequest | undefined> {
  const [request] = await sql<DeviceRequest[]>`
    select client_id, scopes, requested_at, expires_at, expires_at <= now() as is_expired, ip, user_agent,
      match_number, match_attempts_left, decision, decided_by, is_pin_required, sealed_approval
    from device_authorizations d
    where user_code_hash = ${hashToken(userCode)}
      and exists (select from device_clients c where c.client_id = d.client_id and d.requested_at >= c.not_before)`
  return request
}

/** Finds the request of a device code. */
export async function findByDeviceCode(
  sql: Sql,
  deviceCode: string,
): Promise<Pick<DeviceRequest, 'clientId' | 'isExpired' | 'decision'> | undefined> {
  const [request] = await sql<Pick<DeviceRequest, 'clientId' | 'isExpired' | 'decision'>[]>`
    select client_id, expires_at <= now() as is_expired, decision
    from device_authorizations where device_code_hash = ${hashToken(deviceCode)}`
  return request
}

/** Finds the request of a device code, and locks it until the transaction ends. */
export async function lockByDeviceCode(sql: Sql, deviceCode: string): Promise<DeviceRequest | undefined> {
  const [request] = await sql<DeviceRequest[]>`
    select client_id, scopes, requested_at, expires_at, expires_at <= now() as is_expired, ip, user_agent,
      match_number, match_attempts_left, decision, decided_by, is_pin_required, sealed_approval
    from device_authorizations where device_code_hash = ${hashToken(deviceCode)} for update`
  return request
}

/** Locks a request until the transaction ends, so that it is decided once. */
export async function lock(sql: Sql, userCode: string): Promise<void> {
  await sql`select 1 from device_authorizations where user_code_hash = ${hashToken(userCode)} for update`
}

/** Records that the user has seen the request. */
export async function recordView(sql: Sql, userCode: string): Promise<void> {
  await sql`
    update device_authorizations set viewed_at = now()
    where user_code_hash = ${hashToken(userCode)} and viewed_at is null`
}

/** Stores the decision, and deletes a stored approval. */
export async function decide(
  sql: Sql,
  userCode: string,
  decision: 'approved' | 'denied',
  userId: string,
): Promise<void> {
  await sql`
    update device_authorizations
    set decision = ${decision}, decided_by = ${userId}, decided_at = now(), sealed_approval = null
    where user_code_hash = ${hashToken(userCode)}`
}

/**
 * Ends the requests of users: undecided ones started in these sessions, and approved ones that await their PIN.
 * Returns the hashes of their codes.
 */
export async function endRequests(sql: Sql, userIds: string[], sessionIds: string[]): Promise<string[]> {
  const ended = await sql<{ userCodeHash: string }[]>`
    update device_authorizations set decision = 'denied', decided_at = now(), sealed_approval = null
    where (session_id = any(${sessionIds}) and decision is null)
      or (decided_by = any(${userIds}) and sealed_approval is not null)
    returning user_code_hash`
  return ended.map(({ userCodeHash }) => userCodeHash)
}

/** Ends the requests of a client, decided or not; returns the hashes of their codes. */
export async function endRequestsOfClient(sql: Sql, clientId: string): Promise<string[]> {
  const ended = await sql<{ userCodeHash: string }[]>`
    update device_authorizations set decision = 'denied', decided_at = coalesce(decided_at, now()), sealed_approval = null
    where client_id = ${clientId} returning user_code_hash`
  return ended.map(({ userCodeHash }) => userCodeHash)
}

/** Stores an approval until the PIN is entered. */
export async function saveApproval(sql: Sql, userCode: string, sealedApproval: string): Promise<void> {
  await sql`
    update device_authorizations set sealed_approval = ${sealedApproval}
    where user_code_hash = ${hashToken(userCode)}`
}

/** Records that the PIN was entered, and deletes it. */
export async function confirm(sql: Sql, userCode: string): Promise<void> {
  await sql`
    update device_authorizations set confirmed_at = now(), sealed_approval = null
    where user_code_hash = ${hashToken(userCode)}`
}

/** Counts a wrong PIN; returns the attempts left. */
export async function countWrongPin(sql: Sql, userCode: string): Promise<number> {
  const [row] = await sql<{ left: number }[]>`
    update device_authorizations set pin_attempts_left = pin_attempts_left - 1
    where user_code_hash = ${hashToken(userCode)} returning pin_attempts_left as left`
  return row?.left ?? 0
}

/** Counts a wrong number; returns the attempts left. */
export async function countWrongNumber(sql: Sql, userCode: string): Promise<number> {
  const [row] = await sql<{ left: number }[]>`
    update device_authorizations set match_attempts_left = match_attempts_left - 1
    where user_code_hash = ${hashToken(userCode)} returning match_attempts_left as left`
  return row?.left ?? 0
}

/** A recorded poll. */
interface Poll {
  /** The device has to wait 5 s longer from now on (RFC 8628, section 3.5). */
  isTooSoon: boolean
}

/** A poll may be early by this much, because network latency varies. */
const leewaySeconds = 0.5

/**
 * Creates the function that records a poll of a device whose user has not decided yet. It returns undefined and records
 * nothing in any other case: the code is decided, expired, unknown, or that of another client, or the client has changed
 * since it was read. Polls of different codes at the same time share a statement. The response does not wait for the disk:
 * a crash of the database loses at most the times of the last polls.
 */
export function createPendingPolls(
  sql: Sql,
): (deviceCode: string, client: { clientId: string; version: number }) => Promise<Poll | undefined> {
  const record = combineLookups(async (keys) => {
    // In the same order in every process, since their rows are locked.
    const polls = await sql<{ key: string; isTooSoon: boolean }[]>`
      with before as (
        select asked.key, pending.*, set_config('synchronous_commit', 'off', true)
        from (select key, key::jsonb as parts from ${toRows(sql, keys.toSorted())} as key) as asked,
          lateral (
            select device_code_hash,
              coalesce(last_polled_at > now() - make_interval(secs => interval_seconds - ${leewaySeconds}::float8), false) as is_too_soon
            from device_authorizations
            where device_code_hash = asked.parts ->> 0 and client_id = asked.parts ->> 1
              and decision is distinct from 'denied' and expires_at > now()
              and exists (
                select from pending_device_codes p
                where p.id_hash = device_code_hash and p.client_id = asked.parts ->> 1
                  and p.client_version = (asked.parts ->> 2)::integer
              )
            limit 1 for update
          ) as pending
      )
      update device_authorizations as d set last_polled_at = now(),
        interval_seconds = interval_seconds + case when before.is_too_soon then 5 else 0 end
      from before where d.device_code_hash = before.device_code_hash
      returning before.key, before.is_too_soon`
    return new Map(polls.map(({ key, isTooSoon }) => [key, { isTooSoon }]))
  })
  const recording = new Map<string, Promise<unknown>>()
  return async (deviceCode, { clientId, version }) => {
    const key = JSON.stringify([hashToken(deviceCode), clientId, version])
    // Of two polls of one code, the second one is too soon.
    while (recording.has(key)) await recording.get(key)?.catch(() => {})
    const poll = record(key)
    recording.set(key, poll)
    try {
      return await poll
    } finally {
      recording.delete(key)
    }
  }
}

/** Returns the status of the latest request started in a session. */
export async function findStatus(
  sql: Sql,
  sessionId: string,
): Promise<{ status: 'pending' | 'viewed' | 'approved' | 'denied' | 'expired' } | undefined> {
  const [request] = await sql<{ status: 'pending' | 'viewed' | 'approved' | 'denied' | 'expired' }[]>`
    select coalesce(decision, case
      when expires_at <= now() then 'expired' when viewed_at is not null then 'viewed' else 'pending' end) as status
    from device_authorizations where session_id = ${sessionId} order by requested_at desc limit 1`
  return request
}

/** Deletes at most `limit` requests that ended a day ago; returns how many. */
export async function sweep(sql: Sql, limit: number): Promise<number> {
  const removed = await sql`
    delete from device_authorizations where user_code_hash in (
      select user_code_hash from device_authorizations where expires_at <= now() - interval '1 day' limit ${limit})`
  return removed.count
}
