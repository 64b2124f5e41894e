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
import {
  type ApiEntry,
  type AuditEntry,
  type AwsProductEntry,
  type BrandingEntry,
  type BuiltInApiEntry,
  type ClientEntry,
  type ContentEntry,
  type CorsEntry,
  DirectoryConfig,
  type EntitlementEntry,
  type GroupEntry,
  type OrgBrandingEntry,
  type OrgEntry,
  type PermissionsEntry,
  type RoleEntry,
  type TenantEntry,
} from '@passport/contract/directory-config'
import type { FieldError } from '@passport/contract/problem'
import type { EncodedPicture } from '../branding/pictures.ts'
import type { Sql } from '../database/sql.ts'
import { check } from '../http/parse.ts'
import { Problem } from '../http/problem.ts'
import { checkSchema } from '../permissions/definitions.ts'
import { InvalidDocument } from './invalid-document.ts'
import { extractNames, type Names } from './names.ts'
import { encodePictures } from './pictures.ts'
import { groupKey, installationKey } from './read.ts'
import { type CheckOptions, contentKeyOf, findDuplicates, findRuleErrors } from './rules.ts'
import * as store from './store.ts'

/** The entries of a valid document by their keys. */
export interface ValidDocument {
  roles: Map<string, Positioned<RoleEntry>>
  orgs: Map<string, Positioned<OrgEntry>>
  groups: Map<string, Positioned<GroupEntry>>
  /** Undefined if the document does not describe applications. */
  clients: Map<string, Positioned<ClientEntry>> | undefined
  /** Undefined if the document does not describe identity APIs. */
  apis: Map<string, Positioned<ApiEntry>> | undefined
  /** Undefined if the document does not describe entitlements. */
  entitlements: Map<string, Positioned<EntitlementEntry>> | undefined
  /** Undefined if the document does not describe AWS products. */
  awsProducts: Map<string, Positioned<AwsProductEntry>> | undefined
  /** Undefined if the document does not describe texts. */
  contents: Map<string, Positioned<ContentEntry>> | undefined
  /** Undefined if the document does not describe the branding. */
  branding: Map<string, Positioned<BrandingEntry>> | undefined
  /** Undefined if the document does not describe the brandings of organisations. */
  orgBrandings: Map<string, Positioned<OrgBrandingEntry>> | undefined
  /** Undefined if the document does not describe allowed origins. */
  corsOrigins: Map<string, Positioned<CorsEntry>> | undefined
  /** Undefined if the document does not describe the built-in API. */
  builtInApi: Map<string, Positioned<BuiltInApiEntry>> | undefined
  /** Undefined if the document does not describe tenants of organisations. */
  tenants: Map<string, Positioned<TenantEntry>> | undefined
  /** Undefined if the document does not describe permissions. */
  permissions: Map<string, Positioned<PermissionsEntry>> | undefined
  /** Undefined if the document does not describe the audit log. */
  audit: Map<string, Positioned<AuditEntry>> | undefined
  /** The pictures of the document that are not stored yet, by their data URLs. */
  pictures: Map<string, EncodedPicture>
}
interface Positioned<Entry> {
  entry: Entry
  /** The position in the document: `groups[2]`. */
  path: string
}

