import type { SubjectReference, WhatIf } from '@passport/contract/permission-terms'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { Loaded } from '../app/Loaded.tsx'
import { useCurrentUser } from '../app/page-user.ts'
import { PageMenu } from '../directory/PageMenu.tsx'
import { formatCount } from '../directory/total.ts'
import { parseContext } from '../permissions/check-search.ts'
import { Examples, useSavedQuestions } from '../permissions/Examples.tsx'
import { FoldedQuestion } from '../permissions/FoldedQuestion.tsx'
import { ObjectPicture, useObjectLabel } from '../permissions/ObjectName.tsx'
import { describeType, describeUserset, printReference } from '../permissions/reference.ts'
import type { SchemaWithETag } from '../permissions/schema.ts'
import { VerdictMark } from '../permissions/Verdict.tsx'
import { WhatIfBar } from '../permissions/WhatIfBar.tsx'
import { useQuestionSchema, useWhatIf } from '../permissions/what-if.ts'
import { Empty } from '../ui/Empty.tsx'
import { Select } from '../ui/Select.tsx'
import { ToolHeader } from '../ui/ToolHeader.tsx'
import { type Direction, resourceDirection, subjectDirection } from './directions.tsx'
import { LookupCsv } from './LookupCsv.tsx'
import { LookupForm } from './LookupForm.tsx'
import { LookupTable, type Totals } from './LookupTable.tsx'
import {
  getPartLabels,
  type LookupSearch,
  type PartLabels,
  parseDraft,
  parseLookupSearch,
  printSubjectType,
  type Side,
  sides,
} from './lookup-search.ts'
import { countSharedColumns, type EvaluationOptions, type ResultTable } from './lookups.ts'

/** The page of the resources that a subject can access. */
export const LookupResourcesPage = () => <LookupPage direction={resourceDirection} />

/** The page of the subjects that can access a resource. */
export const LookupSubjectsPage = () => <LookupPage direction={subjectDirection} />

/** The page of a lookup, for one permission or all; the question is in the URL. */
function LookupPage({ direction }: { direction: Direction }) {
  const schema = useQuestionSchema()
  const search = useSearch({ strict: false }) as Record<string, unknown>
  return (
    <div>
      <ToolHeader
        title={schema.data ? <Title direction={direction} schema={schema.data} /> : direction.title}
        description={direction.description}
        isBrief
        action={<DirectionSwitch isQuiet={direction.parse(parseLookupSearch(search)[direction.name]) !== undefined} />}
        menu={<PageMenu />}
      />
      <WhatIfBar />
      {schema.data ? (
        <Lookup direction={direction} schema={schema.data} />
      ) : (
        <div className="min-h-[116px] card pt-5">
          <Loaded query={schema} label="Loading schema" rows={1} rowClass="h-10">
            {() => null}
          </Loaded>
        </div>
      )}
    </div>
  )
}

/** The question as a heading, with the names of its objects. */
function Title({ direction, schema }: { direction: Direction; schema: SchemaWithETag }) {
  const search = parseLookupSearch(useSearch({ strict: false }) as Record<string, unknown>)
  const [object, other] = [direction.parse(search[direction.name]), direction.parse(search.with)]
  if (!object) return direction.title
  return direction.renderHeading(
    schema,
    search,
    <>
      <Subject object={object} />
      {other && (
        <>
          {' and '}
          <Subject object={other} />
        </>
      )}
    </>,
  )
}

const Subject = ({ object }: { object: SubjectReference }) => (
  <span title={printReference(object)}>
    {object.relation && `${describeUserset(object.relation)} `}
    {useObjectLabel(object)}
  </span>
)

/** Links to the lookup of either direction. While it is quiet, a small window has the answer in its place. */
function DirectionSwitch({ isQuiet }: { isQuiet: boolean }) {
  const className =
    'grid h-8 items-center rounded-[5px] px-3 max-sm:px-2 text-[13px] text-ink2 hover:text-ink aria-[current]:bg-card aria-[current]:font-[600] aria-[current]:text-ink aria-[current]:shadow-[0_0_0_1px_var(--line)] pointer-coarse:h-11'
  return (
    <nav
      aria-label="Direction"
      className={`flex rounded-ctl border border-line bg-well p-0.5 ${isQuiet ? 'max-sm:hidden' : ''}`}
    >
      <Link to="/admin/tools/permissions/lookupResources" activeOptions={anySearch} className={className}>
        By subject
      </Link>
      <Link to="/admin/tools/permissions/lookupSubjects" activeOptions={anySearch} className={className}>
        By resource
      </Link>
    </nav>
  )
}

const anySearch = { exact: true, includeSearch: false }

