import { CornerDownRight } from 'lucide-react'
import { type CSSProperties, useState, useSyncExternalStore } from 'react'
import type { Selection } from '../directory/selection.ts'
import { ObjectLine, ObjectParts } from '../permissions/ObjectName.tsx'
import { printReference } from '../permissions/reference.ts'
import { Check } from '../ui/Check.tsx'
import { formatRelative } from '../ui/RelativeTime.tsx'
import { isDeletable } from './change-relationship.ts'
import type { Relations, ShownRelationship } from './use-relations.ts'
import { VirtualRows } from './VirtualRows.tsx'

interface RelationTableProps {
  relations: Relations
  /** The key of the selected row. */
  at: string | undefined
  selection: Selection
  onOpen: (key: string) => void
}

const columns = 'grid [grid-template-columns:var(--columns)] items-center gap-4 px-4'

/** Returns the widths of the columns. Those of caveats and expiry are left out if no row has a value. */
function findWidths(hasCaveat: boolean, hasExpiry: boolean): string {
  const base = '1.25rem minmax(0,1.3fr) minmax(0,.6fr) minmax(0,1.3fr)'
  if (hasExpiry) return `${base} ${hasCaveat ? 'minmax(0,.6fr)' : '0'} 7.5rem`
  return hasCaveat ? `${base} minmax(0,.6fr)` : base
}

/** The relationships as virtualized rows that can be selected. */
export function RelationTable({
  relations: { rows, loadMore, isLoadingMore },
  at,
  selection,
  onOpen,
}: RelationTableProps) {
  const isNarrow = useIsNarrow()
  const Parts = isNarrow ? Card : Cells
  const [startAt] = useState(() =>
    Math.max(
      0,
      rows.findIndex(({ key }) => key === at),
    ),
  )
  const hasCaveat = rows.some(({ relationship }) => relationship.caveat)
  const hasExpiry = rows.some(({ relationship }) => relationship.expiresAt)
  const shownHeads = heads.map((head, index) => (index < 3 || (index === 3 ? hasCaveat : hasExpiry) ? head : ''))
  return (
    <div style={{ '--columns': findWidths(hasCaveat, hasExpiry) } as CSSProperties}>
      <VirtualRows
        label="Relationships"
        count={rows.length}
        start={startAt}
        rowHeight={isNarrow ? 76 : 46}
        isBusy={isLoadingMore}
        isMulti
        columns={isNarrow ? 2 : heads.length + 1}
        onNearEnd={isLoadingMore ? undefined : loadMore}
        onOpen={(index) => onOpen(rows[index]?.key ?? '')}
        onKey={(key, index) => {
          const row = rows[index]
          if (key !== 'x' || !row || !isDeletable(row)) return undefined
          selection.toggle(row.key)
          return index
        }}
        header={isNarrow ? undefined : <Head heads={shownHeads} selection={selection} />}
        row={(index) => {
          const row = rows[index] as ShownRelationship
          const isChosen = selection.has(row.key) && isDeletable(row)
          return {
            key: row.key,
            props: {
              'aria-selected': isChosen,
              'aria-current': row.key === at ? 'true' : undefined,
              className: isNarrow ? 'grid grid-cols-[1.25rem_minmax(0,1fr)] items-center gap-4 px-4 py-2' : columns,
            },
            content: (
              <>
                {isDeletable(row) && (
                  <RowCheckbox
                    label={`Select ${row.key}`}
                    isChosen={isChosen}
                    onToggle={(isRange) => selection.toggle(row.key, isRange)}
                  />
                )}
                <Parts row={row} />
              </>
            ),
          }
        }}
      />
    </div>
  )
}

const heads = ['Resource', 'Relation', 'Subject', 'Caveat', 'Expires']

