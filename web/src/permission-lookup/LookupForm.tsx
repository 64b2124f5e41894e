import type { SubjectReference } from '@passport/contract/permission-terms'
import { Plus, X } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { ContextField } from '../permissions/ContextField.tsx'
import { parseContext } from '../permissions/check-search.ts'
import { ObjectPicker } from '../permissions/ObjectPicker.tsx'
import { printReference } from '../permissions/reference.ts'
import type { SchemaWithETag } from '../permissions/schema.ts'
import { Button } from '../ui/Button.tsx'
import { type Option, Select } from '../ui/Select.tsx'
import type { Direction } from './directions.tsx'
import { type LookupDraft, type LookupSearch, parseDraft } from './lookup-search.ts'
import { RevisionPicker } from './RevisionPicker.tsx'

interface LookupFormProps {
  direction: Direction
  schema: SchemaWithETag
  search: LookupSearch
  onSubmit: (search: LookupSearch) => void
}

/** The form of a lookup as a sentence with fields. */
export function LookupForm({ direction, schema, search, onSubmit }: LookupFormProps) {
  const { name, label } = direction
  const defaultType = direction.findDefaultType(schema)
  const [draft, setDraft] = useState(() => parseDraft(search, name, defaultType))
  // Errors of ids are shown on submit: typed text may be a name, which a completion replaces with the id.
  const [isTyping, setTyping] = useState(false)
  const [isFirstEmpty] = useState(draft.object.id === '')
  const serializedSearch = JSON.stringify(search)
  // Back and links change the URL, and with it the form.
  useEffect(() => {
    const search = JSON.parse(serializedSearch) as LookupSearch
    setDraft((draft) => (search[name] ? parseDraft(search, name, defaultType) : draft))
    setTyping(false)
  }, [serializedSearch, name, defaultType])
  const change = (changes: Partial<LookupDraft>) => setDraft(applyChange(draft, changes, direction, schema))
  const changeObject = (changes: Pick<LookupDraft, 'object'> | Pick<LookupDraft, 'with'>) => {
    setTyping(true)
    change(changes)
  }

  const errors = direction.findErrors(schema, draft)
  const shownErrors = isTyping ? { ...errors, object: undefined, with: undefined } : errors
  const isComplete = draft.object.id.trim() !== '' && parseContext(draft.context) !== undefined
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    flushSync(() => setTyping(false))
    const hasErrors = Object.values(errors).some((error) => error !== undefined)
    if (hasErrors) event.currentTarget.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
    else if (isComplete) onSubmit(toLookupSearch(draft, name))
  }
  const picker: ComparisonProps['picker'] = (title, value, error, onChange) => (
    <ObjectPicker
      label={title}
      types={direction.listTypes(schema)}
      relations={direction.listUsersetRelations(schema, value.type)}
      isFirst={isFirstEmpty && title === label}
      {...{ value, error, onChange }}
    />
  )
  const select = (part: 'permission' | 'type', title: string, options: Option[]) => (
    <Select
      label={title}
      isLabelHidden
      value={draft[part]}
      error={shownErrors[part]}
      options={withSelected(options, draft[part])}
      onChange={({ target }) => change({ [part]: target.value })}
    />
  )

  return (
    <form onSubmit={submit} className="card px-4 pt-4 pb-3 sm:px-[18px]" aria-label="Question">
      <div
        className={`grid items-start gap-x-3 gap-y-2 max-nav:grid-cols-[auto_minmax(0,1fr)] max-nav:[&>:not(span)]:col-start-2 [&_.ctl]:h-10 pointer-coarse:[&_.ctl]:h-11 [&>span]:pt-1.5 [&>span]:text-[17px] ${direction.sentenceClass}`}
      >
        {direction.renderSentence({
          object: picker(label, draft.object, shownErrors.object, (object) => changeObject({ object })),
          permission: select('permission', 'Permission', direction.listPermissionOptions(schema, draft)),
          type: select('type', 'Type', direction.listTypeOptions(schema, draft)),
        })}
        <Button type="submit" variant="primary" className="h-10! pointer-coarse:h-11!" disabled={!isComplete}>
          Look up
        </Button>
      </div>
      <div className="mt-3 flex flex-wrap items-start gap-2">
        <Comparison
          draft={draft}
          label={label}
          error={shownErrors.with}
          picker={picker}
          onChange={change}
          onOtherChange={(other) => changeObject({ with: other })}
        />
        {/* Collapsed, as most lookups need no caveat values. */}
        <details className="open:basis-full" open={draft.context !== '' ? true : undefined}>
          <summary className="btn btn-small w-fit">
            <Plus size={14} /> Context
          </summary>
          <div className="mt-2 max-w-xl">
            <ContextField value={draft.context} onChange={(context) => change({ context })} />
          </div>
        </details>
      </div>
    </form>
  )
}