function Lookup({ direction, schema }: { direction: Direction; schema: SchemaWithETag }) {
  const { name, parse } = direction
  const params = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const show = (next: object) => void navigate({ to: '.', search: next as never, resetScroll: false })
  const search = parseLookupSearch(params)
  const side = sides.find((candidate) => candidate === params['side'])
  const whatIf = useWhatIf()
  const [object, other] = [parse(search[name]), parse(search.with)]
  const errors = direction.findErrors(schema, parseDraft(search, name, direction.findDefaultType(schema)))
  const messages = Object.values(errors).filter((error) => error !== undefined)
  const hasQuestion = object !== undefined || errors.object !== undefined
  const compared = object && findCompared(search, object, other, whatIf)
  const left = object && { object, options: { ...parseOptions(search), ...(whatIf && { whatIf }) } }
  const tables = left && messages.length === 0 ? direction.findTables(schema, search, left, compared) : []
  return (
    <>
      <FoldedQuestion question={tables.length > 0 ? JSON.stringify(search) : undefined}>
        <LookupForm direction={direction} schema={schema} search={search} onSubmit={show} />
      </FoldedQuestion>
      {!hasQuestion && (
        <EmptyBox kind="nothing yet" title="No lookup yet">
          <LookupExamples direction={direction} schema={schema} />
        </EmptyBox>
      )}
      {hasQuestion && messages.length > 0 && (
        <EmptyBox kind="no match" title="Invalid lookup">
          {messages.join(' ')}
        </EmptyBox>
      )}
      {hasQuestion && messages.length === 0 && tables.length === 0 && (
        <EmptyBox kind="no match" title="No matching permissions">
          The schema has no permission or relation for subjects of this type.
        </EmptyBox>
      )}
      {tables.length > 0 && (
        <Results
          key={JSON.stringify([search, whatIf])}
          note={!other && search.since ? 'Compared with an earlier revision' : ''}
          nouns={direction.nouns}
          fileName={direction.fileName}
          tables={tables}
          parts={compared && getPartLabels(search, search[name] ?? '')}
          side={side}
          onSide={(next) => show({ ...params, side: next || undefined })}
        />
      )}
    </>
  )
}

/** Offers lookups of the current user, and of the objects of saved assertions. */
function LookupExamples({
  direction: { name, label, listTypes },
  schema,
}: {
  direction: Direction
  schema: SchemaWithETag
}) {
  const user = useCurrentUser()
  const saved = useSavedQuestions().map((question) => question[name])
  const self = user && { type: 'passport/user', id: user.claims.sub }
  const objects = self && name === 'subject' && listTypes(schema).includes(self.type) ? [self, ...saved] : saved
  const examples = objects.map((object) => ({
    search: { [name]: printReference(object) },
    content: (
      <>
        <ObjectPicture object={object} size={22} />
        <Subject object={object} />
      </>
    ),
  }))
  return (
    <>
      Choose a {label.toLowerCase()}
      {examples.length > 0 ? ', or start with one of these.' : '.'}
      <Examples examples={examples} />
    </>
  )
}

function parseOptions({ context }: LookupSearch): EvaluationOptions {
  const values = parseContext(context)
  return values && Object.keys(values).length > 0 ? { context: values } : {}
}

/**
 * Returns the other side of a comparison: another object, an earlier revision, or the data without what-if changes. A
 * draft schema is not compared, as the stored one may lack its permissions.
 */
function findCompared(
  search: LookupSearch,
  object: SubjectReference,
  other: SubjectReference | undefined,
  whatIf: WhatIf | undefined,
) {
  const options = parseOptions(search)
  if (other) return { object: other, options: { ...options, ...(whatIf && { whatIf }) } }
  if (search.since)
    return { object, options: { ...options, consistency: { kind: 'atExactSnapshot' as const, token: search.since } } }
  return whatIf && whatIf.schema === undefined ? { object, options } : undefined
}

/** The meaning of the signs in the matrix. */
function Legend({ hasConditional }: { hasConditional: boolean }) {
  return (
    <ul aria-label="Signs" className="flex flex-wrap items-center gap-x-4 gap-y-1 text-[13px] text-ink2">
      <li className="flex items-center gap-2 [&_.sr-only]:hidden">
        <VerdictMark permissionship="hasPermission" />
        Allowed
      </li>
      <li className="flex items-center gap-2">
        <span aria-hidden="true" className="text-ink3">
          –
        </span>
        Denied
      </li>
      {/* In a small window, it keeps its space, which the next tool would otherwise leave when results are conditional. */}
      <li className={`flex items-center gap-2 [&_.sr-only]:hidden ${hasConditional ? '' : 'invisible sm:hidden'}`}>
        <VerdictMark permissionship="conditional" />
        Depends on context
      </li>
    </ul>
  )
}

function EmptyBox(props: Parameters<typeof Empty>[0]) {
  return (
    <div className="mt-4 card">
      <Empty {...props} />
    </div>
  )
}

