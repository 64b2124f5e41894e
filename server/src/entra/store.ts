import type { ConsentFailure, EntraMapping, OrgEntra } from '@passport/contract/org-entra'
import type { Sql } from '../database/sql.ts'

/** The tenant of an organisation, deleted or not. */
export interface EntraRow extends OrgEntra {
  orgId: string
  orgName: string
  /** When the organisation was deleted; its tenant stays its own until it is purged from the trash. */
  orgDeletedAt: string | null
}

/** Returns the tenant of an organisation. */
export async function find(sql: Sql, orgId: string): Promise<EntraRow | undefined> {
  const [row] = await list(sql, [orgId])
  return row
}

/** Lists the tenants of organisations. */
export async function list(sql: Sql, orgIds: string[]): Promise<EntraRow[]> {
  return sql<EntraRow[]>`
    select org_id, tenant_id, cloud, display_name, default_domain, consent, consented_at, sign_in_enabled, tested_at,
      allow_guests, mappings, consent_failure, rejected_domains, consent_link_expires_at, org_name, org_deleted_at
    from entra_rows where org_id = any(${orgIds})`
}

/** Lists the tenants of the organisations that are not deleted. */
export async function listAll(sql: Sql): Promise<EntraRow[]> {
  return sql<EntraRow[]>`
    select org_id, tenant_id, cloud, display_name, default_domain, consent, consented_at, sign_in_enabled, tested_at,
      allow_guests, mappings, consent_failure, rejected_domains, consent_link_expires_at, org_name, org_deleted_at
    from entra_rows where org_deleted_at is null`
}

/** Returns the organisation of a tenant, by its id in lower case. */
export async function findByTenant(sql: Sql, tenantId: string): Promise<EntraRow | undefined> {
  const [row] = await sql<EntraRow[]>`
    select org_id, tenant_id, cloud, display_name, default_domain, consent, consented_at, sign_in_enabled, tested_at,
      allow_guests, mappings, consent_failure, rejected_domains, consent_link_expires_at, org_name, org_deleted_at
    from entra_rows where tenant_id = ${tenantId}`
  return row
}

/** A tenant that an organisation gets. */
export interface NewConnection {
  tenantId: string
  cloud: string
  displayName: string
  defaultDomain: string | null
}

/** Gives a tenant to an organisation; returns false if it belongs to one already. */
export async function add(sql: Sql, orgId: string, connection: NewConnection): Promise<boolean> {
  const { tenantId, cloud, displayName, defaultDomain } = connection
  const added = await sql`
    insert into entra_connections (org_id, tenant_id, cloud, display_name, default_domain)
    values (${orgId}, ${tenantId}, ${cloud}, ${displayName}, ${defaultDomain})
    on conflict (tenant_id) do nothing returning org_id`
  return added.length > 0
}

/** Locks the tenant of an organisation until the transaction ends; returns undefined without one. */
export async function lock(sql: Sql, orgId: string): Promise<EntraRow | undefined> {
  await sql`select from entra_connections where org_id = ${orgId} for update`
  return find(sql, orgId)
}

export type Settings = { allowGuests: boolean; mappings: EntraMapping[] }

/** Replaces the settings that an administrator edits; they must be tested before sign-in is enabled again. */
export async function setSettings(sql: Sql, orgId: string, { allowGuests, mappings }: Settings): Promise<void> {
  await sql`
    update entra_connections set allow_guests = ${allowGuests}, mappings = ${sql.json(mappings as never)},
      tested_at = null
    where org_id = ${orgId}`
}

export async function setSignInEnabled(sql: Sql, orgId: string, isEnabled: boolean): Promise<void> {
  await sql`update entra_connections set sign_in_enabled = ${isEnabled} where org_id = ${orgId}`
}

/** Lists the roles that a sign-in through the tenant of an organisation leads to: those of its users, and of its mappings. */
export async function listReachableRoles(sql: Sql, orgId: string): Promise<{ role: string }[]> {
  return sql<{ role: string }[]>`select role from entra_reachable_roles where org_id = ${orgId} order by role`
}

/** Reports whether a user of the tenant of an organisation owns an organisation. */
export async function reachesOwner(sql: Sql, orgId: string): Promise<boolean> {
  const found = await sql`select from entra_reachable_owners where org_id = ${orgId} limit 1`
  return found.length > 0
}

