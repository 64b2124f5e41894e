import type { SubjectReference } from '@passport/contract/permission-terms'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { ContextField } from '../permissions/ContextField.tsx'
import {
  type CheckSearch,
  consistencyOptions,
  findIdError,
  lacksToken,
  needsToken,
  parseContext,
  parseObjectDraft,
  parseReferenceDraft,
} from '../permissions/check-search.ts'
import { ObjectPicker } from '../permissions/ObjectPicker.tsx'
import { printReference } from '../permissions/reference.ts'
import {
  findDefaultResourceType,
  findDefaultSubjectType,
  listPermissionsAndRelations,
  listResourceTypes,
  listSubjectTypes,
  listUsersetRelations,
  type SchemaWithETag,
  toPermissionOptions,
} from '../permissions/schema.ts'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { toFieldErrors } from './CheckFailure.tsx'

interface QuestionFormProps {
  schema: SchemaWithETag
  search: CheckSearch
  isBusy: boolean
  /** The service's error for the question. */
  failure: Error | undefined
  onSubmit: (search: CheckSearch) => void
}

interface Draft {
  subject: SubjectReference
  permission: string
  resource: SubjectReference
}

/** The form of a check as a sentence with fields: “Can … view on …”. */
export function QuestionForm({ schema, search, isBusy, failure, onSubmit }: QuestionFormProps) {
  const [draft, setDraft] = useState(() => parseDraft(search, schema))
  const [options, setOptions] = useState<CheckSearch>(search)
  const [firstEmpty] = useState(() => (['subject', 'resource'] as const).find((part) => draft[part].id === ''))
  // Errors of ids are shown on submit: typed text may be a name, which a completion replaces with the id.
  const [submitted, setSubmitted] = useState(draft)
  const form = useRef<HTMLFormElement>(null)
  const serializedSearch = JSON.stringify(search)
  // Back and links change the URL, and with it the form.
  useEffect(() => {
    const search = JSON.parse(serializedSearch) as CheckSearch
    if (search.subject || search.resource) {
      setDraft(parseDraft(search, schema))
      setSubmitted(parseDraft(search, schema))
    }
    setOptions(search)
  }, [serializedSearch, schema])

  const errors = toFieldErrors(failure)
  const findShownIdError = (part: 'subject' | 'resource') =>
    draft[part].id === submitted[part].id ? findIdError(draft[part].id.trim()) : undefined
  const hasRequiredParts = draft.subject.id.trim() !== '' && draft.resource.id.trim() !== '' && draft.permission !== ''
  // An invalid context would be omitted and change the question.
  const isComplete = hasRequiredParts && parseContext(options.context) !== undefined && !lacksToken(options)
  const change = (changes: Partial<Draft>) => setDraft((draft) => applyChange(draft, changes, schema))

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isComplete) return
    if (findIdError(draft.subject.id.trim()) || findIdError(draft.resource.id.trim())) {
      flushSync(() => setSubmitted(draft))
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
      return
    }
    onSubmit({
      subject: printReference(trimId(draft.subject)),
      permission: draft.permission,
      resource: printReference(trimId(draft.resource)),
      ...pickOptions(options),
      ...(search.view && { view: search.view }),
    })
  }

  return (
    <form ref={form} onSubmit={submit} className="card px-4 py-4 sm:px-[18px]" aria-label="Question">
      <div className="grid items-start gap-x-3 gap-y-2 [&>span]:pt-1.5 [&>span]:text-[17px] nav:grid-cols-[auto_minmax(0,1.2fr)_auto_auto_minmax(0,1fr)_auto] max-nav:grid-cols-[2.25rem_minmax(0,1fr)]">
        <span aria-hidden="true">Can</span>
        <ObjectPicker
          label="Subject"
          types={listSubjectTypes(schema)}
          relations={listUsersetRelations(schema, draft.subject.type)}
          value={draft.subject}
          onChange={(subject) => change({ subject })}
          error={findShownIdError('subject') ?? errors.subject}
          isFirst={firstEmpty === 'subject'}
        />
        <div className="min-w-28 max-nav:col-start-2 nav:max-w-44">
          <Select
            label="Permission"
            isLabelHidden
            className="h-10! font-mono text-[13.5px] nav:[field-sizing:content] pointer-coarse:h-11!"
            value={draft.permission}
            options={permissionOptions(schema, draft)}
            error={errors.permission}
            onChange={({ target }) => change({ permission: target.value })}
          />
        </div>
        <span aria-hidden="true">on</span>
        <ObjectPicker
          label="Resource"
          types={listResourceTypes(schema)}
          value={draft.resource}
          onChange={(resource) => change({ resource })}
          error={findShownIdError('resource') ?? errors.resource}
          isFirst={firstEmpty === 'resource'}
        />
        <Button
          type="submit"
          variant="primary"
          // A disabled button would lose the focus, and another press repeats the check.
          aria-busy={isBusy || undefined}
          disabled={!isComplete}
          className="h-10! max-nav:col-start-2 pointer-coarse:h-11!"
        >
          Check
        </Button>
      </div>
      <QuestionOptions
        search={options}
        onChange={setOptions}
        contextError={errors.context}
        tokenError={errors.consistency}
      />
    </form>
  )
}

