import type { AwsProductFields } from '@passport/contract/aws-products'
import type { Client } from '@passport/contract/clients'
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
  toOrgEntry,
  toPermissionsEntry,
  toRoleEntry,
  toTenantEntry,
} from '@passport/contract/config-entry'
import type {
  AuditEntry,
  BrandingEntry,
  ContentEntry,
  CorsEntry,
  EntitlementEntry,
  PermissionsEntry,
  TenantEntry,
} from '@passport/contract/directory-config'
import type { Group } from '@passport/contract/groups'
import type { IdentityApi } from '@passport/contract/identity-apis'
import { getOrg, type Org } from '@passport/contract/orgs'
import type { Role } from '@passport/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { Braces } from 'lucide-react'
import { query } from '../app/api.ts'
import { copyText } from '../ui/copy.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { toast } from '../ui/toast.ts'

type ConfigRecord =
  | { role: Role }
  | { org: Org }
  | { group: Group }
  | { client: Client }
  | { api: IdentityApi }
  | { product: AwsProductFields }
  | { content: ContentEntry }
  | { branding: BrandingEntry }
  | { corsStack: CorsEntry }
  | { entitlement: EntitlementEntry }
  | { tenant: TenantEntry }
  | { permissions: PermissionsEntry }
  | { audit: AuditEntry }

/**
 * Returns the menu item that copies a record in the format of the directory file (docs/guide/the-directory-as-a-file.md);
 * none without a record, or until it can be copied.
 */
export function useCopyAsConfig(record: ConfigRecord | undefined): MenuItem | undefined {
  const orgId = record && 'group' in record ? record.group.orgId : null
  // Loaded in advance: browsers allow copying only directly after a press.
  const org = useQuery({ ...query(getOrg, { params: { orgId: orgId ?? '' } }), enabled: orgId !== null })
  if (!record || (orgId !== null && org.data === undefined)) return undefined
  const copy = async () => {
    const isCopied = await copyText(JSON.stringify(toConfigEntry(record, org.data?.slug ?? null), null, 2))
    if (isCopied) void toast({ id: 'copied', type: 'success', content: 'Copied as config' })
  }
  return { label: 'Copy as config', icon: <Braces size={16} />, onSelect: () => void copy() }
}

function toConfigEntry(record: ConfigRecord, org: string | null) {
  if ('branding' in record) return toBrandingEntry(record.branding)
  if ('corsStack' in record) return toCorsEntry(record.corsStack)
  if ('content' in record) return toContentEntry(record.content)
  if ('entitlement' in record) return toEntitlementEntry(record.entitlement)
  if ('product' in record) return toAwsProductEntry(record.product)
  if ('api' in record) return record.api.builtIn ? toBuiltInApiEntry(record.api) : toApiEntry(record.api)
  if ('tenant' in record) return toTenantEntry(record.tenant)
  if ('permissions' in record) return toPermissionsEntry(record.permissions)
  if ('audit' in record) return toAuditEntry(record.audit)
  if ('client' in record) return toClientEntry(record.client)
  if ('role' in record) return toRoleEntry(record.role)
  if ('org' in record) return toOrgEntry({ ...record.org, domains: record.org.domains.map(({ domain }) => domain) })
  return toGroupEntry({ ...record.group, org })
}
