import { Link, type LinkProps } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useId, useRef, useState } from 'react'
import { buttonClass } from '../ui/Button.tsx'
import type { MenuItem } from '../ui/Menu.tsx'
import { type BulkAction, BulkReport, useBulk } from './bulk.tsx'
import { type Column, chosenColumns } from './columns.ts'
import { ListStates } from './ListStates.tsx'
import { ListTable } from './ListTable.tsx'
import { ListTools } from './ListTools.tsx'
import { useListKeys } from './list-keys.ts'
import type { ListState } from './list-state.ts'
import { Pager } from './Pager.tsx'
import { useSelection } from './selection.ts'
import { useTableChoice } from './table-choice.ts'
import type { List } from './use-list.ts'

/** What can be done to chosen rows comes with the first row that is chosen. */
const BulkBar = lazy(async () => ({ default: (await import('./BulkBar.tsx')).BulkBar }))

/** Where a row or a button leads. */
export interface LinkTo {
  to: NonNullable<LinkProps['to']>
  params?: Record<string, string>
}

/** A choice by which a list is narrowed; `control` stands in where the choice is too long for a select. */
export interface ListFilter {
  name: string
  label: string
  options: readonly { value: string; label: string }[]
  control?: ReactNode
}

export interface ListPageProps<Row> {
  /** Of the table, for `Passport.Table.<name>`. */
  name: string
  title: string
  /** What is listed, one and many: `['person', 'people']`. */
  noun: [one: string, many: string]
  state: ListState
  list: List<Row>
  columns: Column<Row>[]
  idOf: (row: Row) => string
  nameOf: (row: Row) => string
  /** The page of a row; a list whose rows have none leaves it out. */
  linkTo?: (row: Row) => LinkTo
  menuOf?: (row: Row) => MenuItem[]
  /** The primary action. */
  create?: LinkTo & { label: string }
  /** Further buttons of the head, such as an export. */
  actions?: ReactNode
  /** What can be searched for: “Name, e-mail or id”. */
  searchable: string
  filters?: ListFilter[]
  bulk?: BulkAction[]
  /** What to do where there is nothing yet. */
  nothingYet?: ReactNode
  /** Between the tools and the table, such as what a pasted id leads to. */
  children?: ReactNode
  /** A part of another page: without a heading of its own, and without the keys of a whole page. */
  isPart?: boolean
}

/**
 * The template of every list: head with count, search, filters, table, pages, and what can be done to chosen rows.
 *
 *     const state = useListState({ filters: { status: ['active', 'disabled'] }, sorts: ['name'] })
 *     const list = useList(listUsers, { query: state.query })
 *     return <ListPage name="users" title="Users" noun={['person', 'people']} state={state} list={list} columns={columns}
 *       idOf={({ id }) => id} nameOf={({ displayname }) => displayname}
 *       linkTo={({ id }) => ({ to: '/admin/users/$userId', params: { userId: id } })} searchable="Name, e-mail or id" />
 */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { name, title, noun, state, list, columns, idOf, nameOf, create, actions, bulk, isPart = false } = props
  const [choice, choose] = useTableChoice(name)
  const [isSelecting, setSelecting] = useState(false)
  const headingId = useId()
  const [search, createLink, table] = [
    useRef<HTMLInputElement>(null),
    useRef<HTMLAnchorElement>(null),
    useRef<HTMLDivElement>(null),
  ]
  const rows = list.data?.items ?? []
  const total = list.data?.total ?? 0
  const counted = countOf(total, list.data?.totalIsExact, noun)
  const selection = useSelection(JSON.stringify([state.word, state.filters]), rows.map(idOf), total)
  const canSelect = bulk !== undefined && bulk.length > 0
  useListKeys({ search, create: createLink, rows: table, onSelect: canSelect ? selection.toggle : undefined, isPart })

  const pressed = (id: string) => {
    setSelecting(true)
    selection.toggle(id)
  }

  const nameOfId = (id: string) => rows.find((row) => idOf(row) === id)
  const running = useBulk(selection, (id) => {
    const row = nameOfId(id)
    return row && nameOf(row)
  })
  const shown = chosenColumns(columns, choice.columns)

  return (
    <section aria-labelledby={headingId} className="min-w-0">
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div>
          {isPart ? (
            <h2 id={headingId} className="sr-only">
              {title}
            </h2>
          ) : (
            <h1 id={headingId}>{title}</h1>
          )}
          <p role="status" className="mt-1 min-h-[21px] text-ink2">
            {list.data && !list.isPlaceholderData ? counted : ''}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {actions}
          {create && (
            <Link
              ref={createLink}
              to={create.to}
              params={create.params as never}
              className={buttonClass('primary')}
              aria-keyshortcuts="c"
            >
              <Plus size={16} />
              {create.label}
            </Link>
          )}
        </div>
      </header>
      <ListTools
        state={state}
        searchRef={search}
        label={`Search ${title.toLowerCase()}`}
        searchable={props.searchable}
        filters={props.filters ?? []}
        columns={columns}
        choice={choice}
        onChoose={choose}
        select={canSelect ? { isOn: isSelecting, set: setSelecting } : undefined}
      />
      {props.children}
      <BulkReport running={running} />
      {/* What overflows is clipped, not hidden: else the head of the table would not stick. */}
      <div ref={table} className="mt-3 overflow-clip rounded-box border border-line bg-card">
        {(list.data && rows.length > 0) || list.isPending ? (
          <ListTable
            {...props}
            columns={shown}
            density={choice.density}
            selection={canSelect ? selection : undefined}
            isSelecting={isSelecting}
            onPress={canSelect ? pressed : undefined}
          />
        ) : (
          <ListStates {...props} />
        )}
      </div>
      {list.data && <Pager state={state} part={list.data} isStale={list.isPlaceholderData} />}
      {canSelect && selection.count > 0 && (
        <Suspense>
          <BulkBar
            actions={bulk}
            running={running}
            selection={selection}
            matching={!selection.isAll && selection.ofPage === 'all' && total > rows.length ? counted : undefined}
            counted={selection.isAll ? counted : countOf(selection.count, undefined, noun)}
          />
        </Suspense>
      )}
    </section>
  )
}

/** “1 person”, “312 people”, “10,000+ people”. */
function countOf(count: number, isExact: false | undefined, [one, many]: [string, string]): string {
  return `${count.toLocaleString('en')}${isExact === false ? '+' : ''} ${count === 1 ? one : many}`
}
