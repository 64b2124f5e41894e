import { listPreferences, type Preference } from '@passport/contract/preferences'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { AccountHead } from '../app/AccountHead.tsx'
import { failureOf, query } from '../app/api.ts'
import { LeaveGuard } from '../app/LeaveGuard.tsx'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Table, TableCell, TableRow } from '../ui/Table.tsx'
import { ImportExport } from './ImportExport.tsx'
import { NewPreference, PreferenceRow } from './PreferenceRow.tsx'
import { isChanged, matching, rowsOf } from './rows.ts'
import { useRows } from './use-rows.ts'

/** One's own preferences, a row each, saved a row at a time. */
export function PreferencesPage() {
  // What is typed must not be replaced by what the server has: it is asked once for each visit.
  const preferences = useQuery({
    ...query(listPreferences, { params: { userId: 'me' } }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  return (
    <div className="max-w-[1040px]">
      <Head />
      {preferences.error && (
        <div className="mt-6">
          <ErrorCard failure={failureOf(preferences.error)} onRetry={preferences.refetch} />
        </div>
      )}
      {preferences.isPending && (
        <div className="mt-6 rounded-box border border-line bg-card pt-5">
          <Skeleton label="Loading preferences" rows={4} rowClass="h-9" />
        </div>
      )}
      {preferences.data && <PreferenceTable saved={preferences.data} />}
    </div>
  )
}

/** The page is the same for everyone; as a part of the account it has the account's tabs above it. */
function Head() {
  const isOfAccount = useRouterState({ select: ({ location }) => location.pathname.startsWith('/account') })
  const about = <p className="mt-1 text-ink2">Key and value pairs that apps read for your account.</p>
  return isOfAccount ? (
    <>
      <AccountHead />
      <h2>User Preferences</h2>
      {about}
    </>
  ) : (
    <>
      <h1>User Preferences</h1>
      {about}
    </>
  )
}

function PreferenceTable({ saved }: { saved: Preference[] }) {
  const { rows, edit, save, remove, add } = useRows(() => rowsOf(saved))
  const [filter, setFilter] = useFilter()
  const shown = matching(rows, filter)
  /** What is added is seen: a filter that would hide it goes. */
  const addInSight = (preference: Preference) => {
    if (matching([preference], filter).length === 0) setFilter('')
    return add(preference)
  }
  const unsaved = rows.filter(isChanged).length

  return (
    <>
      <div className="mt-6 mb-3 flex flex-wrap items-center gap-2">
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
        <ImportExport rows={rows} onImported={addInSight} />
      </div>
      <div className="overflow-hidden rounded-box border border-line bg-card">
        <Table
          caption="User Preferences"
          head={
            <>
              <th scope="col">Key</th>
              <th scope="col">Value</th>
              <th scope="col" className="w-44">
                <span className="sr-only">Actions</span>
              </th>
            </>
          }
        >
          {shown.map((row) => (
            <PreferenceRow key={row.id} row={row} onEdit={edit} onSave={save} onRemove={remove} />
          ))}
          {rows.length > 0 && shown.length === 0 && (
            <TableRow>
              <TableCell colSpan={3}>
                <Empty kind="no match" title="No preference matches">
                  <Button isSmall className="mt-3" onClick={() => setFilter('')}>
                    Clear filter
                  </Button>
                </Empty>
              </TableCell>
            </TableRow>
          )}
          <NewPreference rows={rows} onAdd={(preference) => void addInSight(preference).catch(() => {})} />
        </Table>
      </div>
      {rows.length === 0 && (
        <p className="mt-3 text-ink3">
          Nothing is saved yet. An app that remembers something for you will show up here.
        </p>
      )}
      <LeaveGuard hasChanges={() => unsaved > 0}>
        {unsaved === 1 ? 'One row is not saved and will be lost.' : `${unsaved} rows are not saved and will be lost.`}
      </LeaveGuard>
    </>
  )
}

/** The filter stands in the address, so that it can be linked to and survives a reload. */
function useFilter(): [string, (text: string) => void] {
  const { q } = useSearch({ strict: false }) as { q?: unknown }
  const navigate = useNavigate()
  const setFilter = (text: string) =>
    void navigate({ to: '.', search: (text ? { q: text } : {}) as never, replace: true, resetScroll: false })
  return [typeof q === 'string' ? q : '', setFilter]
}
