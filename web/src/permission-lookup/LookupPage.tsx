import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { Loaded } from '../app/Loaded.tsx'
import { parseContext } from '../permissions/check-search.ts'
import type { SchemaWithETag } from '../permissions/schema.ts'
import { ToolHeader } from '../permissions/ToolHeader.tsx'
import { WhatIfBar } from '../permissions/WhatIfBar.tsx'
import { useQuestionSchema, useWhatIf } from '../permissions/what-if.ts'
import { Empty } from '../ui/Empty.tsx'
import { Select } from '../ui/Select.tsx'
import { type Direction, resources, subjects } from './directions.tsx'
import { LookupCsv } from './LookupCsv.tsx'
import { LookupForm } from './LookupForm.tsx'
import { LookupTable } from './LookupTable.tsx'
import {
  getPartLabels,
  type PartLabels,
  parseDraft,
  parseLookupSearch,
  printSubjectType,
  type Side,
  sides,
} from './lookup-search.ts'
import { listLookups, type ResultTable } from './lookups.ts'

/** Lists the resources that a subject can access. */
export const LookupResourcesPage = () => <LookupPage direction={resources} />

/** Lists the subjects that can access a resource. */
export const LookupSubjectsPage = () => <LookupPage direction={subjects} />

/** A lookup in one direction, for one permission or all; the question is in the URL. */
function LookupPage({ direction }: { direction: Direction }) {
  return (
    <div>
      <ToolHeader title={direction.title} description={direction.description} />
      <WhatIfBar />
      <Loaded query={useQuestionSchema()} label="Loading schema" rows={2} rowClass="h-9">
        {(schema) => <Lookup direction={direction} schema={schema} />}
      </Loaded>
    </div>
  )
}

function Lookup({ direction, schema }: { direction: Direction; schema: SchemaWithETag }) {
  const { name, parse } = direction
  const params = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const show = (next: object) => void navigate({ to: '.', search: next as never, resetScroll: false })
  const search = parseLookupSearch(params)
  const side = sides.find((candidate) => candidate === params['side'])
  const whatIf = useWhatIf()
  const values = parseContext(search.context)
  const context = values && Object.keys(values).length > 0 ? { context: values } : {}
  const terms = { ...context, ...(whatIf && { whatIf }) }
  const [object, other] = [parse(search[name]), parse(search.with)]
  // Parts of a supposed schema cannot be asked of the stored one.
  const comparedTerms = search.since
    ? { ...context, consistency: { kind: 'atExactSnapshot' as const, token: search.since } }
    : whatIf && whatIf.schema === undefined
      ? context
      : undefined
  const compared = other
    ? { object: other, terms }
    : object && comparedTerms
      ? { object, terms: comparedTerms }
      : undefined
  const faults = direction.findFaults(schema, parseDraft(search, name, direction.defaultType(schema)))
  const messages = Object.values(faults).filter((fault) => fault !== undefined)
  const tables = object ? direction.findTables(schema, search, { object, terms }, compared) : []
  const objects = `${search[name]}${other ? ` and ${search.with}` : ''}`
  const since = !other && search.since ? ', compared with an earlier revision' : ''
  const hasQuestion = object !== undefined || faults.object !== undefined
  return (
    <>
      <LookupForm direction={direction} schema={schema} search={search} onSubmit={show} />
      {!hasQuestion && (
        <EmptyBox kind="nothing yet" title="No lookup yet">
          {direction.emptyText}
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
      {messages.length === 0 && tables.length > 0 && (
        <Results
          title={`${direction.formatHeading(schema, search, objects)}${since}`}
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

function EmptyBox(props: Parameters<typeof Empty>[0]) {
  return (
    <div className="mt-6 card">
      <Empty {...props} />
    </div>
  )
}

interface ResultsProps {
  /** The question, for screen readers. */
  title: string
  /** The name of the CSV file. */
  fileName: string
  tables: ResultTable[]
  /** The names of a comparison's parts. */
  parts: PartLabels | undefined
  /** The only part to show, in a comparison. */
  side: Side | undefined
  onSide: (side: string) => void
}

/** A table for each type, and the CSV download; types without results are named in one line at the end. */
function Results({ title, fileName, tables, parts, side, onSide }: ResultsProps) {
  const [emptyTitles, setEmptyTitles] = useState<ReadonlySet<string>>(new Set())
  const onEmpty = useCallback(
    (title: string, isEmpty: boolean) =>
      setEmptyTitles((before) => {
        if (before.has(title) === isEmpty) return before
        const others = [...before].filter((one) => one !== title)
        return new Set(isEmpty ? [...others, title] : others)
      }),
    [],
  )
  const keyed = tables.map((table) => ({ table, key: JSON.stringify(listLookups(table).map(({ key }) => key)) }))
  const shownEmpty = tables.map(({ resultType }) => printSubjectType(resultType)).filter((one) => emptyTitles.has(one))
  const emptyNote = shownEmpty.length > 0 && (
    <p className="text-ink2">
      No results for: <span className="font-mono text-[12.5px] [overflow-wrap:anywhere]">{shownEmpty.join(', ')}</span>
    </p>
  )
  return (
    <section aria-label={title} className="mt-6">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <h2 className="mr-auto min-w-0 [overflow-wrap:anywhere]">{title}</h2>
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
      <div className="grid grid-cols-1 gap-4">
        {keyed.map(({ table, key }) => (
          <LookupTable key={key} table={table} parts={parts} side={side} onEmpty={onEmpty} />
        ))}
        {emptyNote && shownEmpty.length < tables.length && <div className="px-5">{emptyNote}</div>}
      </div>
      {emptyNote && shownEmpty.length === tables.length && (
        <EmptyBox kind="no match" title="No results">
          {emptyNote}
        </EmptyBox>
      )}
    </section>
  )
}
