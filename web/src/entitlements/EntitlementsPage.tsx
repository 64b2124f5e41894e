import {
  deleteEntitlement,
  type Entitlement,
  getEntitlement,
  listEntitlements,
  restoreEntitlement,
} from '@passport/contract/entitlements'
import { call } from '../app/api.ts'
import { type Column, numberColumn } from '../directory/columns.ts'
import { ListPage } from '../directory/ListPage.tsx'
import type { ListFilter } from '../directory/list-page.ts'
import { toSorting, useListState } from '../directory/list-state.ts'
import { RowName } from '../directory/RowName.tsx'
import { loadAllRows, useList } from '../directory/use-list.ts'
import { useOrgFilter } from '../directory/use-org-filter.tsx'
import { useRecordBulk } from '../directory/use-record-bulk.tsx'
import { Field } from '../ui/Field.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { Panel } from '../ui/Panel.tsx'
import { parseMoment, toDay } from './days.ts'
import { EntitlementStatus, Sources } from './GrantCells.tsx'
import { saveEntitlement } from './save-entitlement.ts'
import { formatKind, kindNames, sourceNames } from './words.ts'

const statuses = ['enabled', 'disabled'] as const
const kinds = ['quantity', 'flag'] as const
const sources = ['manual', 'aws'] as const

const create = { to: '/admin/entitlements/create', label: 'Create entitlement' } as const

/** The definitions of entitlements and what is granted of them, now or at the day of the filter. */
export function EntitlementsPage() {
  const state = useListState({
    filters: { kind: kinds, source: sources, status: statuses, org: true, at: true },
    sorts: ['name', 'orgs', 'updated'],
  })
  const { sort, org, at, ...query } = state.query
  const moment = parseMoment(at)
  const request = {
    ...query,
    ...(org !== undefined && { orgId: org }),
    ...(moment && { at: moment.instant.toISOString() }),
    ...toSorting(sort),
  }
  const list = useList(listEntitlements, { query: request })
  const orgFilter = useOrgFilter(org, (orgId) => state.filter('org', orgId))
  const { bulk, dialog } = useRecordBulk({
    noun: ['entitlement', 'entitlements'],
    findAll: async () => {
      const { page, after, limit, ...filter } = request
      return (await loadAllRows(listEntitlements, { query: filter })).map(({ id }) => id)
    },
    setEnabled,
    remove: (entitlementId) => call(deleteEntitlement, { params: { entitlementId }, query: {} }),
    restore: (entitlementId) => call(restoreEntitlement, { params: { entitlementId } }),
    consequence: 'Organisations lose them. Their ledgers stay.',
  })
  return (
    <>
      <ListPage
        name="entitlements"
        title="Entitlements"
        noun={['entitlement', 'entitlements']}
        state={state}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        linkTo={({ id }) => ({ to: '/admin/entitlements/$entitlementId/edit', params: { entitlementId: id } })}
        create={create}
        bulk={bulk}
        searchPlaceholder="Name or key"
        filters={[
          {
            name: 'kind',
            label: 'Kind',
            options: kinds.map((value) => ({ value, label: kindNames[value] })),
          },
          {
            name: 'source',
            label: 'Source',
            options: sources.map((value) => ({ value, label: sourceNames[value] })),
          },
          {
            name: 'status',
            label: 'Status',
            options: [
              { value: 'enabled', label: 'Enabled' },
              { value: 'disabled', label: 'Disabled' },
            ],
          },
          orgFilter,
          toDayFilter(at, moment?.label, (day) => state.filter('at', day)),
        ]}
        emptyHint="Define what you sell or switch on, such as seats, and grant it to organisations."
      />
      {dialog}
    </>
  )
}

/** The filter that shows what was granted at the end of a day. */
function toDayFilter(at: string | undefined, label = at, onPick: (day: string | undefined) => void): ListFilter {
  return {
    name: 'at',
    label: 'Date',
    options: at === undefined ? [] : [{ value: at, label: label ?? at }],
    renderControl: (className, content) => (
      <Panel label={at === undefined ? 'Any date' : `Date: ${label}`} trigger={content} className={className}>
        <Field
          label="Show grants at"
          type="date"
          defaultValue={at ?? toDay(new Date())}
          onChange={({ target }) => target.value && onPick(target.value)}
        />
      </Panel>
    ),
  }
}

async function setEnabled(entitlementId: string, isEnabled: boolean): Promise<boolean> {
  const entitlement = await call(getEntitlement, { params: { entitlementId }, query: {} })
  if (entitlement.enabled === isEnabled) return false
  await saveEntitlement(entitlement, { enabled: isEnabled })
  return true
}

/** Puts a column of numbers below the name on a card, after the status. */
const toSecondLine = ({ width, className }: ReturnType<typeof numberColumn>) => ({
  width,
  className: `${className} max-sm:order-1`,
})

const columns: Column<Entitlement>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ name, key }) => (
      <RowName
        picture={<ObjectIcon kind="entitlement" />}
        name={name}
        detail={<span className="font-mono text-[12.5px]">{key}</span>}
      />
    ),
  },
  {
    id: 'kind',
    header: 'Kind',
    width: 'w-[180px]',
    minBreakpoint: 'lg',
    cell: (entitlement) => formatKind(entitlement),
  },
  {
    id: 'orgs',
    header: 'Organisations',
    sort: 'orgs',
    ...toSecondLine(numberColumn('w-[140px]')),
    isOnCard: true,
    cell: ({ orgCount }) => (
      <>
        {orgCount.toLocaleString('en')}
        <span className="sm:hidden"> {orgCount === 1 ? 'organisation' : 'organisations'}</span>
      </>
    ),
  },
  {
    id: 'total',
    header: 'Total',
    ...toSecondLine(numberColumn('w-[120px]')),
    isOnCard: true,
    cell: ({ total, unit }) =>
      total === null ? (
        <span className="text-ink3 max-sm:hidden">–</span>
      ) : (
        <>
          {total.toLocaleString('en')}
          <span className="sm:hidden"> {unit ?? 'in total'}</span>
        </>
      ),
  },
  {
    id: 'sources',
    header: 'Sources',
    width: 'w-[140px]',
    minBreakpoint: 'md',
    cell: ({ sources }) => <Sources sources={sources} />,
  },
  {
    id: 'status',
    header: 'Status',
    width: 'w-[116px]',
    isOnCard: true,
    cell: (entitlement) => <EntitlementStatus {...entitlement} />,
  },
]
