import { type Range, useVirtualizer } from '@tanstack/react-virtual'
import {
  type HTMLAttributes,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react'
import { findTargetRow } from '../permissions/row-keys.ts'

interface VirtualRow {
  key: string
  /** Further attributes of the row. */
  props?: HTMLAttributes<HTMLElement>
  content: ReactNode
}

interface VirtualRowsProps {
  label: string
  count: number
  /** The height of every row, in pixels. */
  rowHeight: number
  row: (index: number) => VirtualRow
  /** The initial row. */
  start?: number
  /** The header row. */
  header?: ReactNode
  /** The number of columns, if rows may omit empty cells. */
  columns?: number
  /** Whether several rows can be selected. */
  isMulti?: boolean
  /** Called on a click, Enter or Space. */
  onOpen: (index: number) => void
  /** Handles other keys. Returns the row to focus, or undefined for a key without a meaning. */
  onKey?: (key: string, index: number) => number | undefined
  /** Called near the last rows. */
  onNearEnd?: (() => void) | undefined
  isBusy?: boolean
}

/**
 * A virtualized grid with one tab stop: arrows, Home, End and the page keys move between rows. It has the roles of a table
 * on other elements, because the columns of a table element would change with the rendered rows.
 */
export function VirtualRows(props: VirtualRowsProps) {
  const { label, count, rowHeight, row, start = 0, header, columns, isMulti, onOpen, onKey, onNearEnd, isBusy } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [activeIndex, setActive] = useState(start)
  const active = Math.min(activeIndex, count - 1)
  /** The row that is to be focused once it is rendered. */
  const chosen = useRef<number>(null)
  const headerHeight = header ? headerRowHeight : 0
  const motion = useRef<Motion>(null)
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    onChange: ({ isScrolling, scrollDirection }) => {
      motion.current = isScrolling ? scrollDirection : null
    },
    scrollPaddingStart: headerHeight,
    initialOffset: () => Math.max(0, (start - 4) * rowHeight),
    rangeExtractor: (range) => includeRow(active, listRows(range, motion.current)),
  })
  const visibleRows = rows.getVirtualItems()
  const last = visibleRows.at(-1)?.index ?? 0

  useEffect(() => {
    if (count > 0 && last >= count - 40) onNearEnd?.()
  }, [last, count, onNearEnd])
  useEffect(() => rows.measure(), [rowHeight, rows])
  useEffect(() => {
    // An effect of an earlier rendering may run after the key.
    if (chosen.current !== active) return
    chosen.current = null
    scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)?.focus({ preventScroll: true })
  })

  function goTo(to: number) {
    chosen.current = to
    setActive(to)
    rows.scrollToIndex(to)
  }
  function handleKeyDown(event: KeyboardEvent) {
    if (event.altKey || event.ctrlKey || event.metaKey || count === 0) return
    const view = { count, rowHeight, height: scroller.current?.clientHeight ?? 0 }
    const to = findTargetRow(event.key, active, view) ?? onKey?.(event.key, active)
    const isOpening = event.key === 'Enter' || event.key === ' '
    if (to === undefined && !isOpening) return
    event.preventDefault()
    if (to !== undefined) goTo(to)
    else onOpen(active)
  }

  function handleClick({ target }: MouseEvent) {
    const index = Number((target as Element).closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1)
    if (index < 0) return
    setActive(index)
    onOpen(index)
  }

  const frame = {
    role: 'grid',
    'aria-label': label,
    'aria-busy': isBusy || undefined,
    'aria-multiselectable': isMulti,
    'aria-colcount': columns,
    'aria-rowcount': count + (header ? 1 : 0),
    onKeyDown: handleKeyDown,
    onClick: handleClick,
  }
  return (
    <div ref={scroller} {...frame} className="max-h-[max(22rem,calc(100dvh-20rem))] overflow-auto overscroll-contain">
      {header && (
        <div role="rowgroup" className="sticky top-0 z-10">
          {header}
        </div>
      )}
      <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
        {visibleRows.map(({ index, start }) => {
          const { key, props, content } = row(index)
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + (header ? 2 : 1)}
              data-index={index}
              tabIndex={index === active ? 0 : -1}
              {...props}
              className={`absolute inset-x-0 top-0 cursor-pointer border-t border-line -outline-offset-2 hover:bg-well aria-selected:bg-selection aria-[current=true]:shadow-[inset_3px_0_0_var(--stamp)] ${props?.className ?? ''}`}
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
            >
              {content}
            </div>
          )
        })}
      </div>
    </div>
  )
}

const headerRowHeight = 36

type Motion = 'forward' | 'backward' | null

/** The numbers of rows rendered beyond the visible ones: more in the direction of scrolling. */
const margins = { ahead: 13, behind: 2, atRest: 8 }

function listRows({ startIndex, endIndex, count }: Range, motion: Motion): number[] {
  const { ahead, behind, atRest } = margins
  const [before, after] = motion === 'forward' ? [behind, ahead] : motion ? [ahead, behind] : [atRest, atRest]
  const first = Math.max(0, startIndex - before)
  const last = Math.min(count - 1, endIndex + after)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

/** Keeps the active row rendered, wherever the list is scrolled. */
const includeRow = (active: number, range: number[]) =>
  active < 0 || range.includes(active) ? range : [...range, active].toSorted((a, b) => a - b)
