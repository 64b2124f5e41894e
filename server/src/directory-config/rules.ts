import { hasFormOfUserId, userIdFormRefused } from '@passport/contract/clients'
import { builtInApiName } from '@passport/contract/identity-apis'
import type { FieldError } from '@passport/contract/problem'
import { findPublicMailErrors } from '../orgs/public-mail.ts'
import type { Names } from './names.ts'
import { nameGroup, type Structure } from './read.ts'

export interface CheckOptions {
  current: Structure
  /** Whether entries that the document lacks are deleted, so that no entry may refer to them. */
  isWhole: boolean
}

/** Returns the key of a text; undefined if it cannot be derived. */
export const contentKeyOf = ({ slug, locale }: Partial<Names['contents'][number]> = {}): string | undefined =>
  slug === undefined || locale === undefined ? undefined : `${slug}/${locale}`

/** Finds entries with the name of an earlier one. */
export function findDuplicates(names: Names, keysOfGroups: (string | undefined)[]): FieldError[] {
  const { roles, orgs, groups, clients, apis, entitlements, awsProducts, contents } = names
  const { orgBrandings, corsOrigins, tenants } = names
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
    ...findDuplicatesIn(
      tenants.map(({ org }) => org),
      (index) => `tenants[${index}].org`,
    ),
    ...findDuplicatesIn(
      tenants.map(({ tenantId }) => tenantId),
      (index) => `tenants[${index}].tenantId`,
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
export function findRuleErrors(names: Names, { current, isWhole }: CheckOptions): FieldError[] {
  const { roles, orgs, groups, clients, apis, entitlements, orgBrandings } = names
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
      if (existing === undefined && hasFormOfUserId(clientId))
        return [createError(`clients[${index}].clientId`, 'client-id-invalid', userIdFormRefused)]
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
    ...findTenantErrors(names, { current, isWhole, knownOrgs, knownRoles }),
  ]
}

/** The organisations and roles that entries may refer to. */
interface Known {
  knownOrgs: ReadonlySet<string | null | undefined>
  knownRoles: ReadonlySet<string | undefined>
}

/** Finds tenants of unknown organisations or that another one has, and mappings to unknown groups and roles. */
function findTenantErrors(
  { groups, tenants }: Names,
  { current, isWhole, knownOrgs, knownRoles }: CheckOptions & Known,
): FieldError[] {
  const knownGroups = new Set([...groups, ...(isWhole ? [] : current.groups.values())].map(nameGroup))
  return tenants.flatMap(({ org = '', tenantId, cloud, mappings }, tenant) => {
    const at = `tenants[${tenant}]`
    const existing = current.tenants.get(org)
    const other = [...current.tenants.values()].find((entry) => entry.tenantId === tenantId && entry.org !== org)
    const isMoved = existing !== undefined && tenantId !== undefined && existing.tenantId !== tenantId
    return [
      ...(org === '' || knownOrgs.has(org) ? [] : [createError(`${at}.org`, 'not-found', 'Organisation not found.')]),
      ...(isMoved ? [createError(`${at}.tenantId`, 'immutable', 'Cannot be changed.')] : []),
      ...(existing && existing.cloud !== cloud ? [createError(`${at}.cloud`, 'immutable', 'Cannot be changed.')] : []),
      ...(other ? [createError(`${at}.tenantId`, 'repeated', `The organisation ${other.org} has this tenant.`)] : []),
      ...mappings.flatMap(({ role, group }, index) => [
        ...(role === undefined || knownRoles.has(role)
          ? []
          : [createError(`${at}.mappings[${index}].role`, 'not-found', `The role ${role} does not exist.`)]),
        ...(group?.name === undefined || knownGroups.has(nameGroup(group))
          ? []
          : [createError(`${at}.mappings[${index}].group`, 'not-found', 'Group not found.')]),
      ]),
    ]
  })
}

const createError = (field: string, code: string, message: string): FieldError => ({ field, code, message })
