import { type Group, type GroupPerson, listMembers, listOwners } from '@passport/contract/groups'
import { failureOf } from '../app/api.ts'
import type { BulkAction } from '../directory/bulk.tsx'
import type { Column } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import type { Selected } from '../directory/selection.ts'
import { everyRow, useList } from '../directory/use-list.ts'
import type { MenuItem } from '../ui/Menu.tsx'
import { Moment } from '../ui/Moment.tsx'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { AddPeople } from './AddPeople.tsx'
import { type Area, counted, mayRun, nouns, type Part } from './area.ts'
import { GroupFrame } from './GroupFrame.tsx'
import { batchesOf, sendChange } from './people-change.ts'
import { refreshGroups } from './refresh.ts'
import { usePeople } from './use-people.tsx'

export const AdminMembersPage = () => <PeoplePage area="admin" part="members" />
export const AdminOwnersPage = () => <PeoplePage area="admin" part="owners" />
export const OwnMembersPage = () => <PeoplePage area="account" part="members" />
export const OwnOwnersPage = () => <PeoplePage area="account" part="owners" />

interface PeopleProps {
  area: Area
  part: Part
}

/** The members or the owners of a group: who they are, more of them, and fewer. */
function PeoplePage({ area, part }: PeopleProps) {
  return <GroupFrame area={area}>{(group) => <People key={part} area={area} part={part} group={group} />}</GroupFrame>
}

const endpoints = { members: listMembers, owners: listOwners }
const titles = { members: 'Members', owners: 'Owners' }

const columns: Column<GroupPerson>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ id, displayname, username }) => <RowName seed={id} name={displayname} about={username} />,
  },
  { id: 'added', head: 'Added', isOnCard: true, cell: ({ addedAt }) => <Moment at={addedAt} /> },
  {
    id: 'id',
    head: 'Id',
    isOptional: true,
    from: 'lg',
    cell: ({ id }) => <code className="font-mono text-[12px] break-all">{id}</code>,
  },
]

function People({ area, part, group }: PeopleProps & { group: Group }) {
  const state = useListState({ filters: {}, sorts: [] })
  const params = { groupId: group.id }
  const list = useList(endpoints[part] as typeof listMembers, { params, query: state.query })
  const people = usePeople(group, part)
  const others: Part = part === 'members' ? 'owners' : 'members'
  const canEdit = mayRun(area, group)

  const everyone = () =>
    everyRow(endpoints[part] as typeof listMembers, {
      params: { groupId: group.id },
      query: state.word ? { query: state.word } : {},
    })
  const putBack = (ids: string[]) => async () => {
    for (const batch of batchesOf(ids)) await sendChange(group, part, 'add', batch)
    await refreshGroups()
  }

  async function remove(selected: Selected) {
    const ids = 'all' in selected ? (await everyone()).map(({ id }) => id) : selected.ids
    const removed = await people.change('remove', ids)
    return removed.length === 0 ? undefined : { done: removed.length, failed: [], undo: putBack(removed) }
  }

  async function tellOf(done: Promise<string | undefined>, undo: () => Promise<unknown>) {
    try {
      const said = await done
      if (said) void undoToast(said, undo, (error) => failureOf(error).detail)
    } catch (error) {
      const { title, detail } = failureOf(error)
      void toast({ type: 'error', content: `${title}: ${detail}` })
    }
  }

  const alsoAs = async (part: Part, { id, displayname }: GroupPerson) => {
    const { changed } = await sendChange(group, part, 'add', [id])
    await refreshGroups()
    return changed.length > 0 ? `${displayname} is now ${part === 'owners' ? 'an owner' : 'a member'} too` : undefined
  }
  const menuOf = (person: GroupPerson): MenuItem[] => [
    ...(others === 'owners' || group.roles.length === 0
      ? [
          {
            label: others === 'owners' ? 'Make an owner' : 'Make a member',
            onSelect: () =>
              void tellOf(alsoAs(others, person), () =>
                sendChange(group, others, 'remove', [person.id]).finally(refreshGroups),
              ),
          },
        ]
      : []),
    {
      label: 'Remove',
      isDanger: true,
      onSelect: () =>
        void tellOf(
          remove({ ids: [person.id] }).then((removed) => removed && `${person.displayname} removed`),
          putBack([person.id]),
        ),
    },
  ]

  const removal: BulkAction = {
    label: 'Remove',
    isDanger: true,
    said: (count) => `${counted(count, nouns[part])} removed from ${group.name}`,
    run: remove,
  }
  return (
    <>
      {canEdit && <AddPeople area={area} group={group} part={part} people={people} />}
      <ListPage
        isPart
        name={`group-${part}`}
        title={titles[part]}
        noun={[...nouns[part]]}
        state={state}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ displayname }) => displayname}
        {...(area === 'admin' && {
          linkTo: ({ id }: GroupPerson) => ({ to: '/admin/users/$userId', params: { userId: id } }),
        })}
        {...(canEdit && { menuOf, bulk: [removal] })}
        searchable="Name, username or id"
        nothingYet={canEdit ? `Add ${nouns[part][1]} above.` : undefined}
      />
      {people.dialog}
    </>
  )
}
