import { type ClientApi, type ClientFields, userIdPattern } from '@passport/contract/clients'
import type { ClientScope } from '@passport/contract/endpoint'
import { restorableDays } from '@passport/contract/trash'
import { type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'

/** An OAuth 2.0 client (RFC 7591 names, in camelCase). */
export interface Client {
  clientId: string
  name: string
  /** Whether the client authenticates with a secret (RFC 6749, section 2.1). */
  isConfidential: boolean
  /** The SHA-256 hashes of the valid secrets. */
  secretHashes: string[]
  redirectUris: string[]
  postLogoutRedirectUris: string[]
  grantTypes: string[]
  backchannelLogoutUri: string | null
  /** When to ask for consent: never, until granted, or each time. */
  consent: 'skip' | 'once' | 'always'
  /** Whether devices of the client always require the PIN that the approving user sees. */
  isPinRequired: boolean
  /** The scopes that the client may request on its own behalf. */
  scopes: ClientScope[]
  /** The identity APIs that it calls on its own behalf, with its scopes. */
  apis: ClientApi[]
  idTokenSigningAlg: 'ES256' | 'RS256'
  pkce: 'required' | 'optional'
  /** Increases with each change, also of the secrets. */
  version: number
}

export type ClientSource = 'built-in' | 'configuration' | 'console'

/** A client that the server saves at each start. */
export interface RegisteredClient extends Omit<Client, 'secretHashes' | 'isConfidential' | 'apis' | 'version'> {
  /** Null for a public client. */
  secretHash: string | null
  source: 'built-in' | 'configuration'
}

/** Returns a client, unless it is disabled or deleted. */
export async function find(sql: Sql, clientId: string): Promise<Client | undefined> {
  const [client] = await sql<Client[]>`
    select client_id, name, is_confidential, redirect_uris, post_logout_redirect_uris, grant_types,
      backchannel_logout_uri, consent, is_pin_required, scopes, apis, id_token_signing_alg, pkce, version,
      array(select s.secret_hash from client_secrets s where s.client_id = c.client_id)
        || array_remove(array[c.secret_hash], null) as secret_hashes
    from clients c where client_id = ${clientId} and enabled and deleted_at is null`
  return client
}

/** Lists the redirect URIs of enabled clients. */
export async function listRedirectUris(sql: Sql): Promise<string[]> {
  const rows = await sql<{ uri: string }[]>`
    select distinct unnest(redirect_uris) as uri from clients where enabled and deleted_at is null order by uri`
  return rows.map(({ uri }) => uri)
}

/**
 * Inserts or updates a registered client. It has no access to APIs, even if it had some in the console, and is enabled, even
 * if it was disabled there: it is read-only now, so nobody could enable it. An equal one is not written.
 */
export async function register(sql: Sql, client: RegisteredClient): Promise<void> {
  await sql`
    insert into clients (
      client_id, name, secret_hash, is_confidential, redirect_uris, post_logout_redirect_uris, grant_types,
      backchannel_logout_uri, consent, is_pin_required, scopes, id_token_signing_alg, pkce, source
    )
    values (
      ${client.clientId}, ${client.name}, ${client.secretHash}, ${client.secretHash !== null}, ${client.redirectUris},
      ${client.postLogoutRedirectUris}, ${client.grantTypes}, ${client.backchannelLogoutUri}, ${client.consent},
      ${client.isPinRequired}, ${client.scopes}, ${client.idTokenSigningAlg}, ${client.pkce}, ${client.source}
    )
    on conflict (client_id) do update set
      name = excluded.name, secret_hash = excluded.secret_hash, is_confidential = excluded.is_confidential,
      redirect_uris = excluded.redirect_uris, post_logout_redirect_uris = excluded.post_logout_redirect_uris,
      grant_types = excluded.grant_types, backchannel_logout_uri = excluded.backchannel_logout_uri,
      consent = excluded.consent, is_pin_required = excluded.is_pin_required, scopes = excluded.scopes, apis = excluded.apis,
      id_token_signing_alg = excluded.id_token_signing_alg, pkce = excluded.pkce, source = excluded.source,
      enabled = true,
      not_before = case when clients.deleted_at is null then clients.not_before else excluded.not_before end,
      deleted_at = null, updated_at = now(), version = clients.version + 1
    where clients.deleted_at is not null or not clients.enabled or (clients.name, clients.secret_hash, clients.redirect_uris,
      clients.post_logout_redirect_uris, clients.grant_types, clients.backchannel_logout_uri, clients.consent,
      clients.is_pin_required, clients.scopes, clients.apis, clients.id_token_signing_alg, clients.pkce, clients.source)
      is distinct from (excluded.name, excluded.secret_hash, excluded.redirect_uris,
      excluded.post_logout_redirect_uris, excluded.grant_types, excluded.backchannel_logout_uri, excluded.consent,
      excluded.is_pin_required, excluded.scopes, excluded.apis, excluded.id_token_signing_alg, excluded.pkce, excluded.source)`
}

/** Deletes the clients of a source that are not in `keep`, and returns their ids. */
export async function removeOthers(sql: Sql, source: RegisteredClient['source'], keep: string[]): Promise<string[]> {
  const removed = await sql<{ clientId: string }[]>`
    delete from clients where source = ${source} and not client_id = any(${keep}) returning client_id`
  return removed.map(({ clientId }) => clientId)
}

/** Deletes the secrets of clients that are no longer managed in the console. */
export async function removeSupersededSecrets(sql: Sql): Promise<void> {
  await sql`
    with removed as (
      delete from client_secrets where client_id in (select client_id from clients where source <> 'console')
      returning client_id
    )
    update clients set updated_at = now(), version = version + 1 where client_id in (select client_id from removed)`
}

/** Lists at most 20 clients whose ids have the form of user ids. */
export async function listWithUserIds(sql: Sql): Promise<string[]> {
  const rows = await sql<{ clientId: string }[]>`
    select client_id from clients where deleted_at is null and client_id ~* ${userIdPattern}
    order by client_id limit 20`
  return rows.map(({ clientId }) => clientId)
}

/** A client for the console, without its secrets. */
export interface ClientRow extends Omit<ClientFields, 'deviceFlow'> {
  clientId: string
  source: ClientSource
  confidential: boolean
  grantTypes: string[]
  isPinRequired: boolean
  /** ISO 8601, like the other times. */
  lastUsedAt: string | null
  createdAt: string
  updatedAt: string
  version: number
  sortName: string
}

interface ClientRange extends ListRange {
  word: string
  sort: 'name' | 'updated'
  isDescending: boolean
}

/** Lists clients with a word in their name or id. */
export async function list(sql: Sql, { word, sort, isDescending, ...range }: ClientRange): Promise<ClientRow[]> {
  const order = { key: sort === 'name' ? 'sort_name' : 'updated_at', id: 'client_id', isDescending }
  const hasWord = sql`position(plain_text(${word}) in search_text) > 0`
  return sql<ClientRow[]>`select * from client_rows ${pageWhere(sql, order, range, hasWord)}`
}

/** Counts the clients with a word in their name or id. */
export async function count(sql: Sql, word: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from client_rows where position(plain_text(${word}) in search_text) > 0`
  return row?.count ?? 0
}

/** Lists all clients. */
export async function listAll(sql: Sql): Promise<ClientRow[]> {
  return sql<ClientRow[]>`select * from client_rows`
}

/** Returns a client, even a disabled one. */
export async function findRow(sql: Sql, clientId: string): Promise<ClientRow | undefined> {
  const [row] = await sql<ClientRow[]>`select * from client_rows where client_id = ${clientId}`
  return row
}

/** Locks a client until the transaction ends; undefined if it does not exist or is deleted. */
export async function lock(sql: Sql, clientId: string): Promise<ClientRow | undefined> {
  await sql`select from clients where client_id = ${clientId} for update`
  return findRow(sql, clientId)
}

/** The columns that an administrator changes. */
export interface ClientColumns {
  name: string
  redirectUris: string[]
  postLogoutRedirectUris: string[]
  grantTypes: string[]
  backchannelLogoutUri: string | null
  consent: Client['consent']
  isPinRequired: boolean
  scopes: ClientScope[]
  apis: ClientApi[]
  idTokenSigningAlg: Client['idTokenSigningAlg']
  pkce: Client['pkce']
  enabled: boolean
}

/** Adds a client of the console. Returns false if the id is taken. */
export async function add(
  sql: Sql,
  { clientId, isConfidential }: { clientId: string; isConfidential: boolean },
  columns: ClientColumns,
): Promise<boolean> {
  const added = await sql`
    insert into clients ${sql({ ...columns, apis: sql.json(columns.apis), clientId, isConfidential, source: 'console' } as never)}
    on conflict do nothing returning client_id`
  return added.length > 0
}

export async function replace(sql: Sql, clientId: string, columns: ClientColumns): Promise<void> {
  await sql`
    update clients set ${sql({ ...columns, apis: sql.json(columns.apis) } as never)}, updated_at = now(), version = version + 1
    where client_id = ${clientId}`
}

/** Returns one of the clients that have a scope on their own behalf; undefined if none has. */
export async function findWithApiScope(sql: Sql, scopes: string[]): Promise<{ name: string } | undefined> {
  const [client] = await sql<{ name: string }[]>`
    select name from clients
    where deleted_at is null and exists (select from jsonb_array_elements(apis) api where api -> 'scopes' ?| ${scopes})
    order by name limit 1`
  return client
}

/** Returns those of the ids that are clients, and whether these have a secret. */
export async function listKinds(sql: Sql, ids: string[]): Promise<{ clientId: string; isConfidential: boolean }[]> {
  return sql<{ clientId: string; isConfidential: boolean }[]>`
    select client_id, is_confidential from clients where client_id = any(${ids}) for key share`
}

/** Soft-deletes a client. */
export async function remove(sql: Sql, clientId: string): Promise<void> {
  await sql`
    update clients set deleted_at = now(), updated_at = now(), version = version + 1 where client_id = ${clientId}`
}

/**
 * Undoes `remove`, within 30 days; returns false if there is nothing to restore. What was issued before stays void, also if
 * a statement that was in progress during the deletion inserted it.
 */
export async function restore(sql: Sql, clientId: string): Promise<boolean> {
  const restored = await sql`
    update clients set deleted_at = null, not_before = clock_timestamp(), updated_at = now(), version = version + 1
    where client_id = ${clientId} and deleted_at > now() - make_interval(days => ${restorableDays})
    returning client_id`
  return restored.length > 0
}

/** Reports whether `restore` finds a client in the trash. */
export async function isRestorable(sql: Sql, clientId: string): Promise<boolean> {
  const found = await sql`
    select from clients
    where client_id = ${clientId} and deleted_at > now() - make_interval(days => ${restorableDays})`
  return found.length > 0
}

/** Purges at most `limit` clients that were deleted more than `olderThanDays` days ago; returns their ids. */
export async function purgeDeleted(sql: Sql, olderThanDays: number, limit: number): Promise<string[]> {
  const purged = await sql<{ clientId: string }[]>`
    delete from clients where client_id in (
      select client_id from clients where deleted_at < now() - make_interval(days => ${olderThanDays})
      order by deleted_at limit ${limit} for update skip locked)
    returning client_id`
  return purged.map(({ clientId }) => clientId)
}

export interface SecretRow {
  clientId: string
  id: string
  createdAt: string
  lastUsedAt: string | null
}

/** Lists the secrets of clients, without their values, the oldest first. */
export async function listSecrets(sql: Sql, clientIds: string[]): Promise<SecretRow[]> {
  return sql<SecretRow[]>`
    select s.client_id, s.id, s.created_at, u.last_used_at
    from client_secrets s left join client_secret_uses u on u.secret_id = s.id
    where s.client_id = any(${clientIds}) order by s.created_at, s.id`
}

export async function addSecret(sql: Sql, clientId: string, id: string, secretHash: string): Promise<void> {
  await sql`insert into client_secrets (id, client_id, secret_hash) values (${id}, ${clientId}, ${secretHash})`
  await sql`update clients set updated_at = now(), version = version + 1 where client_id = ${clientId}`
}

/** Deletes a secret; returns false if the client has none with this id. */
export async function removeSecret(sql: Sql, clientId: string, id: string): Promise<boolean> {
  const removed = await sql`
    with removed as (delete from client_secrets where client_id = ${clientId} and id = ${id} returning client_id)
    update clients set updated_at = now(), version = version + 1
    where client_id in (select client_id from removed) returning client_id`
  return removed.length > 0
}

/** Records the time at which a client got a token. */
export async function recordUse(sql: Sql, clientId: string): Promise<void> {
  await sql`
    insert into client_uses (client_id) select client_id from clients where client_id = ${clientId}
    on conflict (client_id) do update set last_used_at = now()`
}

/** Records the time at which a secret was used. */
export async function recordSecretUse(sql: Sql, secretHash: string): Promise<void> {
  await sql`
    insert into client_secret_uses (secret_id) select id from client_secrets where secret_hash = ${secretHash}
    on conflict (secret_id) do update set last_used_at = now()`
}
