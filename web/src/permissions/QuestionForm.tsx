import type { SubjectReference } from '@passport/contract/permission-terms'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../ui/Button.tsx'
import { Select } from '../ui/Select.tsx'
import { type CheckSearch, lacksToken, readContext, writtenObject, writtenReference } from './check-search.ts'
import { faultsOf } from './faults.ts'
import { idFault } from './id-fault.ts'
import { likelyResource, likelySubject } from './likely.ts'
import { MoreOfQuestion } from './MoreOfQuestion.tsx'
import { ObjectPicker } from './ObjectPicker.tsx'
import { printReference } from './reference.ts'
import { askable, askableOptions, type KnownSchema, resourceTypes, setRelations, subjectTypes } from './schema.ts'

interface QuestionFormProps {
  schema: KnownSchema
  search: CheckSearch
  isBusy: boolean
  /** What the service said of the question. */
  failure: Error | undefined
  onAsk: (search: CheckSearch) => void
}

interface Draft {
  subject: SubjectReference
  permission: string
  resource: SubjectReference
}

/** “Can … do … on …?” as a sentence to be filled in. */
export function QuestionForm({ schema, search, isBusy, failure, onAsk }: QuestionFormProps) {
  const [draft, setDraft] = useState(() => draftOf(search, schema))
  const [more, setMore] = useState<CheckSearch>(search)
  // What is still being typed is not told to be wrong: a name in the directory can stand there on the way to an id.
  const [asked, setAsked] = useState(draft)
  const form = useRef<HTMLFormElement>(null)
  const address = JSON.stringify(search)
  // Back and links change the address: what is asked there is shown.
  useEffect(() => {
    const search = JSON.parse(address) as CheckSearch
    if (search.subject || search.resource) {
      setDraft(draftOf(search, schema))
      setAsked(draftOf(search, schema))
    }
    setMore(search)
  }, [address, schema])

  const faults = faultsOf(failure)
  const wrongId = (part: 'subject' | 'resource') =>
    draft[part].id === asked[part].id ? idFault(draft[part].id.trim()) : undefined
  const isNamed = draft.subject.id.trim() !== '' && draft.resource.id.trim() !== '' && draft.permission !== ''
  // Values that cannot be read would be left out, and the answer be that to another question.
  const isWhole = isNamed && readContext(more.context) !== undefined && !lacksToken(more)
  const change = (part: Partial<Draft>) => setDraft((draft) => changed(draft, part, schema))

  function ask(event: FormEvent) {
    event.preventDefault()
    if (!isWhole) return
    if (idFault(draft.subject.id.trim()) || idFault(draft.resource.id.trim())) {
      flushSync(() => setAsked(draft))
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
      return
    }
    onAsk({
      subject: printReference(trimmed(draft.subject)),
      permission: draft.permission,
      resource: printReference(trimmed(draft.resource)),
      ...given(more),
      ...(search.view && { view: search.view }),
    })
  }

  return (
    <form
      ref={form}
      onSubmit={ask}
      className="mt-6 rounded-box border border-line bg-card px-5 py-4"
      aria-label="Question"
    >
      <div className="grid items-start gap-x-3 gap-y-2 [&>span]:pt-1.5 [&>span]:text-[17px] [&>span]:font-[620] xl:grid-cols-[auto_minmax(0,1.25fr)_auto_auto_minmax(0,1fr)_auto] sm:grid-cols-[3rem_minmax(0,1fr)]">
        <span aria-hidden="true">Can</span>
        <ObjectPicker
          label="Subject"
          types={subjectTypes(schema)}
          relations={setRelations(schema, draft.subject.type)}
          value={draft.subject}
          onChange={(subject) => change({ subject })}
          error={wrongId('subject') ?? faults.subject}
        />
        <span className="sr-only max-xl:hidden">do</span>
        <div className="min-w-36 xl:max-w-48 max-xl:col-start-2 max-sm:col-start-auto">
          <Select
            label="Permission"
            isLabelHidden
            value={draft.permission}
            options={optionsOf(schema, draft)}
            error={faults.permission}
            onChange={({ target }) => change({ permission: target.value })}
          />
        </div>
        <span aria-hidden="true">on</span>
        <ObjectPicker
          label="Resource"
          types={resourceTypes(schema)}
          value={draft.resource}
          onChange={(resource) => change({ resource })}
          error={wrongId('resource') ?? faults.resource}
        />
        <Button
          type="submit"
          look="primary"
          // Pressed again it asks again; disabled it would lose the focus.
          aria-busy={isBusy || undefined}
          disabled={!isWhole}
          className="max-xl:col-start-2 max-sm:col-start-auto"
        >
          Check
        </Button>
      </div>
      <MoreOfQuestion search={more} onChange={setMore} contextError={faults.context} tokenError={faults.consistency} />
    </form>
  )
}

const trimmed = (reference: SubjectReference): SubjectReference => ({ ...reference, id: reference.id.trim() })

const given = ({ context, consistency, token }: CheckSearch): CheckSearch => ({
  ...(context?.trim() && { context: context.trim() }),
  ...(consistency && { consistency }),
  ...(token?.trim() && { token: token.trim() }),
})

/** As the address says it, good or not; what it does not say is filled in. */
function draftOf(search: CheckSearch, schema: KnownSchema): Draft {
  const draft = {
    subject: writtenReference(search.subject, likelySubject(schema)),
    permission: search.permission ?? '',
    resource: writtenObject(search.resource, likelyResource(schema)),
  }
  return search.permission === undefined ? withPermission(draft, schema) : draft
}

/** Of another type another permission may be meant. */
function changed(draft: Draft, part: Partial<Draft>, schema: KnownSchema): Draft {
  const next = { ...draft, ...part }
  return next.resource.type === draft.resource.type ? next : withPermission(next, schema)
}

/** A permission that the type has: the one that was picked, or `view`, or its first. */
function withPermission(draft: Draft, schema: KnownSchema): Draft {
  const { permissions, relations } = askable(schema, draft.resource.type)
  const all = [...permissions, ...relations]
  if (all.length === 0 || all.includes(draft.permission)) return draft
  return { ...draft, permission: permissions.includes('view') ? 'view' : (all[0] ?? '') }
}

function optionsOf(schema: KnownSchema, { resource, permission }: Draft) {
  const known = askableOptions(askable(schema, resource.type))
  return known.some(({ value }) => value === permission) ? known : [{ value: permission, label: permission }, ...known]
}
