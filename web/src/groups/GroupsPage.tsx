import { type GroupSummary, listGroups } from '@passport/contract/groups'
import type { Column } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { type List, useList } from '../directory/use-list.ts'
import { Moment } from '../ui/Moment.tsx'
import { Tag } from '../ui/Tag.tsx'
import { NewGroup } from './NewGroup.tsx'

const number = new Intl.NumberFormat('en')

const columns: Column<GroupSummary>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ id, name, description }) => <RowName seed={id} name={name} about={description} />,
  },
  { id: 'org', head: 'Organisation', from: 'lg', cell: ({ orgName }) => orgName },
  {
    id: 'roles',
    head: 'Roles',
    from: 'xl',
    cell: ({ roles }) => (
      <span className="flex flex-wrap gap-1">
        {roles.map((role) => (
          <Tag key={role}>{role}</Tag>
        ))}
      </span>
    ),
  },
  { id: 'owners', head: 'Owners', from: 'md', cell: ({ ownerCount }) => number.format(ownerCount) },
  {
    id: 'members',
    head: 'Members',
    isOnCard: true,
    cell: ({ memberCount }) => (
      <>
        {number.format(memberCount)}
        <span className="sm:hidden"> {memberCount === 1 ? 'member' : 'members'}</span>
      </>
    ),
  },
  { id: 'updated', head: 'Updated', from: 'md', isOnCard: true, cell: ({ updatedAt }) => <Moment at={updatedAt} /> },
  { id: 'id', head: 'Id', from: 'xl', cell: ({ id }) => <code className="font-mono text-[12px] break-all">{id}</code> },
]

/** Every group there is. */
export function GroupsPage() {
  const state = useListState({ filters: {}, sorts: [] })
  // Asked without `updatedSince` the list has no tombstones.
  const list = useList(listGroups, { query: state.query }) as List<GroupSummary>
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
      actions={<NewGroup area="admin" />}
      searchable="Name, description or id"
      nothingYet="Make one, and add people to it."
    />
  )
}
