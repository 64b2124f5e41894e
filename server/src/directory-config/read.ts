import { toAwsProductFields } from '@passport/contract/aws-products'
import {
  toApiEntry,
  toAuditEntry,
  toAwsProductEntry,
  toBrandingEntry,
  toBuiltInApiEntry,
  toClientEntry,
  toContentEntry,
  toCorsEntry,
  toEntitlementEntry,
  toGroupEntry,
  toOrgBrandingEntry,
  toOrgEntry,
  toPermissionsEntry,
  toRoleEntry,
  toTenantEntry,
} from '@passport/contract/config-entry'
import type {
  ApiEntry,
  AuditEntry,
  AwsProductEntry,
  BrandingEntry,
  BuiltInApiEntry,
  ClientEntry,
  ContentEntry,
  CorsEntry,
  DirectoryConfig,
  EntitlementEntry,
  GroupEntry,
  OrgBrandingEntry,
  OrgEntry,
  PermissionsEntry,
  RoleEntry,
  TenantEntry,
} from '@passport/contract/directory-config'
import * as auditStore from '../audit/store.ts'
import * as brandingStore from '../branding/store.ts'
import { toFields } from '../clients/change.ts'
import * as clientStore from '../clients/store.ts'
import * as contentStore from '../content/store.ts'
import * as corsStore from '../cors/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as entitlementStore from '../entitlements/store.ts'
import * as tenantStore from '../entra/store.ts'
import * as apiStore from '../identity-apis/store.ts'
import * as awsProductStore from '../marketplace/product-store.ts'
import { readDefinitions } from '../permissions/definitions.ts'
import { readPictureUrl } from './pictures.ts'
import * as store from './store.ts'

/**
 * Entries by key: the name of a role or an API, the slug of an organisation, the organisation and name of a group, the id
 * of an application, the key of an entitlement, the code of an AWS product, slot and language of a text, or the name of a
 * stack.
 */
type EntriesByKey<Entry> = Map<string, Entry>

/** The structure of the directory, without its users, sorted as in an export. */
export interface Structure {
  roles: EntriesByKey<RoleEntry>
  orgs: EntriesByKey<OrgEntry & { id: string }>
  groups: EntriesByKey<GroupEntry & { id: string }>
  clients: EntriesByKey<ClientEntry>
  apis: EntriesByKey<ApiEntry & { id: string }>
  entitlements: EntriesByKey<EntitlementEntry & { id: string }>
  awsProducts: EntriesByKey<AwsProductEntry & { id: string }>
  contents: EntriesByKey<ContentEntry>
  branding: EntriesByKey<BrandingEntry>
  orgBrandings: EntriesByKey<OrgBrandingEntry & { id: string }>
  corsOrigins: EntriesByKey<CorsEntry>
  builtInApi: EntriesByKey<BuiltInApiEntry>
  tenants: EntriesByKey<TenantEntry & { id: string }>
  /** Empty if the permissions are in SpiceDB, which has its own tools. */
  permissions: EntriesByKey<PermissionsEntry>
  audit: EntriesByKey<AuditEntry>
  /** The names of the built-in roles. */
  builtInRoles: Set<string>
  /** The ids of built-in applications and those of the configuration. */
  readOnlyClients: Set<string>
}

/** The parts of the configuration that the file depends on. */
export interface ConfigOptions {
  /** The permissions are in SpiceDB, and the file does not describe them. */
  usesSpiceDb?: boolean
}

/** Reads the structure of the directory from the database. */
export async function readStructure(sql: Sql, { usesSpiceDb = false }: ConfigOptions = {}): Promise<Structure> {
  const [roles, orgs, groups] = [await store.listRoles(sql), await store.listOrgs(sql), await store.listGroups(sql)]
  const clients = await clientStore.listAll(sql)
  const apis = await apiStore.listAll(sql)
  const entitlements = await entitlementStore.listAll(sql)
  const awsProducts = await awsProductStore.listAll(sql)
  const contents = await contentStore.listPublishedTexts(sql)
  const corsOrigins = await corsStore.list(sql)
  return {
    roles: toSortedMap(roles.filter(({ builtIn }) => !builtIn).map((role) => [role.name, toRoleEntry(role)])),
    orgs: toSortedMap(orgs.map((org) => [org.slug, { id: org.id, ...toOrgEntry(org) }])),
    groups: toSortedMap(
      groups.map((group) => [groupKey(group.org, group.foldedName), { id: group.id, ...toGroupEntry(group) }]),
    ),
    clients: toSortedMap(
      clients
        .filter(({ source }) => source === 'console')
        .map((client) => [client.clientId, toClientEntry({ ...client, ...toFields(client) })]),
    ),
    apis: toSortedMap(
      apis.filter(({ builtIn }) => !builtIn).map((api) => [api.name, { id: api.id, ...toApiEntry(api) }]),
    ),
    entitlements: toSortedMap(entitlements.map((row) => [row.key, { id: row.id, ...toEntitlementEntry(row) }])),
    awsProducts: toSortedMap(
      awsProducts.map((row) => [row.productCode, { id: row.id, ...toAwsProductEntry(toAwsProductFields(row)) }]),
    ),
    contents: toSortedMap(contents.map((row) => [contentKey(row), toContentEntry(row)])),
    branding: new Map([[installationKey, await readBranding(sql)]]),
    orgBrandings: toSortedMap(await readOrgBrandings(sql)),
    corsOrigins: toSortedMap(
      corsOrigins.flatMap(({ stack, origins }) => (origins ? [[stack, toCorsEntry({ stack, origins })]] : [])),
    ),
    builtInApi: new Map(apis.filter(({ builtIn }) => builtIn).map((api) => [installationKey, toBuiltInApiEntry(api)])),
    tenants: toSortedMap(listTenants(await tenantStore.listAll(sql), orgs, groups)),
    permissions: new Map(usesSpiceDb ? [] : [[installationKey, toPermissionsEntry(await readDefinitions(sql))]]),
    audit: new Map([[installationKey, toAuditEntry(await auditStore.getRetention(sql))]]),
    builtInRoles: new Set(roles.filter(({ builtIn }) => builtIn).map(({ name }) => name)),
    readOnlyClients: new Set(clients.filter(({ source }) => source !== 'console').map(({ clientId }) => clientId)),
  }
}

