import {
  deleteIdentityApi,
  getIdentityApi,
  type IdentityApi,
  listIdentityApis,
  restoreIdentityApi,
} from '@passport/contract/identity-apis'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { Suspense, useRef } from 'react'
import { call } from '../app/api.ts'
import { type Column, numberColumn } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import { toSorting, useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { loadAllRows, useList } from '../directory/use-list.ts'
import { useRecordBulk } from '../directory/use-record-bulk.tsx'
import { Badge } from '../ui/Badge.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { ApiStatus } from './ApiStatus.tsx'
import { formatLifetime, saveApi } from './api-form.ts'

const CreateApiDialog = lazyPart(async () => (await import('./CreateApiDialog.tsx')).CreateApiDialog)

const statuses = ['enabled', 'disabled'] as const

/** The APIs for which applications get access tokens, for administrators. `create=true` in the URL opens the dialog. */
export function ApisPage() {
  const { create } = useSearch({ strict: false }) as { create?: unknown }
  const navigate = useNavigate()
  const isCreating = create === 'true' || create === true
  // A closed dialog stays, to return the focus.
  const wasOpened = useRef(false)
  wasOpened.current ||= isCreating
  const state = useListState({ filters: { status: statuses }, sorts: ['name', 'updated'] })
  const { sort, ...query } = state.query
  const list = useList(listIdentityApis, { query: { ...query, ...toSorting(sort) } })
  const { bulk, dialog } = useRecordBulk({
    noun: ['API', 'APIs'],
    findAll: async () => {
      const { page, after, limit, ...filter } = query
      return (await loadAllRows(listIdentityApis, { query: filter })).map(({ id }) => id)
    },
    setEnabled,
    remove: (apiId) => call(deleteIdentityApi, { params: { apiId } }),
    restore: (apiId) => call(restoreIdentityApi, { params: { apiId } }),
    consequence: 'Applications get no more tokens for them. Issued tokens stay valid until they expire.',
  })
  const close = () =>
    void navigate({
      to: '.',
      search: (({ create: _, ...others }: Record<string, unknown>) => others) as never,
      replace: true,
    })
  return (
    <>
      <ListPage
        name="identity-apis"
        title="Identity APIs"
        noun={['API', 'APIs']}
        state={state}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ displayName }) => displayName}
        linkTo={({ id }) => ({ to: '/admin/identity/apis/$apiId', params: { apiId: id } })}
        create={{ to: '/admin/identity/apis', search: { create: 'true' }, label: 'Create API' }}
        bulk={bulk}
        searchPlaceholder="Name or audience"
        filters={[
          {
            name: 'status',
            label: 'Status',
            options: [
              { value: 'enabled', label: 'Active' },
              { value: 'disabled', label: 'Disabled' },
            ],
          },
        ]}
      />
      {dialog}
      {wasOpened.current && (
        <Suspense>
          <CreateApiDialog isOpen={isCreating} onClose={close} />
        </Suspense>
      )}
    </>
  )
}

async function setEnabled(apiId: string, isEnabled: boolean): Promise<boolean> {
  const api = await call(getIdentityApi, { params: { apiId } })
  if (api.enabled === isEnabled) return false
  await saveApi(api, { enabled: isEnabled })
  return true
}

const columns: Column<IdentityApi>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ displayName, name }) => (
      <RowName
        picture={<ObjectIcon kind="identity-api" />}
        name={displayName}
        detail={<span className="font-mono text-[12.5px]">{name}</span>}
      />
    ),
  },
  {
    id: 'audience',
    header: 'Audience',
    width: 'w-[26%]',
    minBreakpoint: 'lg',
    cell: ({ audience }) => <span className="font-mono text-[12.5px]">{audience}</span>,
  },
  {
    id: 'status',
    header: 'Status',
    width: 'w-[116px]',
    isOnCard: true,
    cell: (api) => <ApiStatus api={api} />,
  },
  {
    id: 'scopes',
    header: 'Scopes',
    ...numberColumn('w-[92px]'),
    cell: ({ scopes }) => scopes.length + 1,
  },
  {
    id: 'lifetime',
    header: 'Token lifetime',
    width: 'w-[124px]',
    minBreakpoint: 'lg',
    cell: ({ tokenLifetimeSec }) => formatLifetime(tokenLifetimeSec),
  },
  {
    id: 'kind',
    header: 'Kind',
    width: 'w-[104px]',
    cell: ({ builtIn }) =>
      builtIn ? (
        <Badge>
          <Lock size={12} aria-hidden="true" />
          Built-in
        </Badge>
      ) : (
        <span className="text-ink3">Custom</span>
      ),
  },
  {
    id: 'updated',
    header: 'Updated',
    sort: 'updated',
    width: 'w-[124px]',
    minBreakpoint: 'xl',
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
]