/** Validates a document, which may be any value. Throws `InvalidDocument`. */
export async function checkDocument(sql: Sql, document: unknown, options: CheckOptions): Promise<ValidDocument> {
  const errors: FieldError[] = []
  const parsed = check(DirectoryConfig, document, errors) as DirectoryConfig
  const names = extractNames(document)
  const keys = await computeGroupKeys(sql, names)
  errors.push(...findDuplicates(names, keys), ...findRuleErrors(names, options))
  const schema = await checkPermissions(document, options, errors)
  if (errors.length > 0) throw new InvalidDocument(errors.map(toDocumentError))
  const { branding, orgBrandings, pictures } = await encodePictures(sql, parsed)
  return {
    roles: indexByKey('roles', parsed.roles.map(toRoleEntry), (index) => names.roles[index]?.name),
    orgs: indexByKey('orgs', parsed.orgs.map(toOrgEntry), (index) => names.orgs[index]?.slug),
    groups: indexByKey('groups', parsed.groups.map(toGroupEntry), (index) => keys[index]),
    clients:
      parsed.clients &&
      indexByKey('clients', parsed.clients.map(toClientEntry), (index) => names.clients[index]?.clientId),
    apis: parsed.apis && indexByKey('apis', parsed.apis.map(toApiEntry), (index) => names.apis[index]?.name),
    entitlements:
      parsed.entitlements &&
      indexByKey(
        'entitlements',
        parsed.entitlements.map(toEntitlementEntry),
        (index) => names.entitlements[index]?.key,
      ),
    awsProducts:
      parsed.awsProducts &&
      indexByKey(
        'awsProducts',
        parsed.awsProducts.map(toAwsProductEntry),
        (index) => names.awsProducts[index]?.productCode,
      ),
    contents:
      parsed.contents &&
      indexByKey('contents', parsed.contents.map(toContentEntry), (index) => contentKeyOf(names.contents[index])),
    branding: branding && toSingle('branding', toBrandingEntry(branding)),
    builtInApi: parsed.builtInApi && toSingle('builtInApi', toBuiltInApiEntry(parsed.builtInApi)),
    permissions: parsed.permissions && toSingle('permissions', toPermissionsEntry({ ...parsed.permissions, schema })),
    audit: parsed.audit && toSingle('audit', toAuditEntry(parsed.audit)),
    tenants:
      parsed.tenants && indexByKey('tenants', parsed.tenants.map(toTenantEntry), (index) => names.tenants[index]?.org),
    orgBrandings:
      orgBrandings &&
      indexByKey('orgBrandings', orgBrandings.map(toOrgBrandingEntry), (index) => names.orgBrandings[index]?.org),
    corsOrigins:
      parsed.corsOrigins &&
      indexByKey('corsOrigins', parsed.corsOrigins.map(toCorsEntry), (index) => names.corsOrigins[index]?.stack),
    pictures,
  }
}

const toSingle = <Entry>(path: string, entry: Entry) => new Map([[installationKey, { entry, path }]])

/** Adds the errors of the permission schema, if there is one; returns the part of it that an application defines. */
async function checkPermissions(document: unknown, { current }: CheckOptions, errors: FieldError[]): Promise<string> {
  const text = (document as Partial<DirectoryConfig> | null | undefined)?.permissions?.schema
  if (typeof text !== 'string') return ''
  if (current.permissions.size === 0) {
    const message = 'The permissions of this installation are in SpiceDB, which has its own tools.'
    errors.push({ field: 'permissions', code: 'not-of-this-engine', message })
    return ''
  }
  try {
    return await checkSchema(text)
  } catch (error) {
    if (!(error instanceof Problem) || !error.errors) throw error
    errors.push(...error.errors.map((item) => ({ ...item, field: 'permissions.schema' })))
    return ''
  }
}

const toDocumentError = ({ field, code, message }: FieldError): FieldError => ({
  field: field === 'body' ? 'document' : field,
  code,
  message,
})

/** Returns the key of each group; undefined if it cannot be derived. */
async function computeGroupKeys(sql: Sql, { groups }: Names): Promise<(string | undefined)[]> {
  const folded = await store.fold(
    sql,
    groups.map(({ name }) => name ?? ''),
  )
  return groups.map(({ org, name }, index) =>
    org === undefined || name === undefined ? undefined : groupKey(org, folded[index] ?? name),
  )
}

function indexByKey<Entry>(list: string, entries: Entry[], keyOf: (index: number) => string | undefined) {
  return new Map(entries.map((entry, index) => [keyOf(index) ?? '', { entry, path: `${list}[${index}]` }]))
}
