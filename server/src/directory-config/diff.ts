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
  EntitlementEntry,
  GroupEntry,
  OrgBrandingEntry,
  OrgEntry,
  PermissionsEntry,
  RoleEntry,
  TenantEntry,
} from '@passport/contract/directory-config'
import type { ValidDocument } from './check.ts'
import type { Structure } from './read.ts'

type Added<Entry> = { kind: 'added'; desired: Entry; path: string }
type Changed<Entry, Current> = { kind: 'changed'; current: Current; desired: Entry; path: string }
/** An entry in the database that the document lacks. */
type Missing<Current> = { kind: 'missing'; current: Current }
type ChangeOf<Entity, Entry, Current = Entry & { id: string }> = { entity: Entity; key: string } & (
  | Added<Entry>
  | Changed<Entry, Current>
  | Missing<Current>
)

/** The difference between a document and the database for one entry. */
export type Change =
  | ChangeOf<'role', RoleEntry, RoleEntry>
  | ChangeOf<'organisation', OrgEntry>
  | ChangeOf<'group', GroupEntry>
  | ChangeOf<'API', ApiEntry>
  | ChangeOf<'application', ClientEntry, ClientEntry>
  | ChangeOf<'entitlement', EntitlementEntry>
  | ChangeOf<'AWS product', AwsProductEntry>
  | ChangeOf<'text', ContentEntry, ContentEntry>
  | ChangeOf<'branding', BrandingEntry, BrandingEntry>
  | ChangeOf<'branding of', OrgBrandingEntry>
  | ChangeOf<'allowed origins of', CorsEntry, CorsEntry>
  | ChangeOf<'built-in API of', BuiltInApiEntry, BuiltInApiEntry>
  | ChangeOf<'tenant of', TenantEntry>
  | ChangeOf<'permissions of', PermissionsEntry, PermissionsEntry>
  | ChangeOf<'audit log of', AuditEntry, AuditEntry>

/**
 * Lists the entries that a document adds, changes or lacks: roles, organisations, groups, APIs, applications,
 * and the other kinds, each by key. A tenant stays with its organisation, so none is missing.
 */
export const compareStructure = (current: Structure, document: ValidDocument): Change[] => [
  ...compare('role', current.roles, document.roles, toRoleEntry),
  ...compare('organisation', current.orgs, document.orgs, toOrgEntry),
  ...compare('group', current.groups, document.groups, toGroupEntry),
  ...(document.apis ? compare('API', current.apis, document.apis, toApiEntry) : []),
  ...(document.clients ? compare('application', current.clients, document.clients, toClientEntry) : []),
  ...(document.entitlements
    ? compare('entitlement', current.entitlements, document.entitlements, toEntitlementEntry)
    : []),
  ...(document.awsProducts ? compare('AWS product', current.awsProducts, document.awsProducts, toAwsProductEntry) : []),
  ...(document.contents ? compare('text', current.contents, document.contents, toContentEntry) : []),
  ...(document.branding ? compare('branding', current.branding, document.branding, toBrandingEntry) : []),
  ...(document.orgBrandings
    ? compare('branding of', current.orgBrandings, document.orgBrandings, toOrgBrandingEntry)
    : []),
  ...(document.corsOrigins
    ? compare('allowed origins of', current.corsOrigins, document.corsOrigins, toCorsEntry)
    : []),
  ...(document.builtInApi
    ? compare('built-in API of', current.builtInApi, document.builtInApi, toBuiltInApiEntry)
    : []),
  ...(document.tenants
    ? compare('tenant of', current.tenants, document.tenants, toTenantEntry).filter(({ kind }) => kind !== 'missing')
    : []),
  ...(document.permissions
    ? compare('permissions of', current.permissions, document.permissions, toPermissionsEntry)
    : []),
  ...(document.audit ? compare('audit log of', current.audit, document.audit, toAuditEntry) : []),
]

function compare<Entity extends string, Entry, Current extends Entry>(
  entity: Entity,
  current: Map<string, Current>,
  document: Map<string, { entry: Entry; path: string }>,
  normalise: (entry: Entry) => Entry,
): ChangeOf<Entity, Entry, Current>[] {
  const keys = [...new Set([...current.keys(), ...document.keys()])].sort()
  return keys.flatMap((key): ChangeOf<Entity, Entry, Current>[] => {
    const [existing, target] = [current.get(key), document.get(key)]
    if (!target) return existing ? [{ entity, key, kind: 'missing', current: existing }] : []
    const { entry: desired, path } = target
    if (!existing) return [{ entity, key, kind: 'added', desired, path }]
    const isSame = JSON.stringify(normalise(existing)) === JSON.stringify(desired)
    return isSame ? [] : [{ entity, key, kind: 'changed', current: existing, desired, path }]
  })
}
