import type { MembersRemoved, OrgMember, OrgRole } from '@passport/contract/orgs'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import type { BulkResult } from '../directory/bulk.tsx'
import type { Column } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import type { Selected } from '../directory/selection.ts'
import { everyRow, useList } from '../directory/use-list.ts'
import { Button } from '../ui/Button.tsx'
import { Moment } from '../ui/Moment.tsx'
import type { Failed } from '../ui/ResultReport.tsx'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { AddMembersDialog } from './AddMembersDialog.tsx'
import type { OrgTab } from './OrgFrame.tsx'
import { roleNames, roles } from './role-names.ts'

const columns: Column<OrgMember>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ id, name, username }) => <RowName seed={id} name={name} about={username && `@${username}`} />,
  },
  { id: 'role', head: 'Role', isOnCard: true, cell: ({ role }) => roleNames[role] },
  { id: 'since', head: 'Since', from: 'md', isOnCard: true, cell: ({ since }) => <Moment at={since} /> },
]

/** The people of an organisation. */
export function MembersTab(tab: OrgTab) {
  const { place, org, handlesOwners } = tab
  const [isAdding, setAdding] = useState(false)
  const params = { orgId: org.id }
  const state = useListState({ filters: { role: roles }, sorts: [] })
  const list = useList(place.listMembers, { params, query: state.query })
  const change = useMemberChanges(tab, () => {
    const { page, after, limit, ...narrowed } = state.query
    return everyRow(place.listMembers, { params, query: narrowed })
  })
  const mayHandle = ({ role }: OrgMember) => handlesOwners || role !== 'owner'

  return (
    <>
      <ListPage
        name="orgmembers"
        title="Members"
        noun={['person', 'people']}
        isPart
        state={state}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        searchable="Name or username"
        filters={[{ name: 'role', label: 'Role', options: roles.map((value) => ({ value, label: roleNames[value] })) }]}
        actions={
          <Button look="primary" onClick={() => setAdding(true)}>
            Add people
          </Button>
        }
        menuOf={(member) =>
          mayHandle(member)
            ? [
                ...roles
                  .filter((role) => role !== member.role && (handlesOwners || role !== 'owner'))
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
            said: (count) => `${count === 1 ? '1 person' : `${count} people`} removed`,
            run: change.removeMany,
          },
        ]}
        nothingYet="Add people, or make a link by which they join."
      />
      <AddMembersDialog {...tab} isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  )
}

const atOnce = 200

/** `everyone` tells whom “all that match” stands for. */
function useMemberChanges({ place, org }: OrgTab, everyone: () => Promise<OrgMember[]>) {
  const queryClient = useQueryClient()
  const params = { orgId: org.id }
  const refresh = () => void queryClient.invalidateQueries()
  const complain = (error: unknown) => void toast({ type: 'error', content: `Not changed. ${failureOf(error).detail}` })

  const remove = async (members: string[]): Promise<MembersRemoved['were']> => {
    const { were } = await call(place.removeMembers, { params, query: {}, body: { members } })
    return were
  }
  /** Each as what they were. */
  const putBack = async (were: MembersRemoved['were']) => {
    for (const [role, people] of Map.groupBy(were, ({ role }) => role))
      for (let at = 0; at < people.length; at += atOnce)
        await call(place.addMembers, {
          params,
          query: {},
          body: { members: people.slice(at, at + atOnce).map(({ id }) => id), role },
        })
    refresh()
  }
  const setRole = async (userId: string, role: OrgRole) => {
    await call(place.putMember, { params: { ...params, userId }, query: {}, body: { role } })
    refresh()
  }

  return {
    role: async ({ id, name, role: before }: OrgMember, role: OrgRole) => {
      try {
        await setRole(id, role)
        const said = `${name} is ${role === 'member' ? 'a member' : `an ${role}`} now`
        void undoToast(said, () => setRole(id, before), whyNot)
      } catch (error) {
        complain(error)
      }
    },
    removeOne: async ({ id, name }: OrgMember) => {
      try {
        const were = await remove([id])
        void undoToast(`${name} is removed`, () => putBack(were), whyNot)
      } catch (error) {
        complain(error)
      }
      refresh()
    },
    /** In lists that one call takes: where one of them is refused, the others are still done, and told of. */
    removeMany: async (selected: Selected): Promise<BulkResult> => {
      const all = 'all' in selected ? await everyone() : selected.ids.map((id) => ({ id, name: undefined }))
      const were: MembersRemoved['were'] = []
      const failed: Failed[] = []
      let refusal: unknown
      for (let at = 0; at < all.length; at += atOnce) {
        const some = all.slice(at, at + atOnce)
        try {
          were.push(...(await remove(some.map(({ id }) => id))))
        } catch (error) {
          refusal = error
          failed.push(...some.map(({ id, name }) => ({ id, name, why: whyNot(error) })))
        }
      }
      if (refusal && were.length === 0) throw refusal
      refresh()
      return { done: were.length, failed, undo: () => putBack(were) }
    },
  }
}

const whyNot = (error: unknown) => failureOf(error).detail
