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
import {
  type ApiEntry,
  type AwsProductEntry,
  type BrandingEntry,
  type ClientEntry,
  type ContentEntry,
  type CorsEntry,
  DirectoryConfig,
  type EntitlementEntry,
  type GroupEntry,
  type OrgBrandingEntry,
  type OrgEntry,
  type RoleEntry,
} from '@passport/contract/directory-config'
import { builtInApiName } from '@passport/contract/identity-apis'
import type { FieldError } from '@passport/contract/problem'
import type { EncodedPicture } from '../branding/pictures.ts'
import type { Sql } from '../database/sql.ts'
import { check } from '../http/parse.ts'
import { findPublicMailErrors } from '../orgs/public-mail.ts'
import { InvalidDocument } from './invalid-document.ts'
import { extractNames, type Names } from './names.ts'
import { encodePictures } from './pictures.ts'
import { brandingKey, groupKey, type Structure } from './read.ts'
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
  /** The pictures of the document that are not stored yet, by their data URLs. */
  pictures: Map<string, EncodedPicture>
}
interface Positioned<Entry> {
  entry: Entry
  /** The position in the document: `groups[2]`. */
  path: string
}

interface CheckOptions {
  current: Structure
  /** Whether entries that the document lacks are deleted, so that no entry may refer to them. */
  isWhole: boolean
}

/** Validates a document, which may be any value. Throws `InvalidDocument`. */
export async function checkDocument(sql: Sql, document: unknown, options: CheckOptions): Promise<ValidDocument> {
  const errors: FieldError[] = []
  const parsed = check(DirectoryConfig, document, errors) as DirectoryConfig
  const names = extractNames(document)
  const keys = await computeGroupKeys(sql, names)
  errors.push(...findDuplicates(names, keys), ...findRuleErrors(names, options))
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
    branding: branding && new Map([[brandingKey, { entry: toBrandingEntry(branding), path: 'branding' }]]),
    orgBrandings:
      orgBrandings &&
      indexByKey('orgBrandings', orgBrandings.map(toOrgBrandingEntry), (index) => names.orgBrandings[index]?.org),
    corsOrigins:
      parsed.corsOrigins &&
      indexByKey('corsOrigins', parsed.corsOrigins.map(toCorsEntry), (index) => names.corsOrigins[index]?.stack),
    pictures,
  }
}

/** Returns the key of a text; undefined if it cannot be derived. */
const contentKeyOf = ({ slug, locale }: Partial<Names['contents'][number]> = {}): string | undefined =>
  slug === undefined || locale === undefined ? undefined : `${slug}/${locale}`

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

function findDuplicates(
  { roles, orgs, groups, clients, apis, entitlements, awsProducts, contents, orgBrandings, corsOrigins }: Names,
  keysOfGroups: (string | undefined)[],
): FieldError[] {
  return [
    ...findDuplicatesIn(
      roles.map(({ name }) => name),
      (index) => `roles[${index}].name`,
    ),
    ...findDuplicatesIn(
      orgs.map(({ slug }) => slug),
      (index) => `orgs[${index}].slug`,
    ),
    ...orgs.flatMap(({ domains }, org) => findDuplicatesIn(domains, (index) => `orgs[${org}].domains[${index}]`)),
    ...findDuplicatesIn(keysOfGroups, (index) => `groups[${index}].name`),
    ...groups.flatMap(({ roles }, group) => findDuplicatesIn(roles, (index) => `groups[${group}].roles[${index}]`)),
    ...findDuplicatesIn(
      clients.map(({ clientId }) => clientId),
      (index) => `clients[${index}].clientId`,
    ),
    ...findDuplicatesIn(
      apis.map(({ name }) => name),
      (index) => `apis[${index}].name`,
    ),
    ...findDuplicatesIn(
      entitlements.map(({ key }) => key),
      (index) => `entitlements[${index}].key`,
    ),
    ...findDuplicatesIn(
      awsProducts.map(({ productCode }) => productCode),
      (index) => `awsProducts[${index}].productCode`,
    ),
    ...findDuplicatesIn(contents.map(contentKeyOf), (index) => `contents[${index}].locale`),
    ...findDuplicatesIn(
      orgBrandings.map(({ org }) => org),
      (index) => `orgBrandings[${index}].org`,
    ),
    ...findDuplicatesIn(
      corsOrigins.map(({ stack }) => stack),
      (index) => `corsOrigins[${index}].stack`,
    ),
  ]
}

