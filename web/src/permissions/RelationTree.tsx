import { ChevronDown, ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { NamedReference } from './ObjectName.tsx'
import { readReference } from './reference.ts'
import { shelve, type TreeRow, treeRows } from './tree-rows.ts'
import type { Relations } from './use-relations.ts'
import { VirtualRows } from './VirtualRows.tsx'

interface RelationTreeProps {
  relations: Relations
  at: string | undefined
  onOpen: (at: string) => void
}

/** Up to so many relationships everything is unfolded at first. */
const fewEnough = 200
const noun: Record<TreeRow['kind'], [one: string, many: string]> = {
  type: ['object', 'objects'],
  object: ['relation', 'relations'],
  relation: ['subject', 'subjects'],
  subject: ['relation', 'relations'],
}

/** The relationships as a tree: type, object, relation, subject, and on where a subject has relations itself. */
export function RelationTree({ relations: { rows, more, isLoadingMore }, at, onOpen }: RelationTreeProps) {
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set())
  const shelves = useMemo(() => shelve(rows), [rows])
  const isFew = rows.length <= fewEnough
  const lines = useMemo(
    () =>
      treeRows(shelves, (path, kind) => {
        const isOpenAtFirst = kind === 'type' || (isFew && kind !== 'subject')
        return turned.has(path) !== isOpenAtFirst
      }),
    [shelves, turned, isFew],
  )
  const turn = ({ path }: TreeRow) =>
    setTurned((before) => {
      const after = new Set(before)
      if (!after.delete(path)) after.add(path)
      return after
    })

  function press(key: string, index: number): number | undefined {
    const line = lines[index]
    if (!line || (key !== 'ArrowRight' && key !== 'ArrowLeft')) return undefined
    const isOut = key === 'ArrowRight'
    if (line.size > 0 && line.isOpen !== isOut) {
      turn(line)
      return index
    }
    if (isOut) return line.size > 0 ? index + 1 : index
    const parent = lines.findIndex(({ path }) => path === line.parent)
    return parent === -1 ? index : parent
  }

  return (
    <VirtualRows
      role="tree"
      label="Relationships"
      count={lines.length}
      rowHeight={36}
      isBusy={isLoadingMore}
      onNearEnd={isLoadingMore ? undefined : more}
      onKey={press}
      onOpen={(index) => {
        const line = lines[index]
        if (line?.at) onOpen(line.at)
        else if (line) turn(line)
      }}
      row={(index) => {
        const line = lines[index] as TreeRow
        return {
          key: line.path,
          props: {
            'aria-level': line.level,
            'aria-selected': line.at !== undefined && line.at === at,
            ...(line.size > 0 && { 'aria-expanded': line.isOpen }),
            className: 'flex items-center gap-1.5 pr-4',
          },
          content: <Line line={line} onTurn={() => turn(line)} />,
        }
      }}
    />
  )
}

function Line({ line: { level, kind, text, size, isOpen }, onTurn }: { line: TreeRow; onTurn: () => void }) {
  const Chevron = isOpen ? ChevronDown : ChevronRight
  const [one, many] = noun[kind]
  const reference = readReference(text)
  return (
    <>
      <span aria-hidden="true" className="shrink-0" style={{ width: `${Math.min(level, 12) * 18 - 8}px` }} />
      {size > 0 ? (
        // biome-ignore lint/a11y/noStaticElementInteractions: for the pointer; the arrow keys do the same
        // biome-ignore lint/a11y/useKeyWithClickEvents: as above
        <span
          className="grid size-7 shrink-0 place-items-center rounded-ctl text-ink3 hover:bg-card"
          onClick={(event) => {
            event.stopPropagation()
            onTurn()
          }}
        >
          <Chevron size={15} aria-hidden="true" />
        </span>
      ) : (
        <span className="w-7 shrink-0" />
      )}
      <span className={`truncate font-mono text-[12.5px] ${kind === 'relation' ? 'font-[650]' : ''}`} title={text}>
        {reference ? <NamedReference reference={reference} /> : text}
      </span>
      {size > 0 && kind !== 'subject' && (
        <span className="shrink-0 text-[12px] text-ink3">
          {size.toLocaleString('en')} {size === 1 ? one : many}
        </span>
      )}
    </>
  )
}
