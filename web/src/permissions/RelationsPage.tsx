import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { Loaded } from '../app/Loaded.tsx'
import { type Selection, useSelection } from '../directory/selection.ts'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Select } from '../ui/Select.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { AddRelationship } from './AddRelationship.tsx'
import { saveCsv } from './csv.ts'
import { isDeletable } from './deletable.ts'
import { RelationFilters } from './RelationFilters.tsx'
import { RelationTable } from './RelationTable.tsx'
import {
  depthIn,
  filterIn,
  openIn,
  type RelationSearch,
  relationSearchIn,
  type View,
  viewIn,
  views,
} from './relation-search.ts'
import { askable, type KnownSchema, useSchema } from './schema.ts'
import { ToolHead } from './ToolHead.tsx'
import { type Relations, type ShownRelationship, useRelations } from './use-relations.ts'

const RelationTree = lazy(async () => ({ default: (await import('./RelationTree.tsx')).RelationTree }))
const RelationshipHistory = lazy(async () => ({
  default: (await import('./RelationshipHistory.tsx')).RelationshipHistory,
}))
const ChosenRelationships = lazy(async () => ({
  default: (await import('./ChosenRelationships.tsx')).ChosenRelationships,
}))
const LookedAt = lazy(async () => ({ default: (await import('./LookedAt.tsx')).LookedAt }))
/** What draws it is larger than the rest of the page. */
const RelationGraph = lazy(async () => ({ default: (await import('./RelationGraph.tsx')).RelationGraph }))

/** The stored relationships, as a table, a tree and a graph of the same; what is shown stands in the address. */
export function RelationsPage() {
  const schema = useSchema()
  const search = relationSearchIn(useSearch({ strict: false }))
  return (
    <>
      <ToolHead
        title="Relation Viewer"
        about="Who stands in which relation of what: all that permissions rest on."
        action={schema.data && <AddRelationship schema={schema.data} filter={filterIn(search)} />}
      />
      <Loaded query={schema} label="Loading the schema" rows={2} rowClass="h-9">
        {(schema) => <Viewer schema={schema} search={search} />}
      </Loaded>
    </>
  )
}

type Parts = { [K in keyof RelationSearch]?: string | undefined }

function Viewer({ schema, search }: { schema: KnownSchema; search: RelationSearch }) {
  const navigate = useNavigate()
  const change = (parts: Parts, options: { replace?: boolean } = {}) =>
    void navigate({
      to: '.',
      search: ((old: Record<string, unknown>) => ({ ...old, ...parts })) as never,
      resetScroll: false,
      ...options,
    })
  // Another filter is another question: what was opened on the way of the last one is closed.
  const filter = (parts: Parts) => change({ open: undefined, at: undefined, ...parts })
  const relations = useRelations(search, (type) => askable(schema, type).relations.length > 0)
  const view = viewIn(search)
  const deletable = useMemo(() => relations.rows.filter(isDeletable).map(({ key }) => key), [relations.rows])
  const selection = useSelection(JSON.stringify(filterIn(search)), deletable, deletable.length)
  return (
    <>
      <RelationFilters schema={schema} search={search} onFilter={filter} />
      <div className="mt-4 mb-2 flex flex-wrap items-center gap-x-4 gap-y-2">
        <ViewChoice view={view} onChange={(view) => change({ view: view === 'table' ? undefined : view })} />
        {view !== 'history' && (
          <Select
            label="Depth"
            isLabelHidden
            className="h-8! w-auto! text-[13px]"
            value={String(depthIn(search))}
            options={depths}
            onChange={({ target }) => change({ depth: target.value === '1' ? undefined : target.value })}
          />
        )}
        <p role="status" className="mr-auto text-ink2">
          {view !== 'history' && !relations.isPending && !relations.failure && counted(relations)}
        </p>
        {view !== 'history' && (
          <Button isSmall onClick={() => saveCsv('relationships.csv', linesOf(relations.rows))}>
            <Download size={15} />
            CSV of what is shown
          </Button>
        )}
      </div>
      <div className="overflow-clip rounded-box border border-line bg-card">
        {view === 'history' ? (
          <Suspense fallback={<Waiting />}>
            <RelationshipHistory filter={filterIn(search)} />
          </Suspense>
        ) : (
          <Shown {...{ relations, search, view, selection }} onChange={change} onFilter={filter} />
        )}
      </div>
      {view === 'table' && selection.count > 0 && (
        <Suspense>
          <ChosenRelationships rows={relations.rows} selection={selection} />
        </Suspense>
      )}
    </>
  )
}

