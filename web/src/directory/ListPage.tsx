import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Suspense, useId, useRef, useState } from 'react'
import { buttonClass } from '../ui/Button.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import type { MenuItem } from '../ui/Menu.tsx'
import { useBulk } from './bulk.tsx'
import { selectColumns } from './columns.ts'
import { SearchText } from './Highlight.tsx'
import { FailedRefresh, ListStates } from './ListStates.tsx'
import { ListTable } from './ListTable.tsx'
import { ListTools } from './ListTools.tsx'
import type { ListPageProps } from './list-page.ts'
import { isForAdministrators, PageMenu } from './PageMenu.tsx'
import { Pager } from './Pager.tsx'
import { useSelection } from './selection.ts'
import { useTableLayout } from './table-layout.ts'
import { formatCount } from './total.ts'
import { useListShortcuts } from './use-list-shortcuts.ts'

const Bar = lazyPart(async () => (await import('./BulkBar.tsx')).BulkBar)
const Report = lazyPart(async () => (await import('./BulkReport.tsx')).BulkReport)

/** Dims rows that could not be refreshed; their text stays readable for longer than that of loading rows needs to. */
const outdatedClass = '[&_tbody]:bg-well [&_tbody]:text-ink2 [&_tbody_svg]:opacity-50'

/**
 * The template of every list: header with count, search, filters, table, pages and bulk actions.
 *
 *     const state = useListState({ filters: { status: ['active', 'disabled'] }, sorts: ['name'] })
 *     const list = useList(listUsers, { query: state.query })
 *     return <ListPage name="users" title="Users" noun={['user', 'users']} state={state} list={list} columns={columns}
 *       idOf={({ id }) => id} nameOf={({ displayname }) => displayname}
 *       linkTo={({ id }) => ({ to: '/admin/users/$userId', params: { userId: id } })} searchPlaceholder="Name, email or ID" />
 */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { name, title, noun, state, list, columns, idOf, nameOf, create, actions, bulk, isEmbedded = false } = props
  const { menu, secondary, views } = props
  const [layout, setLayout] = useTableLayout(name)
  const [isSelecting, setSelecting] = useState(false)
  const headingId = useId()
  const [search, createLink, table] = [
    useRef<HTMLInputElement>(null),
    useRef<HTMLAnchorElement>(null),
    useRef<HTMLDivElement>(null),
  ]
  const rows = list.data?.items ?? []
  const total = list.data?.total ?? 0
  const countText = formatCount(total, noun, list.data?.totalIsExact)
  const selection = useSelection(JSON.stringify([state.searchText, state.filters]), rows.map(idOf), total)
  const canSelect = bulk !== undefined && bulk.length > 0
  useListShortcuts({
    search,
    create: createLink,
    rows: table,
    onSelect: canSelect ? selection.toggle : undefined,
    isEmbedded,
  })

  const handleLongPress = (id: string) => {
    setSelecting(true)
    selection.toggle(id)
  }

  const findRow = (id: string) => rows.find((row) => idOf(row) === id)
  const running = useBulk(selection, (id) => {
    const row = findRow(id)
    return row && nameOf(row)
  })
  const shownColumns = selectColumns(columns, layout.columns)

  // A list without rows needs no tools; its first step is in the place of the rows.
  const hasNone =
    list.data?.total === 0 && !list.error && !list.isPlaceholderData && state.page === 1 && !state.isFiltered
  const isBlank = hasNone && !(isEmbedded && actions)

  const status = (
    <p role="status" className={isEmbedded || hasNone ? 'sr-only' : 'first-letter:uppercase'}>
      {list.data && !list.isPlaceholderData && countText}
      {!list.data && list.isPending && <i className="skeleton mt-1 block h-3.5 w-24" />}
      {!list.data && list.error && 'Not loaded'}
    </p>
  )
  const headActions = (
    <>
      {actions}
      <HeadActions secondary={secondary} menu={menu} isOfPage={!isEmbedded && isForAdministrators()} />
      {create && !(hasNone && !isEmbedded) && (
        <Link
          ref={createLink}
          to={create.to}
          params={create.params as never}
          search={create.search as never}
          className={buttonClass('primary')}
          aria-keyshortcuts={isEmbedded ? undefined : 'c'}
        >
          <Plus size={16} />
          {create.label}
        </Link>
      )}
    </>
  )

  return (
    <section aria-labelledby={headingId} className="min-w-0">
      {isEmbedded ? (
        <h2 id={headingId} className="sr-only">
          {title}
        </h2>
      ) : (
        <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
          {/* On a narrow screen a note has the line for itself from the start: the buttons must not wrap when it appears. */}
          <div className={props.note ? 'max-sm:w-full' : ''}>
            <h1 id={headingId}>{title}</h1>
            <div className={`mt-1 flex flex-wrap gap-x-1 text-ink2 ${hasNone ? '' : 'min-h-[21px]'}`}>
              {status}
              {/* A phone has no line for it, and the words are in the box below. */}
              {state.searchText && <span className="max-sm:hidden">matching “{state.searchText}”</span>}
              {props.note}
            </div>
          </div>
          <div className="flex flex-wrap gap-2">{headActions}</div>
        </header>
      )}
      {isEmbedded && status}
      {views}
      {!isBlank && (
        <ListTools
          state={state}
          searchRef={search}
          label={`Search ${title.toLowerCase()}`}
          searchPlaceholder={props.searchPlaceholder}
          filters={props.filters ?? []}
          columns={columns}
          layout={layout}
          onLayoutChange={setLayout}
          {...(isEmbedded && { actions: headActions })}
          select={canSelect ? { isOn: isSelecting, set: setSelecting } : undefined}
        />
      )}
      {props.children}
      {running.report && (
        <Suspense>
          <Report running={running} />
        </Suspense>
      )}
      {/* Overflow is clipped, not hidden, so that the table head sticks. Without rows it is another element, which takes the
          place of the tools and has not moved. */}
      <div
        key={hasNone ? 'none' : 'rows'}
        ref={table}
        className={`${isBlank ? (isEmbedded ? '' : 'mt-5') : 'mt-3'} overflow-clip rounded-box card ${list.error ? outdatedClass : ''}`}
      >
        {rows.length > 0 && list.error && <FailedRefresh {...props} />}
        {(list.data && rows.length > 0) || list.isPending ? (
          <SearchText value={state.searchText}>
            <ListTable
              {...props}
              columns={shownColumns}
              density={layout.density}
              selection={canSelect ? selection : undefined}
              isSelecting={isSelecting}
              onLongPress={canSelect ? handleLongPress : undefined}
            />
          </SearchText>
        ) : (
          <ListStates {...props} createRef={createLink} />
        )}
      </div>
      {list.data && <Pager state={state} data={list.data} isStale={list.isPlaceholderData} />}
      {canSelect && selection.count > 0 && (
        <Suspense>
          <Bar
            actions={bulk}
            running={running}
            selection={selection}
            matchingText={
              !selection.isAll && selection.pageState === 'all' && total > rows.length ? countText : undefined
            }
            countText={selection.isAll ? countText : formatCount(selection.count, noun)}
          />
        </Suspense>
      )}
    </section>
  )
}

interface HeadActionsProps {
  secondary: ListPageProps<unknown>['secondary'] | undefined
  menu: MenuItem[] | undefined
  /** Whether the header is that of a page for administrators. */
  isOfPage: boolean
}

/** The secondary action and the menu of the header; on a narrow screen the menu has both. */
function HeadActions({ secondary, menu = [], isOfPage }: HeadActionsProps) {
  const navigate = useNavigate()
  const folded = secondary && {
    label: secondary.label,
    icon: secondary.icon,
    onSelect: () => void navigate({ to: secondary.to, params: secondary.params } as never),
  }
  return (
    <>
      {secondary && folded && (
        <>
          <Link to={secondary.to} params={secondary.params as never} className={`${buttonClass()} max-sm:hidden`}>
            {secondary.icon}
            {secondary.label}
          </Link>
          <PageMenu className="sm:hidden" items={[folded, ...menu]} />
        </>
      )}
      {isOfPage && <PageMenu className={secondary && 'max-sm:hidden'} items={menu} />}
    </>
  )
}
