import type { SubjectReference } from '@passport/contract/permission-terms'
import { X } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../ui/Button.tsx'
import { type Option, Select } from '../ui/Select.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { readContext } from './check-search.ts'
import { changed, draftOf, isWhole, type LookupDraft, type LookupOptions, searchOf, settled } from './lookup-draft.ts'
import type { LookupFaults } from './lookup-faults.ts'
import type { LookupSearch } from './lookup-search.ts'
import { MomentPicker } from './MomentPicker.tsx'
import { ObjectPicker } from './ObjectPicker.tsx'

interface LookupFormProps extends LookupOptions {
  /** What the picked objects are called: “Subject”. */
  label: string
  /** The part of the address that holds the first of them. */
  name: 'subject' | 'resource'
  types: readonly string[]
  relationsOf?: (type: string) => readonly string[]
  search: LookupSearch
  /** The type that is picked at first. */
  likely: string
  /** What the schema does not have of what is asked. */
  faultsOf: (draft: LookupDraft) => LookupFaults
  /** Lays the parts out as a sentence. */
  children: (parts: { about: ReactNode; permission: ReactNode; type: ReactNode; ask: ReactNode }) => ReactNode
  onAsk: (search: LookupSearch) => void
}

/** The question of a lookup, as a sentence to be filled in; it is asked once it is whole. */
export function LookupForm(props: LookupFormProps) {
  const { label, name, types, relationsOf, search, likely, onAsk } = props
  const [said, setDraft] = useState(() => draftOf(search, name, likely))
  const draft = settled(said, props)
  // Whoever types a name of the directory has not typed an id yet: what is wrong with it is told once it is asked.
  const [isTyping, setTyping] = useState(false)
  const address = JSON.stringify(search)
  // Back and links change the address: what is asked there is shown.
  useEffect(() => {
    const search = JSON.parse(address) as LookupSearch
    setDraft((draft) => (search[name] ? draftOf(search, name, likely) : draft))
    setTyping(false)
  }, [address, name, likely])
  const change = (part: Partial<LookupDraft>) => setDraft(changed(draft, part, props))
  const changeObject = (part: Pick<LookupDraft, 'about'> | Pick<LookupDraft, 'with'>) => {
    setTyping(true)
    change(part)
  }

  const faults = props.faultsOf(draft)
  const told = isTyping ? { ...faults, about: undefined, with: undefined } : faults
  const canAsk = isWhole(draft, props)
  function ask(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    flushSync(() => setTyping(false))
    const isWrong = Object.values(faults).some((fault) => fault !== undefined)
    if (isWrong) event.currentTarget.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
    else if (canAsk) onAsk(searchOf(draft, name))
  }
  const picker: ComparisonProps['picker'] = (title, value, error, onChange) => (
    <ObjectPicker
      label={title}
      types={types}
      relations={relationsOf?.(value.type) ?? []}
      value={value}
      error={error}
      onChange={onChange}
    />
  )

  return (
    <form onSubmit={ask} className="rounded-box border border-line bg-card px-5 py-4" aria-label="Question">
      {props.children({
        about: picker(label, draft.about, told.about, (about) => changeObject({ about })),
        permission: (
          <Select
            label="Permission"
            isLabelHidden
            value={draft.permission}
            error={told.permission}
            options={withChosen(props.permissionOptions(draft), draft.permission)}
            onChange={({ target }) => change({ permission: target.value })}
          />
        ),
        type: (
          <Select
            label="Type"
            isLabelHidden
            value={draft.type}
            error={told.type}
            options={withChosen(props.typeOptions(draft), draft.type)}
            onChange={({ target }) => change({ type: target.value })}
          />
        ),
        ask: (
          <Button type="submit" look="primary" disabled={!canAsk}>
            Look up
          </Button>
        ),
      })}
      <Comparison
        draft={draft}
        label={label}
        fault={told.with}
        picker={picker}
        onChange={change}
        onOther={(other) => changeObject({ with: other })}
      />
      <ContextBox value={draft.context} onChange={(context) => change({ context })} />
    </form>
  )
}

interface ComparisonProps {
  draft: LookupDraft
  label: string
  /** What is wrong with the other one. */
  fault: string | undefined
  picker: (
    title: string,
    value: SubjectReference,
    error: string | undefined,
    onChange: (value: SubjectReference) => void,
  ) => ReactNode
  onChange: (part: Partial<LookupDraft>) => void
  onOther: (other: SubjectReference) => void
}

/** What the answer is to be compared with: that of another one, or that of an earlier moment. */
function Comparison({ draft, label, fault, picker, onChange, onOther }: ComparisonProps) {
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
          picker(`Other ${label.toLowerCase()}`, draft.with, fault, onOther)
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

/** A name that the address says is shown, though it cannot be chosen. */
const withChosen = (options: Option[], value: string): Option[] =>
  options.some((option) => option.value === value) ? options : [...options, { value, label: value }]
