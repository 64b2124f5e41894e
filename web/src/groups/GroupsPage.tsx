import { type GroupSummary, listGroups } from '@passport/contract/groups'
import { type Column, numberColumn } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { toSorting, useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { TagList } from '../directory/TagList.tsx'
import { type ListResult, useList } from '../directory/use-list.ts'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'

const number = new Intl.NumberFormat('en')

const columns: Column<GroupSummary>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ name, description }) => <RowName picture={<ObjectIcon kind="group" />} name={name} detail={description} />,
  },
  {
    id: 'org',
    header: 'Organisation',
    minBreakpoint: 'lg',
    width: 'w-[180px]',
    cell: ({ orgName }) => orgName ?? <span className="text-ink3">–</span>,
  },
  {
    id: 'roles',
    header: 'Roles',
    width: 'w-[200px]',
    minBreakpoint: 'xl',
    cell: ({ roles }) => <TagList names={roles} />,
  },
  {
    id: 'owners',
    header: 'Owners',
    minBreakpoint: 'md',
    ...numberColumn('w-[96px]'),
    cell: ({ ownerCount }) => number.format(ownerCount),
  },
  {
    id: 'members',
    header: 'Members',
    sort: 'members',
    ...numberColumn('w-[120px]'),
    isOnCard: true,
    cell: ({ memberCount }) => (
      <>
        {number.format(memberCount)}
        <span className="sm:hidden"> {memberCount === 1 ? 'member' : 'members'}</span>
      </>
    ),
  },
  {
    id: 'updated',
    header: 'Updated',
    sort: 'updated',
    width: 'w-[132px]',
    minBreakpoint: 'md',
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
  {
    id: 'id',
    header: 'ID',
    minBreakpoint: 'xl',
    isOptional: true,
    cell: ({ id }) => <code className="font-mono text-[12px] break-all">{id}</code>,
  },
]

/** All groups, for administrators. */
export function GroupsPage() {
  const state = useListState({ filters: {}, sorts: ['name', 'members', 'updated'] })
  const { sort, ...query } = state.query
  // Without `updatedSince` the list has no tombstones.
  const list = useList(listGroups, { query: { ...query, ...toSorting(sort) } }) as ListResult<GroupSummary>
  return (
    <ListPage
      name="groups"
      title="Groups"
      noun={['group', 'groups']}
      state={state}
      list={list}
      columns={columns}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      linkTo={({ id }) => ({ to: '/admin/groups/$groupId', params: { groupId: id } })}
      create={{ to: '/admin/groups/create', label: 'Create group' }}
      searchPlaceholder="Name, description or ID"
      emptyHint="Create a group to manage access for several users at once."
    />
  )
}
