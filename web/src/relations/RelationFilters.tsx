import type { ObjectReference } from '@passport/contract/permission-terms'
import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { ListChips } from '../directory/ListChips.tsx'
import { parseObjectDraft } from '../permissions/check-search.ts'
import { useObjectName } from '../permissions/ObjectName.tsx'
import { ObjectPicker } from '../permissions/ObjectPicker.tsx'
import {
  listResourceTypes,
  listSubjectTypes,
  listUsersetRelations,
  type SchemaWithETag,
} from '../permissions/schema.ts'
import { Button } from '../ui/Button.tsx'
import { type Option, Select } from '../ui/Select.tsx'
import { expiryOptions, type RelationSearch } from './relation-search.ts'

interface RelationFiltersProps {
  schema: SchemaWithETag
  search: RelationSearch
  /** Sets these search parameters; undefined removes one. */
  onFilter: (changes: { [K in keyof RelationSearch]?: string | undefined }) => void
  /** Further tools, beside the search. */
  children: ReactNode
}

/** A search for resources and, on request, the filters: relation, subject and expiry. */
export function RelationFilters({ schema, search, onFilter, children }: RelationFiltersProps) {
  const {
    resourceType = '',
    resourceId,
    resourceIdPrefix = '',
    relation = '',
    subjectType = '',
    subjectId = '',
  } = search
  const { subjectRelation, expiresWithin = '' } = search
  const [isExpanded, setExpanded] = useState(false)
  const id = useId()
  const [resourceTypes, subjectTypes] = [listResourceTypes(schema), listSubjectTypes(schema)]
  const activeCount = filterNames.filter((name) => search[name] !== undefined).length
  const countText = activeCount > 0 ? ` (${activeCount})` : ''
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-0 flex-1 basis-52 sm:max-w-96">
          <ObjectFilter
            label="Resource"
            placeholder="Name or ID"
            types={resourceTypes}
            namedTypes={[...new Set([...resourceTypes, ...subjectTypes])]}
            value={{ type: resourceType, id: resourceId ?? resourceIdPrefix }}
            onFilter={({ type, id }, isPicked) =>
              // Users are only subjects.
              isPicked && !resourceTypes.includes(type)
                ? onFilter({ subjectType: type, subjectId: id, subjectRelation: undefined })
                : onFilter({
                    resourceType: type || undefined,
                    resourceId: (isPicked && id) || undefined,
                    resourceIdPrefix: (!isPicked && id.replace(/\*$/, '')) || undefined,
                    ...(type !== resourceType && { relation: undefined }),
                  })
            }
          />
        </div>
        <Button
          aria-label={`Filters${countText}`}
          className="max-lg:px-2.5"
          aria-expanded={isExpanded}
          aria-controls={isExpanded ? id : undefined}
          onClick={() => setExpanded(!isExpanded)}
        >
          <SlidersHorizontal size={16} aria-hidden="true" />
          <span className="max-lg:hidden">Filters</span>
          {countText}
        </Button>
        {children}
      </div>
      {isExpanded && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid
        <div
          id={id}
          role="group"
          aria-label="Filters"
          className="mt-2.5 grid grid-cols-2 items-start gap-3 card px-4 py-4 sm:px-[18px] lg:grid-cols-[1fr_2fr_1fr_1fr] [&_.ctl]:h-10 pointer-coarse:[&_.ctl]:h-11"
        >
          <Select
            label="Relation"
            value={relation}
            options={toOptions(listRelationNames(schema, resourceType), relation)}
            onChange={({ target }) => onFilter({ relation: target.value || undefined })}
          />
          <div className="max-lg:order-first max-lg:col-span-2">
            <p aria-hidden="true" className="mb-1.5 font-[560]">
              Subject
            </p>
            <ObjectFilter
              label="Subject"
              placeholder="Name or ID"
              types={subjectTypes}
              namedTypes={subjectTypes}
              value={{ type: subjectType, id: subjectId }}
              onFilter={({ type, id }) =>
                onFilter({
                  subjectType: type || undefined,
                  subjectId: id || undefined,
                  ...(type !== subjectType && { subjectRelation: undefined }),
                })
              }
            />
          </div>
          <Select
            label="Subject relation"
            value={subjectRelation === undefined ? '' : `#${subjectRelation}`}
            options={[
              anyOption,
              { value: '#', label: 'The object itself' },
              ...listUsersetRelations(schema, subjectType).map((name) => ({ value: `#${name}`, label: `#${name}` })),
            ]}
            onChange={({ target }) =>
              onFilter({ subjectRelation: target.value === '' ? undefined : target.value.slice(1) })
            }
          />
          <Select
            label="Expires"
            value={expiresWithin}
            options={[anyOption, ...expiryOptions]}
            onChange={({ target }) => onFilter({ expiresWithin: target.value || undefined })}
          />
        </div>
      )}
      <Chips search={search} onFilter={onFilter} />
    </>
  )
}

