import { ApiError } from '@passport/contract/call'
import { listGroups } from '@passport/contract/groups'
import type { EntraMapping } from '@passport/contract/org-entra'
import { useQuery } from '@tanstack/react-query'
import { ArrowRight, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { query } from '../app/api.ts'
import { brandName } from '../app/brand.ts'
import { Button } from '../ui/Button.tsx'
import { Check } from '../ui/Check.tsx'
import { Field } from '../ui/Field.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { Picker } from '../ui/Picker.tsx'
import { Select } from '../ui/Select.tsx'
import {
  createMappings,
  emptyEntry,
  findEntryErrors,
  keyOfMapping,
  type MappingEntry,
  type Source,
  searchTargets,
  sourceOf,
  sourceOptions,
} from './mappings.ts'

interface MappingEditorProps {
  mappings: EntraMapping[]
  /** The failure of the last save: each mapping shows its own part. */
  error?: Error | undefined
  onChange: (mappings: EntraMapping[]) => void
  /** The form's values. */
  entry: MappingEntry
  onEntryChange: (entry: MappingEntry) => void
  /** Shows that the form has values that are not added. */
  isEntryLeft: boolean
  /** The only groups that can be picked, for a user who is no administrator; roles cannot. */
  groups?: { id: string; name: string }[] | undefined
}

/** The mappings of a tenant, and a form that adds more. */
export function MappingEditor({ mappings, error, onChange, ...form }: MappingEditorProps) {
  return (
    <>
      <MappingList
        mappings={mappings}
        error={error}
        groups={form.groups}
        onRemove={(removed) => onChange(mappings.filter((mapping) => mapping !== removed))}
      />
      <AddMapping {...form} mappings={mappings} onAdd={(added) => onChange([...mappings, ...added])} />
    </>
  )
}

interface MappingListProps extends Pick<MappingEditorProps, 'mappings' | 'error' | 'groups'> {
  onRemove?: (mapping: EntraMapping) => void
}

/** The mappings, one line each: “group 1b9f… → Night crew”. */
export function MappingList({ mappings, error, groups, onRemove }: MappingListProps) {
  if (mappings.length === 0) return <p className="px-4 pb-4 text-ink2 sm:px-[18px]">No mappings</p>
  const errors = (error instanceof ApiError && error.problem?.errors) || []
  return (
    <ul className="pb-1">
      {mappings.map((mapping, index) => {
        const message = errors.find(({ field }) => field.startsWith(`mappings[${index}]`))?.message
        return (
          <li key={keyOfMapping(mapping)} className="border-t border-hair px-4 py-2.5 first:border-0 sm:px-[18px]">
            <div className="flex items-center gap-3">
              <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
                <span className="min-w-0">
                  <span className="block text-[13px] text-ink3">{mapping.appRole ? 'App role' : 'Entra group'}</span>
                  <code className="block font-mono text-[12.5px] break-all">{sourceOf(mapping)}</code>
                </span>
                <span className="inline-flex min-w-0 items-center gap-3">
                  <ArrowRight size={14} className="shrink-0 text-ink3" role="img" aria-label="gives" />
                  <Target mapping={mapping} groups={groups} />
                </span>
              </div>
              {onRemove && (
                <button
                  type="button"
                  aria-label={`Remove the mapping of ${sourceOf(mapping)}`}
                  className="btn btn-ghost btn-small px-2"
                  onClick={() => onRemove(mapping)}
                >
                  <X size={15} />
                </button>
              )}
            </div>
            {message && <p className="mt-1 text-[13px] text-bad">{message}</p>}
          </li>
        )
      })}
    </ul>
  )
}

interface TargetProps extends Pick<MappingEditorProps, 'groups'> {
  mapping: EntraMapping
}

function Target({ mapping: { groupId = '', role }, groups }: TargetProps) {
  if (groups)
    return (
      <span className="inline-flex min-w-0 items-center gap-2">
        <ObjectIcon kind="group" size={22} />
        <span className="min-w-0 break-words">{groups.find(({ id }) => id === groupId)?.name ?? groupId}</span>
      </span>
    )
  return (
    <span className="inline-flex min-w-0 items-center gap-2">
      <ObjectIcon kind={role ? 'role' : 'group'} size={22} />
      {role ? <code className="font-mono text-[13px] break-all">{role}</code> : <GroupName id={groupId} />}
    </span>
  )
}

/** The name of a group; its id until that is known. */
function GroupName({ id }: { id: string }) {
  const { data } = useQuery({ ...query(listGroups, { query: { query: id, limit: 1 } }), staleTime: 60_000 })
  const group = data?.items[0]
  return <span className="min-w-0 break-words">{group && 'name' in group ? group.name : id}</span>
}

interface AddMappingProps
  extends Pick<MappingEditorProps, 'mappings' | 'entry' | 'onEntryChange' | 'isEntryLeft' | 'groups'> {
  onAdd: (added: EntraMapping[]) => void
}

function AddMapping({ mappings, entry, onEntryChange, isEntryLeft, groups, onAdd }: AddMappingProps) {
  const [isSubmitted, setSubmitted] = useState(false)
  const { source, value, targets } = entry
  const errors = isSubmitted ? findEntryErrors(entry, mappings) : {}
  const change = (changes: Partial<MappingEntry>) => {
    setSubmitted(false)
    onEntryChange({ ...entry, ...changes })
  }

  function add(event: FormEvent) {
    event.preventDefault()
    const { source, targets } = findEntryErrors(entry, mappings)
    setSubmitted(true)
    if (source || targets) return
    onAdd(createMappings(entry))
    change(emptyEntry)
  }

  return (
    <form onSubmit={add} className="grid gap-4 border-t border-line px-4 pt-4 pb-[18px] sm:px-[18px]">
      <div className="grid gap-4 sm:grid-cols-[150px_minmax(0,1fr)]">
        <Select
          label="From"
          options={sourceOptions}
          value={source}
          onChange={({ target }) => change({ source: target.value as Source })}
        />
        <Field
          label={source === 'appRole' ? 'Value of the app role' : 'Object ID of the group'}
          placeholder={source === 'appRole' ? 'Stage.Host' : '1b9f3c52-7d0e-4a5b-9c8d-2e6f1a3b4c5d'}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="font-mono text-[13px]"
          value={value}
          error={errors.source}
          onChange={({ target }) => change({ value: target.value })}
        />
      </div>
      {groups ? (
        <Select
          label={`Group in ${brandName}`}
          options={[
            { value: '', label: 'Choose a group' },
            ...groups.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={targets[0]?.id ?? ''}
          error={errors.targets}
          onChange={({ target }) => change({ targets: groups.filter(({ id }) => id === target.value) })}
        />
      ) : (
        <Picker
          label="Groups and roles in Passport"
          placeholder="Name"
          search={searchTargets}
          picked={targets}
          error={errors.targets}
          onPick={(targets) => change({ targets })}
        />
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-60 text-[13px] text-ink3">
          {!groups && "Built-in roles can't be given by a tenant, nor groups that have one."}
        </p>
        <Button type="submit">Add mapping</Button>
      </div>
      {isEntryLeft && (
        <p role="alert" className="text-[13px] text-bad">
          This mapping isn't added yet. Add it, or clear its fields.
        </p>
      )}
    </form>
  )
}

/** Whether guests of the tenant may sign in. */
export const GuestCheck = ({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) => (
  <div className="px-4 pb-3 sm:px-[18px]">
    <Check checked={isOn} onChange={({ target }) => onChange(target.checked)}>
      Guests of the tenant may sign in
    </Check>
  </div>
)
