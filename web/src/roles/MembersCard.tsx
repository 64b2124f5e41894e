import {
  addRoleMembers,
  listRoleMembers,
  listRoles,
  type RoleMember,
  removeRoleMembers,
} from '@passport/contract/roles'
import { useState } from 'react'
import { call, failureOf, query } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import type { BulkAction } from '../directory/bulk.tsx'
import type { Column } from '../directory/columns.ts'
import { searchPeople } from '../directory/find-records.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { useList } from '../directory/use-list.ts'
import { type PreviewQuery, usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { Status } from '../ui/Status.tsx'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { Why } from './Why.tsx'

const mostAtOnce = 200

/** Who has a role and why, and how it is given and taken. */
export function MembersCard({ role }: { role: string }) {
  const params = { name: role }
  const state = useListState({ filters: {}, sorts: [] })
  const list = useList(listRoleMembers, { params, query: state.query })
  const { change, dialog } = usePreview()

  const give = (members: string[]) => (query: PreviewQuery) =>
    call(addRoleMembers, { params, query, body: { members } })
  const take = (members: string[]) => (query: PreviewQuery) =>
    call(removeRoleMembers, { params, query, body: { members } })

  async function add(people: Pickable[]): Promise<boolean> {
    const who = peopleOf(people.length, people[0]?.name)
    const about = { title: `Give ${role} to ${who}?`, action: 'Give the role' }
    const done = await change(give(people.map(({ id }) => id)), about)
    if (!done) return false
    await reload()
    const { changed } = done
    if (changed.length === 0) void toast({ type: 'info', content: `They had ${role} already` })
    else void undoToast(`Gave ${role} to ${peopleOf(changed.length, nameIn(people, changed))}`, undoing(take, changed))
    return true
  }

  async function remove(ids: string[]) {
    if (ids.length > mostAtOnce) throw new Error('too many')
    const first = list.data?.items.find(({ id }) => id === ids[0])
    const who = peopleOf(ids.length, first && nameOf(first))
    return change(take(ids), { title: `Take ${role} from ${who}?`, action: 'Take the role' })
  }

  const bulk: BulkAction = {
    label: 'Take the role',
    isDanger: true,
    said: (count) => `Took ${role} from ${peopleOf(count)}`,
    run: async (selected) => {
      const ids = 'ids' in selected ? selected.ids : await idsOfAll(role, state.word)
      if (ids.length > mostAtOnce) {
        void toast({ type: 'error', content: `At most ${mostAtOnce} people at a time. Narrow the search.` })
        return undefined
      }
      const done = await remove(ids)
      if (!done) return undefined
      await reload()
      const failed = done.unchanged.map((id) => ({ id, why: 'Has it by a group, not of themselves.' }))
      return { done: done.changed.length, failed, undo: undoing(give, done.changed) }
    },
  }

  async function removeOne(member: RoleMember) {
    try {
      const done = await remove([member.id])
      if (!done) return
      await reload()
      void undoToast(`Took ${role} from ${nameOf(member)}`, undoing(give, done.changed))
    } catch (error) {
      complain(error)
    }
  }

  return (
    <Card title="Members" about="Everyone who has it, of themselves or by a group.">
      <div className="px-5 pb-5">
        <AddMembers onAdd={add} />
        {dialog}
        <div className="mt-5">
          <ListPage
            isPart
            name="role-members"
            title="People with this role"
            noun={['person', 'people']}
            state={state}
            list={list}
            columns={columns}
            idOf={({ id }) => id}
            nameOf={nameOf}
            linkTo={({ id }) => ({ to: '/admin/users/$userId', params: { userId: id } })}
            menuOf={(member) =>
              member.direct ? [{ label: 'Take the role', isDanger: true, onSelect: () => void removeOne(member) }] : []
            }
            searchable="Name or username"
            bulk={[bulk]}
            nothingYet="Give it to the first ones above."
          />
        </div>
      </div>
    </Card>
  )
}

interface Changed {
  changed: string[]
  unchanged: string[]
}

function AddMembers({ onAdd }: { onAdd: (people: Pickable[]) => Promise<boolean> }) {
  const [picked, setPicked] = useState<Pickable[]>([])
  const [isBusy, setBusy] = useState(false)
  async function add() {
    setBusy(true)
    try {
      if (await onAdd(picked)) setPicked([])
    } catch (error) {
      complain(error)
    }
    setBusy(false)
  }
  return (
    <div className="flex flex-wrap items-end gap-2">
      <div className="min-w-0 flex-1 basis-72">
        <Picker
          label="Give it to"
          placeholder="Name, username or e-mail"
          search={searchPeople}
          picked={picked}
          onPick={setPicked}
        />
      </div>
      <Button look="primary" isBusy={isBusy} disabled={picked.length === 0} onClick={() => void add()}>
        Give the role
      </Button>
    </div>
  )
}

const columns: Column<RoleMember>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: (member) => <RowName seed={member.id} name={nameOf(member)} about={member.email ?? member.username} />,
  },
  { id: 'why', head: 'Why', isOnCard: true, cell: (member) => <Why member={member} /> },
  {
    id: 'status',
    head: 'Status',
    from: 'lg',
    cell: ({ disabled }) => <Status tone={disabled ? 'off' : 'ok'}>{disabled ? 'Disabled' : 'Enabled'}</Status>,
  },
]

const nameOf = ({ displayname, username, email, id }: RoleMember) => displayname ?? username ?? email ?? id
const nameIn = (people: Pickable[], changed: string[]) => people.find(({ id }) => id === changed[0])?.name

/** One by name where it is known; of several, how many they are. */
function peopleOf(count: number, name?: string): string {
  if (count === 1) return name ?? '1 person'
  return `${count.toLocaleString('en')} people`
}

const reload = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: [listRoleMembers.path] }),
    queryClient.invalidateQueries({ queryKey: [`${listRoles.path}/{name}`] }),
    queryClient.invalidateQueries({ queryKey: [listRoles.path] }),
  ])

const undoing =
  (back: (members: string[]) => (query: PreviewQuery) => Promise<Changed>, members: string[]) => async () => {
    await back(members)({})
    await reload()
  }

/** Everyone under a word, as far as they can be changed at once, and one more. */
async function idsOfAll(role: string, word: string): Promise<string[]> {
  const sent = { params: { name: role }, query: { limit: mostAtOnce, ...(word && { query: word }) } }
  const { items, next } = await queryClient.fetchQuery(query(listRoleMembers, sent))
  return [...items.map(({ id }) => id), ...(next ? ['one more'] : [])]
}

function complain(error: unknown) {
  const { title, detail } = failureOf(error)
  void toast({ type: 'error', content: `${title}: ${detail}` })
}
