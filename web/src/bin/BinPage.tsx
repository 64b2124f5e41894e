import { type BinEntry, type BinKind, listBin } from '@passport/contract/bin'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { afterOf } from '../directory/list-cursor.ts'
import { RowName } from '../directory/RowName.tsx'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Moment } from '../ui/Moment.tsx'
import { Select } from '../ui/Select.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Table, TableCell, TableRow } from '../ui/Table.tsx'
import { toast } from '../ui/toast.ts'
import { RestoreDialog } from './RestoreDialog.tsx'
import { type Names, restore, type Taken } from './restore.ts'

const kinds: { value: BinKind; label: string; one: string }[] = [
  { value: 'user', label: 'People', one: 'Person' },
  { value: 'org', label: 'Organisations', one: 'Organisation' },
  { value: 'group', label: 'Groups', one: 'Group' },
]
const pageSize = 50

/** What was deleted in the last 30 days, to be given back. */
export function BinPage() {
  const [kind, setKind] = useKind()
  const bin = useBin(kind)
  const entries = bin.data?.pages.flatMap(({ items }) => items)
  const { giveBack, busy, taken, forget } = useRestore()
  return (
    <div className="max-w-[1040px]">
      <h1>Bin</h1>
      <p className="mt-1 text-ink2">What was deleted is kept for 30 days, with all that belongs to it.</p>
      <div className="mt-5 w-48">
        <Select
          label="Kind"
          isLabelHidden
          options={[{ value: '', label: 'Anything' }, ...kinds]}
          value={kind ?? ''}
          onChange={({ target }) => setKind(target.value)}
        />
      </div>
      <div className="mt-3 rounded-box border border-line bg-card">
        {bin.error && !bin.isFetchNextPageError && (
          <ErrorCard failure={failureOf(bin.error)} onRetry={() => void bin.refetch()} />
        )}
        {bin.isPending && (
          <div className="pt-5">
            <Skeleton label="Loading the bin" rows={4} />
          </div>
        )}
        {entries?.length === 0 &&
          (kind ? (
            <Empty kind="no match" title={`No ${labelOf(kind).label.toLowerCase()} are in the bin`}>
              <Button className="mt-3" isSmall onClick={() => setKind('')}>
                Show anything
              </Button>
            </Empty>
          ) : (
            <Empty kind="nothing yet" title="The bin is empty">
              Nothing was deleted in the last 30 days.
            </Empty>
          ))}
        {entries && entries.length > 0 && (
          <Table
            caption="What was deleted"
            head={
              <>
                <th scope="col">Name</th>
                <th scope="col">Kind</th>
                <th scope="col">Deleted</th>
                <th scope="col">Gone for good</th>
                <th scope="col" className="w-28">
                  <span className="sr-only">Actions</span>
                </th>
              </>
            }
          >
            {entries.map((entry) => (
              <Row key={`${entry.kind} ${entry.id}`} entry={entry} isBusy={busy === entry.id} onRestore={giveBack} />
            ))}
          </Table>
        )}
        {bin.hasNextPage && (
          <div className="border-t border-line px-5 py-3">
            <Button isSmall isBusy={bin.isFetchingNextPage} onClick={() => void bin.fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </div>
      {taken && (
        <RestoreDialog
          {...taken}
          isBusy={busy !== undefined}
          onRestore={(name) => void giveBack(taken.entry, { ...taken.names, [taken.taken.field]: name })}
          onClose={forget}
        />
      )}
    </div>
  )
}

const labelOf = (kind: BinKind) => kinds.find(({ value }) => value === kind) ?? { label: kind, one: kind }

interface RowProps {
  entry: BinEntry
  isBusy: boolean
  onRestore: (entry: BinEntry) => Promise<void>
}

function Row({ entry, isBusy, onRestore }: RowProps) {
  const { kind, id, name, detail, deletedAt, deletedBy, restorableUntil } = entry
  return (
    <TableRow>
      <TableCell>
        <RowName seed={id} name={name} about={detail} />
      </TableCell>
      <TableCell className="align-middle! text-ink2">{labelOf(kind).one}</TableCell>
      <TableCell className="align-middle!">
        <span className="sm:hidden">Deleted </span>
        <Moment at={deletedAt} />
        {deletedBy && <span className="text-ink3"> by {deletedBy.name}</span>}
      </TableCell>
      <TableCell className="align-middle! text-ink2">
        <span className="sm:hidden">Gone for good </span>
        <Moment at={restorableUntil} />
      </TableCell>
      <TableCell className="align-middle! sm:text-right">
        <Button isSmall isBusy={isBusy} aria-label={`Restore ${name}`} onClick={() => void onRestore(entry)}>
          Restore
        </Button>
      </TableCell>
    </TableRow>
  )
}

function useKind(): [BinKind | undefined, (kind: string) => void] {
  const { kind } = useSearch({ strict: false }) as { kind?: unknown }
  const navigate = useNavigate()
  const known = kinds.find(({ value }) => value === kind)?.value
  return [known, (kind) => void navigate({ to: '.', search: (kind ? { kind } : {}) as never, resetScroll: false })]
}

const useBin = (kind: BinKind | undefined) =>
  useInfiniteQuery({
    queryKey: [listBin.path, kind],
    queryFn: ({ pageParam, signal }) =>
      call(listBin, { query: { kind, limit: pageSize, after: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === null ? undefined : afterOf(next)),
  })

/** Gives things back, one at a time; where a name is taken meanwhile, `taken` asks for another. */
function useRestore() {
  const queries = useQueryClient()
  const [busy, setBusy] = useState<string>()
  const [taken, setTaken] = useState<{ entry: BinEntry; names: Names; taken: Taken }>()
  const forget = () => setTaken(undefined)

  async function giveBack(entry: BinEntry, names: Names = {}) {
    setBusy(entry.id)
    try {
      const inTheWay = await restore(entry, names)
      if (inTheWay) return setTaken({ entry, names, taken: inTheWay })
      forget()
      // Everything that lists such things has one more now.
      await queries.invalidateQueries()
      void toast({ type: 'success', content: `${entry.name} is restored` })
    } catch (error) {
      forget()
      void toast({ type: 'error', content: `Not restored. ${failureOf(error).detail}` })
    } finally {
      setBusy(undefined)
    }
  }
  return { giveBack, busy, taken, forget }
}
