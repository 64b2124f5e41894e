import { type Group, getGroup } from '@passport/contract/groups'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { query } from '../app/api.ts'
import { CopyAsConfig } from '../directory/CopyAsConfig.tsx'
import { RecordPage } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Tag } from '../ui/Tag.tsx'
import { type Area, listLinks, tabsOf } from './area.ts'
import { LeaveButton } from './LeaveButton.tsx'

interface GroupFrameProps {
  area: Area
  children: (group: Group) => ReactNode
}

/** The page of a group around one of its tabs. */
export function GroupFrame({ area, children }: GroupFrameProps) {
  const { groupId = '' } = useParams({ strict: false }) as { groupId?: string }
  const group = useQuery(query(getGroup, { params: { id: groupId } }))
  return (
    <RecordQuery query={group} kind="group" back={listLinks[area]}>
      {(group) => (
        <RecordPage
          back={listLinks[area]}
          picture={<ObjectIcon kind="group" size={60} />}
          name={group.name}
          id={group.id}
          facts={[group.description]}
          actions={area === 'admin' ? <CopyAsConfig group={group} /> : group.isMember && <LeaveButton group={group} />}
          tabs={tabsOf(area, group)}
          details={buildDetails(group)}
        >
          {children(group)}
        </RecordPage>
      )}
    </RecordQuery>
  )
}

function buildDetails(group: Group): [string, ReactNode][] {
  const { memberCount, ownerCount, orgName, roles, createdAt, updatedAt } = group
  return [
    ['Members', memberCount.toLocaleString('en')],
    ['Owners', ownerCount.toLocaleString('en')],
    ...(orgName === null ? [] : [['Organisation', orgName] as [string, ReactNode]]),
    ...(roles.length === 0
      ? []
      : [
          [
            'Member roles',
            <span key="roles" className="flex flex-wrap gap-1">
              {roles.map((role) => (
                <Tag key={role}>{role}</Tag>
              ))}
            </span>,
          ] as [string, ReactNode],
        ]),
    ['Created', <RelativeTime key="created" at={createdAt} />],
    ['Updated', <RelativeTime key="updated" at={updatedAt} />],
  ]
}
