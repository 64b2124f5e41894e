import { listTrash, type TrashKind } from '@passport/contract/trash'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ArchiveRestore } from 'lucide-react'
import { call, toFailure } from '../app/api.ts'
import { FilterChips } from '../directory/FilterChips.tsx'
import { parseNextCursor } from '../directory/list-cursor.ts'
import { PageMenu } from '../directory/PageMenu.tsx'
import { useSelection } from '../directory/selection.ts'
import { formatCount } from '../directory/total.ts'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { ResultReport } from '../ui/ResultReport.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { RestoreDialog } from './RestoreDialog.tsx'
import { keyOf } from './restore.ts'
import { findLabels, kinds, TrashTable } from './TrashTable.tsx'
import { useRestore } from './use-restore.ts'

const pageSize = 50
const kindFilters = [{ name: 'kind', label: 'Kind', options: kinds }]

/** The trash: records deleted in the last 30 days, restored one by one or many at once. */
export function TrashPage() {
  const { kind, text, show } = useFilter()
  const trash = useTrash(kind, text)
  const entries = trash.data?.pages.flatMap(({ items }) => items)
  const ids = entries?.map(keyOf) ?? []
  const selection = useSelection(JSON.stringify([kind, text]), ids, ids.length)
  const restoring = useRestore()
  const { conflict, report, progress } = restoring
  const selected = entries?.filter((entry) => selection.has(keyOf(entry))) ?? []

  async function restoreSelected() {
    await restoring.restoreAll(selected)
    selection.clear()
  }

  return (
    <div>
      <header className="flex items-center justify-between gap-3">
        <div>
          <h1>Trash</h1>
          <p className="mt-1 text-ink2">Deleted items are kept for 30 days, then permanently deleted.</p>
        </div>
        <PageMenu />
      </header>
      <div className="mt-5 flex flex-wrap gap-2">
        <SearchBox
          label="Search the trash"
          placeholder="Name, email or ID"
          value={text}
          onSearch={(q) => show({ kind, q })}
        />
        <FilterChips
          className=""
          filters={kindFilters}
          state={{
            filters: kind ? { kind } : {},
            filter: (_, next) => show({ kind: next, q: text }),
            clear: () => show({ q: text }),
          }}
        />
      </div>
      {report && (
        <div className="mt-3">
          <ResultReport doneText={report.doneText} failed={report.failed} onClose={restoring.closeReport} />
        </div>
      )}
      <div className="mt-3 overflow-clip card">
        {trash.error && !trash.isFetchNextPageError && (
          <ErrorCard failure={toFailure(trash.error, 'load the trash')} onRetry={() => void trash.refetch()} />
        )}
        {trash.isPending && (
          <div className="pt-5">
            <Skeleton label="Loading trash" rows={10} rowClass="h-[38px]" />
          </div>
        )}
        {entries?.length === 0 && <NoEntries kind={kind} text={text} onClear={() => show({})} />}
        {entries && entries.length > 0 && (
          <TrashTable
            entries={entries}
            selection={selection}
            isStale={trash.isPlaceholderData}
            busyId={restoring.busyId}
            onRestore={(entry) => void restoring.restoreEntry(entry)}
          />
        )}
        {trash.hasNextPage && (
          <div className="border-t border-line px-4 py-3 sm:px-[18px]">
            <Button isSmall isBusy={trash.isFetchingNextPage} onClick={() => void trash.fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </div>
      {selected.length > 0 && (
        <div className="sticky bottom-4 z-10 mt-3 flex justify-center">
          <div
            role="toolbar"
            aria-label="Bulk actions"
            className="bulk-bar flex max-w-full flex-wrap items-center gap-2 rounded-box p-1.5 shadow-pop max-sm:w-full"
          >
            <span role="status" className="bulk-count pr-2.5! max-sm:mr-auto">
              {progress
                ? `Restoring ${progress.done + 1} of ${progress.total}`
                : `${formatItems(selected.length)} selected`}
            </span>
            <Button isSmall isBusy={progress !== undefined} onClick={() => void restoreSelected()}>
              <ArchiveRestore size={15} aria-hidden="true" />
              Restore
            </Button>
            {progress ? (
              <Button isSmall variant="ghost" onClick={restoring.stop}>
                Cancel
              </Button>
            ) : (
              <Button isSmall variant="ghost" onClick={selection.clear}>
                Clear
              </Button>
            )}
          </div>
        </div>
      )}
      {conflict && (
        <RestoreDialog
          {...conflict}
          isBusy={restoring.busyId !== undefined}
          onRestore={(name) =>
            void restoring.restoreEntry(conflict.entry, { ...conflict.names, [conflict.conflict.field]: name })
          }
          onClose={restoring.dismiss}
        />
      )}
    </div>
  )
}

const formatItems = (count: number) => formatCount(count, ['item', 'items'])

function NoEntries({ kind, text, onClear }: { kind: TrashKind | undefined; text: string; onClear: () => void }) {
  if (!kind && text === '')
    return (
      <Empty kind="nothing yet" title="Trash is empty">
        Items deleted in the last 30 days appear here.
      </Empty>
    )
  const noun = kind ? findLabels(kind).label.toLowerCase() : 'items'
  return (
    <Empty kind="no match" title={text === '' ? `No ${noun} in the trash` : `No ${noun} match`}>
      <Button className="mt-3" isSmall onClick={onClear}>
        Show all
      </Button>
    </Empty>
  )
}

/** Returns the kind and the search text in the URL, and `show` to change them. */
function useFilter() {
  const { kind, q } = useSearch({ strict: false }) as { kind?: unknown; q?: unknown }
  const navigate = useNavigate()
  const show = ({ kind, q }: { kind?: string | undefined; q?: string }) =>
    void navigate({ to: '.', search: { ...(kind && { kind }), ...(q && { q }) } as never, resetScroll: false })
  return {
    kind: kinds.find(({ value }) => value === kind)?.value,
    text: typeof q === 'string' ? q.slice(0, 100) : '',
    show,
  }
}

const useTrash = (kind: TrashKind | undefined, text: string) =>
  useInfiniteQuery({
    queryKey: [listTrash.path, { query: { kind, ...(text && { query: text }), limit: pageSize } }],
    queryFn: ({ pageParam, signal }) =>
      call(listTrash, { query: { kind, ...(text && { query: text }), limit: pageSize, after: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === null ? undefined : parseNextCursor(next)),
    placeholderData: keepPreviousData,
  })
