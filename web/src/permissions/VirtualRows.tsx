import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  type HTMLAttributes,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react'

interface VirtualRow {
  key: string
  /** Of the row besides what this list says of it. */
  props?: HTMLAttributes<HTMLElement>
  content: ReactNode
}

interface VirtualRowsProps {
  role: 'grid' | 'tree'
  label: string
  count: number
  /** In pixels; every row has the same. */
  rowHeight: number
  row: (index: number) => VirtualRow
  /** The row to begin at. */
  start?: number
  /** The heads of the columns, of the same height. */
  head?: ReactNode
  /** How many columns there are, where rows may leave empty cells out. */
  columns?: number
  /** Whether several rows can be chosen. */
  isMulti?: boolean
  /** A click, Enter or a blank. */
  onOpen: (index: number) => void
  /** Other keys: gives the row to go to, or nothing where the key means nothing here. */
  onKey?: (key: string, index: number) => number | undefined
  /** The last rows are near. */
  onNearEnd?: (() => void) | undefined
  isBusy?: boolean
}

/**
 * A long list of which only what is seen is in the document. It is one stop of the Tab key: arrows, Home, End and the
 * page keys go from row to row.
 */
export function VirtualRows(props: VirtualRowsProps) {
  const {
    role,
    label,
    count,
    rowHeight,
    row,
    start = 0,
    head,
    columns,
    isMulti,
    onOpen,
    onKey,
    onNearEnd,
    isBusy,
  } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [chosen, setActive] = useState(start)
  const active = Math.min(chosen, count - 1)
  const isToFocus = useRef(false)
  const isGrid = role === 'grid'
  const headHeight = head ? rowHeightOfHead : 0
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    // Well more than one frame of the fastest wheel scrolls by.
    overscan: 24,
    scrollPaddingStart: headHeight,
    initialOffset: () => Math.max(0, (start - 4) * rowHeight),
    rangeExtractor: (range) => withRow(active, defaultRangeExtractor(range)),
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0

  useEffect(() => {
    if (count > 0 && last >= count - 40) onNearEnd?.()
  }, [last, count, onNearEnd])
  useEffect(() => rows.measure(), [rowHeight, rows])
  useEffect(() => {
    if (!isToFocus.current) return
    isToFocus.current = false
    scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)?.focus({ preventScroll: true })
  })

  function goTo(index: number) {
    const to = Math.max(0, Math.min(index, count - 1))
    isToFocus.current = true
    setActive(to)
    rows.scrollToIndex(to)
  }
  function press(event: KeyboardEvent) {
    if (event.altKey || event.ctrlKey || event.metaKey || count === 0) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1)
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -count,
      End: count,
    }
    const step = steps[event.key]
    const to = step === undefined ? onKey?.(event.key, active) : active + step
    const isOpening = event.key === 'Enter' || event.key === ' '
    if (to === undefined && !isOpening) return
    event.preventDefault()
    if (to !== undefined) goTo(to)
    else onOpen(active)
  }

  function click({ target }: MouseEvent) {
    const index = Number((target as Element).closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1)
    if (index < 0) return
    setActive(index)
    onOpen(index)
  }

  const frame = {
    role,
    'aria-label': label,
    'aria-busy': isBusy || undefined,
    'aria-multiselectable': isMulti,
    'aria-colcount': columns,
    ...(isGrid && { 'aria-rowcount': count + (head ? 1 : 0) }),
    onKeyDown: press,
    onClick: click,
  }
  return (
    <div ref={scroller} {...frame} className="max-h-[max(22rem,calc(100dvh-20rem))] overflow-auto overscroll-contain">
      {head && (
        // biome-ignore lint/a11y/useSemanticElements: the rows of a table cannot be taken out and put back
        <div role="rowgroup" className="sticky top-0 z-10">
          {head}
        </div>
      )}
      <div role={isGrid ? 'rowgroup' : 'none'} className="relative" style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const { key, props, content } = row(index)
          const own = isGrid ? { role: 'row', 'aria-rowindex': index + (head ? 2 : 1) } : { role: 'treeitem' }
          return (
            <div
              key={key}
              {...own}
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

const rowHeightOfHead = 36

/** The row that the keys are at stays, wherever the rest has been scrolled to. */
const withRow = (active: number, range: number[]) =>
  active < 0 || range.includes(active) ? range : [...range, active].toSorted((a, b) => a - b)
