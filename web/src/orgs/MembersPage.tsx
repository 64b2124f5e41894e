import type { MembersRemoved, OrgMember, OrgRole } from '@passport/contract/orgs'
import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { reportFailure, reportWithUndo } from '../app/messages.ts'
import { editRows, updateOptimistically } from '../app/optimistic-update.ts'
import type { BulkResult } from '../directory/bulk.tsx'
import type { Column } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import type { Selected } from '../directory/selection.ts'
import { formatCount } from '../directory/total.ts'
import { loadAllRows, useList } from '../directory/use-list.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { Button } from '../ui/Button.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import type { Failed } from '../ui/ResultReport.tsx'
import { AddMembersDialog } from './AddMembersDialog.tsx'
import { OrgFrame, type OrgTab } from './OrgFrame.tsx'
import { accountArea, adminArea } from './org-area.ts'
import { roleNames, roles } from './role-names.ts'

const columns: Column<OrgMember>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ id, name, username, avatarPngUrl }) => (
      <RowName
        picture={<Avatar id={id} name={name} picture={avatarPngUrl} />}
        name={name}
        detail={username && `@${username}`}
      />
    ),
  },
  { id: 'role', header: 'Role', isOnCard: true, width: 'w-[140px]', cell: ({ role }) => roleNames[role] },
  {
    id: 'since',
    header: 'Joined',
    width: 'w-[140px]',
    minBreakpoint: 'md',
    cell: ({ since }) => <RelativeTime at={since} />,
  },
]

export const OrgMembersPage = () => <OrgFrame area={adminArea}>{(tab) => <Members {...tab} />}</OrgFrame>
export const OwnOrgMembersPage = () => <OrgFrame area={accountArea}>{(tab) => <Members {...tab} />}</OrgFrame>

/** The members of an organisation. */
function Members(tab: OrgTab) {
  const { area, org, canManageOwners } = tab
  const [isAdding, setAdding] = useState(false)
  const params = { orgId: org.id }
  const state = useListState({ filters: { role: roles }, sorts: [] })
  const list = useList(area.listMembers, { params, query: state.query })
  const change = useMemberChanges(tab, () => {
    const { page, after, limit, ...filter } = state.query
    return loadAllRows(area.listMembers, { params, query: filter })
  })
  const canManage = ({ role }: OrgMember) => canManageOwners || role !== 'owner'

  return (
    <>
      <ListPage
        name="orgmembers"
        title="Members"
        noun={['member', 'members']}
        isEmbedded
        state={state}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        searchPlaceholder="Name or username"
        filters={[{ name: 'role', label: 'Role', options: roles.map((value) => ({ value, label: roleNames[value] })) }]}
        actions={
          <Button variant="primary" onClick={() => setAdding(true)}>
            <Plus size={16} aria-hidden="true" />
            Add members
          </Button>
        }
        rowMenu={(member) =>
          canManage(member)
            ? [
                ...roles
                  .filter((role) => role !== member.role && (canManageOwners || role !== 'owner'))
                  .map((role) => ({
                    label: `Make ${roleNames[role].toLowerCase()}`,
                    onSelect: () => void change.role(member, role),
                  })),
                { label: 'Remove', isDanger: true, onSelect: () => void change.removeOne(member) },
              ]
            : []
        }
        bulk={[
          {
            label: 'Remove',
            isDanger: true,
            doneMessage: (count) => `${formatCount(count, ['member', 'members'])} removed`,
            run: change.removeMany,
          },
        ]}
        emptyHint="Add members, or create a join link."
      />
      <AddMembersDialog {...tab} isOpen={isAdding} onOpenChange={setAdding} />
    </>
  )
}

/** The maximum number of members of one call. */
const batchSize = 200

/** Returns the changes of members with Undo. `loadAll` loads all members that match the search and filters. */
function useMemberChanges({ area, org }: OrgTab, loadAll: () => Promise<OrgMember[]>) {
  const queryClient = useQueryClient()
  const params = { orgId: org.id }
  const refresh = () => void queryClient.invalidateQueries()
  const reportError = (error: unknown) => reportFailure('change the members', error)

  const remove = async (members: string[]): Promise<MembersRemoved['were']> => {
    const ids = new Set(members)
    const edit = editRows(area.listMembers, { params }, (row) => (ids.has(row.id) ? undefined : row))
    const { were } = await updateOptimistically([edit], () =>
      call(area.removeMembers, { params, query: {}, body: { members } }),
    )
    return were
  }
  /** Restores each member's previous role. */
  const restoreRoles = async (were: MembersRemoved['were']) => {
    for (const [role, members] of Map.groupBy(were, ({ role }) => role))
      for (let offset = 0; offset < members.length; offset += batchSize)
        await call(area.addMembers, {
          params,
          query: {},
          body: { members: members.slice(offset, offset + batchSize).map(({ id }) => id), role },
        })
    refresh()
  }
  const setRole = async (userId: string, role: OrgRole) => {
    const edit = editRows(area.listMembers, { params }, (row) => (row.id === userId ? { ...row, role } : row))
    const request = { params: { ...params, userId }, query: {}, body: { role } }
    await updateOptimistically([edit], () => call(area.putMember, request))
    refresh()
  }

  return {
    role: async ({ id, name, role: before }: OrgMember, role: OrgRole) => {
      try {
        await setRole(id, role)
        const message = `${name} is now ${role === 'member' ? 'a member' : `an ${role}`}`
        reportWithUndo(message, () => setRole(id, before))
      } catch (error) {
        reportError(error)
      }
    },
    removeOne: async ({ id, name }: OrgMember) => {
      try {
        const were = await remove([id])
        reportWithUndo(`${name} removed`, () => restoreRoles(were))
      } catch (error) {
        reportError(error)
      }
      refresh()
    },
    /** Removes in batches. The members of a failed batch are reported; rejects if all batches fail. */
    removeMany: async (selected: Selected): Promise<BulkResult> => {
      const all = 'all' in selected ? await loadAll() : selected.ids.map((id) => ({ id, name: undefined }))
      const were: MembersRemoved['were'] = []
      const failed: Failed[] = []
      let lastError: unknown
      for (let offset = 0; offset < all.length; offset += batchSize) {
        const batch = all.slice(offset, offset + batchSize)
        try {
          were.push(...(await remove(batch.map(({ id }) => id))))
        } catch (error) {
          lastError = error
          failed.push(...batch.map(({ id, name }) => ({ id, name, reason: formatError(error) })))
        }
      }
      if (lastError && were.length === 0) throw lastError
      refresh()
      return { done: were.length, failed, undo: () => restoreRoles(were) }
    },
  }
}

const formatError = (error: unknown) => toFailure(error).detail
