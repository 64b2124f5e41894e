import type { Org } from '@passport/contract/orgs'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { query } from '../app/api.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { CopyAsConfig } from '../directory/CopyAsConfig.tsx'
import type { LinkTo } from '../directory/ListPage.tsx'
import { RecordPage } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { Moment } from '../ui/Moment.tsx'
import { Status } from '../ui/Status.tsx'
import type { OrgPlace } from './place.ts'

/** What the tabs of an organisation are given. */
export interface OrgTab {
  place: OrgPlace
  org: Org
  /** May make and remove owners. */
  handlesOwners: boolean
}

interface OrgFrameProps {
  place: OrgPlace
  children: (tab: OrgTab) => ReactNode
}

/** The page of an organisation around one of its tabs. */
export function OrgFrame({ place, children }: OrgFrameProps) {
  const { orgId = '' } = useParams({ strict: false })
  const user = useCurrentUser()
  const role = user?.orgs.find(({ id }) => id === orgId)?.role
  const found = useQuery(query(place.get, { params: { orgId } }))
  return (
    <RecordQuery query={found} kind="organisation" back={place.list}>
      {(org) => (
        <RecordPage
          back={place.list}
          seed={org.id}
          name={org.name}
          id={org.id}
          status={role && <Status tone="ok">You are {role === 'member' ? 'a member' : `an ${role}`}</Status>}
          actions={place.isAdmin && <CopyAsConfig org={org} />}
          tabs={tabsOf(place, org.id)}
          glance={[
            ['People', org.memberCount.toLocaleString('en')],
            ['Slug', org.slug],
            ['Proved domains', provedOf(org).join(', ') || 'None'],
            ['Created', <Moment key="created" at={org.createdAt} />],
            ['Changed', <Moment key="changed" at={org.updatedAt} />],
          ]}
        >
          {children({ place, org, handlesOwners: place.isAdmin || role === 'owner' })}
        </RecordPage>
      )}
    </RecordQuery>
  )
}

const provedOf = ({ domains }: Org) => domains.filter(({ status }) => status === 'verified').map(({ domain }) => domain)

function tabsOf({ isAdmin, page }: OrgPlace, orgId: string): (LinkTo & { label: string })[] {
  const tab = (path: string, label: string) => ({ to: `${page}${path}` as LinkTo['to'], params: { orgId }, label })
  return [
    tab('', 'Overview'),
    tab('/members', 'Members'),
    ...(isAdmin ? [tab('/domains', 'Domains')] : []),
    tab('/joinlinks', 'Join links'),
    ...(isAdmin ? [tab('/activity', 'Activity')] : []),
  ]
}
