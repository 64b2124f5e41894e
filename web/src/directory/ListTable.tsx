import { Link } from '@tanstack/react-router'
import { ArrowDown, ArrowUp, ChevronsUpDown, MoreHorizontal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Check } from '../ui/Check.tsx'
import { Menu, type MenuItem } from '../ui/Menu.tsx'
import { Table, TableCell, TableRow } from '../ui/Table.tsx'
import { type Column, visibilityClass } from './columns.ts'
import type { ListPageProps } from './list-page.ts'
import { useLongPress } from './list-press.ts'
import type { ListState } from './list-state.ts'
import type { Selection } from './selection.ts'
import type { TableLayout } from './table-layout.ts'

interface ListTableProps<Row> extends ListPageProps<Row> {
  density: TableLayout['density']
  /** Undefined if rows cannot be selected. */
  selection: Selection | undefined
  /** Below 640 px the checkboxes are shown only in selection mode. */
  isSelecting: boolean
  onLongPress: ((id: string) => void) | undefined
}

const rowHeights = { comfortable: 'sm:h-[46px] sm:[&_td]:py-0', compact: 'sm:h-[38px] sm:[&_td]:py-0' }

/** The rows of a list: a table, and below 640 px two-line cards. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { title, columns, state, list, selection, isSelecting, density, rowMenu, idOf } = props
  const pressProps = useLongPress(props.onLongPress)
  const checkboxClass = isSelecting ? '' : 'max-sm:hidden'
  return (
    <Table
      caption={title}
      isHeaderSticky
      isFixed
      isStale={list.isPlaceholderData && list.error === null}
      isBusy={list.isPending || list.isPlaceholderData}
      header={
        <>
          {selection && (
            <th scope="col" className="w-11 max-sm:hidden">
              <Check
                aria-label="Select all on this page"
                checked={selection.pageState === 'all'}
                isMixed={selection.pageState === 'some'}
                disabled={list.isPending}
                onChange={selection.togglePage}
              />
            </th>
          )}
          {columns.map((column) => (
            <ColumnHeader key={column.id} column={column} state={state} />
          ))}
          {rowMenu && (
            <th scope="col" className="w-12">
              <span className="sr-only">Actions</span>
            </th>
          )}
        </>
      }
    >
      {list.isPending && <PlaceholderRows {...props} />}
      {list.data?.items.map((row) => (
        <TableRow
          key={idOf(row)}
          {...pressProps?.(idOf(row))}
          className={`relative max-sm:flex max-sm:first:border-t-0 max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:pl-[51px]! ${rowMenu ? 'max-sm:pr-13' : ''} ${rowHeights[density]} ${selection?.has(idOf(row)) ? 'bg-selection' : 'hover:bg-well'}`}
        >
          {selection && (
            <TableCell className={`w-10 align-middle! max-sm:-ml-[37px] max-sm:w-auto ${checkboxClass}`}>
              <Check
                aria-label={`Select ${props.nameOf(row)}`}
                checked={selection.has(idOf(row))}
                onChange={({ nativeEvent }) => selection.toggle(idOf(row), (nativeEvent as MouseEvent).shiftKey)}
              />
            </TableCell>
          )}
          {columns.map((column, index) => (
            <TableCell
              key={column.id}
              className={`min-w-0 truncate align-middle! ${index === 0 ? `max-sm:flex-1 ${isSelecting ? 'max-sm:basis-[45%]' : 'max-sm:-ml-[37px] max-sm:basis-2/3'}` : `max-sm:text-[13px] max-sm:text-ink2 ${visibilityClass(column)}`} ${column.className ?? ''}`}
            >
              {index === 0 ? <RowLink {...props} row={row} cell={column.cell(row)} /> : column.cell(row)}
            </TableCell>
          ))}
          {rowMenu && <RowMenu label={`Actions for ${props.nameOf(row)}`} items={rowMenu(row)} />}
        </TableRow>
      ))}
    </Table>
  )
}

/** The last cell of a row. Its items are rendered once it is about to be opened: a page has up to 200 of these menus. */
function RowMenu({ label, items }: { label: string; items: MenuItem[] }) {
  const [isNear, setNear] = useState(false)
  const approach = () => setNear(true)
  return (
    <TableCell
      className="w-12 px-1! align-middle! max-sm:absolute max-sm:inset-y-0 max-sm:right-2 max-sm:grid max-sm:content-center"
      onPointerEnter={approach}
      onFocus={approach}
    >
      {items.length > 0 && (
        <Menu
          label={label}
          trigger={<MoreHorizontal size={16} />}
          className="btn btn-ghost btn-small px-2 text-ink3"
          items={isNear ? items : []}
          onOpen={approach}
        />
      )}
    </TableCell>
  )
}

function ColumnHeader<Row>({ column, state }: { column: Column<Row>; state: ListState }) {
  const { header, sort } = column
  const order = sort === undefined ? undefined : findSortOrder(state.sort, sort)
  return (
    <th
      scope="col"
      className={`${visibilityClass(column)} ${column.width ?? ''}`}
      {...(order && { 'aria-sort': order })}
    >
      {sort === undefined ? (
        header
      ) : (
        <button
          type="button"
          className="inline-flex h-6 items-center gap-1 font-[500] hover:text-ink max-sm:hidden"
          onClick={() => state.sortBy(order === 'ascending' ? `-${sort}` : sort)}
        >
          {header}
          {order === 'ascending' && <ArrowUp size={14} className="text-ink" />}
          {order === 'descending' && <ArrowDown size={14} className="text-ink" />}
          {order === 'none' && <ChevronsUpDown size={12} className="opacity-60" />}
        </button>
      )}
      {sort !== undefined && <span className="sm:hidden">{header}</span>}
    </th>
  )
}

function findSortOrder(sort: string | undefined, column: string): 'ascending' | 'descending' | 'none' {
  if (sort === column) return 'ascending'
  return sort === `-${column}` ? 'descending' : 'none'
}

/** The cell that names the row, linked to its page if it has one; shortcuts find it by `data-row`. */
function RowLink<Row>({ row, cell, linkTo, idOf }: ListTableProps<Row> & { row: Row; cell: ReactNode }) {
  const link = linkTo?.(row)
  if (!link) return <div>{cell}</div>
  return (
    <Link
      to={link.to}
      params={link.params as never}
      data-row={idOf(row)}
      className="block w-fit max-w-full rounded-ctl -outline-offset-1 [&:hover_[data-name]]:underline"
    >
      {cell}
    </Link>
  )
}

/** The rows shown while the list is loading. */
function PlaceholderRows<Row>({ columns, selection, rowMenu, density, title }: ListTableProps<Row>) {
  return Array.from({ length: 10 }, (_, row) => (
    <TableRow key={row} className={rowHeights[density]}>
      {selection && <TableCell className="w-10 max-sm:hidden" />}
      {columns.map((column, index) => (
        <TableCell
          key={column.id}
          className={`align-middle! ${index === 0 ? '' : `max-sm:hidden ${visibilityClass(column)}`}`}
        >
          {row === 0 && index === 0 && <span className="sr-only">Loading {title.toLowerCase()}</span>}
          <div className={index === 0 ? 'flex h-8 items-center gap-2.5' : ''}>
            {index === 0 && <div className="skeleton size-7 shrink-0 rounded-full" />}
            <div className="skeleton h-4" style={{ width: `${placeholderWidths[(row + index) % 4]}%` }} />
          </div>
        </TableCell>
      ))}
      {rowMenu && <TableCell className="max-sm:hidden" />}
    </TableRow>
  ))
}
const placeholderWidths = [70, 55, 80, 62]