/** The header row; a column without values has an empty head. */
function Head({ heads, selection }: { heads: readonly string[]; selection: Selection }) {
  return (
    <div role="row" aria-rowindex={1} className={`${columns} h-9 bg-card text-[12px] font-[560] text-ink2`}>
      <div role="columnheader" aria-colindex={1} className="-mx-3 grid place-items-center">
        <Check
          className="h-9 w-11 justify-center"
          aria-label="Select all shown"
          checked={selection.pageState === 'all'}
          isMixed={selection.pageState === 'some'}
          onChange={selection.togglePage}
        />
      </div>
      {heads.map(
        (head, index) =>
          head && (
            <div key={head} role="columnheader" aria-colindex={index + 2} className={headClasses[index]}>
              {head}
            </div>
          ),
      )}
    </div>
  )
}

interface RowCheckboxProps {
  label: string
  isChosen: boolean
  onToggle: (isRange: boolean) => void
}

/** The checkbox of a row. The whole cell is clickable; with the keyboard, the row's x key selects. */
function RowCheckbox({ label, isChosen, onToggle }: RowCheckboxProps) {
  return (
    <div
      role="gridcell"
      aria-colindex={1}
      className="-mx-3 grid h-full place-items-center"
      onClick={(event) => {
        event.stopPropagation()
        onToggle(event.shiftKey)
      }}
    >
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={label}
        checked={isChosen}
        readOnly
        className="size-4 accent-stamp"
      />
    </div>
  )
}

const headClasses = ['col-start-2', 'col-start-3', 'col-start-4', 'col-start-5', 'col-start-6']
const columnClasses = [
  'col-start-2 flex min-w-0 items-center gap-2',
  'col-start-3 truncate',
  'col-start-4 flex min-w-0 items-center gap-2',
  'col-start-5 truncate font-mono text-[12.5px] text-ink2',
  'col-start-6 truncate text-[13px] text-ink2',
]

/** The cells of a row, without empty ones: most rows have no condition and no expiry. */
function Cells({ row: { relationship, isFollowed } }: { row: ShownRelationship }) {
  const { resource, relation, subject, caveat, expiresAt } = relationship
  const cells = [
    { text: printReference(resource), shown: <ObjectParts object={resource} size={28} /> },
    { text: relation },
    { text: printReference(subject), shown: <ObjectParts object={subject} size={28} /> },
    { text: caveat?.name },
    { text: formatExpiry(expiresAt), title: expiresAt },
  ]
  return cells.map(
    ({ text, shown = text, title = text }, index) =>
      text && (
        <div
          key={heads[index]}
          role="gridcell"
          aria-colindex={index + 2}
          className={columnClasses[index]}
          title={title}
        >
          {index === 0 && isFollowed && <FollowedIcon />}
          {shown}
        </div>
      ),
  )
}

function Card({ row: { relationship, isFollowed } }: { row: ShownRelationship }) {
  const { resource, relation, subject, caveat, expiresAt } = relationship
  const details = [caveat && `[${caveat.name}]`, expiresAt && `expires ${formatExpiry(expiresAt)}`].filter(Boolean)
  return (
    <div role="gridcell" aria-colindex={2} className="col-start-2 grid min-w-0 gap-1">
      <span className="flex min-w-0 items-center">
        {isFollowed && <FollowedIcon />}
        <ObjectLine object={resource} />
      </span>
      <span className="flex min-w-0 items-center gap-2">
        <span className="shrink-0">{relation}</span>
        <ObjectLine object={subject} />
        <span className="truncate text-[13px] text-ink2">{details.join(' ')}</span>
      </span>
    </div>
  )
}

function FollowedIcon() {
  return (
    <>
      <CornerDownRight size={13} className="mr-1.5 shrink-0 text-ink3" aria-hidden="true" />
      <span className="sr-only">Followed: </span>
    </>
  )
}

const formatExpiry = (expiresAt: string | undefined) => expiresAt && formatRelative(expiresAt)

const narrowQuery = '(max-width: 639.98px)'

function subscribe(onChange: () => void) {
  const query = matchMedia(narrowQuery)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}

/** Reports whether the window is too narrow for columns, so that rows are cards. */
const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(narrowQuery).matches)
