import {
  addRoleMembers,
  listRoleMembers,
  listRoles,
  type RoleMember,
  removeRoleMembers,
} from '@passport/contract/roles'
import { call, query } from '../app/api.ts'
import { reportFailure, reportWithUndo } from '../app/messages.ts'
import { appendRows, editRows } from '../app/optimistic-update.ts'
import { queryClient } from '../app/query-client.ts'
import { AddRecords } from '../directory/AddRecords.tsx'
import type { BulkAction } from '../directory/bulk.tsx'
import type { Column } from '../directory/columns.ts'
import { searchUsers } from '../directory/find-records.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { useList } from '../directory/use-list.ts'
import { type PreviewQuery, usePreview } from '../directory/use-preview.tsx'
import { formatUserDetail, nameOf, statusNames, statusTones } from '../directory/user-names.ts'
import { Avatar } from '../ui/Avatar.tsx'
import type { Pickable } from '../ui/Picker.tsx'
import { Status } from '../ui/Status.tsx'
import { toast } from '../ui/toast.ts'
import { MemberSource } from './MemberSource.tsx'

/** The maximum number of members of one call. */
const maxPerCall = 200

/** The members of a role with their sources; members are added and removed here. */
export function RoleMembers({ role }: { role: string }) {
  const params = { name: role }
  const state = useListState({ filters: {}, sorts: [] })
  const list = useList(listRoleMembers, { params, query: state.query })
  const { change, dialog } = usePreview()

  const grant = (members: string[]) => (query: PreviewQuery) =>
    call(addRoleMembers, { params, query, body: { members } })
  const revoke = (members: string[]) => (query: PreviewQuery) =>
    call(removeRoleMembers, { params, query, body: { members } })

  async function add(users: Pickable[]): Promise<boolean> {
    const confirmation = { title: `Add ${formatUsers(users.length, users[0]?.name)} to ${role}?`, action: 'Add' }
    const edits = [appendRows(listRoleMembers, { params }, users.map(toMember))]
    const result = await change(grant(users.map(({ id }) => id)), confirmation, { edits })
    if (!result) return false
    await reload()
    const { changed } = result
    if (changed.length === 0) void toast({ type: 'info', content: `Already added to ${role}` })
    else
      reportWithUndo(
        `${formatUsers(changed.length, findName(users, changed))} added to ${role}`,
        createUndo(revoke, changed),
      )
    return true
  }

  function remove(ids: string[]) {
    const first = list.data?.items.find(({ id }) => id === ids[0])
    const users = formatUsers(ids.length, first && nameOf(first))
    const edits = [
      // Members through a group stay.
      editRows(listRoleMembers, { params }, (member) => {
        if (!ids.includes(member.id)) return member
        return member.groups.length > 0 ? { ...member, direct: null } : undefined
      }),
    ]
    return change(revoke(ids), { title: `Remove ${users} from ${role}?`, action: 'Remove' }, { edits })
  }

  const bulk: BulkAction = {
    label: 'Remove',
    isDanger: true,
    doneMessage: (count) => `${formatUsers(count)} removed from ${role}`,
    run: async (selected) => {
      const ids = 'ids' in selected ? selected.ids : await loadAllIds(role, state.searchText)
      if (ids.length > maxPerCall) {
        void toast({ type: 'error', content: `Select at most ${maxPerCall} users, or narrow the search.` })
        return undefined
      }
      const result = await remove(ids)
      if (!result) return undefined
      await reload()
      const failed = result.unchanged.map((id) => ({ id, reason: 'Inherited from a group.' }))
      return { done: result.changed.length, failed, undo: createUndo(grant, result.changed) }
    },
  }

  async function removeOne(member: RoleMember) {
    try {
      const result = await remove([member.id])
      if (!result) return
      await reload()
      reportWithUndo(`${nameOf(member)} removed from ${role}`, createUndo(grant, result.changed))
    } catch (error) {
      reportError(error)
    }
  }

  return (
    <>
      <ListPage
        isEmbedded
        name="role-members"
        title="Members"
        noun={['member', 'members']}
        state={state}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={nameOf}
        linkTo={({ id }) => ({ to: '/admin/users/$userId', params: { userId: id } })}
        rowMenu={(member) =>
          member.direct ? [{ label: 'Remove', isDanger: true, onSelect: () => void removeOne(member) }] : []
        }
        searchPlaceholder="Name or username"
        actions={
          <AddRecords
            noun={['member', 'members']}
            placeholder="Name, username or email"
            search={searchUsers}
            onAdd={add}
          />
        }
        bulk={[bulk]}
        emptyHint="Add members, or assign the role to a group."
      />
      {dialog}
    </>
  )
}

interface Changed {
  changed: string[]
  unchanged: string[]
}

const columns: Column<RoleMember>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: (member) => (
      <RowName
        picture={<Avatar id={member.id} name={nameOf(member)} picture={member.avatarPngUrl} />}
        name={nameOf(member)}
        detail={formatUserDetail(member)}
      />
    ),
  },
  {
    id: 'why',
    header: 'Source',
    isOnCard: true,
    width: 'w-[180px]',
    className: 'max-sm:max-w-[45%]',
    cell: (member) => (
      <>
        <MemberSource member={member} />
        {/* On a phone only a status that is not the usual one. */}
        {member.status !== 'active' && (
          <span className="sm:hidden">
            <MemberStatus {...member} />
          </span>
        )}
      </>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 'w-[104px]',
    minBreakpoint: 'lg',
    cell: (member) => <MemberStatus {...member} />,
  },
]

const MemberStatus = ({ status }: Pick<RoleMember, 'status'>) => (
  <Status tone={statusTones[status]}>{statusNames[status]}</Status>
)

const toMember = ({ id, name, detail = '', picture = null }: Pickable): RoleMember => ({
  id,
  displayname: name,
  username: detail.startsWith('@') ? detail.slice(1) : null,
  avatarPngUrl: picture,
  email: null,
  disabled: false,
  status: 'active',
  direct: { since: new Date().toISOString(), by: null },
  groups: [],
})

const findName = (users: Pickable[], changed: string[]) => users.find(({ id }) => id === changed[0])?.name

/** Formats one user by name if known, otherwise the number of users. */
function formatUsers(count: number, name?: string): string {
  if (count === 1) return name ?? '1 user'
  return `${count.toLocaleString('en')} users`
}

const reload = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: [listRoleMembers.path] }),
    queryClient.invalidateQueries({ queryKey: [`${listRoles.path}/{name}`] }),
    queryClient.invalidateQueries({ queryKey: [listRoles.path] }),
  ])

const createUndo =
  (revert: (members: string[]) => (query: PreviewQuery) => Promise<Changed>, members: string[]) => async () => {
    await revert(members)({})
    await reload()
  }

/** Returns the ids of the matching members, up to the maximum of one call; one placeholder stands for any others. */
async function loadAllIds(role: string, searchText: string): Promise<string[]> {
  const request = { params: { name: role }, query: { limit: maxPerCall, ...(searchText && { query: searchText }) } }
  const { items, next } = await queryClient.fetchQuery(query(listRoleMembers, request))
  return [...items.map(({ id }) => id), ...(next ? ['more'] : [])]
}

const reportError = (error: unknown) => reportFailure('change the members', error)
