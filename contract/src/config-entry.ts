// The console uses these functions, and its first visit has no room for schemas: import types only.
import type {
  ApiEntry,
  AuditEntry,
  AwsProductEntry,
  BrandingEntry,
  BuiltInApiEntry,
  ClientEntry,
  ContentEntry,
  CorsEntry,
  EntitlementEntry,
  GroupEntry,
  OrgBrandingEntry,
  OrgEntry,
  PermissionsEntry,
  RoleEntry,
  TenantEntry,
} from './directory-config.ts'

/** Returns the fields of a role in the directory file. */
export const toRoleEntry = ({ name, description }: RoleEntry): RoleEntry => ({ name, description })

/** Returns the fields of an organisation in the directory file. */
export const toOrgEntry = ({ slug, name, domains }: OrgEntry): OrgEntry => ({ slug, name, domains: domains.toSorted() })

/** Returns the fields of a group in the directory file. */
export const toGroupEntry = ({ org, name, description, roles }: GroupEntry): GroupEntry => ({
  org,
  name,
  description,
  roles: roles.toSorted(),
})

/** Returns the fields of an application in the directory file. */
export const toClientEntry = (client: ClientEntry): ClientEntry => ({
  clientId: client.clientId,
  clientName: client.clientName,
  confidential: client.confidential,
  redirectUris: client.redirectUris,
  postLogoutRedirectUris: client.postLogoutRedirectUris,
  backchannelLogoutUri: client.backchannelLogoutUri,
  consent: client.consent,
  deviceFlow: client.deviceFlow,
  scopes: client.scopes.toSorted(),
  apis: client.apis.map(({ name, scopes }) => ({ name, scopes: scopes.toSorted() })),
  idTokenSigningAlg: client.idTokenSigningAlg,
  pkce: client.pkce,
  enabled: client.enabled,
})

/** Returns the fields of an identity API in the directory file. Its scopes keep their order. */
export const toApiEntry = (api: ApiEntry): ApiEntry => ({
  name: api.name,
  displayName: api.displayName,
  description: api.description,
  audience: api.audience,
  enabled: api.enabled,
  scopes: api.scopes.map(({ name, description, emphasize }) => ({ name, description, emphasize })),
  claims: api.claims.toSorted(),
  tokenLifetimeSec: api.tokenLifetimeSec,
  allowedClients: api.allowedClients?.toSorted() ?? null,
  resourceServers: api.resourceServers.toSorted(),
})

/** Returns the fields of an entitlement in the directory file. */
export const toEntitlementEntry = (entitlement: EntitlementEntry): EntitlementEntry => ({
  key: entitlement.key,
  kind: entitlement.kind,
  name: entitlement.name,
  description: entitlement.description,
  unit: entitlement.unit,
  enabled: entitlement.enabled,
})

/** Returns the fields of a product in AWS Marketplace in the directory file. Its dimensions keep their order. */
export const toAwsProductEntry = (product: AwsProductEntry): AwsProductEntry => ({
  name: product.name,
  productCode: product.productCode,
  productId: product.productId,
  pricingModel: product.pricingModel,
  integration: product.integration,
  region: product.region,
  snsTopicArns: product.snsTopicArns.toSorted(),
  dimensions: product.dimensions.map(({ key, kind, entitlementKey, unit }) => ({ key, kind, entitlementKey, unit })),
  supportEmail: product.supportEmail,
  enabled: product.enabled,
})

/** Returns the fields of a published text in the directory file. */
export const toContentEntry = ({ slug, locale, title, body }: ContentEntry): ContentEntry => ({
  slug,
  locale,
  title,
  body,
})

/** Returns the fields of the branding of the installation in the directory file. */
export const toBrandingEntry = ({ name, logo, favicon, accent, supportUrl }: BrandingEntry): BrandingEntry => ({
  name: name || null,
  logo,
  favicon,
  accent: accent && { light: accent.light, dark: accent.dark },
  supportUrl,
})

/** Returns the fields of the branding of an organisation in the directory file. */
export const toOrgBrandingEntry = ({ org, name, logo }: OrgBrandingEntry): OrgBrandingEntry => ({
  org,
  name: name || null,
  logo,
})

/** Returns the allowed origins of a stack in the directory file. */
export const toCorsEntry = ({ stack, origins }: CorsEntry): CorsEntry => ({
  stack,
  origins: [...new Set(origins)].toSorted(),
})

/** Returns the fields of the built-in API in the directory file. */
export const toBuiltInApiEntry = ({ description, tokenLifetimeSec }: BuiltInApiEntry): BuiltInApiEntry => ({
  description,
  tokenLifetimeSec,
})

/** Returns the fields of the tenant of an organisation in the directory file. */
export const toTenantEntry = ({ org, tenantId, cloud, allowGuests, mappings }: TenantEntry): TenantEntry => ({
  org,
  tenantId,
  cloud,
  allowGuests,
  mappings: sortByText(
    mappings.map(({ groupObjectId, appRole, group, role }) => ({
      ...(groupObjectId !== undefined && { groupObjectId }),
      ...(appRole !== undefined && { appRole }),
      ...(group && { group: { org: group.org, name: group.name } }),
      ...(role !== undefined && { role }),
    })),
  ),
})

/** Returns the permission schema and its assertions in the directory file. */
export const toPermissionsEntry = ({ schema, assertions }: PermissionsEntry): PermissionsEntry => ({
  schema,
  assertions: sortByText(assertions.map(sortMembers)),
})

/** Returns the retention of audit events in the directory file. */
export const toAuditEntry = ({ days }: AuditEntry): AuditEntry => ({ days })

/** Sorts the members of an object and of those in it, whose order in the database is not that of the file. */
const sortMembers = <Value>(value: Value): Value =>
  typeof value !== 'object' || value === null
    ? value
    : Array.isArray(value)
      ? (value.map(sortMembers) as Value)
      : (Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, member]) => [name, sortMembers(member)]),
        ) as Value)

/** Sorts values by the code units of their JSON, without repeated ones. */
const sortByText = <Value>(values: Value[]): Value[] =>
  [...new Map(values.map((value) => [JSON.stringify(value), value])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value)
