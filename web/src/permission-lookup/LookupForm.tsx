import type { SubjectReference } from '@passport/contract/permission-terms'
import { X } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { parseContext, parseObjectDraft, parseReferenceDraft } from '../permissions/check-search.ts'
import { ObjectPicker } from '../permissions/ObjectPicker.tsx'
import { printReference } from '../permissions/reference.ts'
import { Button } from '../ui/Button.tsx'
import { type Option, Select } from '../ui/Select.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import type { LookupFaults } from './lookup-faults.ts'
import type { LookupSearch } from './lookup-search.ts'
import { RevisionPicker } from './RevisionPicker.tsx'

interface LookupFormProps extends LookupOptions {
  /** The label of the picked objects: “Subject”. */
  label: string
  /** The search parameter of the first object. */
  name: 'subject' | 'resource'
  types: readonly string[]
  usersetRelationsOf?: (type: string) => readonly string[]
  search: LookupSearch
  /** The initial type. */
  defaultType: string
  /** Returns the parts unknown to the schema. */
  findFaults: (draft: LookupDraft) => LookupFaults
  /** Lays the parts out as a sentence. */
  children: (parts: { object: ReactNode; permission: ReactNode; type: ReactNode; submitButton: ReactNode }) => ReactNode
  onSubmit: (search: LookupSearch) => void
}

/** The question of a lookup as a sentence with fields; submitted once complete. */
export function LookupForm(props: LookupFormProps) {
  const { label, name, types, usersetRelationsOf, search, defaultType, onSubmit } = props
  const [rawDraft, setDraft] = useState(() => parseDraft(search, name, defaultType))
  const draft = fillDefaults(rawDraft, props)
  // A typed name of the directory is not an id yet: faults of ids are shown on submit.
  const [isTyping, setTyping] = useState(false)
  const address = JSON.stringify(search)
  // Back and links change the URL: shows its question.
  useEffect(() => {
    const search = JSON.parse(address) as LookupSearch
    setDraft((draft) => (search[name] ? parseDraft(search, name, defaultType) : draft))
    setTyping(false)
  }, [address, name, defaultType])
  const change = (changes: Partial<LookupDraft>) => setDraft(applyChange(draft, changes, props))
  const changeObject = (changes: Pick<LookupDraft, 'object'> | Pick<LookupDraft, 'with'>) => {
    setTyping(true)
    change(changes)
  }

  const faults = props.findFaults(draft)
  const shownFaults = isTyping ? { ...faults, object: undefined, with: undefined } : faults
  const canSubmit = isComplete(draft, props)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    flushSync(() => setTyping(false))
    const hasFaults = Object.values(faults).some((fault) => fault !== undefined)
    if (hasFaults) event.currentTarget.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
    else if (canSubmit) onSubmit(toLookupSearch(draft, name))
  }
  const picker: ComparisonProps['picker'] = (title, value, error, onChange) => (
    <ObjectPicker
      label={title}
      types={types}
      relations={usersetRelationsOf?.(value.type) ?? []}
      value={value}
      error={error}
      onChange={onChange}
    />
  )

  return (
    <form onSubmit={submit} className="rounded-box border border-line bg-card px-5 py-4" aria-label="Question">
      {props.children({
        object: picker(label, draft.object, shownFaults.object, (object) => changeObject({ object })),
        permission: (
          <Select
            label="Permission"
            isLabelHidden
            value={draft.permission}
            error={shownFaults.permission}
            options={withSelected(props.permissionOptions(draft), draft.permission)}
            onChange={({ target }) => change({ permission: target.value })}
          />
        ),
        type: (
          <Select
            label="Type"
            isLabelHidden
            value={draft.type}
            error={shownFaults.type}
            options={withSelected(props.typeOptions(draft), draft.type)}
            onChange={({ target }) => change({ type: target.value })}
          />
        ),
        submitButton: (
          <Button type="submit" variant="primary" disabled={!canSubmit}>
            Look up
          </Button>
        ),
      })}
      <Comparison
        draft={draft}
        label={label}
        fault={shownFaults.with}
        picker={picker}
        onChange={change}
        onOtherChange={(other) => changeObject({ with: other })}
      />
      <ContextBox value={draft.context} onChange={(context) => change({ context })} />
    </form>
  )
}

interface ComparisonProps {
  draft: LookupDraft
  label: string
  /** The fault of the other object. */
  fault: string | undefined
  picker: (
    title: string,
    value: SubjectReference,
    error: string | undefined,
    onChange: (value: SubjectReference) => void,
  ) => ReactNode
  onChange: (changes: Partial<LookupDraft>) => void
  onOtherChange: (other: SubjectReference) => void
}