/** The key of what an installation has once, such as its branding. */
export const installationKey = 'installation'

async function readBranding(sql: Sql): Promise<BrandingEntry> {
  const row = await brandingStore.find(sql)
  const logo = await readPictureUrl(sql, row.logo)
  return toBrandingEntry({ ...row, logo, favicon: await readPictureUrl(sql, row.favicon) })
}

async function readOrgBrandings(sql: Sql) {
  const entries: [string, OrgBrandingEntry & { id: string }][] = []
  for (const row of await store.listOrgBrandings(sql)) {
    const logo = await readPictureUrl(sql, row.logo)
    entries.push([row.org, { id: row.id, ...toOrgBrandingEntry({ ...row, logo }) }])
  }
  return entries
}

/** Returns the tenants by the slug of their organisation, with the groups of their mappings by name. */
function listTenants(
  rows: tenantStore.EntraRow[],
  orgs: (OrgEntry & { id: string })[],
  groups: (GroupEntry & { id: string })[],
) {
  const slugs = new Map(orgs.map(({ id, slug }) => [id, slug]))
  const groupNames = new Map(groups.map(({ id, org, name }) => [id, { org, name }]))
  return rows.map((row): [string, TenantEntry & { id: string }] => {
    const org = slugs.get(row.orgId) ?? ''
    const mappings = row.mappings.flatMap(({ groupId, ...mapping }) => {
      if (groupId === undefined) return [mapping]
      const group = groupNames.get(groupId)
      // A group in the trash keeps its mapping, which gives nothing.
      return group ? [{ ...mapping, group }] : []
    })
    return [org, { id: row.orgId, ...toTenantEntry({ ...row, org, mappings }) }]
  })
}

/** Returns the key of a group. It is unique because slugs contain no slash. */
export const groupKey = (org: string | null, foldedName: string): string => `${org ?? ''}/${foldedName}`

/** Returns the name of a group by which the mappings of a tenant refer to it. */
export const nameGroup = ({ org, name }: { org?: string | null | undefined; name: string | undefined }): string =>
  `${org ?? ''}/${name}`

/** Returns the key of a text. */
const contentKey = ({ slug, locale }: Pick<ContentEntry, 'slug' | 'locale'>): string => `${slug}/${locale}`

/** Exports a consistent snapshot of the directory's structure as a document. */
export async function exportDocument(sql: Sql, options?: ConfigOptions): Promise<DirectoryConfig> {
  const structure = await transaction(sql, (sql) => readStructure(sql, options), { isolation: 'serializable' })
  const { roles, orgs, groups, clients, apis, entitlements, awsProducts, contents } = structure
  const { branding, orgBrandings, corsOrigins, builtInApi, tenants, permissions, audit } = structure
  return {
    version: 1,
    roles: [...roles.values()],
    orgs: [...orgs.values()].map(toOrgEntry),
    groups: [...groups.values()].map(toGroupEntry),
    clients: [...clients.values()],
    apis: [...apis.values()].map(toApiEntry),
    builtInApi: builtInApi.get(installationKey),
    entitlements: [...entitlements.values()].map(toEntitlementEntry),
    awsProducts: [...awsProducts.values()].map(toAwsProductEntry),
    contents: [...contents.values()],
    branding: branding.get(installationKey),
    orgBrandings: [...orgBrandings.values()].map(toOrgBrandingEntry),
    corsOrigins: [...corsOrigins.values()],
    tenants: [...tenants.values()].map(toTenantEntry),
    permissions: permissions.get(installationKey),
    audit: audit.get(installationKey),
  }
}

/** Sorts entries by the code units of their keys, so that the order does not depend on the locale. */
function toSortedMap<Entry>(entries: [string, Entry][]): EntriesByKey<Entry> {
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
