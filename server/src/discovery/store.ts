import type { HomeRealmQuestion } from '@passport/contract/home-realm'
import type { TenantDiscovery } from '@passport/contract/tenant-discovery'
import type { Sql } from '../database/sql.ts'

/** How the users of an organisation sign in; `tenantId` is null without a connection to Microsoft Entra. */
export interface HomeRealm {
  orgId: string
  orgName: string
  tenantId: string | null
  /** The id of the tenant's cloud in the configuration. */
  cloud: string | null
  consent: TenantDiscovery['passport']['consent'] | null
  signInEnabled: boolean
}

/** Returns the realm of the organisation that has verified a domain, or that has a tenant, unless it is deleted. */
export async function find(sql: Sql, { domain, tenantId }: HomeRealmQuestion): Promise<HomeRealm | undefined> {
  const condition = domain === undefined ? sql`tenant_id = ${tenantId}` : sql`domain = ${domain}`
  const [row] = await sql<HomeRealm[]>`
    select org_id, org_name, tenant_id, cloud, consent, sign_in_enabled
    from home_realms where ${condition} limit 1`
  return row
}

/** Reports whether the users of any organisation sign in through a tenant of these clouds. */
export async function hasEnabledTenant(sql: Sql, clouds: string[]): Promise<boolean> {
  const found = await sql`select from home_realms where sign_in_enabled and cloud = any(${clouds}) limit 1`
  return found.length > 0
}
