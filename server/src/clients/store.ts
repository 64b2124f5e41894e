import type { ClientScope } from '@passport/contract/endpoint'
import type { Sql } from '../database/sql.ts'

/** An OAuth 2.0 client (RFC 7591 names, in camelCase). */
export interface Client {
  clientId: string
  name: string
  /** SHA-256; null for a public client. */
  secretHash: string | null
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
  source: 'built-in' | 'configuration' | 'console'
}

/** Returns a client, unless it is disabled. */
export async function find(sql: Sql, clientId: string): Promise<Client | undefined> {
  const [client] = await sql<Client[]>`
    select client_id, name, secret_hash, redirect_uris, post_logout_redirect_uris, grant_types, backchannel_logout_uri,
      consent, is_pin_required, scopes, source
    from clients where client_id = ${clientId} and enabled`
  return client
}

/** Lists the redirect URIs of enabled clients. */
export async function listRedirectUris(sql: Sql): Promise<string[]> {
  const rows = await sql<{ uri: string }[]>`
    select distinct unnest(redirect_uris) as uri from clients where enabled order by uri`
  return rows.map(({ uri }) => uri)
}

/** Inserts or updates a client. An equal one is not written, and `enabled` does not change. */
export async function save(sql: Sql, client: Client): Promise<void> {
  await sql`
    insert into clients (
      client_id, name, secret_hash, redirect_uris, post_logout_redirect_uris, grant_types, backchannel_logout_uri,
      consent, is_pin_required, scopes, source
    )
    values (
      ${client.clientId}, ${client.name}, ${client.secretHash}, ${client.redirectUris},
      ${client.postLogoutRedirectUris}, ${client.grantTypes}, ${client.backchannelLogoutUri}, ${client.consent},
      ${client.isPinRequired}, ${client.scopes}, ${client.source}
    )
    on conflict (client_id) do update set
      name = excluded.name, secret_hash = excluded.secret_hash, redirect_uris = excluded.redirect_uris,
      post_logout_redirect_uris = excluded.post_logout_redirect_uris, grant_types = excluded.grant_types,
      backchannel_logout_uri = excluded.backchannel_logout_uri, consent = excluded.consent,
      is_pin_required = excluded.is_pin_required, scopes = excluded.scopes, source = excluded.source,
      updated_at = now(), version = clients.version + 1
    where (clients.name, clients.secret_hash, clients.redirect_uris, clients.post_logout_redirect_uris,
      clients.grant_types, clients.backchannel_logout_uri, clients.consent, clients.is_pin_required, clients.scopes,
      clients.source)
      is distinct from (excluded.name, excluded.secret_hash, excluded.redirect_uris,
      excluded.post_logout_redirect_uris, excluded.grant_types, excluded.backchannel_logout_uri, excluded.consent,
      excluded.is_pin_required, excluded.scopes, excluded.source)`
}

/** Deletes the clients of a source that are not in `keep`. */
export async function removeOthers(sql: Sql, source: Client['source'], keep: string[]): Promise<void> {
  await sql`delete from clients where source = ${source} and not client_id = any(${keep})`
}
