import { toAwsProductFields } from '@passport/contract/aws-products'
import {
  toApiEntry,
  toAwsProductEntry,
  toClientEntry,
  toContentEntry,
  toEntitlementEntry,
  toGroupEntry,
  toOrgEntry,
  toRoleEntry,
} from '@passport/contract/config-entry'
import type {
  ApiEntry,
  AwsProductEntry,
  ClientEntry,
  ContentEntry,
  DirectoryConfig,
  EntitlementEntry,
  GroupEntry,
  OrgEntry,
  RoleEntry,
} from '@passport/contract/directory-config'
import { toFields } from '../clients/change.ts'
import * as clientStore from '../clients/store.ts'
import * as contentStore from '../content/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import * as entitlementStore from '../entitlements/store.ts'
import * as apiStore from '../identity-apis/store.ts'
import * as awsProductStore from '../marketplace/product-store.ts'
import * as store from './store.ts'

/**
 * Entries by key: the name of a role or an API, the slug of an organisation, the organisation and name of a group, the id
 * of an application, the key of an entitlement, the code of an AWS product, or slot and language of a text.
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
    builtInRoles: new Set(roles.filter(({ builtIn }) => builtIn).map(({ name }) => name)),
    readOnlyClients: new Set(clients.filter(({ source }) => source !== 'console').map(({ clientId }) => clientId)),
  }
}

/** Returns the key of a group. It is unique because slugs contain no slash. */
export const groupKey = (org: string | null, foldedName: string): string => `${org ?? ''}/${foldedName}`

/** Returns the key of a text. */
const contentKey = ({ slug, locale }: Pick<ContentEntry, 'slug' | 'locale'>): string => `${slug}/${locale}`

/** Exports a consistent snapshot of the directory's structure as a document. */
export async function exportDocument(sql: Sql): Promise<DirectoryConfig> {
  const { roles, orgs, groups, clients, apis, entitlements, awsProducts, contents } = await transaction(
    sql,
    readStructure,
    {
      isolation: 'serializable',
    },
  )
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
  }
}

/** Sorts entries by the code units of their keys, so that the order does not depend on the locale. */
function toSortedMap<Entry>(entries: [string, Entry][]): EntriesByKey<Entry> {
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