interface ResultsProps {
  /** A comparison that the question does not show; empty for none. */
  note: string
  /** The noun of a result, without and with “s”. */
  nouns: readonly [string, string]
  /** The name of the CSV file. */
  fileName: string
  tables: ResultTable[]
  /** The labels of a comparison; undefined without one. */
  parts: PartLabels | undefined
  /** In a comparison, the side to show; undefined for all. */
  side: Side | undefined
  onSide: (side: string) => void
}

/** Shows “19 resources folder 6 · document 13”, or “Everyone except 1 · 385 subjects”. */
function Summary({ tables, nouns }: { tables: [title: string, totals: Totals][]; nouns: ResultsProps['nouns'] }) {
  const filled = tables.filter(([, { count }]) => count > 0)
  const total = filled.reduce((sum, [, { count }]) => sum + count, 0)
  const everyone = tables.find(([, { hasWildcard }]) => hasWildcard)
  const isPart = filled.some(([, { hasMore }]) => hasMore)
  return (
    <>
      {everyone && formatEveryone(everyone[1])}
      <span className={everyone ? 'max-sm:hidden' : ''}>
        {everyone && ' · '}
        {isPart ? `${total.toLocaleString('en')}+ ${nouns[1]}` : formatCount(total, nouns)}
      </span>
      {filled.length > 1 && (
        <span className="ml-2 text-[14px] font-normal text-ink2 max-sm:hidden">
          {filled.map(([title, { count }]) => `${title} ${count.toLocaleString('en')}`).join(' · ')}
        </span>
      )}
    </>
  )
}

const formatEveryone = ({ exceptionCount }: Totals) =>
  exceptionCount > 0 ? `Everyone except ${exceptionCount.toLocaleString('en')}` : 'Everyone'

/** A table for each type, and the CSV download. Types without results are named in a line at the end. */
function Results({ note, nouns, fileName, tables, parts, side, onSide }: ResultsProps) {
  /** The totals of each table that has loaded. */
  const [loaded, setLoaded] = useState<ReadonlyMap<string, Totals>>(new Map())
  const onLoaded = useCallback((type: string, totals: Totals) => {
    setLoaded((before) =>
      JSON.stringify(before.get(type)) === JSON.stringify(totals) ? before : new Map(before).set(type, totals),
    )
  }, [])
  const columnCount = countSharedColumns(tables)
  const types = tables.map(({ resultType }) => printSubjectType(resultType))
  const firstPending = types.findIndex((type) => !loaded.has(type))
  const found = tables.flatMap(({ resultType }): [string, Totals][] => {
    const totals = loaded.get(printSubjectType(resultType))
    return totals ? [[describeType(resultType), totals]] : []
  })
  const hasConditional = found.some(([, totals]) => totals.hasConditional)
  const emptyTitles = found.flatMap(([title, { isEmpty }]) => (isEmpty ? [title] : []))
  const emptyNote = emptyTitles.length > 0 && (
    <p className="text-ink2">
      No results for: <span className="[overflow-wrap:anywhere]">{emptyTitles.join(', ')}</span>
    </p>
  )
  return (
    <section aria-label="Results" className="mt-4">
      <h2 className="sr-only">Results</h2>
      <div className="flex min-h-8 items-center justify-between gap-2">
        <p className="truncate text-[17px] font-[600]">
          {firstPending < 0 && <Summary tables={found} nouns={nouns} />}
        </p>
        <div className="flex shrink-0 items-center gap-2">
          {parts && (
            <Select
              label="Show"
              isLabelHidden
              className="h-8! w-auto! text-[13px]"
              value={side ?? ''}
              options={[{ value: '', label: 'All' }, ...sides.map((value) => ({ value, label: parts[value] }))]}
              onChange={({ target }) => onSide(target.value)}
            />
          )}
          <LookupCsv fileName={fileName} tables={tables} parts={parts} side={side} />
        </div>
      </div>
      <div className="mt-1 mb-3 flex flex-wrap items-center gap-x-4 gap-y-1">
        {/* A tick alone needs no explanation. */}
        {(columnCount > 1 || hasConditional) && <Legend hasConditional={hasConditional} />}
        <p className="text-ink2 empty:hidden">{note}</p>
      </div>
      <div className="grid grid-cols-1 gap-4">
        {tables.map((table, index) => (
          // A table is hidden until the tables above it can no longer push it down.
          <div key={types[index]} className={index > firstPending && firstPending >= 0 ? 'hidden' : 'empty:hidden'}>
            <LookupTable table={table} columnCount={columnCount} parts={parts} side={side} onLoaded={onLoaded} />
          </div>
        ))}
        {emptyNote && emptyTitles.length < tables.length && <div className="px-5">{emptyNote}</div>}
      </div>
      {emptyNote && emptyTitles.length === tables.length && (
        <EmptyBox kind="no match" title="No results">
          {emptyNote}
        </EmptyBox>
      )}
    </section>
  )
}
