import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { Loaded } from '../app/Loaded.tsx'
import { saveCsv } from '../app/save-csv.ts'
import { PageMenu } from '../directory/PageMenu.tsx'
import { type Selection, useSelection } from '../directory/selection.ts'
import { printReference } from '../permissions/reference.ts'
import { listPermissionsAndRelations, type SchemaWithETag, useSchema } from '../permissions/schema.ts'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Select } from '../ui/Select.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { ToolHeader } from '../ui/ToolHeader.tsx'
import { AddRelationship } from './AddRelationship.tsx'
import { isDeletable } from './change-relationship.ts'
import { RelationFilters } from './RelationFilters.tsx'
import { RelationTable } from './RelationTable.tsx'
import {
  parseDepth,
  parseOpen,
  parseRelationSearch,
  parseView,
  type RelationSearch,
  toFilter,
  type View,
} from './relation-search.ts'
import { type Relations, type ShownRelationship, useRelations } from './use-relations.ts'

const RelationshipHistory = lazyPart(async () => (await import('./RelationshipHistory.tsx')).RelationshipHistory)
const SelectedRelationships = lazyPart(async () => (await import('./SelectedRelationships.tsx')).SelectedRelationships)
const Inspector = lazyPart(async () => (await import('./Inspector.tsx')).Inspector)
const GraphStart = lazyPart(async () => (await import('./GraphStart.tsx')).GraphStart)
/** The libraries of the graph are larger than the rest of the page. */
const RelationGraph = lazyPart(async () => (await import('./RelationGraph.tsx')).RelationGraph)

/** The page of the stored relationships, as a table, a graph or their history; its state is in the URL. */
export function RelationsPage() {
  const schema = useSchema()
  const search = parseRelationSearch(useSearch({ strict: false }))
  return (
    <>
      <ToolHeader
        title="Relation viewer"
        description="Browse the relationships behind every permission."
        isBrief
        action={<AddRelationship schema={schema.data} filter={toFilter(search)} />}
        menu={<PageMenu />}
      />
      {schema.data ? (
        <Viewer schema={schema.data} search={search} />
      ) : (
        <>
          {/* As high as the tools above the table. */}
          <div className="h-[80px] sm:h-[43px]" />
          <div className="card">
            {schema.error ? (
              <Loaded query={schema} label="Loading schema" rows={0} children={() => null} />
            ) : (
              <Placeholder />
            )}
          </div>
        </>
      )}
    </>
  )
}

type SearchChanges = { [K in keyof RelationSearch]?: string | undefined }

function Viewer({ schema, search }: { schema: SchemaWithETag; search: RelationSearch }) {
  const navigate = useNavigate()
  const change = (changes: SearchChanges, options: { replace?: boolean } = {}) =>
    void navigate({
      to: '.',
      search: ((old: Record<string, unknown>) => ({ ...old, ...changes })) as never,
      resetScroll: false,
      ...options,
    })
  // Another filter clears the expanded objects and the selection.
  const filter = (changes: SearchChanges) => change({ open: undefined, at: undefined, ...changes })
  const relations = useRelations(search, (type) => listPermissionsAndRelations(schema, type).relations.length > 0)
  const view = parseView(search)
  const deletable = useMemo(() => relations.rows.filter(isDeletable).map(({ key }) => key), [relations.rows])
  const selection = useSelection(JSON.stringify(toFilter(search)), deletable, deletable.length)
  return (
    <>
      <RelationFilters schema={schema} search={search} onFilter={filter}>
        {view !== 'history' && (
          // In a small window beside the search.
          <Button
            aria-label="Export CSV"
            className="max-lg:px-2.5 sm:order-last"
            onClick={() => saveCsv('relationships.csv', toCsvLines(relations.rows))}
          >
            <Download size={15} />
            <span className="max-lg:hidden">Export CSV</span>
          </Button>
        )}
        <Segmented
          label="View"
          value={view}
          options={viewOptions}
          onChange={(view) => change({ view: view === 'table' ? undefined : view })}
        />
        {/* Without filters, everything matches. */}
        {view !== 'history' && (isNarrowed(search) || parseDepth(search) > 1) && (
          <Select
            label="Depth"
            isLabelHidden
            className="w-auto! text-[13px]"
            value={String(parseDepth(search))}
            options={depths}
            onChange={({ target }) => change({ depth: target.value === '1' ? undefined : target.value })}
          />
        )}
        <p role="status" className="min-w-36 text-ink2 sm:ml-auto sm:text-right">
          {view !== 'history' && !relations.isPending && !relations.failure && formatMatches(relations)}
        </p>
      </RelationFilters>
      <div className="mt-3 overflow-clip card">
        {view === 'history' ? (
          <Suspense fallback={<Placeholder />}>
            <RelationshipHistory filter={toFilter(search)} />
          </Suspense>
        ) : (
          <ViewContent {...{ relations, search, view, selection }} onChange={change} onFilter={filter} />
        )}
      </div>
      {view === 'table' && selection.count > 0 && (
        <Suspense>
          <SelectedRelationships rows={relations.rows} selection={selection} />
        </Suspense>
      )}
    </>
  )
}

const viewOptions = [
  { value: 'table', label: 'Table' },
  { value: 'graph', label: 'Graph' },
  { value: 'history', label: 'History' },
] as const
const depths = [
  { value: '1', label: 'Depth 1: matches only' },
  { value: '2', label: 'Depth 2' },
  { value: '3', label: 'Depth 3' },
]