const trimId = (reference: SubjectReference): SubjectReference => ({ ...reference, id: reference.id.trim() })

const pickOptions = ({ context, consistency, token }: CheckSearch): CheckSearch => ({
  ...(context?.trim() && { context: context.trim() }),
  ...(consistency && { consistency }),
  ...(token?.trim() && { token: token.trim() }),
})

/** Returns the form's values for a URL, valid or not, with defaults for missing parts. */
function parseDraft(search: CheckSearch, schema: SchemaWithETag): Draft {
  const draft = {
    subject: parseReferenceDraft(search.subject, findDefaultSubjectType(schema)),
    permission: search.permission ?? '',
    resource: parseObjectDraft(search.resource, findDefaultResourceType(schema)),
  }
  return search.permission === undefined ? fillPermission(draft, schema) : draft
}

/** Applies changes; another type of resource may need another permission. */
function applyChange(draft: Draft, changes: Partial<Draft>, schema: SchemaWithETag): Draft {
  const next = { ...draft, ...changes }
  return next.resource.type === draft.resource.type ? next : fillPermission(next, schema)
}

/** Selects a permission of the resource's type: the current one, or else `view`, or the first. */
function fillPermission(draft: Draft, schema: SchemaWithETag): Draft {
  const { permissions, relations } = listPermissionsAndRelations(schema, draft.resource.type)
  const all = [...permissions, ...relations]
  if (all.length === 0 || all.includes(draft.permission)) return draft
  return { ...draft, permission: permissions.includes('view') ? 'view' : (all[0] ?? '') }
}

function permissionOptions(schema: SchemaWithETag, { resource, permission }: Draft) {
  const knownOptions = toPermissionOptions(listPermissionsAndRelations(schema, resource.type))
  return knownOptions.some(({ value }) => value === permission)
    ? knownOptions
    : [{ value: permission, label: permission }, ...knownOptions]
}

interface QuestionOptionsProps {
  search: CheckSearch
  onChange: (search: CheckSearch) => void
  contextError: string | undefined
  tokenError: string | undefined
}

/** The optional parts of a question: context and consistency. */
function QuestionOptions({ search, onChange, contextError, tokenError }: QuestionOptionsProps) {
  const { context = '', consistency = '', token = '' } = search
  return (
    <details className="mt-2" open={search.context || search.consistency ? true : undefined}>
      <summary className="w-fit cursor-pointer py-1 text-[13px] text-ink2 hover:text-ink pointer-coarse:py-3">
        Context and consistency
      </summary>
      <div className="mt-2 grid gap-4 sm:grid-cols-2">
        <ContextField
          hint="Caveat values as a JSON object. Values stored with a relationship take precedence."
          error={contextError}
          value={context}
          onChange={(context) => onChange({ ...search, context })}
        />
        <div className="grid content-start gap-4">
          <Select
            label="Consistency"
            options={consistencyOptions}
            value={consistency}
            onChange={({ target }) => onChange({ ...search, consistency: target.value })}
          />
          {needsToken(consistency) && (
            <Field
              label="Revision"
              hint="Token of an earlier response"
              error={tokenError}
              className="font-mono text-[13px]"
              value={token}
              onChange={({ target }) => onChange({ ...search, token: target.value })}
            />
          )}
        </div>
      </div>
    </details>
  )
}
