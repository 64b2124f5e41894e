import type { SubjectReference } from '@passport/contract/permission-terms'
import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Select } from '../ui/Select.tsx'
import { type CheckSearch, lacksToken, readContext } from './check-search.ts'
import { faultsOf } from './faults.ts'
import { likelyResource, likelySubject } from './likely.ts'
import { MoreOfQuestion } from './MoreOfQuestion.tsx'
import { ObjectPicker } from './ObjectPicker.tsx'
import { printReference, readReference } from './reference.ts'
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
  const address = JSON.stringify(search)
  // Back and links change the address: what is asked there is shown.
  useEffect(() => {
    const search = JSON.parse(address) as CheckSearch
    setDraft((draft) => (search.subject || search.resource ? draftOf(search, schema) : draft))
    setMore(search)
  }, [address, schema])

  const faults = faultsOf(failure)
  const isNamed = draft.subject.id.trim() !== '' && draft.resource.id.trim() !== '' && draft.permission !== ''
  // Values that cannot be read would be left out, and the answer be that to another question.
  const isWhole = isNamed && readContext(more.context) !== undefined && !lacksToken(more)
  const change = (part: Partial<Draft>) => setDraft((draft) => withPermission({ ...draft, ...part }, schema))

  function ask(event: FormEvent) {
    event.preventDefault()
    if (!isWhole) return
    onAsk({
      subject: printReference(trimmed(draft.subject)),
      permission: draft.permission,
      resource: printReference(trimmed(draft.resource)),
      ...given(more),
      ...(search.view && { view: search.view }),
    })
  }

  return (
    <form onSubmit={ask} className="mt-6 rounded-box border border-line bg-card px-5 py-4" aria-label="Question">
      <div className="grid items-start gap-x-3 gap-y-2 [&>span]:pt-1.5 [&>span]:text-[17px] [&>span]:font-[620] xl:grid-cols-[auto_minmax(0,1.25fr)_auto_auto_minmax(0,1fr)_auto] sm:grid-cols-[3rem_minmax(0,1fr)]">
        <span aria-hidden="true">Can</span>
        <ObjectPicker
          label="Subject"
          types={subjectTypes(schema)}
          relations={setRelations(schema, draft.subject.type)}
          value={draft.subject}
          onChange={(subject) => change({ subject })}
          error={faults.subject}
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
          error={faults.resource}
        />
        <Button
          type="submit"
          look="primary"
          isBusy={isBusy}
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

function draftOf(search: CheckSearch, schema: KnownSchema): Draft {
  const draft = {
    subject: readReference(search.subject) ?? { type: likelySubject(schema), id: '' },
    permission: search.permission ?? '',
    resource: readReference(search.resource) ?? { type: likelyResource(schema), id: '' },
  }
  return withPermission(draft, schema)
}

/** A permission that the type has: the one that was picked, or `view`, or its first. */
function withPermission(draft: Draft, schema: KnownSchema): Draft {
  const { permissions, relations } = askable(schema, draft.resource.type)
  const all = [...permissions, ...relations]
  if (all.length === 0 || all.includes(draft.permission)) return draft
  if (draft.permission !== '' && !schema.definitions.some(({ name }) => name === draft.resource.type)) return draft
  return { ...draft, permission: permissions.includes('view') ? 'view' : (all[0] ?? '') }
}

function optionsOf(schema: KnownSchema, { resource, permission }: Draft) {
  const known = askableOptions(askable(schema, resource.type))
  return known.some(({ value }) => value === permission) ? known : [{ value: permission, label: permission }, ...known]
}
