import { ChevronDown, ChevronRight } from 'lucide-react'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { ListChips } from '../directory/ListChips.tsx'
import { listUsersetRelations, resourceTypes, type SchemaWithETag, subjectTypes } from '../permissions/schema.ts'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { type Option, Select } from '../ui/Select.tsx'
import { expiries, type RelationSearch } from './relation-search.ts'

interface RelationFiltersProps {
  schema: SchemaWithETag
  search: RelationSearch
  /** Sets these search parameters; undefined removes one. */
  onFilter: (changes: { [K in keyof RelationSearch]?: string | undefined }) => void
}

/** The filters of relationships: resource, relation, subject and expiry. */
export function RelationFilters({ schema, search, onFilter }: RelationFiltersProps) {
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
  return (
    <>
      <FilterToggle
        id={id}
        isExpanded={isExpanded}
        activeCount={findActiveFilters(search).length}
        onToggle={() => setExpanded(!isExpanded)}
      />
      <form
        id={id}
        onSubmit={filterById}
        aria-label="Filters"
        className={`${isExpanded ? '' : 'max-sm:hidden'} grid grid-cols-2 items-start gap-3 card px-5 py-4 max-sm:mt-2 max-sm:px-4 lg:grid-cols-4`}
      >
        {select('resourceType', resourceTypes(schema), { relation: undefined })}
        {idField('resource', 'Resource ID', 'ID or prefix*')}
        {select('relation', listRelationNames(schema, resourceType))}
        <Select
          label="Expires"
          value={expiresWithin}
          options={[anyOption, ...expiries]}
          onChange={({ target }) => onFilter({ expiresWithin: target.value || undefined })}
        />
        {select('subjectType', subjectTypes(schema), { subjectRelation: undefined })}
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

interface FilterToggleProps {
  /** The id of the form. */
  id: string
  isExpanded: boolean
  /** The number of set filters. */
  activeCount: number
  onToggle: () => void
}

/** In a small window, open filters would fill the screen. */
function FilterToggle({ id, isExpanded, activeCount, onToggle }: FilterToggleProps) {
  const Chevron = isExpanded ? ChevronDown : ChevronRight
  return (
    <Button className="sm:hidden" aria-expanded={isExpanded} aria-controls={id} onClick={onToggle}>
      <Chevron size={16} aria-hidden="true" />
      Filters{activeCount > 0 && ` (${activeCount})`}
    </Button>
  )
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
  resourceId: 'Resource',
  resourceIdPrefix: 'Resource prefix',
  relation: 'Relation',
  subjectType: 'Subject type',
  subjectId: 'Subject',
  subjectRelation: 'Subject relation',
  expiresWithin: 'Expires',
} as const

const names = Object.keys(labels) as (keyof typeof labels)[]
const findActiveFilters = (search: RelationSearch) => names.filter((name) => search[name] !== undefined)

function Chips({ search, onFilter }: Omit<RelationFiltersProps, 'schema'>) {
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
