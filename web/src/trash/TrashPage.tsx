import { listTrash, type TrashEntry, type TrashKind } from '@passport/contract/trash'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { parseNextCursor } from '../directory/list-cursor.ts'
import { RowName } from '../directory/RowName.tsx'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Picture } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Select } from '../ui/Select.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Table, TableCell, TableRow } from '../ui/Table.tsx'
import { RestoreDialog } from './RestoreDialog.tsx'
import { type NameConflict, type NewNames, restore } from './restore.ts'

const kinds: { value: TrashKind; label: string; singular: string }[] = [
  { value: 'user', label: 'Users', singular: 'User' },
  { value: 'org', label: 'Organisations', singular: 'Organisation' },
  { value: 'group', label: 'Groups', singular: 'Group' },
]
const pageSize = 50

/** The trash: records deleted in the last 30 days, to be restored. */
export function TrashPage() {
  const [kind, setKind] = useKind()
  const trash = useTrash(kind)
  const entries = trash.data?.pages.flatMap(({ items }) => items)
  const { restoreEntry, busyId, conflict, dismiss } = useRestore()
  return (
    <div>
      <h1>Trash</h1>
      <p className="mt-1 text-ink2">Deleted items are kept for 30 days, then permanently deleted.</p>
      <div className="mt-5 w-48">
        <Select
          label="Kind"
          isLabelHidden
          options={[{ value: '', label: 'All kinds' }, ...kinds]}
          value={kind ?? ''}
          onChange={({ target }) => setKind(target.value)}
        />
      </div>
      <div className="mt-3 card">
        {trash.error && !trash.isFetchNextPageError && (
          <ErrorCard failure={toFailure(trash.error)} onRetry={() => void trash.refetch()} />
        )}
        {trash.isPending && (
          <div className="pt-5">
            <Skeleton label="Loading trash" rows={4} />
          </div>
        )}
        {entries?.length === 0 &&
          (kind ? (
            <Empty kind="no match" title={`No ${findLabels(kind).label.toLowerCase()} in the trash`}>
              <Button className="mt-3" isSmall onClick={() => setKind('')}>
                Show all
              </Button>
            </Empty>
          ) : (
            <Empty kind="nothing yet" title="Trash is empty">
              Items deleted in the last 30 days appear here.
            </Empty>
          ))}
        {entries && entries.length > 0 && (
          <Table
            caption="Deleted items"
            header={
              <>
                <th scope="col">Name</th>
                <th scope="col">Kind</th>
                <th scope="col">Deleted</th>
                <th scope="col">Permanently deleted</th>
                <th scope="col" className="w-28">
                  <span className="sr-only">Actions</span>
                </th>
              </>
            }
          >
            {entries.map((entry) => (
              <Row
                key={`${entry.kind} ${entry.id}`}
                entry={entry}
                isBusy={busyId === entry.id}
                onRestore={restoreEntry}
              />
            ))}
          </Table>
        )}
        {trash.hasNextPage && (
          <div className="border-t border-line px-5 py-3">
            <Button isSmall isBusy={trash.isFetchingNextPage} onClick={() => void trash.fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </div>
      {conflict && (
        <RestoreDialog
          {...conflict}
          isBusy={busyId !== undefined}
          onRestore={(name) =>
            void restoreEntry(conflict.entry, { ...conflict.names, [conflict.conflict.field]: name })
          }
          onClose={dismiss}
        />
      )}
    </div>
  )
}

const findLabels = (kind: TrashKind) => kinds.find(({ value }) => value === kind) ?? { label: kind, singular: kind }

interface RowProps {
  entry: TrashEntry
  isBusy: boolean
  onRestore: (entry: TrashEntry) => Promise<void>
}

function Row({ entry, isBusy, onRestore }: RowProps) {
  const { kind, id, name, detail, deletedAt, deletedBy, restorableUntil } = entry
  return (
    <TableRow>
      <TableCell>
        <RowName picture={<Picture kind={kind} id={id} name={name} />} name={name} detail={detail} />
      </TableCell>
      <TableCell className="align-middle! text-ink2">{findLabels(kind).singular}</TableCell>
      <TableCell className="align-middle!">
        <span className="sm:hidden">Deleted </span>
        <RelativeTime at={deletedAt} />
        {deletedBy && <span className="text-ink3"> by {deletedBy.name}</span>}
      </TableCell>
      <TableCell className="align-middle! text-ink2">
        <span className="sm:hidden">Permanently deleted </span>
        <RelativeTime at={restorableUntil} />
      </TableCell>
      <TableCell className="align-middle! sm:text-right">
        <Button isSmall isBusy={isBusy} aria-label={`Restore ${name}`} onClick={() => void onRestore(entry)}>
          Restore
        </Button>
      </TableCell>
    </TableRow>
  )
}

function useKind(): [TrashKind | undefined, (kind: string) => void] {
  const { kind } = useSearch({ strict: false }) as { kind?: unknown }
  const navigate = useNavigate()
  const knownKind = kinds.find(({ value }) => value === kind)?.value
  return [knownKind, (kind) => void navigate({ to: '.', search: (kind ? { kind } : {}) as never, resetScroll: false })]
}

const useTrash = (kind: TrashKind | undefined) =>
  useInfiniteQuery({
    queryKey: [listTrash.path, kind],
    queryFn: ({ pageParam, signal }) =>
      call(listTrash, { query: { kind, limit: pageSize, after: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === null ? undefined : parseNextCursor(next)),
  })

/**
 * Restores records one at a time; if a name is taken, `conflict` is set until another one is chosen or `dismiss` is
 * called.
 */
function useRestore() {
  const queries = useQueryClient()
  const [busyId, setBusyId] = useState<string>()
  const [conflict, setConflict] = useState<{ entry: TrashEntry; names: NewNames; conflict: NameConflict }>()
  const dismiss = () => setConflict(undefined)

  async function restoreEntry(entry: TrashEntry, names: NewNames = {}) {
    setBusyId(entry.id)
    try {
      const nameConflict = await restore(entry, names)
      if (nameConflict) return setConflict({ entry, names, conflict: nameConflict })
      dismiss()
      // Every list of such records has one more now.
      await queries.invalidateQueries()
      reportSuccess(`${entry.name} restored`)
    } catch (error) {
      dismiss()
      reportFailure(`restore ${entry.name}`, error)
    } finally {
      setBusyId(undefined)
    }
  }
  return { restoreEntry, busyId, conflict, dismiss }
}
