import { SlidersHorizontal } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { ListChips } from '../directory/ListChips.tsx'
import {
  listResourceTypes,
  listSubjectTypes,
  listUsersetRelations,
  type SchemaWithETag,
} from '../permissions/schema.ts'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { type Option, Select } from '../ui/Select.tsx'
import { expiries, type RelationSearch } from './relation-search.ts'

interface RelationFiltersProps {
  schema: SchemaWithETag
  search: RelationSearch
  /** Sets these search parameters; undefined removes one. */
  onFilter: (changes: { [K in keyof RelationSearch]?: string | undefined }) => void
  /** Further tools, beside the search. */
  children: ReactNode
}

/** A search for resources, and on demand the filters: resource, relation, subject and expiry. */
export function RelationFilters({ schema, search, onFilter, children }: RelationFiltersProps) {
  const { resourceType = '', subjectType = '', subjectRelation, expiresWithin = '' } = search
  const [isExpanded, setExpanded] = useState(false)
  const id = useId()
  const [ids, setIds] = useState(() => toIds(search))
  const address = JSON.stringify(toIds(search))
  useEffect(() => setIds(JSON.parse(address)), [address])

  function filterById(event?: FormEvent) {
    event?.preventDefault()
    if (JSON.stringify(ids) !== address) onFilter(parseIds(ids))
  }
  /** A filter by one of some names; another type may have other relations. */
  const select = (name: 'resourceType' | 'relation' | 'subjectType', names: readonly string[], cleared = {}) => (
    <Select
      label={labels[name]}
      value={search[name] ?? ''}
      options={toOptions(names, search[name])}
      onChange={({ target }) => onFilter({ [name]: target.value || undefined, ...cleared })}
    />
  )
  const idField = (name: keyof Ids, label: string, placeholder: string) => (
    <Field
      label={label}
      placeholder={placeholder}
      spellCheck={false}
      autoCapitalize="off"
      className="font-mono text-[13px]"
      value={ids[name]}
      onChange={({ target }) => setIds({ ...ids, [name]: target.value })}
      onBlur={() => filterById()}
    />
  )
  const activeCount = findActiveFilters(search).length
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox
          label="Search relationships"
          placeholder="Resource, such as document:road"
          value={printSearch(search)}
          onSearch={(text) => onFilter(parseSearchText(text, listResourceTypes(schema)))}
        />
        <Button
          aria-expanded={isExpanded}
          aria-controls={isExpanded ? id : undefined}
          onClick={() => setExpanded(!isExpanded)}
        >
          <SlidersHorizontal size={16} aria-hidden="true" />
          Filters{activeCount > 0 && ` (${activeCount})`}
        </Button>
        {children}
      </div>
      {isExpanded && (
        <form
          id={id}
          onSubmit={filterById}
          aria-label="Filters"
          className="mt-2.5 grid grid-cols-2 items-start gap-3 card px-4 py-4 sm:px-[18px] lg:grid-cols-4"
        >
          {select('resourceType', listResourceTypes(schema), { relation: undefined })}
          {idField('resource', 'Resource ID', 'ID or prefix*')}
          {select('relation', listRelationNames(schema, resourceType))}
          <Select
            label="Expires"
            value={expiresWithin}
            options={[anyOption, ...expiries]}
            onChange={({ target }) => onFilter({ expiresWithin: target.value || undefined })}
          />
          {select('subjectType', listSubjectTypes(schema), { subjectRelation: undefined })}
          {idField('subject', 'Subject ID', 'ID, or * for all')}
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
          <div className="self-end">
            <Button type="submit">Apply</Button>
          </div>
        </form>
      )}
      <Chips search={search} onFilter={onFilter} />
    </>
  )
}

const anyOption: Option = { value: '', label: 'Any' }
/** Includes a value of the URL that cannot be chosen. */
const toOptions = (names: readonly string[], selected: string | undefined): Option[] => [
  anyOption,
  ...(selected && !names.includes(selected) ? [selected, ...names] : names).map((value) => ({ value, label: value })),
]

/** Returns the search for the filter of the resource: `document:road`. */
const printSearch = ({ resourceType, resourceId, resourceIdPrefix }: RelationSearch): string => {
  const id = resourceId ?? resourceIdPrefix
  if (resourceType === undefined) return id ?? ''
  return id === undefined ? resourceType : `${resourceType}:${id}`
}

/** Parses a type, the start of an id, or both: `document`, `road` or `document:road`. */
function parseSearchText(text: string, types: readonly string[]) {
  const [, type = '', id = ''] = /^(?:([^:]*):)?(.*)$/s.exec(text.trim()) ?? []
  const isType = type === '' && types.includes(id)
  return {
    resourceType: (isType ? id : type) || undefined,
    resourceId: undefined,
    resourceIdPrefix: (!isType && id.replace(/\*$/, '')) || undefined,
    relation: undefined,
  }
}

interface Ids {
  resource: string
  subject: string
}

/** A trailing star marks a prefix. */
const toIds = ({ resourceId, resourceIdPrefix, subjectId = '' }: RelationSearch): Ids => ({
  resource: resourceIdPrefix === undefined ? (resourceId ?? '') : `${resourceIdPrefix}*`,
  subject: subjectId,
})

function parseIds({ resource, subject }: Ids) {
  const [id, subjectId] = [resource.trim(), subject.trim()]
  const isPrefix = id.endsWith('*')
  return {
    resourceId: isPrefix ? undefined : id || undefined,
    resourceIdPrefix: (isPrefix && id.slice(0, -1)) || undefined,
    subjectId: subjectId || undefined,
  }
}

const listRelationNames = (schema: SchemaWithETag, type: string): string[] => {
  const matchingTypes = schema.definitions.filter(({ name }) => type === '' || name === type)
  return [...new Set(matchingTypes.flatMap(({ relations }) => relations.map(({ name }) => name)))].toSorted()
}

const labels = {
  resourceType: 'Resource type',
  relation: 'Relation',
  subjectType: 'Subject type',
  subjectId: 'Subject',
  subjectRelation: 'Subject relation',
  expiresWithin: 'Expires',
} as const

/** Those that the search does not show. */
const names = (Object.keys(labels) as (keyof typeof labels)[]).filter((name) => !name.startsWith('resource'))
const findActiveFilters = (search: RelationSearch) => names.filter((name) => search[name] !== undefined)

function Chips({ search, onFilter }: Pick<RelationFiltersProps, 'search' | 'onFilter'>) {
  const chips = names.flatMap((name) => {
    const value = search[name]
    if (value === undefined) return []
    return [
      {
        name,
        label: labels[name],
        text: formatFilterValue(name, value),
        onClear: () => onFilter({ [name]: undefined }),
      },
    ]
  })
  if (chips.length === 0) return null
  return (
    <ListChips chips={chips} onClearAll={() => onFilter(Object.fromEntries(names.map((name) => [name, undefined])))} />
  )
}

function formatFilterValue(name: keyof typeof labels, value: string): string {
  if (name === 'expiresWithin') return expiries.find((option) => option.value === value)?.label ?? value
  if (name === 'subjectRelation' && value === '') return 'the object itself'
  return value
}
