import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'

interface LookupRowsProps {
  /** What names each row among the others. */
  keys: readonly string[]
  /** Whether more rows follow those that are known. */
  isMore: boolean
  /** The last rows are near; absent where nothing is to be done about it. */
  onNearEnd: (() => void) | undefined
  /** A row, with the place in the order of the Tab key that its button has. */
  row: (index: number, tabIndex: number | undefined) => ReactNode
}

/** So many stand in the document as they are. */
const few = 20

/** What was found as a list, however long; near its end it asks for more. */
export function LookupRows(props: LookupRowsProps) {
  const { keys, row, onNearEnd } = props
  const isFew = keys.length <= few
  useEffect(() => {
    if (isFew) onNearEnd?.()
  }, [isFew, onNearEnd])
  if (keys.length === 0) return null
  if (!isFew) return <ManyRows {...props} />
  return (
    <ul>
      {keys.map((key, index) => (
        <li key={key} className={`border-t border-line ${look}`}>
          {row(index, undefined)}
        </li>
      ))}
    </ul>
  )
}

const look = 'px-5 py-2'

/**
 * Only what is seen is in the document. The rows are one stop of the Tab key: arrows, Home, End and the page keys go from
 * row to row.
 */
function ManyRows({ keys, isMore, onNearEnd, row }: LookupRowsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [chosen, setActive] = useState(0)
  const active = Math.min(chosen, keys.length - 1)
  const isToFocus = useRef(false)
  const rows = useVirtualizer({
    count: keys.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => keys[index] ?? index,
    estimateSize: () => 45,
    overscan: 6,
    rangeExtractor: (range) =>
      [...new Set([active, ...defaultRangeExtractor(range)])].toSorted((one, other) => one - other),
  })
  const shown = rows.getVirtualItems()
  const last = rows.range?.endIndex ?? 0
  useEffect(() => {
    if (last >= keys.length - 100) onNearEnd?.()
  }, [last, keys.length, onNearEnd])
  useEffect(() => {
    if (!isToFocus.current) return
    isToFocus.current = false
    scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"] button`)?.focus({ preventScroll: true })
  })

  function press(event: KeyboardEvent<HTMLElement>) {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof HTMLButtonElement)) return
    const step = stepsOf(scroller.current)[event.key]
    if (step === undefined) return
    event.preventDefault()
    const to = Math.max(0, Math.min(active + step, keys.length - 1))
    isToFocus.current = true
    setActive(to)
    rows.scrollToIndex(to)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons in it
    <div
      ref={scroller}
      onKeyDown={press}
      onFocus={({ target }) => setActive(indexOf(target) ?? active)}
      className="max-h-[max(22rem,calc(100dvh-20rem))] overflow-auto border-t border-line"
    >
      <ul className="relative" style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, key, start }) => (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            aria-setsize={isMore ? -1 : keys.length}
            aria-posinset={index + 1}
            className={`absolute inset-x-0 top-0 ${index > 0 ? 'border-t border-line' : ''} ${look}`}
            style={{ transform: `translateY(${start}px)` }}
          >
            {row(index, index === active ? 0 : -1)}
          </li>
        ))}
      </ul>
    </div>
  )
}

function stepsOf(scroller: HTMLElement | null): Record<string, number> {
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

function indexOf(part: Element): number | undefined {
  const index = part.closest<HTMLElement>('[data-index]')?.dataset['index']
  return index === undefined ? undefined : Number(index)
}
