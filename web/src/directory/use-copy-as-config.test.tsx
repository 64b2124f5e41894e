import type {
  EntitlementEntry,
  GroupEntry,
  OrgEntry,
  PermissionsEntry,
  RoleEntry,
} from '@passport/contract/directory-config'
import type { Group } from '@passport/contract/groups'
import type { Org } from '@passport/contract/orgs'
import type { Role } from '@passport/contract/roles'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useCopyAsConfig } from './use-copy-as-config.tsx'
import { useCopyTenant } from './use-copy-tenant.ts'

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

test('copies the built-in API, the retention of the audit log, and the permissions', async () => {
  const api = { builtIn: true, name: 'api_vertex_core', description: 'As you', tokenLifetimeSec: 900 }
  expect(await copyRecord({ api: api as never })).toEqual({ description: 'As you', tokenLifetimeSec: 900 })
  cleanup()
  copiedTexts.length = 0
  expect(await copyRecord({ audit: { days: 400 } })).toEqual({ days: 400 })
  cleanup()
  copiedTexts.length = 0
  const permissions: PermissionsEntry = {
    schema: 'definition user {}',
    assertions: [
      { kind: 'validation', resource: { type: 'document', id: 'b' }, permission: 'view', subjects: [] },
      { kind: 'validation', resource: { type: 'document', id: 'a' }, permission: 'view', subjects: ['[user:ada]'] },
    ],
  }
  const { assertions } = (await copyRecord({ permissions })) as PermissionsEntry
  expect(assertions).toEqual(permissions.assertions.toReversed())
})

test('copies a tenant with its groups by organisation and name', async () => {
  const groupObjectId = '0d6c4f3a-58f0-4c0e-9d05-6f0b61f4b9b1'
  const mappings = [
    { groupObjectId, groupId: 'g1' },
    { appRole: 'Author', role: 'Stage.Editor' },
  ]
  const tenant = { tenantId: '6ac0b21e-4f7d-4a41-9c57-1d2f0f8f2a10', cloud: 'AzurePublic', allowGuests: true, mappings }
  vi.stubGlobal('fetch', async ({ url }: Request) => Response.json(url.includes('/groups/') ? group : org))
  function Item() {
    const item = useCopyTenant({ ...org, entra: { ...tenant, consent: 'granted' } as never })
    return (
      item && (
        <button type="button" onClick={item.onSelect}>
          {item.label}
        </button>
      )
    )
  }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Item />
    </QueryClientProvider>,
  )
  fireEvent.click(await screen.findByRole('button', { name: 'Copy as config' }))
  await waitFor(() => expect(copiedTexts).toHaveLength(1))
  expect(JSON.parse(copiedTexts[0] ?? '')).toEqual({
    ...tenant,
    org: 'contoso',
    mappings: [
      { appRole: 'Author', role: 'Stage.Editor' },
      { groupObjectId, group: { org: 'contoso', name: 'Editors' } },
    ],
  })
})
