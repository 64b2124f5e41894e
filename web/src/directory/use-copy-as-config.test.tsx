import type { EntitlementEntry, GroupEntry, OrgEntry, RoleEntry } from '@passport/contract/directory-config'
import type { Group } from '@passport/contract/groups'
import type { Org } from '@passport/contract/orgs'
import type { Role } from '@passport/contract/roles'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useCopyAsConfig } from './use-copy-as-config.tsx'

const createdAt = '2026-11-21T09:30:00.000Z'
const times = { createdAt, updatedAt: createdAt, version: 3 }
const role: Role = {
  name: 'Stage.Editor',
  description: 'Edits stages',
  builtIn: false,
  memberCount: 4,
  directMemberCount: 4,
  ...times,
}
const domain = { status: 'pending', dnsName: 'n', dnsValue: 'v', addedAt: createdAt, verifiedAt: null } as const
const unchecked = { checkedAt: null, failingSince: null, source: 'dns' } as const
const org: Org = {
  id: 'o1',
  name: 'Contoso AG',
  slug: 'contoso',
  kind: 'standard',
  memberCount: 2,
  domains: ['contoso.de', 'contoso.com'].map((name) => ({ domain: name, ...domain, ...unchecked })),
  ...times,
}
const people = { members: [], membersNext: null, owners: [], ownersNext: null }
const counts = { memberCount: 0, ownerCount: 0, isMember: false, isOwner: false }
const group: Group = {
  id: 'g1',
  groupId: 'g1',
  name: 'Editors',
  description: '',
  orgId: 'o1',
  isProvisioned: false,
  orgName: org.name,
  roles: ['Stage.Viewer', 'Stage.Editor'],
  ...counts,
  ...people,
  ...times,
}

const copiedTexts: string[] = []
beforeEach(() => {
  copiedTexts.length = 0
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void copiedTexts.push(text))
  vi.stubGlobal('fetch', async () => Response.json(org))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

type ConfigRecord = Parameters<typeof useCopyAsConfig>[0]
function Items({ record }: { record: ConfigRecord }) {
  const copy = useCopyAsConfig(record)
  return (
    copy && (
      <button type="button" onClick={copy.onSelect}>
        {copy.label}
      </button>
    )
  )
}

async function copyRecord(record: ConfigRecord): Promise<unknown> {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Items record={record} />
    </QueryClientProvider>,
  )
  fireEvent.click(await screen.findByRole('button', { name: 'Copy as config' }))
  await waitFor(() => expect(copiedTexts).toHaveLength(1))
  return JSON.parse(copiedTexts[0] ?? '')
}

test('copies a role', async () => {
  const entry: RoleEntry = { name: 'Stage.Editor', description: 'Edits stages' }
  expect(await copyRecord({ role })).toEqual(entry)
})

test('copies an organisation with sorted domains', async () => {
  const entry: OrgEntry = { slug: 'contoso', name: 'Contoso AG', domains: ['contoso.com', 'contoso.de'] }
  expect(await copyRecord({ org })).toEqual(entry)
})

test("copies a group with its organisation's slug and sorted roles", async () => {
  const entry: GroupEntry = {
    org: 'contoso',
    name: 'Editors',
    description: '',
    roles: ['Stage.Editor', 'Stage.Viewer'],
  }
  expect(await copyRecord({ group })).toEqual(entry)
  expect(copiedTexts).toEqual([JSON.stringify(entry, null, 2)])
})

test('copies an entitlement without its counts', async () => {
  const entry: EntitlementEntry = {
    key: 'stage.seats',
    kind: 'quantity',
    name: 'Seats',
    description: '',
    unit: 'seats',
    enabled: true,
  }
  const counts = { id: 'e1', orgCount: 3, total: 25, sources: [], mappings: [] }
  expect(await copyRecord({ entitlement: { ...entry, ...counts, ...times } as EntitlementEntry })).toEqual(entry)
})

test('copies a group without an organisation', async () => {
  expect(await copyRecord({ group: { ...group, orgId: null, orgName: null } })).toMatchObject({ org: null })
})