interface ComparisonProps {
  draft: LookupDraft
  label: string
  /** The error of the other object. */
  error: string | undefined
  picker: (
    title: string,
    value: SubjectReference,
    error: string | undefined,
    onChange: (value: SubjectReference) => void,
  ) => ReactNode
  onChange: (changes: Partial<LookupDraft>) => void
  onOtherChange: (other: SubjectReference) => void
}

/** Picks the other side of a comparison: another object or an earlier revision. */
function Comparison({ draft, label, error, picker, onChange, onOtherChange }: ComparisonProps) {
  if (draft.with === undefined && draft.since === undefined)
    return (
      <div className="flex flex-wrap gap-2">
        <Button isSmall onClick={() => onChange({ with: { type: draft.object.type, id: '' } })}>
          <Plus size={14} /> Compare with another {label.toLowerCase()}
        </Button>
        <Button isSmall onClick={() => onChange({ since: '' })}>
          <Plus size={14} /> Compare with an earlier revision
        </Button>
      </div>
    )
  return (
    <div className="mt-1 flex min-w-0 flex-1 basis-80 flex-wrap items-start gap-2">
      <span className="pt-1.5 text-ink2">compared with</span>
      <div className="min-w-0 flex-1 basis-64 sm:max-w-xl">
        {draft.with ? (
          picker(`Other ${label.toLowerCase()}`, draft.with, error, onOtherChange)
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

/** Adds the selected value if the options lack it, such as one from an old link. */
const withSelected = (options: Option[], value: string): Option[] =>
  hasOption(options, value) ? options : [...options, { value, label: value }]

/** Applies changes, and clears a permission or type that they make unavailable. */
function applyChange(
  previous: LookupDraft,
  changes: Partial<LookupDraft>,
  { listPermissionOptions, listTypeOptions }: Direction,
  schema: SchemaWithETag,
): LookupDraft {
  const draft = { ...previous, ...changes }
  const keepAvailable = (value: string, oldOptions: Option[], newOptions: Option[]) =>
    hasOption(oldOptions, value) && !hasOption(newOptions, value) ? '' : value
  const { permission, type } = draft
  draft.permission = keepAvailable(
    permission,
    listPermissionOptions(schema, previous),
    listPermissionOptions(schema, draft),
  )
  draft.type = keepAvailable(type, listTypeOptions(schema, previous), listTypeOptions(schema, draft))
  return draft
}

const hasOption = (options: Option[], value: string) => options.some((option) => option.value === value)

/** Converts the form's values to search parameters. */
function toLookupSearch(draft: LookupDraft, name: Direction['name']): LookupSearch {
  const { object, with: other, since, type, permission, context } = draft
  const print = (reference: SubjectReference) => printReference({ ...reference, id: reference.id.trim() })
  return {
    [name]: print(object),
    ...(other && other.id.trim() !== '' && { with: print(other) }),
    ...(!other && since && { since }),
    ...(type && { type }),
    ...(permission && { permission }),
    ...(context.trim() && { context: context.trim() }),
  }
}
