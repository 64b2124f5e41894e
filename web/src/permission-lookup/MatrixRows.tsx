import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { printReference } from '../permissions/reference.ts'
import { findTargetRow } from '../permissions/row-keys.ts'
import type { PartLabels } from './lookup-search.ts'
import type { ResultTable } from './lookups.ts'
import { Cell, Reason, ResultName, RowPath } from './MatrixCells.tsx'
import type { MatrixRow } from './matrix.ts'

interface MatrixRowsProps {
  label: string
  table: ResultTable
  columnCount: number
  rows: readonly MatrixRow[]
  /** Whether further rows can be loaded. */
  hasMore: boolean
  /** Called near the last rows; undefined while nothing can be loaded. */
  onNearEnd: (() => void) | undefined
  parts: PartLabels | undefined
}

/** Tables up to this number of rows are not virtualized. */
const maxShortRows = 20
const rowHeight = 47

/**
 * The results by permission. A cell opens its path below the row. The table has one tab stop: arrows, Home, End and the
 * page keys move between cells.
 */
export function MatrixRows({ label, table, columnCount, rows, hasMore, onNearEnd, parts }: MatrixRowsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState({ row: 0, column: 0 })
  const [openColumns, setOpenColumns] = useState<ReadonlyMap<string, number>>(new Map())
  /** The cell that is to be focused once it is rendered. */
  const chosen = useRef<typeof active>(null)
  /** Whether the path that loads next is scrolled into view: after a click, not when its row is rendered again. */
  const shouldReveal = useRef(false)
  const isShort = rows.length <= maxShortRows
  const activeRow = Math.min(active.row, rows.length - 1)
  const virtualizer = useVirtualizer({
    count: isShort ? 0 : rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.id ?? index,
    estimateSize: () => rowHeight,
    overscan: 2,
    rangeExtractor: (range) => [...new Set([activeRow, ...defaultRangeExtractor(range)])].toSorted((a, b) => a - b),
  })
  const shown = isShort ? rows.map((_, index) => ({ index, start: undefined })) : virtualizer.getVirtualItems()
  const last = isShort ? rows.length : (virtualizer.range?.endIndex ?? 0)
  useEffect(() => {
    if (last >= rows.length - 100) onNearEnd?.()
  }, [last, rows.length, onNearEnd])
  useEffect(() => {
    // An effect of an earlier rendering may run after the key.
    if (chosen.current !== active) return
    const row = scroller.current?.querySelector(`[data-index="${activeRow}"]`)
    // A row outside the visible range is rendered later.
    if (!row) return
    chosen.current = null
    const cell = row.querySelector<HTMLElement>(`[data-column="${active.column}"]`) ?? row.querySelector('button')
    cell?.focus({ preventScroll: true })
  })

  function handleKeyDown(event: KeyboardEvent<HTMLElement>) {
    const { target, key } = event
    if (event.altKey || event.ctrlKey || event.metaKey || !(target instanceof HTMLButtonElement)) return
    const to = findTargetCell(key, target, activeRow, rows.length, scroller.current?.clientHeight ?? 0)
    if (!to) return
    event.preventDefault()
    chosen.current = to
    setActive(to)
    if (!isShort) virtualizer.scrollToIndex(to.row)
  }
  const toggle = (id: string, column: number) => {
    shouldReveal.current = true
    const next = new Map(openColumns)
    if (next.get(id) === column) next.delete(id)
    else next.set(id, column)
    setOpenColumns(next)
  }

  const isOneLine = isSingle(table, parts)
  if (rows.length === 0) return null
  const style = {
    '--columns': `minmax(13rem,22rem) repeat(${Math.max(columnCount, table.columns.length)},minmax(5.5rem,7rem)) minmax(15rem,1fr)`,
  } as CSSProperties
  return (
    <div ref={scroller} className="max-h-[max(22rem,calc(100dvh-20rem))] overflow-auto border-t border-line">
      <table
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        className="block min-w-fit text-left"
        style={style}
        onKeyDown={handleKeyDown}
      >
        <thead role="rowgroup" className="sticky top-0 z-10 block bg-card max-sm:sr-only">
          <tr role="row" aria-rowindex={1} className={`${gridClass} min-h-9 text-[12px] text-ink2`}>
            <th scope="col" role="columnheader" className="font-[560]">
              Name
            </th>
            {table.columns.map(({ permission }, column) => {
              const count = rows.filter(({ id, cells }) => id !== '*' && cells[column]).length
              return (
                <th
                  key={permission}
                  scope="col"
                  role="columnheader"
                  className={`text-center font-mono ${count === 0 && !hasMore ? 'font-normal text-ink3' : 'font-[560]'}`}
                >
                  {permission}{' '}
                  {!hasMore && table.columns.length > 1 && (
                    <span aria-hidden="true" className="font-sans font-normal text-ink3">
                      {count.toLocaleString('en')}
                    </span>
                  )}
                </th>
              )
            })}
            <th scope="col" role="columnheader" className="font-[560] sm:[grid-column:-2/-1] sm:pl-4">
              Through
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup" className="relative block" style={isShort ? {} : { height: virtualizer.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const row = rows[index] as MatrixRow
            const openColumn = openColumns.get(row.id)
            const tabColumn = row.cells[active.column] ? active.column : row.cells.findIndex(Boolean)
            return (
              <tr
                key={row.id}
                ref={isShort ? null : virtualizer.measureElement}
                role="row"
                data-index={index}
                aria-rowindex={index + 2}
                className={`${gridClass} min-h-[46px] border-t border-hair py-1 ${isOneLine ? 'max-sm:min-h-14!' : 'max-sm:py-2.5'} ${row.id === '*' ? 'bg-well max-sm:min-h-20!' : ''} ${start === undefined ? '' : 'absolute inset-x-0 top-0'}`}
                style={start === undefined ? {} : { transform: `translateY(${start}px)` }}
              >
                <th
                  scope="row"
                  role="rowheader"
                  className={`min-w-0 font-normal ${isOneLine ? 'max-sm:flex-1' : 'max-sm:basis-full'}`}
                >
                  <ResultName row={row} table={table} parts={parts} />
                </th>
                {row.cells.map((cell, column) => (
                  <td key={table.columns[column]?.permission} role="cell" className={cellClass(cell !== undefined)}>
                    {cell ? (
                      <Cell
                        cell={cell}
                        permission={table.columns[column]?.permission ?? ''}
                        reference={printReference({ ...table.resultType, id: row.id })}
                        parts={parts}
                        isNamed={!isOneLine}
                        isOpen={openColumn === column}
                        tabIndex={index === activeRow && column === tabColumn ? 0 : -1}
                        column={column}
                        onFocus={() => setActive({ row: index, column })}
                        onToggle={() => toggle(row.id, column)}
                      />
                    ) : (
                      <span className="text-ink3">–</span>
                    )}
                  </td>
                ))}
                <RowPath row={row} table={table} isOneLine={isOneLine} />
                {openColumn !== undefined && <Reason {...{ row, table, shouldReveal }} column={openColumn} />}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** Reports whether the rows of a small window have one line: with one permission, which the table names. */
export const isSingle = ({ columns }: ResultTable, parts: PartLabels | undefined): boolean =>
  columns.length === 1 && !parts

const cellClass = (hasAnswer: boolean) =>
  `flex min-w-0 items-center gap-1.5 sm:flex-col sm:justify-center sm:gap-0.5 ${hasAnswer ? '' : 'max-sm:hidden'}`

const gridClass =
  'flex flex-wrap items-center gap-x-3 gap-y-1 px-4 sm:px-[18px] sm:grid sm:[grid-template-columns:var(--columns)] sm:gap-y-0'

/** Returns the cell that a key leads to from the focused one; undefined for keys without a meaning. */
function findTargetCell(key: string, from: HTMLElement, row: number, count: number, height: number) {
  const column = Number(from.dataset['column'] ?? 0)
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const cells = [...(from.closest('tr')?.querySelectorAll<HTMLElement>('[data-column]') ?? [])]
    const next = cells[cells.indexOf(from) + (key === 'ArrowLeft' ? -1 : 1)]
    return next && { row, column: Number(next.dataset['column']) }
  }
  const to = findTargetRow(key, row, { count, rowHeight, height })
  return to === undefined ? undefined : { row: to, column }
}
