import type { ApiFields, ApiScope, IdentityApi } from '@passport/contract/identity-apis'
import { allOf, type ListRange, pageWhere } from '../database/list-query.ts'
import type { Sql } from '../database/sql.ts'

/** An identity API for the console; also a deleted one. */
export interface ApiRow extends IdentityApi {
  deletedAt: string | null
  sortName: string
}

/** Selects the fields of `IdentityApi`. */
const columns = (sql: Sql) => sql`
  id, built_in, name, display_name, description, audience, enabled, scopes, claims, token_lifetime_sec, allowed_clients,
  resource_servers, created_at, updated_at, deleted_at, version, sort_name`

/** Lists all identity APIs that are not deleted, by name. */
export async function listAll(sql: Sql): Promise<ApiRow[]> {
  return sql<ApiRow[]>`select ${columns(sql)} from identity_api_rows where deleted_at is null order by name`
}

interface ApiFilter {
  /** A part of the name or the audience; empty for all. */
  word: string
  isEnabled: boolean | undefined
  /** A client that gets its tokens. */
  client: string | undefined
}

interface ApiRange extends ListRange, ApiFilter {
  sort: 'name' | 'updated'
  isDescending: boolean
}

const matches = (sql: Sql, { word, isEnabled, client }: ApiFilter) =>
  allOf(
    sql,
    sql`deleted_at is null`,
    sql`position(plain_text(${word}) in search_text) > 0`,
    isEnabled === undefined ? undefined : sql`enabled = ${isEnabled}`,
    client === undefined ? undefined : sql`(allows_every_client or ${client} = any(allowed_clients))`,
  )

export async function list(sql: Sql, { sort, isDescending, after, offset, limit, ...filter }: ApiRange) {
  const order = { key: sort === 'name' ? 'sort_name' : 'updated_at', isDescending }
  return sql<ApiRow[]>`
    select ${columns(sql)} from identity_api_rows
    ${pageWhere(sql, order, { after, offset, limit }, matches(sql, filter))}`
}

export async function count(sql: Sql, filter: ApiFilter): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from identity_api_rows where ${matches(sql, filter)}`
  return row?.count ?? 0
}

/** Returns an API, also a deleted one. */
export async function find(sql: Sql, id: string): Promise<ApiRow | undefined> {
  const [row] = await sql<ApiRow[]>`select ${columns(sql)} from identity_api_rows where id = ${id}`
  return row
}

/** Returns the API with a name, also a deleted one. */
export async function findByName(sql: Sql, name: string): Promise<ApiRow | undefined> {
  const [row] = await sql<ApiRow[]>`select ${columns(sql)} from identity_api_rows where name = ${name}`
  return row
}

/** Serializes changes of APIs and of clients' scopes until the transaction ends, because scopes are unique among all APIs. */
export async function lockChanges(sql: Sql): Promise<void> {
  await sql`select from identity_apis where built_in for update`
}

/** Adds the built-in API, or updates its audience. */
export async function register(sql: Sql, api: { id: string; name: string; audience: string } & BuiltInTexts) {
  await sql`
    insert into identity_apis (id, name, display_name, description, audience, built_in)
    values (${api.id}, ${api.name}, ${api.displayName}, ${api.description}, ${api.audience}, true)
    on conflict (name) do update set audience = excluded.audience, updated_at = now(), version = identity_apis.version + 1
    where identity_apis.audience <> excluded.audience`
}
interface BuiltInTexts {
  displayName: string
  description: string
}

/** A name that is taken: of an API, or of one of its scopes. */
export interface TakenName {
  name: string
  apiId: string
}

/** Lists the names of all APIs and of all scopes, also of deleted APIs. */
export async function listNames(sql: Sql): Promise<TakenName[]> {
  return sql<TakenName[]>`
    select name, id as api_id from identity_apis union all select name, api_id from identity_api_scopes`
}

/** Returns the id of the API with an audience, also of a deleted one. */
export async function findByAudience(sql: Sql, audience: string): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`select id from identity_apis where audience = ${audience}`
  return row?.id
}

const toColumns = ({ allowedClients, name, displayName, description, audience, ...fields }: ApiFields) => ({
  name,
  displayName,
  description,
  audience,
  enabled: fields.enabled,
  claims: fields.claims,
  tokenLifetimeSec: fields.tokenLifetimeSec,
  allowsEveryClient: allowedClients === null,
})

export async function add(sql: Sql, id: string, fields: ApiFields): Promise<void> {
  await sql`insert into identity_apis ${sql({ id, ...toColumns(fields) } as never)}`
  await addParts(sql, id, fields)
}

export async function replace(sql: Sql, id: string, fields: ApiFields): Promise<void> {
  await sql`delete from identity_api_scopes where api_id = ${id}`
  await sql`delete from identity_api_clients where api_id = ${id}`
  await sql`
    update identity_apis set ${sql(toColumns(fields) as never)}, updated_at = now(), version = version + 1
    where id = ${id}`
  await addParts(sql, id, fields)
}

async function addParts(sql: Sql, id: string, { scopes, allowedClients, resourceServers }: ApiFields) {
  await sql`
    insert into identity_api_scopes (api_id, name, description, emphasize, place)
    select ${id}, s.name, s.description, s.emphasize, s.place
    from rows from (jsonb_to_recordset(${sql.json(scopes as never)}) as (name text, description text, emphasize boolean))
      with ordinality as s (name, description, emphasize, place)`
  await sql`
    insert into identity_api_clients (api_id, client_id, part)
    select ${id}, c, 'allowed' from unnest(${allowedClients ?? []}::text[]) c
    union all
    select ${id}, c, 'resource-server' from unnest(${resourceServers}::text[]) c`
}

/** Moves an API to the trash. */
export async function remove(sql: Sql, id: string): Promise<void> {
  await sql`update identity_apis set deleted_at = now(), version = version + 1 where id = ${id}`
}

export async function restore(sql: Sql, id: string): Promise<void> {
  await sql`
    update identity_apis set deleted_at = null, updated_at = now(), version = version + 1 where id = ${id}`
}

/** Purges at most `limit` APIs that were deleted more than `olderThanDays` days ago; returns them with all their scopes. */
export async function purgeDeleted(
  sql: Sql,
  olderThanDays: number,
  limit: number,
): Promise<{ id: string; name: string; scopes: ApiScope[] }[]> {
  const purged = await sql<{ id: string; name: string; scopes: ApiScope[] }[]>`
    select id, name, scopes from identity_api_rows where id in (
      select id from identity_apis where deleted_at < now() - make_interval(days => ${olderThanDays})
      order by deleted_at limit ${limit} for update skip locked)`
  await sql`delete from identity_apis where id = any(${purged.map(({ id }) => id)})`
  return purged
}