/** Formats “312 relationships”, “500+ relationships, including 12 followed”, “105 relationships · limit reached”. */
function formatMatches({ rows, loadMore, isCut }: Relations): string {
  const number = (count: number) => count.toLocaleString('en')
  const followed = rows.filter(({ isFollowed }) => isFollowed).length
  const all = `${number(rows.length)}${loadMore ? '+' : ''} ${rows.length === 1 && !loadMore ? 'relationship' : 'relationships'}`
  if (isCut) return `${all} · limit reached`
  return followed > 0 ? `${all}, including ${number(followed)} followed` : all
}

interface ViewContentProps {
  relations: Relations
  search: RelationSearch
  view: Exclude<View, 'history'>
  selection: Selection
  onChange: (changes: SearchChanges, options?: { replace?: boolean }) => void
  onFilter: (changes: SearchChanges) => void
}

function ViewContent({ relations, search, view, selection, onChange, onFilter }: ViewContentProps) {
  const { rows, isPending, failure, retry, loadMore } = relations
  if (failure)
    return (
      <div className="p-5">
        <ErrorCard failure={failure} onRetry={retry} />
      </div>
    )
  if (isPending) return <Placeholder />
  const { at } = search
  const select = (next: string | undefined) => onChange({ at: next }, { replace: true })
  if (rows.length === 0 && loadMore) return <LoadMore relations={relations} />
  if (rows.length === 0) return <NoRelationships search={search} onFilter={onFilter} />
  const { resourceType: type, resourceId: id } = search
  const start = type && id ? printReference({ type, id }) : undefined
  const expand = (reference: string) => onChange({ open: [...new Set([...parseOpen(search), reference])].join(' ') })
  return (
    // In a small window, the padding lets all content scroll above the inspector.
    <div className={at === undefined ? '' : 'max-lg:pb-[45dvh] lg:grid lg:grid-cols-[minmax(0,1fr)_360px]'}>
      <div className="min-w-0">
        {view === 'table' && <RelationTable {...{ relations, at, selection }} onOpen={select} />}
        <Suspense fallback={<Placeholder />}>
          {view === 'graph' && <Graph {...{ rows, at, start, search, onFilter }} onOpen={select} onExpand={expand} />}
        </Suspense>
        {loadMore && (view === 'table' || isNarrowed(search)) && <LoadMore relations={relations} />}
      </div>
      {at !== undefined && (
        <Inspector at={at} rows={rows} expanded={parseOpen(search)} onSelect={select} onExpand={expand} />
      )}
    </div>
  )
}

/** A graph of more relationships cannot be read. */
const maxUnfiltered = 100

interface GraphProps extends Pick<ViewContentProps, 'search' | 'onFilter'> {
  rows: ShownRelationship[]
  at: string | undefined
  start: string | undefined
  onOpen: (reference: string | undefined) => void
  onExpand: (reference: string) => void
}

/** The graph; without a filter of many relationships, first the choice of an object. */
function Graph({ search, onFilter, ...graph }: GraphProps) {
  const [isAll, setAll] = useState(false)
  const isAsking = !isAll && graph.rows.length > maxUnfiltered && !isNarrowed(search) && graph.at === undefined
  if (!isAsking) return <RelationGraph {...graph} />
  return (
    <GraphStart
      rows={graph.rows}
      onPick={({ type, id }) => onFilter({ resourceType: type, resourceId: id, depth: '2' })}
      onShowAll={() => setAll(true)}
    />
  )
}

const isNarrowed = (search: RelationSearch) =>
  Object.keys(toFilter(search)).length > 0 || search.expiresWithin !== undefined

const Placeholder = () => (
  <div className="pt-5">
    <Skeleton label="Loading relationships" rows={8} rowClass="h-9" />
  </div>
)

/** A button for the next page; a page may be empty although more follow. */
function LoadMore({ relations: { rows, loadMore, isLoadingMore } }: { relations: Relations }) {
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-2.5">
      {rows.length === 0 && <p className="text-ink2">No results so far</p>}
      <Button isSmall isBusy={isLoadingMore} onClick={loadMore}>
        Show more
      </Button>
    </div>
  )
}

function NoRelationships({ search, onFilter }: { search: RelationSearch; onFilter: (changes: SearchChanges) => void }) {
  if (!isNarrowed(search))
    return (
      <Empty kind="nothing yet" title="No relationships yet">
        Relationships connect subjects to resources. Add one, or import a file on the Permissions page.
      </Empty>
    )
  const emptyFilter = Object.fromEntries(
    [...Object.keys(toFilter(search)), 'expiresWithin'].map((name) => [name, undefined]),
  )
  return (
    <Empty kind="no match" title="No relationships match">
      <p>Change the filters, or open History to find deleted relationships.</p>
      <Button className="mt-3" isSmall onClick={() => onFilter(emptyFilter)}>
        Clear filters
      </Button>
    </Empty>
  )
}

const toCsvLines = (rows: readonly ShownRelationship[]): string[][] => [
  [
    'resource type',
    'resource id',
    'relation',
    'subject type',
    'subject id',
    'subject relation',
    'caveat',
    'context',
    'expires',
  ],
  ...rows.map(({ relationship: { resource, relation, subject, caveat, expiresAt } }) => [
    resource.type,
    resource.id,
    relation,
    subject.type,
    subject.id,
    subject.relation ?? '',
    caveat?.name ?? '',
    caveat?.context ? JSON.stringify(caveat.context) : '',
    expiresAt ?? '',
  ]),
]
