import { type GroupSummary, listGroups } from '@passport/contract/groups'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import type { Column } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { type List, useList } from '../directory/use-list.ts'
import { Moment } from '../ui/Moment.tsx'
import { counted, nouns } from './area.ts'
import { LeaveDialog } from './LeaveButton.tsx'
import { NewGroup } from './NewGroup.tsx'
import { refreshGroups } from './refresh.ts'

const columns: Column<GroupSummary>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ id, name, description }) => <RowName seed={id} name={name} about={description} />,
  },
  {
    id: 'part',
    head: 'You are',
    isOnCard: true,
    cell: ({ isMember, isOwner }) => [isOwner && 'Owner', isMember && 'Member'].filter(Boolean).join(', '),
  },
  { id: 'members', head: 'Members', isOnCard: true, cell: ({ memberCount }) => counted(memberCount, nouns.members) },
  { id: 'updated', head: 'Updated', from: 'md', cell: ({ updatedAt }) => <Moment at={updatedAt} /> },
]

/** The groups of which one is a member or an owner. */
export function OwnGroupsPage() {
  const state = useListState({ filters: {}, sorts: [] })
  const list = useList(listGroups, { query: { ...state.query, mine: 'true' } }) as List<GroupSummary>
  const navigate = useNavigate()
  const open = (groupId: string) => navigate({ to: '/account/groups/$groupId/settings', params: { groupId } })
  const [leaving, setLeaving] = useState<GroupSummary>()
  return (
    <>
      <AccountHead />
      <ListPage
        isPart
        name="own-groups"
        title="Your groups"
        noun={['group', 'groups']}
        state={state}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        linkTo={({ id }) => ({ to: '/account/groups/$groupId' as never, params: { groupId: id } })}
        menuOf={(group) => [
          ...(group.isOwner ? [{ label: 'Settings', onSelect: () => void open(group.id) }] : []),
          ...(group.isMember ? [{ label: 'Leave …', isDanger: true, onSelect: () => setLeaving(group) }] : []),
        ]}
        actions={<NewGroup area="account" />}
        searchable="Name, description or id"
        nothingYet="Make one, or ask an owner of a group to add you."
      />
      <LeaveDialog
        group={leaving}
        onLeft={() => {
          setLeaving(undefined)
          void refreshGroups()
        }}
        onClose={() => setLeaving(undefined)}
      />
    </>
  )
}
