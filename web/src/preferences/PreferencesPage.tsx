import { type ListedPreference, listPreferences, maxPreferences, type Preference } from '@passport/contract/preferences'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { Suspense, useState } from 'react'
import { AccountHead } from '../app/AccountHead.tsx'
import { query, toFailure } from '../app/api.ts'
import { LeaveGuard } from '../app/LeaveGuard.tsx'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Table, TableCell, TableRow } from '../ui/Table.tsx'
import { NewPreference } from './NewPreference.tsx'
import { countNamespaces, filterRows, groupByNamespace, isChanged, toRows } from './rows.ts'
import { useRows } from './use-rows.ts'

// A first visit has no preferences yet.
const PreferenceGroup = lazyPart(async () => (await import('./PreferenceGroup.tsx')).PreferenceGroup)
const ManagePreferences = lazyPart(async () => (await import('./ManagePreferences.tsx')).ManagePreferences)
const NamespaceFilter = lazyPart(async () => (await import('./ManagePreferences.tsx')).NamespaceFilter)

/** The user's own preferences, saved row by row. */
export function PreferencesPage() {
  // Loaded once per visit, so that typed values are not replaced.
  const preferences = useQuery({
    ...query(listPreferences, { params: { userId: 'me' }, query: { details: true } }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  return (
    <div>
      <PageHeader />
      {preferences.error && (
        <ErrorCard failure={toFailure(preferences.error, 'load your preferences')} onRetry={preferences.refetch} />
      )}
      {preferences.isPending && (
        <div className="mt-12 card pt-5">
          <Skeleton label="Loading preferences" rows={4} rowClass="h-9" />
        </div>
      )}
      {preferences.data && <PreferenceTable saved={preferences.data} />}
    </div>
  )
}

/** The head of the page, which has two paths: below /account it has the tabs of the account. */
function PageHeader() {
  const isAccountPage = useRouterState({ select: ({ location }) => location.pathname.startsWith('/account') })
  return isAccountPage ? (
    <>
      <AccountHead />
      <h2 className="sr-only">User Preferences</h2>
    </>
  ) : (
    <h1 className="mb-6">User preferences</h1>
  )
}

function PreferenceTable({ saved }: { saved: ListedPreference[] }) {
  const { rows, add, restore, ...actions } = useRows(() => toRows(saved))
  const { q, namespace, setFilter } = useFilter()
  const [isManaging, setManaging] = useState(false)
  const visibleRows = filterRows(rows, q, namespace)
  /** Clears a filter that would hide the added preference. */
  const addVisible = (preference: Preference) => {
    if (filterRows([preference], q, namespace).length === 0) setFilter({})
    return add(preference)
  }
  const namespaces = countNamespaces(rows)
  const unsaved = rows.filter(isChanged).length
  const count = rows.filter((row) => row.saved).length
  const quota = `${count} of ${maxPreferences} preferences`

  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <div className="relative min-w-0 flex-1 sm:max-w-72">
          <Search size={15} className="pointer-events-none absolute inset-y-0 left-3 my-auto text-ink3" />
          <input
            type="search"
            aria-label="Filter preferences"
            placeholder="Filter"
            className="ctl pl-9"
            value={q}
            onChange={({ target }) => setFilter({ q: target.value, namespace })}
          />
        </div>
        {(namespaces.size > 1 || namespace) && (
          <Suspense>
            <NamespaceFilter
              {...{ namespaces, namespace }}
              onChange={(chosen) => setFilter({ q, namespace: chosen })}
            />
          </Suspense>
        )}
        <Button
          className="ml-auto"
          aria-expanded={isManaging}
          onPointerEnter={ManagePreferences.preload}
          onClick={() => setManaging(!isManaging)}
        >
          Manage
        </Button>
      </div>
      {isManaging && (
        <Suspense>
          <div className="mb-3">
            <ManagePreferences rows={rows} namespace={namespace} onImported={addVisible} onRestore={restore} />
          </div>
        </Suspense>
      )}
      <div className="overflow-hidden card">
        <Table
          isFixed
          caption="User Preferences"
          header={
            <>
              <th scope="col" className="w-[32%] pl-[50px]!">
                Key
              </th>
              <th scope="col">Value</th>
              <th scope="col" className="w-36">
                Saved
              </th>
              <th scope="col" className="w-24">
                <span className="sr-only">Actions</span>
              </th>
            </>
          }
        >
          <Suspense>
            {groupByNamespace(visibleRows).map(([namespace, rows]) => (
              <PreferenceGroup key={namespace} {...{ namespace, rows, actions }} />
            ))}
          </Suspense>
          {rows.length > 0 && visibleRows.length === 0 && (
            <TableRow>
              <TableCell colSpan={4}>
                <Empty kind="no match" title="No preferences match">
                  <Button isSmall className="mt-3" onClick={() => setFilter({})}>
                    Clear filter
                  </Button>
                </Empty>
              </TableCell>
            </TableRow>
          )}
          <NewPreference
            rows={rows}
            limit={count < maxPreferences ? undefined : `You have ${quota}: delete one first`}
            // A row must appear without a connection too.
            onFocus={() => void PreferenceGroup.preload()}
            onAdd={(preference) => void addVisible(preference).catch(() => {})}
          />
        </Table>
      </div>
      <p className={`mt-3 text-[13px] ${count < 0.9 * maxPreferences ? 'text-ink3' : 'text-warn'}`}>
        {rows.length === 0 ? 'No preferences yet. Values that apps save for you appear here.' : quota}
      </p>
      <LeaveGuard hasChanges={() => unsaved > 0}>
        {unsaved === 1 ? '1 unsaved row will be lost.' : `${unsaved} unsaved rows will be lost.`}
      </LeaveGuard>
    </>
  )
}

interface Filter {
  q?: string
  /** The start of the keys. */
  namespace?: string
}

/** The filters are in the URL, so that they can be linked to and survive a reload. */
function useFilter() {
  const { q, namespace } = useSearch({ strict: false }) as Record<keyof Filter, unknown>
  const navigate = useNavigate()
  const setFilter = (filter: Filter) => {
    const search = Object.fromEntries(Object.entries(filter).filter(([, value]) => value))
    void navigate({ to: '.', search: search as never, replace: true, resetScroll: false })
  }
  return { q: toText(q), namespace: toText(namespace), setFilter }
}

const toText = (parameter: unknown) => (typeof parameter === 'string' ? parameter : '')
