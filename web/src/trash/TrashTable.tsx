import type { TrashEntry, TrashKind } from '@passport/contract/trash'
import { RowName } from '../directory/RowName.tsx'
import type { Selection } from '../directory/selection.ts'
import { Button } from '../ui/Button.tsx'
import { Check } from '../ui/Check.tsx'
import { Picture } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Table, TableCell, TableRow } from '../ui/Table.tsx'
import { keyOf } from './restore.ts'

export const kinds: { value: TrashKind; label: string; singular: string }[] = [
  { value: 'user', label: 'Users', singular: 'User' },
  { value: 'org', label: 'Organisations', singular: 'Organisation' },
  { value: 'group', label: 'Groups', singular: 'Group' },
  { value: 'client', label: 'Applications', singular: 'Application' },
  { value: 'identity-api', label: 'Identity APIs', singular: 'Identity API' },
  { value: 'entitlement', label: 'Entitlements', singular: 'Entitlement' },
  { value: 'aws-product', label: 'AWS products', singular: 'AWS product' },
  { value: 'content', label: 'Texts', singular: 'Text' },
]

/** Returns the names of a kind; those of an unknown kind are the kind itself. */
export const findLabels = (kind: TrashKind) =>
  kinds.find(({ value }) => value === kind) ?? { label: kind, singular: kind }

interface TrashTableProps {
  entries: TrashEntry[]
  selection: Selection
  isStale: boolean
  busyId: string | undefined
  onRestore: (entry: TrashEntry) => void
}

/** The deleted records, to be selected or restored. */
export function TrashTable({ entries, selection, isStale, busyId, onRestore }: TrashTableProps) {
  return (
    <Table
      caption="Deleted items"
      isHeaderSticky
      isFixed
      isStale={isStale}
      header={
        <>
          <th scope="col" className="w-11">
            <Check
              aria-label="Select all items"
              checked={selection.pageState === 'all'}
              isMixed={selection.pageState === 'some'}
              onChange={selection.togglePage}
            />
          </th>
          <th scope="col">Name</th>
          <th scope="col" className="w-[120px] max-lg:hidden">
            Kind
          </th>
          <th scope="col" className="w-[220px]">
            Deleted
          </th>
          <th scope="col" className="w-[160px]">
            Time left
          </th>
          <th scope="col" className="w-[104px]">
            <span className="sr-only">Actions</span>
          </th>
        </>
      }
    >
      {entries.map((entry) => (
        <Row
          key={keyOf(entry)}
          entry={entry}
          isSelected={selection.has(keyOf(entry))}
          isBusy={busyId === entry.id}
          onToggle={(isRange) => selection.toggle(keyOf(entry), isRange)}
          onRestore={() => onRestore(entry)}
        />
      ))}
    </Table>
  )
}

interface RowProps {
  entry: TrashEntry
  isSelected: boolean
  isBusy: boolean
  onToggle: (isRange: boolean) => void
  onRestore: () => void
}

function Row({ entry, isSelected, isBusy, onToggle, onRestore }: RowProps) {
  const { kind, id, name, detail, deletedAt, deletedBy, restorableUntil } = entry
  return (
    <TableRow
      className={`sm:h-[46px] sm:[&_td]:py-0 max-sm:relative max-sm:flex max-sm:flex-wrap max-sm:gap-x-1.5 max-sm:pl-13 ${isSelected ? 'bg-selection' : 'hover:bg-well'}`}
    >
      <TableCell className="align-middle! max-sm:absolute max-sm:top-2.5 max-sm:left-3">
        <Check
          aria-label={`Select ${name}`}
          checked={isSelected}
          onChange={({ nativeEvent }) => onToggle((nativeEvent as MouseEvent).shiftKey)}
        />
      </TableCell>
      <TableCell className="truncate align-middle! max-sm:basis-full max-sm:pr-24 max-sm:[&_.text-ink3]:hidden!">
        <RowName picture={<Picture kind={kind} id={id} name={name} />} name={name} detail={detail} />
      </TableCell>
      <TableCell className="align-middle! text-ink2 max-lg:hidden!">{findLabels(kind).singular}</TableCell>
      <TableCell className="truncate align-middle! max-sm:pl-[38px] max-sm:text-[13px] max-sm:text-ink2">
        <span className="sm:hidden">
          Deleted <RelativeTime at={deletedAt} inSentence /> ·
        </span>
        <span className="max-sm:hidden">
          <RelativeTime at={deletedAt} />
        </span>
        {deletedBy && <span className="text-ink3 max-sm:hidden"> by {deletedBy.name}</span>}
      </TableCell>
      <TableCell className="align-middle! max-sm:text-[13px]">
        <TimeLeft until={restorableUntil} />
      </TableCell>
      <TableCell className="align-middle! max-sm:absolute max-sm:top-2.5 max-sm:right-4 sm:text-right">
        <Button isSmall isBusy={isBusy} aria-label={`Restore ${name}`} onClick={onRestore}>
          Restore
        </Button>
      </TableCell>
    </TableRow>
  )
}

/** The days from the deletion to the permanent one. */
const keptDays = 30
const dayMs = 24 * 60 * 60 * 1000
/** From here on, a deadline is near. */
const fewDays = 7
const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** The days until the permanent deletion, with its date as a tooltip. */
function TimeLeft({ until }: { until: string }) {
  const days = Math.max(0, Math.ceil((Date.parse(until) - Date.now()) / dayMs))
  const isNear = days < fewDays
  return (
    <time
      dateTime={until}
      title={`Permanently deleted ${dateFormat.format(new Date(until))}`}
      className={`flex items-center gap-2.5 ${isNear ? 'text-warn' : 'text-ink2'}`}
    >
      <span aria-hidden="true" className="h-1.5 w-14 overflow-hidden rounded-full bg-line max-sm:hidden">
        <span
          className={`block h-full rounded-full ${isNear ? 'bg-warn' : 'bg-data'}`}
          style={{ width: `${Math.min(100, (100 * days) / keptDays)}%` }}
        />
      </span>
      <span>
        {days === 1 ? '1 day' : `${days} days`}
        <span className="sm:hidden"> left</span>
      </span>
    </time>
  )
}
