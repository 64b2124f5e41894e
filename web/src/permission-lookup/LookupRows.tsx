import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'

interface LookupRowsProps {
  /** The key of each row. */
  keys: readonly string[]
  /** Whether more rows follow the known ones. */
  hasMore: boolean
  /** Called near the last rows; absent if there is nothing to load. */
  onNearEnd: (() => void) | undefined
  /** Renders a row; its button has this `tabIndex`. */
  row: (index: number, tabIndex: number | undefined) => ReactNode
}

/** Lists up to this length are not virtualized. */
const virtualizeAbove = 20

/** A list of results of any length; asks for more near its end. */
export function LookupRows(props: LookupRowsProps) {
  const { keys, row, onNearEnd } = props
  const isShort = keys.length <= virtualizeAbove
  useEffect(() => {
    if (isShort) onNearEnd?.()
  }, [isShort, onNearEnd])
  if (keys.length === 0) return null
  if (!isShort) return <VirtualizedRows {...props} />
  return (
    <ul>
      {keys.map((key, index) => (
        <li key={key} className={`border-t border-line ${rowClass}`}>
          {row(index, undefined)}
        </li>
      ))}
    </ul>
  )
}

const rowClass = 'px-5 py-2'

/** A virtualized list. Its rows are one tab stop: arrows, Home, End and the page keys move between them. */
function VirtualizedRows({ keys, hasMore, onNearEnd, row }: LookupRowsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [activeIndex, setActive] = useState(0)
  const active = Math.min(activeIndex, keys.length - 1)
  /** The row to focus once it is rendered. */
  const pendingFocus = useRef<number>(undefined)
  const rows = useVirtualizer({
    count: keys.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => keys[index] ?? index,
    estimateSize: () => 45,
    overscan: 6,
    rangeExtractor: (range) => [...new Set([active, ...defaultRangeExtractor(range)])].toSorted((a, b) => a - b),
  })
  const visibleRows = rows.getVirtualItems()
  const last = rows.range?.endIndex ?? 0
  useEffect(() => {
    if (last >= keys.length - 100) onNearEnd?.()
  }, [last, keys.length, onNearEnd])
  useEffect(() => {
    // The effect of an earlier render may run after the key.
    if (pendingFocus.current !== active) return
    pendingFocus.current = undefined
    scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"] button`)?.focus({ preventScroll: true })
  })

  function handleKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof HTMLButtonElement)) return
    const step = findKeySteps(scroller.current)[event.key]
    if (step === undefined) return
    event.preventDefault()
    const to = Math.max(0, Math.min(active + step, keys.length - 1))
    pendingFocus.current = to
    setActive(to)
    rows.scrollToIndex(to)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons in it
    <div
      ref={scroller}
      onKeyDown={handleKeyDown}
      onFocus={({ target }) => setActive(findRowIndex(target) ?? active)}
      className="max-h-[max(22rem,calc(100dvh-20rem))] overflow-auto border-t border-line"
    >
      <ul className="relative" style={{ height: rows.getTotalSize() }}>
        {visibleRows.map(({ index, key, start }) => (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            aria-setsize={hasMore ? -1 : keys.length}
            aria-posinset={index + 1}
            className={`absolute inset-x-0 top-0 ${index > 0 ? 'border-t border-line' : ''} ${rowClass}`}
            style={{ transform: `translateY(${start}px)` }}
          >
            {row(index, index === active ? 0 : -1)}
          </li>
        ))}
      </ul>
    </div>
  )
}

function findKeySteps(scroller: HTMLElement | null): Record<string, number> {
  const page = Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / 45) - 1)
  return {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: page,
    PageUp: -page,
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
  }
}

function findRowIndex(element: Element): number | undefined {
  const index = element.closest<HTMLElement>('[data-index]')?.dataset['index']
  return index === undefined ? undefined : Number(index)
}
