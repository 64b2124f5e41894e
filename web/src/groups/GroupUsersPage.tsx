import { type Group, type GroupUser, listGroupMembers, listGroupOwners } from '@passport/contract/groups'
import { reportFailure, reportWithUndo } from '../app/messages.ts'
import { updateOptimistically } from '../app/optimistic-update.ts'
import type { BulkAction } from '../directory/bulk.tsx'
import type { Column } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import type { Selected } from '../directory/selection.ts'
import { formatCount } from '../directory/total.ts'
import { loadAllRows, useList } from '../directory/use-list.ts'
import { Avatar } from '../ui/Avatar.tsx'
import type { MenuItem } from '../ui/Menu.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { AddGroupUsers } from './AddGroupUsers.tsx'
import { type Area, canManageGroup, type GroupUserKind, nouns } from './area.ts'
import { changeGroupUsers, editGroupUsers, splitIntoBatches } from './change-group-users.ts'
import { GroupFrame } from './GroupFrame.tsx'
import { refreshGroups } from './refresh.ts'
import { useGroupUsers } from './use-group-users.tsx'

export const AdminMembersPage = () => <GroupUsersPage area="admin" kind="members" />
export const AdminOwnersPage = () => <GroupUsersPage area="admin" kind="owners" />
export const OwnMembersPage = () => <GroupUsersPage area="account" kind="members" />
export const OwnOwnersPage = () => <GroupUsersPage area="account" kind="owners" />

interface GroupUsersProps {
  area: Area
  kind: GroupUserKind
}

/** The members or owners of a group; managers add and remove them. */
function GroupUsersPage({ area, kind }: GroupUsersProps) {
  return (
    <GroupFrame area={area}>{(group) => <GroupUsers key={kind} area={area} kind={kind} group={group} />}</GroupFrame>
  )
}

const endpoints = { members: listGroupMembers, owners: listGroupOwners }
const titles = { members: 'Members', owners: 'Owners' }

const columns: Column<GroupUser>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ id, displayname, username, avatarPngUrl, source }) => (
      <RowName
        picture={<Avatar id={id} name={displayname} picture={avatarPngUrl} />}
        name={displayname}
        detail={[username && `@${username}`, source && 'by a mapping'].filter(Boolean).join(', ')}
      />
    ),
  },
  {
    id: 'added',
    header: 'Added',
    isOnCard: true,
    width: 'w-[140px]',
    cell: ({ addedAt }) => <RelativeTime at={addedAt} />,
  },
  {
    id: 'id',
    header: 'ID',
    isOptional: true,
    minBreakpoint: 'lg',
    cell: ({ id }) => <code className="font-mono text-[12px] break-all">{id}</code>,
  },
]

function GroupUsers({ area, kind, group }: GroupUsersProps & { group: Group }) {
  const state = useListState({ filters: {}, sorts: [] })
  const params = { groupId: group.id }
  const list = useList(endpoints[kind] as typeof listGroupMembers, { params, query: state.query })
  const { change, dialog } = useGroupUsers(group, kind)
  const otherKind: GroupUserKind = kind === 'members' ? 'owners' : 'members'
  const canEdit = canManageGroup(area, group)

  const loadAll = () =>
    loadAllRows(endpoints[kind] as typeof listGroupMembers, {
      params: { groupId: group.id },
      query: state.searchText ? { query: state.searchText } : {},
    })
  const addBack = (ids: string[]) => async () => {
    for (const batch of splitIntoBatches(ids)) await changeGroupUsers(group, kind, 'add', batch)
    await refreshGroups()
  }

  async function remove(selected: Selected) {
    const ids = 'all' in selected ? (await loadAll()).map(({ id }) => id) : selected.ids
    const users = ids.map((id) => ({ id, name: id }))
    const removed = await change('remove', users)
    return removed.length === 0 ? undefined : { done: removed.length, failed: [], undo: addBack(removed) }
  }

  /** Reports the message that `work` resolves with, with Undo. */
  async function runFromMenu(work: Promise<string | undefined>, undo: () => Promise<unknown>) {
    try {
      const message = await work
      if (message) reportWithUndo(message, undo)
    } catch (error) {
      reportFailure('save the change', error)
    }
  }

  const addAs = async (kind: GroupUserKind, { id, displayname }: GroupUser) => {
    const edits = editGroupUsers(group, kind, 'add', [{ id, name: displayname }])
    const { changed } = await updateOptimistically(edits, () => changeGroupUsers(group, kind, 'add', [id]))
    await refreshGroups()
    return changed.length > 0 ? `${displayname} added as ${kind === 'owners' ? 'an owner' : 'a member'}` : undefined
  }
  const buildMenu = (user: GroupUser): MenuItem[] => [
    ...(otherKind === 'owners' || group.roles.length === 0
      ? [
          {
            label: otherKind === 'owners' ? 'Add as owner' : 'Add as member',
            onSelect: () =>
              void runFromMenu(addAs(otherKind, user), () =>
                changeGroupUsers(group, otherKind, 'remove', [user.id]).finally(refreshGroups),
              ),
          },
        ]
      : []),
    {
      label: 'Remove',
      isDanger: true,
      onSelect: () =>
        void runFromMenu(
          remove({ ids: [user.id] }).then((removed) => removed && `${user.displayname} removed`),
          addBack([user.id]),
        ),
    },
  ]

  const removal: BulkAction = {
    label: 'Remove',
    isDanger: true,
    doneMessage: (count) => `${formatCount(count, nouns[kind])} removed from ${group.name}`,
    run: remove,
  }
  return (
    <>
      <ListPage
        isEmbedded
        name={`group-${kind}`}
        title={titles[kind]}
        noun={[...nouns[kind]]}
        state={state}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ displayname }) => displayname}
        {...(area === 'admin' && {
          linkTo: ({ id }: GroupUser) => ({ to: '/admin/users/$userId', params: { userId: id } }),
        })}
        {...(canEdit && {
          rowMenu: buildMenu,
          bulk: [removal],
          actions: <AddGroupUsers area={area} group={group} kind={kind} change={change} />,
        })}
        searchPlaceholder="Name, username or ID"
        emptyHint={canEdit ? `Add ${nouns[kind][1]}, or create a join link.` : undefined}
      />
      {dialog}
    </>
  )
}