function findDuplicatesIn(keys: (string | undefined)[], fieldOf: (index: number) => string): FieldError[] {
  const first = new Map<string, number>()
  return keys.flatMap((key, index) => {
    if (key === undefined) return []
    const earlier = first.get(key)
    first.set(key, earlier ?? index)
    return earlier === undefined ? [] : [createError(fieldOf(index), 'repeated', `Duplicate of ${fieldOf(earlier)}.`)]
  })
}

/** Finds entries that the rules of the features forbid, and references to missing entries. */
function findRuleErrors(
  { roles, orgs, groups, clients, apis, entitlements, orgBrandings }: Names,
  { current, isWhole }: CheckOptions,
): FieldError[] {
  const namedRoles = roles.map(({ name }) => name)
  const knownRoles = new Set([...current.builtInRoles, ...namedRoles, ...(isWhole ? [] : current.roles.keys())])
  const knownOrgs = new Set([null, ...orgs.map(({ slug }) => slug), ...(isWhole ? [] : current.orgs.keys())])
  return [
    ...namedRoles.flatMap((name, index) =>
      current.builtInRoles.has(name ?? '')
        ? [createError(`roles[${index}].name`, 'role-built-in', 'Built-in roles cannot be changed.')]
        : [],
    ),
    ...orgs.flatMap(({ domains }, org) =>
      findPublicMailErrors(
        domains.map((domain) => domain ?? ''),
        (index) => `orgs[${org}].domains[${index}]`,
      ),
    ),
    ...groups.flatMap(({ org, roles }, group) => [
      ...(org === undefined || knownOrgs.has(org)
        ? []
        : [createError(`groups[${group}].org`, 'not-found', 'Organisation not found.')]),
      ...roles.flatMap((role, index) =>
        role === undefined || knownRoles.has(role)
          ? []
          : [createError(`groups[${group}].roles[${index}]`, 'not-found', `The role ${role} does not exist.`)],
      ),
    ]),
    ...orgBrandings.flatMap(({ org }, index) =>
      org === undefined || knownOrgs.has(org)
        ? []
        : [createError(`orgBrandings[${index}].org`, 'not-found', 'Organisation not found.')],
    ),
    ...clients.flatMap(({ clientId = '', confidential }, index) => {
      if (current.readOnlyClients.has(clientId))
        return [
          createError(`clients[${index}].clientId`, 'client-read-only', 'It is built in, or in the configuration.'),
        ]
      const existing = current.clients.get(clientId)
      return existing === undefined || existing.confidential === confidential
        ? []
        : [createError(`clients[${index}].confidential`, 'client-public', 'Cannot be changed.')]
    }),
    ...apis.flatMap(({ name }, index) =>
      name === builtInApiName
        ? [createError(`apis[${index}].name`, 'built-in', 'The built-in API cannot be described.')]
        : [],
    ),
    ...entitlements.flatMap(({ key = '', kind }, index) => {
      const existing = current.entitlements.get(key)
      return existing === undefined || existing.kind === kind
        ? []
        : [createError(`entitlements[${index}].kind`, 'immutable', 'Cannot be changed.')]
    }),
  ]
}

const createError = (field: string, code: string, message: string): FieldError => ({ field, code, message })

function indexByKey<Entry>(list: string, entries: Entry[], keyOf: (index: number) => string | undefined) {
  return new Map(entries.map((entry, index) => [keyOf(index) ?? '', { entry, path: `${list}[${index}]` }]))
}
