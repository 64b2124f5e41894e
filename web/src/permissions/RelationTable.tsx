import { CornerDownRight } from 'lucide-react'
import { fromNow } from '../ui/Moment.tsx'
import { printReference } from './reference.ts'
import { useNarrow } from './use-narrow.ts'
import type { Relations, ShownRelationship } from './use-relations.ts'
import { VirtualRows } from './VirtualRows.tsx'

interface RelationTableProps {
  relations: Relations
  /** The key of the row that is looked at. */
  at: string | undefined
  onOpen: (key: string) => void
}

const columns =
  'grid grid-cols-[minmax(0,1.3fr)_minmax(0,.7fr)_minmax(0,1.3fr)_minmax(0,.7fr)_7.5rem] items-center gap-4 px-4'

/** The relationships as rows; ten thousand scroll as ten do. */
export function RelationTable({ relations: { rows, more, isLoadingMore }, at, onOpen }: RelationTableProps) {
  const isNarrow = useNarrow()
  return (
    <VirtualRows
      role="grid"
      label="Relationships"
      count={rows.length}
      rowHeight={isNarrow ? 68 : 44}
      isBusy={isLoadingMore}
      onNearEnd={isLoadingMore ? undefined : more}
      onOpen={(index) => onOpen(rows[index]?.key ?? '')}
      head={isNarrow ? undefined : <Head />}
      row={(index) => {
        const row = rows[index] as ShownRelationship
        return {
          key: row.key,
          props: { 'aria-selected': row.key === at, className: isNarrow ? 'px-4 py-2' : columns },
          content: isNarrow ? <Card row={row} /> : <Cells row={row} />,
        }
      }}
    />
  )
}

const heads = ['Resource', 'Relation', 'Subject', 'Condition', 'Runs out']

function Head() {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the rows have the focus
    // biome-ignore lint/a11y/useSemanticElements: as of the rows
    <div role="row" aria-rowindex={1} className={`${columns} h-9 bg-card text-[13px] font-[560] text-ink2`}>
      {heads.map((head) => (
        // biome-ignore lint/a11y/useFocusableInteractive: nothing can be done to a head
        // biome-ignore lint/a11y/useSemanticElements: as of the rows
        <div key={head} role="columnheader">
          {head}
        </div>
      ))}
    </div>
  )
}

const mono = 'truncate font-mono text-[12.5px]'

function Cells({ row: { relationship, isFollowed } }: { row: ShownRelationship }) {
  const { resource, relation, subject, caveat, expiresAt } = relationship
  const cells = [printReference(resource), relation, printReference(subject), caveat?.name ?? '', endOf(expiresAt)]
  return cells.map((text, at) => (
    // biome-ignore lint/a11y/useFocusableInteractive: the row has the focus
    // biome-ignore lint/a11y/useSemanticElements: as of the rows
    <div
      key={heads[at]}
      role="gridcell"
      className={`flex min-w-0 items-center gap-1.5 ${at === 1 ? 'font-[600]' : at > 2 ? 'text-ink2' : ''}`}
      title={at < 4 ? text : expiresAt}
    >
      {at === 0 && isFollowed && <Followed />}
      <span className={at < 4 ? mono : 'truncate text-[13px]'}>{text}</span>
    </div>
  ))
}

function Card({ row: { relationship, isFollowed } }: { row: ShownRelationship }) {
  const { resource, relation, subject, caveat, expiresAt } = relationship
  const rest = [caveat && `[${caveat.name}]`, expiresAt && `runs out ${endOf(expiresAt)}`].filter(Boolean)
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the row has the focus
    // biome-ignore lint/a11y/useSemanticElements: as of the rows
    <div role="gridcell" className="grid min-w-0 gap-1">
      <span className="flex items-center gap-1.5">
        {isFollowed && <Followed />}
        <span className={mono}>{printReference(resource)}</span>
      </span>
      <span className={mono}>
        <b className="font-[650]">{relation}</b> {printReference(subject)} {rest.join(' ')}
      </span>
    </div>
  )
}

function Followed() {
  return (
    <>
      <CornerDownRight size={13} className="shrink-0 text-ink3" aria-hidden="true" />
      <span className="sr-only">Followed: </span>
    </>
  )
}

const endOf = (expiresAt: string | undefined) => (expiresAt ? fromNow(expiresAt) : '')