/** Records a successful test sign-in. */
export async function recordTest(sql: Sql, orgId: string): Promise<void> {
  await sql`update entra_connections set tested_at = now() where org_id = ${orgId}`
}

/** Reports whether a group or role is the target of a mapping, even of an organisation in the trash. */
export async function isMapped(sql: Sql, target: { groupId: string } | { role: string }): Promise<boolean> {
  const found = await sql`
    select from entra_connections where mappings @> ${sql.json([target])} limit 1`
  return found.length > 0
}

/** Lists the organisations with a mapping to a role, even those in the trash. */
export async function listMappingTo(sql: Sql, role: string): Promise<string[]> {
  const rows = await sql<{ orgId: string }[]>`
    select org_id from entra_connections where mappings @> ${sql.json([{ role }])} order by org_id`
  return rows.map(({ orgId }) => orgId)
}

/** Removes the mappings to a role. */
export async function removeMappingsTo(sql: Sql, role: string): Promise<void> {
  await sql`
    update entra_connections set mappings = (
      select coalesce(jsonb_agg(m order by position), '[]')
      from jsonb_array_elements(mappings) with ordinality e (m, position) where m ->> 'role' is distinct from ${role})
    where mappings @> ${sql.json([{ role }])}`
}

/** Records that a link was created: the former failure no longer counts. */
export async function awaitConsent(sql: Sql, orgId: string): Promise<void> {
  await sql`
    update entra_connections set consent_failure = null, consent = case consent when 'none' then 'pending' else consent end
    where org_id = ${orgId}`
}

export interface Proof {
  displayName: string
  defaultDomain: string | null
  rejectedDomains: OrgEntra['rejectedDomains']
}

/** Records consent, with the names of the tenant and the domains that the organisation did not get. */
export async function grant(sql: Sql, orgId: string, proof: Proof): Promise<void> {
  const { displayName, defaultDomain, rejectedDomains } = proof
  await sql`
    update entra_connections set consent = 'granted', consented_at = now(), consent_failure = null,
      tested_at = case when consent = 'revoked' then null else tested_at end,
      display_name = ${displayName}, default_domain = ${defaultDomain}, rejected_domains = ${sql.json(rejectedDomains)}
    where org_id = ${orgId}`
}

/** Records why a link failed. An earlier consent stays. */
export async function recordFailure(
  sql: Sql,
  orgId: string,
  { code, permission }: { code: ConsentFailure; permission: string | null },
): Promise<void> {
  await sql`
    update entra_connections set consent_failure = jsonb_build_object(
      'code', ${code}::text, 'permission', ${permission}::text, 'at', format_instant(now()))
    where org_id = ${orgId}`
}

/** Records that the tenant no longer consents. */
export async function revoke(sql: Sql, orgId: string): Promise<void> {
  await sql`update entra_connections set consent = 'revoked' where org_id = ${orgId}`
}

/** Records the names of a tenant. */
export async function setNames(
  sql: Sql,
  orgId: string,
  { displayName, defaultDomain }: Pick<Proof, 'displayName' | 'defaultDomain'>,
): Promise<void> {
  await sql`
    update entra_connections set display_name = ${displayName}, default_domain = ${defaultDomain}
    where org_id = ${orgId}`
}

/** Lists the tenants with consent, of organisations that are not deleted, by id after `after`. */
export async function listConsented(
  sql: Sql,
  after: string,
  limit: number,
): Promise<{ orgId: string; tenantId: string; cloud: string }[]> {
  return sql<{ orgId: string; tenantId: string; cloud: string }[]>`
    select org_id, tenant_id, cloud from entra_rows
    where consent = 'granted' and org_deleted_at is null and org_id > ${after} order by org_id limit ${limit}`
}

/** Reports whether sign-in through the tenant of an organisation is enabled, and locks that until the transaction ends. */
export async function lockSignInEnabled(sql: Sql, orgId: string): Promise<boolean> {
  const rows = await sql`
    select from entra_connections where org_id = ${orgId} and sign_in_enabled for share`
  return rows.length > 0
}

/** Returns the names of the organisations of tenants. */
export async function listNamesByTenant(
  sql: Sql,
  tenantIds: string[],
): Promise<Pick<EntraRow, 'tenantId' | 'orgName'>[]> {
  return sql<Pick<EntraRow, 'tenantId' | 'orgName'>[]>`
    select tenant_id, org_name from entra_rows where tenant_id = any(${tenantIds})`
}
