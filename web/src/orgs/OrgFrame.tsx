import type { Org } from '@passport/contract/orgs'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { query } from '../app/api.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { CopyAsConfig } from '../directory/CopyAsConfig.tsx'
import type { LinkTo } from '../directory/list-page.ts'
import { RecordPage } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { Identicon } from '../ui/Identicon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
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
}

/** The page of an organisation around one of its tabs. */
export function OrgFrame({ area, children }: OrgFrameProps) {
  const { orgId = '' } = useParams({ strict: false })
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
          actions={area.isAdmin && <CopyAsConfig org={org} />}
          tabs={tabsOf(area, org.id)}
          details={[
            ['Members', org.memberCount.toLocaleString('en')],
            ['Verified domains', verifiedDomains(org).join(', ') || 'None'],
            ['Created', <RelativeTime key="created" at={org.createdAt} />],
            ['Updated', <RelativeTime key="changed" at={org.updatedAt} />],
          ]}
        >
          {children({ area, org, canManageOwners: area.isAdmin || role === 'owner' })}
        </RecordPage>
      )}
    </RecordQuery>
  )
}

const verifiedDomains = ({ domains }: Org) =>
  domains.filter(({ status }) => status === 'verified').map(({ domain }) => domain)

function tabsOf({ isAdmin, page }: OrgArea, orgId: string): (LinkTo & { label: string })[] {
  const tab = (path: string, label: string) => ({ to: `${page}${path}` as LinkTo['to'], params: { orgId }, label })
  return [
    tab('', 'Overview'),
    tab('/members', 'Members'),
    ...(isAdmin ? [tab('/domains', 'Domains')] : []),
    tab('/joinlinks', 'Join links'),
    ...(isAdmin ? [tab('/activity', 'Activity')] : []),
  ]
}
