import { toAwsProductFields } from '@passport/contract/aws-products'
import {
  toApiEntry,
  toAwsProductEntry,
  toBrandingEntry,
  toClientEntry,
  toContentEntry,
  toCorsEntry,
  toEntitlementEntry,
  toGroupEntry,
  toOrgBrandingEntry,
  toOrgEntry,
  toRoleEntry,
} from '@passport/contract/config-entry'
import type {
  ApiEntry,
  AwsProductEntry,
  BrandingEntry,
  ClientEntry,
  ContentEntry,
  CorsEntry,
  DirectoryConfig,
  EntitlementEntry,
  GroupEntry,
  OrgBrandingEntry,
  OrgEntry,
  RoleEntry,
} from '@passport/contract/directory-config'
import * as brandingStore from '../branding/store.ts'
import { toFields } from '../clients/change.ts'
import * as clientStore from '../clients/store.ts'
import * as contentStore from '../content/store.ts'
import * as corsStore from '../cors/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as entitlementStore from '../entitlements/store.ts'
import * as apiStore from '../identity-apis/store.ts'
import * as awsProductStore from '../marketplace/product-store.ts'
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
  /** The names of the built-in roles. */
  builtInRoles: Set<string>
  /** The ids of built-in applications and those of the configuration. */
  readOnlyClients: Set<string>
}

/** Reads the structure of the directory from the database. */
export async function readStructure(sql: Sql): Promise<Structure> {
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
    branding: new Map([[brandingKey, await readBranding(sql)]]),
    orgBrandings: toSortedMap(await readOrgBrandings(sql)),
    corsOrigins: toSortedMap(
      corsOrigins.flatMap(({ stack, origins }) => (origins ? [[stack, toCorsEntry({ stack, origins })]] : [])),
    ),
    builtInRoles: new Set(roles.filter(({ builtIn }) => builtIn).map(({ name }) => name)),
    readOnlyClients: new Set(clients.filter(({ source }) => source !== 'console').map(({ clientId }) => clientId)),
  }
}

/** The key of the branding of the installation. */
export const brandingKey = 'installation'

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

/** Returns the key of a group. It is unique because slugs contain no slash. */
export const groupKey = (org: string | null, foldedName: string): string => `${org ?? ''}/${foldedName}`

/** Returns the key of a text. */
const contentKey = ({ slug, locale }: Pick<ContentEntry, 'slug' | 'locale'>): string => `${slug}/${locale}`

/** Exports a consistent snapshot of the directory's structure as a document. */
export async function exportDocument(sql: Sql): Promise<DirectoryConfig> {
  const structure = await transaction(sql, readStructure, { isolation: 'serializable' })
  const { roles, orgs, groups, clients, apis, entitlements, awsProducts, contents } = structure
  const { branding, orgBrandings, corsOrigins } = structure
  return {
    version: 1,
    roles: [...roles.values()],
    orgs: [...orgs.values()].map(toOrgEntry),
    groups: [...groups.values()].map(toGroupEntry),
    clients: [...clients.values()],
    apis: [...apis.values()].map(toApiEntry),
    entitlements: [...entitlements.values()].map(toEntitlementEntry),
    awsProducts: [...awsProducts.values()].map(toAwsProductEntry),
    contents: [...contents.values()],
    branding: branding.get(brandingKey),
    orgBrandings: [...orgBrandings.values()].map(toOrgBrandingEntry),
    corsOrigins: [...corsOrigins.values()],
  }
}

/** Sorts entries by the code units of their keys, so that the order does not depend on the locale. */
function toSortedMap<Entry>(entries: [string, Entry][]): EntriesByKey<Entry> {
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