interface ObjectFilterProps {
  label: string
  placeholder: string
  types: string[]
  /** The types that are searched by name while any type matches. */
  namedTypes: string[]
  /** The current filter; an empty type or id matches any. */
  value: ObjectReference
  /** Called after Enter, on leaving the field, and with `isPicked` for a completion. */
  onFilter: (object: ObjectReference, isPicked: boolean) => void
}

/** A filter by an object: its type, and its id or name. Text such as `document:road` has both. */
function ObjectFilter({ types, value, onFilter, ...picker }: ObjectFilterProps) {
  const [typed, setTyped] = useState<string>()
  function filter(object: ObjectReference, isPicked = false) {
    setTyped(undefined)
    onFilter(object, isPicked)
  }
  function filterByText() {
    if (typed !== undefined && typed.trim() !== value.id) filter(parseObjectDraft(typed.trim(), value.type))
  }
  return (
    <form
      className="min-w-0"
      onSubmit={(event) => {
        event.preventDefault()
        filterByText()
      }}
      onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || filterByText()}
    >
      <ObjectPicker
        {...picker}
        types={['', ...types]}
        value={{ type: value.type, id: typed ?? value.id }}
        onChange={({ type, id }) => (type === value.type ? setTyped(id) : filter({ type, id: '' }))}
        onPick={(object) => filter(object, true)}
      />
      {/* With two inputs, one of them hidden, Enter submits only a form with a button. */}
      <button type="submit" tabIndex={-1} className="sr-only">
        Apply
      </button>
    </form>
  )
}

const anyOption: Option = { value: '', label: 'Any' }
/** Adds the selected value if the schema lacks it, such as one from an old link. */
const toOptions = (names: readonly string[], selected: string): Option[] => [
  anyOption,
  ...(selected && !names.includes(selected) ? [selected, ...names] : names).map((value) => ({ value, label: value })),
]

/** Returns the relations of a type, or of all types if it is empty. */
const listRelationNames = (schema: SchemaWithETag, type: string): string[] => {
  const matchingTypes = schema.definitions.filter(({ name }) => type === '' || name === type)
  return [...new Set(matchingTypes.flatMap(({ relations }) => relations.map(({ name }) => name)))].toSorted()
}

/** The labels of the filters that the search for resources does not show. */
const labels = {
  relation: 'Relation',
  subjectType: 'Subject type',
  subjectId: 'Subject',
  subjectRelation: 'Subject relation',
  expiresWithin: 'Expires',
} as const
const filterNames = Object.keys(labels) as (keyof typeof labels)[]

/** The active filters, each with a button to remove it. */
function Chips({ search, onFilter }: Pick<RelationFiltersProps, 'search' | 'onFilter'>) {
  const subjectName = useObjectName({ type: search.subjectType ?? '', id: search.subjectId ?? '' })
  const chips = filterNames.flatMap((name) => {
    const value = search[name]
    if (value === undefined) return []
    const text = (name === 'subjectId' && subjectName) || formatFilterValue(name, value)
    return [{ name, label: labels[name], text, onClear: () => onFilter({ [name]: undefined }) }]
  })
  if (chips.length === 0) return null
  const clearAll = () => onFilter(Object.fromEntries(filterNames.map((name) => [name, undefined])))
  return <ListChips chips={chips} onClearAll={clearAll} />
}

function formatFilterValue(name: keyof typeof labels, value: string): string {
  if (name === 'expiresWithin') return expiryOptions.find((option) => option.value === value)?.label ?? value
  if (name === 'subjectRelation' && value === '') return 'the object itself'
  return value
}
