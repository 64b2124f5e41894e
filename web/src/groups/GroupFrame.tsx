import { deleteGroup, type Group, getGroup, restoreGroup } from '@passport/contract/groups'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { call, query } from '../app/api.ts'
import { EditButton, useEditing } from '../directory/editing.tsx'
import { PageMenu } from '../directory/PageMenu.tsx'
import { type RecordDetail, RecordPage } from '../directory/RecordPage.tsx'
import { RecordQuery } from '../directory/RecordQuery.tsx'
import { useCopyAsConfig } from '../directory/use-copy-as-config.tsx'
import { useDeleteRecord } from '../directory/use-delete-record.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Tag } from '../ui/Tag.tsx'
import { type Area, buildTabs, canManageGroup, listLinks } from './area.ts'
import { GroupForm } from './GroupForm.tsx'
import { useLeaveItem } from './LeaveDialog.tsx'

interface GroupFrameProps {
  area: Area
  /** Whether the tab lists the roles, which the details then leave out. */
  hasRoles?: boolean
  children: (group: Group) => ReactNode
}

/** The page of a group around one of its tabs. */
export function GroupFrame({ area, hasRoles = false, children }: GroupFrameProps) {
  const { groupId = '' } = useParams({ strict: false }) as { groupId?: string }
  const { isEditing, close } = useEditing()
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
          actions={<Actions area={area} group={group} />}
          tabs={buildTabs(area, group)}
          details={buildDetails(hasRoles ? { ...group, roles: [] } : group)}
        >
          {isEditing && canManageGroup(area, group) && <GroupForm key={group.id} group={group} onClose={close} />}
          {children(group)}
        </RecordPage>
      )}
    </RecordQuery>
  )
}

function Actions({ area, group }: { area: Area; group: Group }) {
  const { id, name, version } = group
  const canManage = canManageGroup(area, group)
  const copyConfig = useCopyAsConfig(area === 'admin' ? { group } : undefined)
  const { leaveItem, dialog: leaveDialog } = useLeaveItem(group)
  const { deleteItem, dialog: deleteDialog } = useDeleteRecord()
  const remove = deleteItem({
    kind: 'group',
    name,
    consequence: 'Members lose the roles that they inherit from it.',
    list: listLinks[area].to,
    remove: (query) => call(deleteGroup, { params: { id }, query }, { ifMatch: `"${version}"` }),
    restore: () => call(restoreGroup, { params: { id }, query: {}, body: {} }),
  })
  const items = [...(area === 'account' && group.isMember ? [leaveItem] : []), ...(canManage ? [remove] : [])]
  return (
    <>
      {canManage && <EditButton />}
      <PageMenu isOfRecord items={items} hasCall={area === 'admin'} copyConfig={copyConfig} />
      {leaveDialog}
      {deleteDialog}
    </>
  )
}

function buildDetails(group: Group): RecordDetail[] {
  const { orgName, isProvisioned, roles, createdAt, updatedAt } = group
  return [
    orgName !== null && ['Organisation', orgName],
    isProvisioned && ['Managed by', 'Its identity provider, by SCIM'],
    roles.length > 0 && [
      'Member roles',
      <span key="roles" className="flex flex-wrap gap-1">
        {roles.map((role) => (
          <Tag key={role}>{role}</Tag>
        ))}
      </span>,
    ],
    ['Created', <RelativeTime key="created" at={createdAt} />],
    ['Updated', <RelativeTime key="updated" at={updatedAt} />],
  ]
}
