import { groupEntry, orgEntry, roleEntry } from '@passport/contract/config-entry'
import type { Group } from '@passport/contract/groups'
import { getOrg, type Org } from '@passport/contract/orgs'
import type { Role } from '@passport/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { Braces } from 'lucide-react'
import { query } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { copyText } from '../ui/copy.ts'
import { toast } from '../ui/toast.ts'

type Copied = { role: Role } | { org: Org } | { group: Group }

/** Copies what the file of the directory has of a record (docs/guide/the-directory-as-a-file.md). */
export function CopyAsConfig(record: Copied) {
  const orgId = 'group' in record ? record.group.orgId : null
  // Before it is asked for: a browser lets a press copy, not what was loaded after it.
  const org = useQuery({ ...query(getOrg, { params: { orgId: orgId ?? '' } }), enabled: orgId !== null })
  const isReady = orgId === null || org.data !== undefined
  const copy = async () => {
    const isCopied = await copyText(JSON.stringify(entryOf(record, org.data?.slug ?? null), null, 2))
    if (isCopied) void toast({ id: 'copied', type: 'success', content: 'Copied as config' })
  }
  return (
    <Button look="ghost" disabled={!isReady} onClick={() => void copy()}>
      <Braces size={15} aria-hidden="true" />
      Copy as config
    </Button>
  )
}

function entryOf(record: Copied, org: string | null) {
  if ('role' in record) return roleEntry(record.role)
  if ('org' in record) return orgEntry({ ...record.org, domains: record.org.domains.map(({ domain }) => domain) })
  return groupEntry({ ...record.group, org })
}
