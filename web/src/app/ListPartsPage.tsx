import { Download } from 'lucide-react'
import { useState } from 'react'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import type { List } from '../directory/use-list.ts'
import { Button } from '../ui/Button.tsx'
import { Moment } from '../ui/Moment.tsx'
import { Select } from '../ui/Select.tsx'
import { Status } from '../ui/Status.tsx'
import { Tag } from '../ui/Tag.tsx'
import { type Person, people, peopleLike } from './parts-people.ts'

const kinds = ['rows', 'loading', 'nothing', 'failure', 'stale'] as const

/** The template of lists, on people that are made up. */
export function ListPartsPage() {
  const [kind, setKind] = useState<string>('rows')
  const state = useListState({ filters: { status: ['active', 'disabled'], role: true }, sorts: ['name', 'created'] })
  const { status } = state.filters
  const found = peopleLike(state.word).filter((person) => !status || person.isActive === (status === 'active'))
  const sorted = state.sort?.startsWith('-') ? found.toReversed() : found
  const items = sorted.slice((state.page - 1) * state.limit, state.page * state.limit)
  const isMore = state.page * state.limit < found.length
  const data = {
    items: kind === 'nothing' ? [] : items,
    page: state.page,
    limit: state.limit,
    total: kind === 'nothing' ? 0 : found.length,
    next: isMore ? `/people?page=${state.page + 1}` : null,
  }
  const list: List<Person> = {
    data: kind === 'loading' || kind === 'failure' ? undefined : data,
    error: kind === 'failure' ? new Error('no network') : null,
    isPending: kind === 'loading',
    isPlaceholderData: kind === 'stale',
    refetch: async () => setKind('rows') as never,
  }
  return (
    <ListPage
      name="parts"
      title="People"
      noun={['person', 'people']}
      state={state}
      list={list}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      linkTo={() => ({ to: '/dev/record' as never })}
      menuOf={() => [
        { label: 'Copy id', onSelect: () => {} },
        { label: 'Disable', isDanger: true, onSelect: () => {} },
      ]}
      create={{ to: '/dev/record' as never, label: 'Create person' }}
      actions={
        <>
          <Select
            label="State of the list"
            isLabelHidden
            options={kinds.map((value) => ({ value, label: value }))}
            value={kind}
            onChange={({ target }) => setKind(target.value)}
          />
          <Button>
            <Download size={16} />
            Export
          </Button>
        </>
      }
      searchable="Name, e-mail or id"
      filters={[
        {
          name: 'status',
          label: 'Status',
          options: [
            { value: 'active', label: 'Active' },
            { value: 'disabled', label: 'Disabled' },
          ],
        },
        { name: 'role', label: 'Role', options: [{ value: 'Passport.Developer', label: 'Passport.Developer' }] },
      ]}
      columns={[
        {
          id: 'name',
          head: 'Name',
          sort: 'name',
          cell: ({ id, name, email }) => <RowName seed={id} name={name} about={email} />,
        },
        {
          id: 'status',
          head: 'Status',
          isOnCard: true,
          cell: ({ isActive }) => <Status tone={isActive ? 'ok' : 'off'}>{isActive ? 'Active' : 'Disabled'}</Status>,
        },
        { id: 'roles', head: 'Roles', from: 'lg', cell: ({ role }) => role && <Tag>{role}</Tag> },
        {
          id: 'created',
          head: 'Created',
          sort: 'created',
          from: 'md',
          isOnCard: true,
          cell: ({ createdAt }) => <Moment at={createdAt} />,
        },
        {
          id: 'id',
          head: 'Id',
          isOptional: true,
          from: 'xl',
          cell: ({ id }) => <code className="font-mono text-[12px] break-all">{id}</code>,
        },
      ]}
      bulk={[
        {
          label: 'Disable',
          said: (count) => `${count} people disabled`,
          run: async (selected) => {
            const ids = 'all' in selected ? people.map(({ id }) => id) : selected.ids
            const failed = ids.filter((id) => id.endsWith('3')).map((id) => ({ id, why: 'The last administrator.' }))
            return { done: ids.length - failed.length, failed, undo: async () => {} }
          },
        },
        { label: 'Delete…', isDanger: true, said: (count) => `${count} people deleted`, run: async () => undefined },
      ]}
      nothingYet="Create the first one, or import a file."
    />
  )
}
