import { listPreferences, type Preference } from '@passport/contract/preferences'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { AccountHead } from '../app/AccountHead.tsx'
import { query, toFailure } from '../app/api.ts'
import { LeaveGuard } from '../app/LeaveGuard.tsx'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Table, TableCell, TableRow } from '../ui/Table.tsx'
import { ImportExport } from './ImportExport.tsx'
import { NewPreference, PreferenceRow } from './PreferenceRow.tsx'
import { filterRows, isChanged, toRows } from './rows.ts'
import { useRows } from './use-rows.ts'

/** The user's own preferences, saved row by row. */
export function PreferencesPage() {
  // Loaded once per visit, so that typed values are not replaced.
  const preferences = useQuery({
    ...query(listPreferences, { params: { userId: 'me' }, query: {} }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  return (
    <div>
      <PageHeader />
      {preferences.error && (
        <div>
          <ErrorCard failure={toFailure(preferences.error, 'load your preferences')} onRetry={preferences.refetch} />
        </div>
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
    <h1 className="mb-6">User Preferences</h1>
  )
}

function PreferenceTable({ saved }: { saved: Preference[] }) {
  const { rows, edit, save, remove, add } = useRows(() => toRows(saved))
  const [filter, setFilter] = useFilter()
  const visibleRows = filterRows(rows, filter)
  /** Clears a filter that would hide the added preference. */
  const addVisible = (preference: Preference) => {
    if (filterRows([preference], filter).length === 0) setFilter('')
    return add(preference)
  }
  const unsaved = rows.filter(isChanged).length

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
            value={filter}
            onChange={({ target }) => setFilter(target.value)}
          />
        </div>
        <ImportExport rows={rows} onImported={addVisible} />
      </div>
      <div className="overflow-hidden card">
        <Table
          caption="User Preferences"
          header={
            <>
              <th scope="col" className="pl-[31px]!">
                Key
              </th>
              <th scope="col" className="pl-[23px]!">
                Value
              </th>
              <th scope="col" className="w-32">
                <span className="sr-only">Actions</span>
              </th>
            </>
          }
        >
          {visibleRows.map((row) => (
            <PreferenceRow key={row.id} row={row} onEdit={edit} onSave={save} onRemove={remove} />
          ))}
          {rows.length > 0 && visibleRows.length === 0 && (
            <TableRow>
              <TableCell colSpan={3}>
                <Empty kind="no match" title="No preferences match">
                  <Button isSmall className="mt-3" onClick={() => setFilter('')}>
                    Clear filter
                  </Button>
                </Empty>
              </TableCell>
            </TableRow>
          )}
          <NewPreference rows={rows} onAdd={(preference) => void addVisible(preference).catch(() => {})} />
        </Table>
      </div>
      {rows.length === 0 && (
        <p className="mt-3 text-ink3">No preferences yet. Values that apps save for you appear here.</p>
      )}
      <LeaveGuard hasChanges={() => unsaved > 0}>
        {unsaved === 1 ? '1 unsaved row will be lost.' : `${unsaved} unsaved rows will be lost.`}
      </LeaveGuard>
    </>
  )
}

/** The filter is in the URL, so that it can be linked to and survives a reload. */
function useFilter(): [string, (text: string) => void] {
  const { q } = useSearch({ strict: false }) as { q?: unknown }
  const navigate = useNavigate()
  const setFilter = (text: string) =>
    void navigate({ to: '.', search: (text ? { q: text } : {}) as never, replace: true, resetScroll: false })
  return [typeof q === 'string' ? q : '', setFilter]
}
