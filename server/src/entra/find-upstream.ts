import { domainOfEmail } from '@passport/contract/domain-name'
import type { EntraCloud } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import type { Caller } from '../http/caller.ts'
import type { Upstream, UpstreamTenant } from '../identity-providers/upstreams.ts'
import * as domains from '../orgs/domain-store.ts'
import * as orgs from '../orgs/store.ts'
import * as store from './store.ts'

/** An organisation's tenant as an identity provider. */
export type TenantUpstream = Upstream & { tenant: UpstreamTenant }

const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const prefix = 'entra:'

/** Returns the id of the identity provider that a tenant is: `entra:` and the tenant's id. */
export const toProviderId = (tenantId: string) => `${prefix}${tenantId}`

/** Returns the tenant id of an identity provider; undefined for providers of the configuration. */
const tenantIdOf = (id: string): string | undefined => {
  const tenantId = id.startsWith(prefix) ? id.slice(prefix.length) : ''
  return guid.test(tenantId) ? tenantId : undefined
}

/** Finds an identity provider by its id: of the configuration, or the tenant of an organisation, enabled or not. */
export async function findUpstream(
  services: Pick<Services, 'config' | 'sql' | 'upstreams'>,
  id: string,
): Promise<Upstream | undefined> {
  const tenantId = tenantIdOf(id)
  return tenantId === undefined ? services.upstreams.find(id) : findUpstreamOfTenant(services, tenantId)
}

/** Finds the identity provider that a tenant is; undefined if it belongs to no organisation. */
export async function findUpstreamOfTenant(
  { config, sql }: Pick<Services, 'config' | 'sql'>,
  tenantId: string,
): Promise<TenantUpstream | undefined> {
  const row = guid.test(tenantId.toLowerCase()) ? await store.findByTenant(sql, tenantId.toLowerCase()) : undefined
  const cloud = config.entraClouds.find(({ id }) => id === row?.cloud)
  return row && cloud && toUpstream(row, cloud)
}

/** Finds the identity provider of an organisation; undefined without a tenant, or in the trash. */
export async function findUpstreamOfOrg(
  { config, sql }: Pick<Services, 'config' | 'sql'>,
  orgId: string,
): Promise<TenantUpstream | undefined> {
  const row = await store.find(sql, orgId)
  const cloud = config.entraClouds.find(({ id }) => id === row?.cloud)
  return row && cloud && row.orgDeletedAt === null ? toUpstream(row, cloud) : undefined
}

const toUpstream = (row: store.EntraRow, cloud: EntraCloud): TenantUpstream => ({
  id: toProviderId(row.tenantId),
  name: row.orgName,
  kind: 'oidc',
  issuer: `${cloud.authority}/${row.tenantId}/v2.0`,
  identityIssuer: toProviderId(row.tenantId),
  signUp: 'open',
  // Only for addresses at a domain that the organisation has verified: the claims are adapted accordingly.
  trustEmail: true,
  freshness: 'prompt',
  tenant: {
    id: row.tenantId,
    orgId: row.orgId,
    cloud: row.cloud,
    isEnabled: row.signInEnabled && row.orgDeletedAt === null,
    allowGuests: row.allowGuests,
    needsGroups: row.mappings.some(({ groupObjectId }) => groupObjectId !== undefined),
  },
})

/** Reports whether users may sign in through the tenant of an organisation, and locks that until the transaction ends. */
export const lockEnabled = async (sql: Sql, orgId: string): Promise<boolean> =>
  (await orgs.lockExisting(sql, orgId)) && (await store.lockSignInEnabled(sql, orgId))

/** Returns a function that names identity providers. Runs a statement only if one of them is a tenant. */
export async function loadProviderNames(
  { sql, upstreams }: Pick<Services, 'sql' | 'upstreams'>,
  ids: string[],
): Promise<(id: string) => string> {
  const tenantIds = [...new Set(ids.flatMap((id) => tenantIdOf(id) ?? []))]
  const rows = tenantIds.length > 0 ? await store.listNamesByTenant(sql, tenantIds) : []
  const names = new Map(rows.map(({ tenantId, orgName }) => [toProviderId(tenantId), orgName]))
  return (id) => names.get(id) ?? upstreams.find(id)?.name ?? id
}

/**
 * Lists the tenants through which a user can sign in now: those of their organisations, and of the one that has verified
 * the domain of their email address, which they join by linking a login there.
 */
export async function listOwnTenants(
  { config, sql }: Pick<Services, 'config' | 'sql'>,
  { orgs, email }: Pick<Caller, 'orgs' | 'email'>,
): Promise<{ id: string; name: string }[]> {
  if (config.entraClouds.length === 0) return []
  const domain = domainOfEmail(email ?? '')
  const [owner] = domain === undefined ? [] : await domains.listOwners(sql, [domain])
  const orgIds = [...orgs.map(({ id }) => id), ...(owner ? [owner.orgId] : [])]
  if (orgIds.length === 0) return []
  const clouds = new Set(config.entraClouds.map(({ id }) => id))
  const rows = await store.list(sql, orgIds)
  return rows
    .filter(({ signInEnabled, cloud }) => signInEnabled && clouds.has(cloud))
    .map(({ tenantId, orgName }) => ({ id: toProviderId(tenantId), name: orgName }))
}