const viewLabels: Record<View, string> = { table: 'Table', tree: 'Tree', graph: 'Graph', history: 'History' }
const depths = [
  { value: '1', label: 'Depth 1: what fits' },
  { value: '2', label: 'Depth 2' },
  { value: '3', label: 'Depth 3' },
]

function ViewChoice({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row
    <div role="group" aria-label="View" className="flex rounded-ctl border border-line bg-well p-0.5">
      {views.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === view}
          className="h-7 rounded-[5px] px-3 text-[13px] text-ink2 aria-pressed:bg-card aria-pressed:font-[600] aria-pressed:text-ink aria-pressed:shadow-[0_0_0_1px_var(--line)] pointer-coarse:h-11"
          onClick={() => onChange(one)}
        >
          {viewLabels[one]}
        </button>
      ))}
    </div>
  )
}

/** “312 relationships”, “500+ relationships, 12 of them followed”. */
function counted({ rows, more, isCut }: Relations): string {
  const number = (count: number) => count.toLocaleString('en')
  const followed = rows.filter(({ isFollowed }) => isFollowed).length
  const all = `${number(rows.length)}${more ? '+' : ''} ${rows.length === 1 && !more ? 'relationship' : 'relationships'}`
  return [all, followed > 0 && `${number(followed)} of them followed`, isCut && 'not everything was followed']
    .filter(Boolean)
    .join(', ')
}

interface ShownProps {
  relations: Relations
  search: RelationSearch
  view: Exclude<View, 'history'>
  selection: Selection
  onChange: (parts: Parts, options?: { replace?: boolean }) => void
  onFilter: (parts: Parts) => void
}

function Shown({ relations, search, view, selection, onChange, onFilter }: ShownProps) {
  const { rows, isPending, failure, retry, more } = relations
  if (failure)
    return (
      <div className="p-5">
        <ErrorCard failure={failure} onRetry={retry} />
      </div>
    )
  if (isPending) return <Waiting />
  const { at } = search
  const lookAt = (next: string | undefined) => onChange({ at: next }, { replace: true })
  const views = { relations, at, onOpen: lookAt }
  if (rows.length === 0 && more) return <ReadOn relations={relations} />
  if (rows.length === 0) return <NoRelationships search={search} onFilter={onFilter} />
  const expand = (reference: string) => onChange({ open: [...new Set([...openIn(search), reference])].join(' ') })
  return (
    // The sheet of a small window lies on nothing that could not be scrolled out from below it.
    <div className={at === undefined ? '' : 'max-lg:pb-[45dvh] lg:grid lg:grid-cols-[minmax(0,1fr)_360px]'}>
      <div className="min-w-0">
        {view === 'table' && <RelationTable {...views} selection={selection} />}
        <Suspense fallback={<Waiting />}>
          {view === 'tree' && <RelationTree {...views} />}
          {view === 'graph' && <RelationGraph rows={rows} at={at} onOpen={lookAt} onExpand={expand} />}
        </Suspense>
        {more && <ReadOn relations={relations} />}
      </div>
      {at !== undefined && <LookedAt at={at} rows={rows} opened={openIn(search)} onLookAt={lookAt} onExpand={expand} />}
    </div>
  )
}

const Waiting = () => (
  <div className="pt-5">
    <Skeleton label="Loading relationships" rows={8} rowClass="h-9" />
  </div>
)

/** A page may be empty though others follow. */
function ReadOn({ relations: { rows, more, isLoadingMore } }: { relations: Relations }) {
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-2.5">
      {rows.length === 0 && <p className="text-ink2">None so far.</p>}
      <Button isSmall isBusy={isLoadingMore} onClick={more}>
        Show more
      </Button>
    </div>
  )
}

function NoRelationships({ search, onFilter }: { search: RelationSearch; onFilter: (parts: Parts) => void }) {
  const isNarrowed = Object.keys(filterIn(search)).length > 0 || search.expiresWithin !== undefined
  if (!isNarrowed)
    return (
      <Empty kind="nothing yet" title="There are no relationships yet">
        Add the first one, or import a file on the page of permissions.
      </Empty>
    )
  const none = Object.fromEntries([...Object.keys(filterIn(search)), 'expiresWithin'].map((name) => [name, undefined]))
  return (
    <Empty kind="no match" title="No relationships fit">
      <p>Change the filters, or look at the history for those that were removed.</p>
      <Button className="mt-3" isSmall onClick={() => onFilter(none)}>
        Clear filters
      </Button>
    </Empty>
  )
}

const linesOf = (rows: readonly ShownRelationship[]): string[][] => [
  [
    'resource type',
    'resource id',
    'relation',
    'subject type',
    'subject id',
    'subject relation',
    'condition',
    'context',
    'runs out',
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
