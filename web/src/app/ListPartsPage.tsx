import { Download } from 'lucide-react'
import { useState } from 'react'
import { ListPage } from '../directory/ListPage.tsx'
import { useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import type { List } from '../directory/use-list.ts'
import { Button } from '../ui/Button.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Select } from '../ui/Select.tsx'
import { Status } from '../ui/Status.tsx'
import { Tag } from '../ui/Tag.tsx'
import { findPeople, type Person, people } from './parts-people.ts'

const kinds = ['rows', 'loading', 'nothing', 'failure', 'stale'] as const

/** The list template with generated people. */
export function ListPartsPage() {
  const [kind, setKind] = useState<string>('rows')
  const state = useListState({ filters: { status: ['active', 'disabled'], role: true }, sorts: ['name', 'created'] })
  const { status } = state.filters
  const matches = findPeople(state.searchText).filter((person) => !status || person.isActive === (status === 'active'))
  const sorted = state.sort?.startsWith('-') ? matches.toReversed() : matches
  const items = sorted.slice((state.page - 1) * state.limit, state.page * state.limit)
  const isMore = state.page * state.limit < matches.length
  const data = {
    items: kind === 'nothing' ? [] : items,
    page: state.page,
    limit: state.limit,
    total: kind === 'nothing' ? 0 : matches.length,
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
      title="Users"
      noun={['user', 'users']}
      state={state}
      list={list}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      linkTo={() => ({ to: '/dev/record' as never })}
      rowMenu={() => [
        { label: 'Copy ID', onSelect: () => {} },
        { label: 'Disable', isDanger: true, onSelect: () => {} },
      ]}
      create={{ to: '/dev/record' as never, label: 'Create user' }}
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
      searchPlaceholder="Name, email or ID"
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
          header: 'Name',
          sort: 'name',
          cell: ({ id, name, email }) => <RowName seed={id} name={name} detail={email} />,
        },
        {
          id: 'status',
          header: 'Status',
          isOnCard: true,
          cell: ({ isActive }) => <Status tone={isActive ? 'ok' : 'off'}>{isActive ? 'Active' : 'Disabled'}</Status>,
        },
        { id: 'roles', header: 'Roles', minBreakpoint: 'lg', cell: ({ role }) => role && <Tag>{role}</Tag> },
        {
          id: 'created',
          header: 'Created',
          sort: 'created',
          minBreakpoint: 'md',
          isOnCard: true,
          cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
        },
        {
          id: 'id',
          header: 'ID',
          isOptional: true,
          minBreakpoint: 'xl',
          cell: ({ id }) => <code className="font-mono text-[12px] break-all">{id}</code>,
        },
      ]}
      bulk={[
        {
          label: 'Disable',
          doneMessage: (count) => `${count} users disabled`,
          run: async (selected) => {
            const ids = 'all' in selected ? people.map(({ id }) => id) : selected.ids
            const failed = ids.filter((id) => id.endsWith('3')).map((id) => ({ id, reason: 'The last administrator.' }))
            return { done: ids.length - failed.length, failed, undo: async () => {} }
          },
        },
        {
          label: 'Delete…',
          isDanger: true,
          doneMessage: (count) => `${count} users deleted`,
          run: async () => undefined,
        },
      ]}
      emptyHint="Create the first one, or import a file."
    />
  )
}