/** Selects the comparison: another object, or an earlier moment. */
function Comparison({ draft, label, fault, picker, onChange, onOtherChange }: ComparisonProps) {
  if (draft.with === undefined && draft.since === undefined)
    return (
      <div className="mt-3 -ml-2.5 flex flex-wrap gap-1">
        <Button isSmall variant="ghost" onClick={() => onChange({ with: { type: draft.object.type, id: '' } })}>
          Compare with another {label.toLowerCase()}
        </Button>
        <Button isSmall variant="ghost" onClick={() => onChange({ since: '' })}>
          Compare with an earlier revision
        </Button>
      </div>
    )
  return (
    <div className="mt-3 flex flex-wrap items-start gap-2">
      <span className="pt-1.5 text-ink2">compared with</span>
      <div className="min-w-0 flex-1 basis-64 sm:max-w-xl">
        {draft.with ? (
          picker(`Other ${label.toLowerCase()}`, draft.with, fault, onOtherChange)
        ) : (
          <RevisionPicker value={draft.since ?? ''} onChange={(since) => onChange({ since })} />
        )}
      </div>
      <Button
        variant="ghost"
        aria-label="Remove comparison"
        className="px-2.5"
        onClick={() => onChange({ with: undefined, since: undefined })}
      >
        <X size={16} />
      </Button>
    </div>
  )
}

/** Values for caveats: most questions need none. */
function ContextBox({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <details className="mt-2" open={value !== '' ? true : undefined}>
      <summary className="w-fit cursor-pointer py-1 text-ink2 hover:text-ink">Context</summary>
      <div className="mt-2 max-w-xl">
        <TextArea
          label="Context"
          hint="Caveat values as a JSON object"
          error={parseContext(value) === undefined ? 'Must be a JSON object.' : undefined}
          placeholder='{"hour": 10}'
          spellCheck={false}
          className="font-mono text-[13px]"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      </div>
    </details>
  )
}

/** Adds the URL's value as an option, even if it cannot be chosen. */
const withSelected = (options: Option[], value: string): Option[] =>
  options.some((option) => option.value === value) ? options : [...options, { value, label: value }]

/** The form's values: the object, the one to compare with, and the question. */
export interface LookupDraft {
  object: SubjectReference
  with: SubjectReference | undefined
  /** The token of the moment to compare with; empty while it is being picked. */
  since: string | undefined
  type: string
  permission: string
  context: string
}

/** The options for a draft. */
export interface LookupOptions {
  /** Whether a permission must be chosen. */
  needsPermission?: boolean
  typeOptions: (draft: LookupDraft) => Option[]
  permissionOptions: (draft: LookupDraft) => Option[]
}

/** Returns the draft of a URL, valid or not. */
export function parseDraft(search: LookupSearch, name: 'subject' | 'resource', defaultType: string): LookupDraft {
  // Invalid references are kept as written, so that they can be corrected.
  const parse = name === 'subject' ? parseReferenceDraft : parseObjectDraft
  return {
    object: parse(search[name], defaultType),
    with: search.with === undefined ? undefined : parse(search.with, defaultType),
    since: search.with ? undefined : search.since,
    type: search.type ?? '',
    permission: search.permission ?? '',
    context: search.context ?? '',
  }
}

/** Selects a default permission if none is given. */
function fillDefaults(draft: LookupDraft, { needsPermission, permissionOptions }: LookupOptions): LookupDraft {
  if (!needsPermission || draft.permission !== '') return draft
  return { ...draft, permission: pickDefault(permissionOptions(draft), 'view') }
}

/** Replaces selections that are no longer available. */
function applyChange(previous: LookupDraft, changes: Partial<LookupDraft>, options: LookupOptions): LookupDraft {
  const { permissionOptions, typeOptions } = options
  const draft = { ...previous, ...changes }
  const keepAvailable = (value: string, oldOptions: Option[], newOptions: Option[]) =>
    hasOption(oldOptions, value) && !hasOption(newOptions, value)
      ? pickDefault(newOptions, options.needsPermission ? 'view' : '')
      : value
  const permission = keepAvailable(draft.permission, permissionOptions(previous), permissionOptions(draft))
  const permittedDraft = { ...draft, permission }
  return { ...permittedDraft, type: keepAvailable(draft.type, typeOptions(previous), typeOptions(permittedDraft)) }
}

const hasOption = (options: Option[], value: string) => options.some((option) => option.value === value)
const pickDefault = (options: Option[], preferred: string) =>
  hasOption(options, preferred) ? preferred : (options[0]?.value ?? '')

/** Whether it is complete enough to be asked. */
const isComplete = ({ object, permission, context }: LookupDraft, { needsPermission }: LookupOptions): boolean =>
  object.id.trim() !== '' && (!needsPermission || permission !== '') && parseContext(context) !== undefined

/** Returns the search parameters of a draft. */
function toLookupSearch(
  { object, type, permission, context, ...draft }: LookupDraft,
  name: 'subject' | 'resource',
): LookupSearch {
  const print = (reference: SubjectReference) => printReference({ ...reference, id: reference.id.trim() })
  return {
    [name]: print(object),
    ...(draft.with && draft.with.id.trim() !== '' && { with: print(draft.with) }),
    ...(!draft.with && draft.since && { since: draft.since }),
    ...(type && { type }),
    ...(permission && { permission }),
    ...(context.trim() && { context: context.trim() }),
  }
}
