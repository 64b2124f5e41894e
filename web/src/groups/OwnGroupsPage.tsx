import { type GroupSummary, listGroups } from '@passport/contract/groups'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { type Column, numberColumn } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { TagList } from '../directory/TagList.tsx'
import { formatTotal } from '../directory/total.ts'
import { type ListResult, useList } from '../directory/use-list.ts'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { LeaveDialog } from './LeaveDialog.tsx'
import { refreshGroups } from './refresh.ts'

const columns: Column<GroupSummary>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name, description }) => <RowName picture={<ObjectIcon kind="group" />} name={name} detail={description} />,
  },
  {
    id: 'part',
    header: 'Your role',
    width: 'w-[110px]',
    isOnCard: true,
    cell: ({ isOwner }) => (isOwner ? 'Owner' : 'Member'),
  },
  {
    id: 'roles',
    header: 'Roles of members',
    minBreakpoint: 'md',
    width: 'w-[240px]',
    cell: ({ roles }) => <TagList names={roles} />,
  },
  {
    id: 'members',
    header: 'Members',
    ...numberColumn('w-[120px]'),
    cell: ({ memberCount }) => formatTotal(memberCount, undefined),
  },
  {
    id: 'updated',
    header: 'Updated',
    minBreakpoint: 'md',
    width: 'w-[132px]',
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
]

/** The groups of which the user is a member or an owner. */
export function OwnGroupsPage() {
  const state = useListState({ filters: {}, sorts: [] })
  const list = useList(listGroups, { query: { ...state.query, mine: 'true' } }) as ListResult<GroupSummary>
  const navigate = useNavigate()
  const open = (groupId: string) => navigate({ to: '/account/groups/$groupId/settings', params: { groupId } })
  const [leaving, setLeaving] = useState<GroupSummary>()
  return (
    <>
      <AccountHead />
      <ListPage
        isEmbedded
        name="own-groups"
        title="Groups"
        noun={['group', 'groups']}
        state={state}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        linkTo={({ id }) => ({ to: '/account/groups/$groupId' as never, params: { groupId: id } })}
        rowMenu={(group) => [
          ...(group.isOwner ? [{ label: 'Settings', onSelect: () => void open(group.id) }] : []),
          ...(group.isMember ? [{ label: 'Leave…', isDanger: true, onSelect: () => setLeaving(group) }] : []),
        ]}
        create={{ to: '/account/groups/create', label: 'Create group' }}
        searchPlaceholder="Name, description or ID"
        emptyHint="Create a group, or ask an owner to add you to theirs."
      />
      <LeaveDialog group={leaving} onLeft={() => void refreshGroups()} onClose={() => setLeaving(undefined)} />
    </>
  )
}
