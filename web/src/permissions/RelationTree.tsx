import { ChevronDown, ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { NamedReference } from './ObjectName.tsx'
import { parseReference } from './reference.ts'
import { groupRelationships, type TreeRow, treeRows } from './tree-rows.ts'
import type { Relations } from './use-relations.ts'
import { VirtualRows } from './VirtualRows.tsx'

interface RelationTreeProps {
  relations: Relations
  at: string | undefined
  onOpen: (at: string) => void
}

/** Up to this number of relationships everything is initially expanded. */
const expandAllLimit = 200
const noun: Record<TreeRow['kind'], [one: string, many: string]> = {
  type: ['object', 'objects'],
  object: ['relation', 'relations'],
  relation: ['subject', 'subjects'],
  subject: ['relation', 'relations'],
}

/** The relationships as a tree: type, object, relation, subject, continued if a subject has relations itself. */
export function RelationTree({ relations: { rows, loadMore, isLoadingMore }, at, onOpen }: RelationTreeProps) {
  const [toggledPaths, setToggledPaths] = useState<ReadonlySet<string>>(new Set())
  const grouped = useMemo(() => groupRelationships(rows), [rows])
  const isShort = rows.length <= expandAllLimit
  const lines = useMemo(
    () =>
      treeRows(grouped, (path, kind) => {
        const isOpenByDefault = kind === 'type' || (isShort && kind !== 'subject')
        return toggledPaths.has(path) !== isOpenByDefault
      }),
    [grouped, toggledPaths, isShort],
  )
  const toggle = ({ path }: TreeRow) =>
    setToggledPaths((before) => {
      const after = new Set(before)
      if (!after.delete(path)) after.add(path)
      return after
    })

  function handleKey(key: string, index: number): number | undefined {
    const line = lines[index]
    if (!line || (key !== 'ArrowRight' && key !== 'ArrowLeft')) return undefined
    const isRight = key === 'ArrowRight'
    if (line.size > 0 && line.isOpen !== isRight) {
      toggle(line)
      return index
    }
    if (isRight) return line.size > 0 ? index + 1 : index
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
      onNearEnd={isLoadingMore ? undefined : loadMore}
      onKey={handleKey}
      onOpen={(index) => {
        const line = lines[index]
        if (line?.at) onOpen(line.at)
        else if (line) toggle(line)
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
          content: <Line line={line} onToggle={() => toggle(line)} />,
        }
      }}
    />
  )
}

function Line({ line: { level, kind, text, size, isOpen }, onToggle }: { line: TreeRow; onToggle: () => void }) {
  const Chevron = isOpen ? ChevronDown : ChevronRight
  const [singular, plural] = noun[kind]
  const reference = parseReference(text)
  return (
    <>
      <span aria-hidden="true" className="shrink-0" style={{ width: `${Math.min(level, 12) * 18 - 8}px` }} />
      {size > 0 ? (
        // biome-ignore lint/a11y/noStaticElementInteractions: only for the pointer; the arrow keys do the same
        // biome-ignore lint/a11y/useKeyWithClickEvents: as above
        <span
          className="grid size-7 shrink-0 place-items-center rounded-ctl text-ink3 hover:bg-card"
          onClick={(event) => {
            event.stopPropagation()
            onToggle()
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
          {size.toLocaleString('en')} {size === 1 ? singular : plural}
        </span>
      )}
    </>
  )
}
