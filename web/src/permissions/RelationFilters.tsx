import { ChevronDown, ChevronRight } from 'lucide-react'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { ListChips } from '../directory/ListChips.tsx'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { type Option, Select } from '../ui/Select.tsx'
import { expiries, type RelationSearch } from './relation-search.ts'
import { type KnownSchema, resourceTypes, setRelations, subjectTypes } from './schema.ts'

interface RelationFiltersProps {
  schema: KnownSchema
  search: RelationSearch
  /** Shows what fits these parts of the address; what is undefined is taken out of it. */
  onFilter: (parts: { [K in keyof RelationSearch]?: string | undefined }) => void
}

/** What relationships are wanted: by the resource, the relation, the subject, and by when they run out. */
export function RelationFilters({ schema, search, onFilter }: RelationFiltersProps) {
  const { resourceType = '', relation = '', subjectType = '', subjectRelation, expiresWithin = '' } = search
  const [isUnfolded, setUnfolded] = useState(false)
  const id = useId()
  const [ids, setIds] = useState(() => idsOf(search))
  const address = JSON.stringify(idsOf(search))
  useEffect(() => setIds(JSON.parse(address)), [address])

  function filterById(event?: FormEvent) {
    event?.preventDefault()
    if (JSON.stringify(ids) !== address) onFilter(partsOf(ids))
  }
  const anyOf = (names: readonly string[], chosen: string): Option[] => [
    { value: '', label: 'Any' },
    ...(names.includes(chosen) || chosen === '' ? names : [chosen, ...names]).map((value) => ({ value, label: value })),
  ]
  return (
    <>
      <Fold id={id} isUnfolded={isUnfolded} set={setIn(search).length} onTurn={() => setUnfolded(!isUnfolded)} />
      <form
        id={id}
        onSubmit={filterById}
        aria-label="Filters"
        className={`${isUnfolded ? '' : 'max-sm:hidden'} grid grid-cols-2 items-start gap-3 rounded-box border border-line bg-card px-5 py-4 max-sm:mt-2 max-sm:px-4 lg:grid-cols-4`}
      >
        <Select
          label="Resource type"
          value={resourceType}
          options={anyOf(resourceTypes(schema), resourceType)}
          onChange={({ target }) => onFilter({ resourceType: target.value || undefined, relation: undefined })}
        />
        <Field
          label="Resource id"
          placeholder="id, or start*"
          spellCheck={false}
          autoCapitalize="off"
          className="font-mono text-[13px]"
          value={ids.resource}
          onChange={({ target }) => setIds({ ...ids, resource: target.value })}
          onBlur={() => filterById()}
        />
        <Select
          label="Relation"
          value={relation}
          options={anyOf(relationsOf(schema, resourceType), relation)}
          onChange={({ target }) => onFilter({ relation: target.value || undefined })}
        />
        <Select
          label="Runs out"
          value={expiresWithin}
          options={[{ value: '', label: 'Any or never' }, ...expiries]}
          onChange={({ target }) => onFilter({ expiresWithin: target.value || undefined })}
        />
        <Select
          label="Subject type"
          value={subjectType}
          options={anyOf(subjectTypes(schema), subjectType)}
          onChange={({ target }) => onFilter({ subjectType: target.value || undefined, subjectRelation: undefined })}
        />
        <Field
          label="Subject id"
          placeholder="id, or * for all"
          spellCheck={false}
          autoCapitalize="off"
          className="font-mono text-[13px]"
          value={ids.subject}
          onChange={({ target }) => setIds({ ...ids, subject: target.value })}
          onBlur={() => filterById()}
        />
        <Select
          label="Subject relation"
          value={subjectRelation === undefined ? '' : `#${subjectRelation}`}
          options={[
            { value: '', label: 'Any' },
            { value: '#', label: 'The object itself' },
            ...setRelations(schema, subjectType).map((name) => ({ value: `#${name}`, label: `#${name}` })),
          ]}
          onChange={({ target }) =>
            onFilter({ subjectRelation: target.value === '' ? undefined : target.value.slice(1) })
          }
        />
        <div className="self-end">
          <Button type="submit">Filter</Button>
        </div>
      </form>
      <Chips search={search} onFilter={onFilter} />
    </>
  )
}

interface FoldProps {
  /** Of the form. */
  id: string
  isUnfolded: boolean
  /** How many filters are set. */
  set: number
  onTurn: () => void
}

/** In a small window the filters would be all that one sees. */
function Fold({ id, isUnfolded, set, onTurn }: FoldProps) {
  const Chevron = isUnfolded ? ChevronDown : ChevronRight
  return (
    <Button className="sm:hidden" aria-expanded={isUnfolded} aria-controls={id} onClick={onTurn}>
      <Chevron size={16} aria-hidden="true" />
      Filters{set > 0 && `, ${set} set`}
    </Button>
  )
}

interface Ids {
  resource: string
  subject: string
}

/** What ends in a star begins so. */
const idsOf = ({ resourceId, resourceIdPrefix, subjectId = '' }: RelationSearch): Ids => ({
  resource: resourceIdPrefix === undefined ? (resourceId ?? '') : `${resourceIdPrefix}*`,
  subject: subjectId,
})

function partsOf({ resource, subject }: Ids) {
  const [id, by] = [resource.trim(), subject.trim()]
  const isPrefix = id.endsWith('*')
  return {
    resourceId: isPrefix ? undefined : id || undefined,
    resourceIdPrefix: (isPrefix && id.slice(0, -1)) || undefined,
    subjectId: by || undefined,
  }
}

const relationsOf = (schema: KnownSchema, type: string): string[] => {
  const ofType = schema.definitions.filter(({ name }) => type === '' || name === type)
  return [...new Set(ofType.flatMap(({ relations }) => relations.map(({ name }) => name)))].toSorted()
}

const labels = {
  resourceType: 'Resource type',
  resourceId: 'Resource',
  resourceIdPrefix: 'Resource begins',
  relation: 'Relation',
  subjectType: 'Subject type',
  subjectId: 'Subject',
  subjectRelation: 'Subject relation',
  expiresWithin: 'Runs out',
} as const

const names = Object.keys(labels) as (keyof typeof labels)[]
const setIn = (search: RelationSearch) => names.filter((name) => search[name] !== undefined)

function Chips({ search, onFilter }: Omit<RelationFiltersProps, 'schema'>) {
  const chips = names.flatMap((name) => {
    const value = search[name]
    if (value === undefined) return []
    return [{ name, label: labels[name], text: textOf(name, value), onClear: () => onFilter({ [name]: undefined }) }]
  })
  if (chips.length === 0) return null
  return (
    <ListChips chips={chips} onClearAll={() => onFilter(Object.fromEntries(names.map((name) => [name, undefined])))} />
  )
}

function textOf(name: keyof typeof labels, value: string): string {
  if (name === 'expiresWithin') return expiries.find((one) => one.value === value)?.label ?? value
  if (name === 'subjectRelation' && value === '') return 'the object itself'
  return value
}
