import { deleteOrg, type Org, restoreOrg } from '@passport/contract/orgs'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useParams } from '@tanstack/react-router'
import { LogOut } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call, query } from '../app/api.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { EditButton, useEditing } from '../directory/editing.tsx'
import type { LinkTo } from '../directory/list-page.ts'
import { PageMenu } from '../directory/PageMenu.tsx'
import { RecordPage, type RecordTab } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { formatCount } from '../directory/total.ts'
import { useCopyAsConfig } from '../directory/use-copy-as-config.tsx'
import { useCopyTenant } from '../directory/use-copy-tenant.ts'
import { useDeleteRecord } from '../directory/use-delete-record.tsx'
import { Identicon } from '../ui/Identicon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { LeaveDialog } from './LeaveDialog.tsx'
import { OrgForm } from './OrgForm.tsx'
import type { OrgArea } from './org-area.ts'

/** The props of an organisation's tabs. */
export interface OrgTab {
  area: OrgArea
  org: Org
  /** Whether the user may add and remove owners. */
  canManageOwners: boolean
}

interface OrgFrameProps {
  area: OrgArea
  children: (tab: OrgTab) => ReactNode
  /** Cards below the details. */
  rail?: (org: Org) => ReactNode
}

/** The page of an organisation around one of its tabs. */
export function OrgFrame({ area, children, rail }: OrgFrameProps) {
  const { orgId = '' } = useParams({ strict: false })
  const { isEditing, close } = useEditing()
  const user = useCurrentUser()
  const role = user?.orgs.find(({ id }) => id === orgId)?.role
  const orgQuery = useQuery(query(area.get, { params: { orgId } }))
  return (
    <RecordQuery query={orgQuery} kind="organisation" back={area.list}>
      {(org) => (
        <RecordPage
          back={area.list}
          picture={<Identicon seed={org.id} size={60} />}
          name={org.name}
          id={org.id}
          facts={[org.slug, role && `You are ${role === 'member' ? 'a member' : `an ${role}`}`]}
          actions={area.isAdmin ? <AdminActions org={org} /> : <OwnActions org={org} />}
          tabs={buildTabs(area, org)}
          details={[
            ['Created', <RelativeTime key="created" at={org.createdAt} />],
            ['Updated', <RelativeTime key="changed" at={org.updatedAt} />],
          ]}
          rail={rail?.(org)}
        >
          {isEditing && area.isAdmin && <OrgForm key={org.id} org={org} onClose={close} />}
          {children({ area, org, canManageOwners: area.isAdmin || role === 'owner' })}
        </RecordPage>
      )}
    </RecordQuery>
  )
}

function buildTabs({ isAdmin, page }: OrgArea, { id: orgId, memberCount, domains, entra }: Org): RecordTab[] {
  const tab = (path: string, label: string, count?: number): RecordTab => ({
    to: `${page}${path}` as LinkTo['to'],
    params: { orgId },
    label,
    count,
  })
  return [
    tab('', 'Overview'),
    tab('/members', 'Members', memberCount),
    ...(isAdmin ? [tab('/domains', 'Domains', domains.length)] : []),
    ...(isAdmin && entra ? [tab('/entra', 'Entra'), tab('/provisioning', 'Provisioning')] : []),
    ...(isAdmin ? [tab('/entitlements', 'Entitlements')] : []),
    tab('/joinlinks', 'Join links'),
    ...(isAdmin ? [tab('/activity', 'Activity')] : []),
  ]
}

function AdminActions({ org }: { org: Org }) {
  const { id, name, memberCount } = org
  const params = { orgId: id }
  const isTenant = useLocation({ select: ({ pathname }) => pathname.endsWith('/entra') })
  const copyOrg = useCopyAsConfig(isTenant ? undefined : { org })
  const copyTenant = useCopyTenant(isTenant ? org : undefined)
  const { deleteItem, dialog } = useDeleteRecord()
  const members = memberCount > 0 && ` and removes ${formatCount(memberCount, ['member', 'members'])}`
  const remove = deleteItem({
    kind: 'organisation',
    name,
    consequence: `Deletes its groups${members || ''}.`,
    list: '/admin/orgs',
    remove: (query) => call(deleteOrg, { params, query }),
    restore: () => call(restoreOrg, { params, query: {}, body: {} }),
  })
  return (
    <>
      <EditButton />
      <PageMenu isOfRecord items={[remove]} copyConfig={copyOrg ?? copyTenant} />
      {dialog}
    </>
  )
}

function OwnActions({ org }: { org: Org }) {
  const [leaving, setLeaving] = useState<Org>()
  return (
    <>
      <PageMenu
        isOfRecord
        hasCall={false}
        items={[{ label: 'Leave', icon: <LogOut size={16} />, isDanger: true, onSelect: () => setLeaving(org) }]}
      />
      <LeaveDialog org={leaving} onClose={() => setLeaving(undefined)} />
    </>
  )
}
