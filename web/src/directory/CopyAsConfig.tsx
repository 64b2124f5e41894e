import { toGroupEntry, toOrgEntry, toRoleEntry } from '@passport/contract/config-entry'
import type { Group } from '@passport/contract/groups'
import { getOrg, type Org } from '@passport/contract/orgs'
import type { Role } from '@passport/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { Braces } from 'lucide-react'
import { query } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { copyText } from '../ui/copy.ts'
import { toast } from '../ui/toast.ts'

type ConfigRecord = { role: Role } | { org: Org } | { group: Group }

/** Copies a record in the format of the directory file (docs/guide/the-directory-as-a-file.md). */
export function CopyAsConfig(record: ConfigRecord) {
  const orgId = 'group' in record ? record.group.orgId : null
  // Loaded in advance: browsers allow copying only directly after a press.
  const org = useQuery({ ...query(getOrg, { params: { orgId: orgId ?? '' } }), enabled: orgId !== null })
  const isReady = orgId === null || org.data !== undefined
  const copy = async () => {
    const isCopied = await copyText(JSON.stringify(toConfigEntry(record, org.data?.slug ?? null), null, 2))
    if (isCopied) void toast({ id: 'copied', type: 'success', content: 'Copied as config' })
  }
  return (
    <Button variant="ghost" disabled={!isReady} onClick={() => void copy()}>
      <Braces size={15} aria-hidden="true" />
      Copy as config
    </Button>
  )
}

function toConfigEntry(record: ConfigRecord, org: string | null) {
  if ('role' in record) return toRoleEntry(record.role)
  if ('org' in record) return toOrgEntry({ ...record.org, domains: record.org.domains.map(({ domain }) => domain) })
  return toGroupEntry({ ...record.group, org })
}
