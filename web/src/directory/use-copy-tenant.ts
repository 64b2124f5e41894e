import type { TenantEntry } from '@passport/contract/directory-config'
import { getGroup } from '@passport/contract/groups'
import { getOrg, type Org } from '@passport/contract/orgs'
import { useQuery } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { useCopyAsConfig } from './use-copy-as-config.tsx'

/** Returns the menu item that copies the tenant of an organisation; none without a tenant, or until its groups are loaded. */
export function useCopyTenant(org: Org | undefined): MenuItem | undefined {
  const ids = org?.entra?.mappings.flatMap(({ groupId }) => groupId ?? []) ?? []
  const groups = useQuery({
    queryKey: ['groups of mappings', ids],
    queryFn: ({ signal }) => Promise.all(ids.map((id) => readGroup(id, signal))),
    enabled: org !== undefined,
  })
  return useCopyAsConfig(
    org?.entra && groups.data ? { tenant: toTenant(org.slug, org.entra, new Map(groups.data)) } : undefined,
  )
}

/** Returns a group by its id, as the directory file names it. */
async function readGroup(id: string, signal: AbortSignal) {
  const { name, orgId } = await call(getGroup, { params: { id } }, { signal })
  const org = orgId === null ? null : (await call(getOrg, { params: { orgId } }, { signal })).slug
  return [id, { org, name }] as const
}

function toTenant(
  org: string,
  { mappings, ...tenant }: NonNullable<Org['entra']>,
  groups: ReadonlyMap<string, { org: string | null; name: string }>,
): TenantEntry {
  const named = mappings.map(({ groupId, ...mapping }) => {
    const group = groups.get(groupId ?? '')
    return { ...mapping, ...(group && { group }) }
  })
  return { ...tenant, org, mappings: named }
}
