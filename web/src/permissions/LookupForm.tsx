import type { SubjectReference } from '@passport/contract/permission-terms'
import { X } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { type Option, Select } from '../ui/Select.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { readContext } from './check-search.ts'
import type { LookupSearch } from './lookup-search.ts'
import { MomentPicker } from './MomentPicker.tsx'
import { ObjectPicker } from './ObjectPicker.tsx'
import { printReference, readReference } from './reference.ts'

/** What is being filled in: whom or what it is about, the one to compare with, and what is asked. */
export interface LookupDraft {
  about: SubjectReference
  with: SubjectReference | undefined
  /** The token of the moment to compare with; empty while it is being picked. */
  since: string | undefined
  type: string
  permission: string
  context: string
}

interface LookupFormProps {
  /** What the picked objects are called: “Subject”. */
  label: string
  /** The part of the address that holds the first of them. */
  name: 'subject' | 'resource'
  types: readonly string[]
  relationsOf?: (type: string) => readonly string[]
  search: LookupSearch
  /** The type that is picked at first. */
  likely: string
  /** Whether a permission must be chosen. */
  needsPermission?: boolean
  typeOptions: (draft: LookupDraft) => Option[]
  permissionOptions: (draft: LookupDraft) => Option[]
  /** Lays the parts out as a sentence. */
  children: (parts: { about: ReactNode; permission: ReactNode; type: ReactNode; ask: ReactNode }) => ReactNode
  onAsk: (search: LookupSearch) => void
}

/** The question of a lookup, as a sentence to be filled in; it is asked once it is whole. */
export function LookupForm(props: LookupFormProps) {
  const { label, name, types, relationsOf, search, likely, needsPermission = false, onAsk } = props
  const [draft, setDraft] = useState(() => settled(draftOf(search, name, likely), props))
  const address = JSON.stringify(search)
  // Back and links change the address: what is asked there is shown.
  useEffect(() => {
    const search = JSON.parse(address) as LookupSearch
    setDraft((draft) => (search[name] ? draftOf(search, name, likely) : draft))
  }, [address, name, likely])
  const change = (part: Partial<LookupDraft>) => setDraft((draft) => settled({ ...draft, ...part }, props))

  const isWhole =
    draft.about.id.trim() !== '' &&
    (!needsPermission || draft.permission !== '') &&
    readContext(draft.context) !== undefined
  function ask(event: FormEvent) {
    event.preventDefault()
    if (isWhole) onAsk(searchOf(draft, name))
  }
  const picker = (title: string, value: SubjectReference, onChange: (value: SubjectReference) => void) => (
    <ObjectPicker
      label={title}
      types={types}
      relations={relationsOf?.(value.type) ?? []}
      value={value}
      onChange={onChange}
    />
  )

  return (
    <form onSubmit={ask} className="rounded-box border border-line bg-card px-5 py-4" aria-label="Question">
      {props.children({
        about: picker(label, draft.about, (about) => change({ about })),
        permission: (
          <Select
            label="Permission"
            isLabelHidden
            value={draft.permission}
            options={props.permissionOptions(draft)}
            onChange={({ target }) => change({ permission: target.value })}
          />
        ),
        type: (
          <Select
            label="Type"
            isLabelHidden
            value={draft.type}
            options={props.typeOptions(draft)}
            onChange={({ target }) => change({ type: target.value })}
          />
        ),
        ask: (
          <Button type="submit" look="primary" disabled={!isWhole}>
            Look up
          </Button>
        ),
      })}
      <Comparison draft={draft} label={label} picker={picker} onChange={change} />
      <ContextBox value={draft.context} onChange={(context) => change({ context })} />
    </form>
  )
}

interface ComparisonProps {
  draft: LookupDraft
  label: string
  picker: (title: string, value: SubjectReference, onChange: (value: SubjectReference) => void) => ReactNode
  onChange: (part: Partial<LookupDraft>) => void
}

/** What the answer is to be compared with: that of another one, or that of an earlier moment. */
function Comparison({ draft, label, picker, onChange }: ComparisonProps) {
  if (draft.with === undefined && draft.since === undefined)
    return (
      <div className="mt-3 -ml-2.5 flex flex-wrap gap-1">
        <Button isSmall look="ghost" onClick={() => onChange({ with: { type: draft.about.type, id: '' } })}>
          Compare with another {label.toLowerCase()}
        </Button>
        <Button isSmall look="ghost" onClick={() => onChange({ since: '' })}>
          Compare with earlier
        </Button>
      </div>
    )
  return (
    <div className="mt-3 flex flex-wrap items-start gap-2">
      <span className="pt-1.5 text-ink2">compared with</span>
      <div className="min-w-0 flex-1 basis-64 sm:max-w-xl">
        {draft.with ? (
          picker(`Other ${label.toLowerCase()}`, draft.with, (other) => onChange({ with: other }))
        ) : (
          <MomentPicker value={draft.since ?? ''} onChange={(since) => onChange({ since })} />
        )}
      </div>
      <Button
        look="ghost"
        aria-label="Compare no more"
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
          hint="Values for caveats, as a JSON object."
          error={readContext(value) === undefined ? 'This is no JSON object.' : undefined}
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

const draftOf = (search: LookupSearch, name: 'subject' | 'resource', likely: string): LookupDraft => ({
  about: readReference(search[name]) ?? { type: likely, id: '' },
  with: readReference(search.with),
  since: readReference(search.with) ? undefined : search.since,
  type: search.type ?? '',
  permission: search.permission ?? '',
  context: search.context ?? '',
})

/** What cannot be chosen any more is given up. */
function settled(
  draft: LookupDraft,
  { typeOptions, permissionOptions, needsPermission }: LookupFormProps,
): LookupDraft {
  const one = (options: Option[], value: string) => {
    const [first] = options
    const wanted = needsPermission ? [value, 'view'] : [value]
    return (options.find((option) => wanted.includes(option.value)) ?? first)?.value ?? ''
  }
  const withPermission = { ...draft, permission: one(permissionOptions(draft), draft.permission) }
  return { ...withPermission, type: one(typeOptions(withPermission), draft.type) }
}

function searchOf(
  { about, type, permission, context, ...draft }: LookupDraft,
  name: 'subject' | 'resource',
): LookupSearch {
  const print = (reference: SubjectReference) => printReference({ ...reference, id: reference.id.trim() })
  return {
    [name]: print(about),
    ...(draft.with && draft.with.id.trim() !== '' && { with: print(draft.with) }),
    ...(!draft.with && draft.since && { since: draft.since }),
    ...(type && { type }),
    ...(permission && { permission }),
    ...(context.trim() && { context: context.trim() }),
  }
}
