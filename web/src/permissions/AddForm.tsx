import { ApiError } from '@passport/contract/call'
import type { RelationshipFilter } from '@passport/contract/permission-terms'
import { printRelationship } from '@passport/permissions/relationship-text'
import { type FormEvent, useState } from 'react'
import { failureOf } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { undoToast } from '../ui/undo-toast.ts'
import { createRelationship, deleteRelationship } from './change-relationship.ts'
import { readContext } from './check-search.ts'
import { likelyResource } from './likely.ts'
import { allowedIn, caveatsFor, type RelationshipDraft, relationshipOf } from './new-relationship.ts'
import { ObjectPicker } from './ObjectPicker.tsx'
import { askable, type KnownSchema } from './schema.ts'

interface AddFormProps {
  schema: KnownSchema
  /** The types whose relationships can be written. */
  types: string[]
  filter: RelationshipFilter
  onDone: () => void
}

/** Asks for a relationship and writes it; what it may be is in the schema. */
export function AddForm({ schema, types, filter, onDone }: AddFormProps) {
  const [draft, setDraft] = useState(() => settled(schema, firstDraft(schema, types, filter)))
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const change = (part: Partial<RelationshipDraft>) => setDraft(settled(schema, { ...draft, ...part }))
  const relationship = relationshipOf(draft)
  const allowed = allowedIn(schema, draft.resource.type, draft.relation)
  const caveats = caveatsFor(schema, draft)
  const unique = (names: string[]) => [...new Set(names)]
  const sets = allowed.flatMap(({ type, relation }) => (type === draft.subject.type && relation ? [relation] : []))

  async function add(event: FormEvent) {
    event.preventDefault()
    if (!relationship) return
    setBusy(true)
    setFailure(undefined)
    try {
      await createRelationship(relationship)
      onDone()
      const stored = relationship as Parameters<typeof deleteRelationship>[0]
      void undoToast(
        `${printRelationship(relationship)} is added`,
        () => deleteRelationship(stored),
        (error) => failureOf(error).detail,
      )
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void add(event)} className="mt-4 grid gap-4">
      <div>
        <p aria-hidden="true" className="mb-1.5 font-[560]">
          Resource
        </p>
        <ObjectPicker
          label="Resource"
          types={types}
          value={draft.resource}
          onChange={(resource) => change({ resource })}
          error={faultOf(failure, 'resource')}
        />
      </div>
      <Select
        label="Relation"
        value={draft.relation}
        options={askable(schema, draft.resource.type).relations.map((value) => ({ value, label: value }))}
        error={faultOf(failure, 'relation')}
        onChange={({ target }) => change({ relation: target.value })}
      />
      <div>
        <p aria-hidden="true" className="mb-1.5 font-[560]">
          Subject
        </p>
        <ObjectPicker
          label="Subject"
          types={unique(allowed.map(({ type }) => type))}
          relations={unique(sets)}
          value={draft.subject}
          onChange={(subject) => change({ subject })}
          error={faultOf(failure, 'subject')}
        />
        {allowed.some(({ type, isWildcard }) => isWildcard && type === draft.subject.type) && (
          <p className="mt-1 text-[13px] text-ink3">
            <code className="font-mono">*</code> stands for everyone of the type.
          </p>
        )}
      </div>
      {caveats.some((name) => name !== '') && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Select
            label="Condition"
            value={draft.caveat}
            options={caveats.map((value) => ({ value, label: value || 'none' }))}
            error={faultOf(failure, 'caveat')}
            onChange={({ target }) => change({ caveat: target.value })}
          />
          {draft.caveat && (
            <TextArea
              label="What is known of its values"
              error={readContext(draft.context) ? faultOf(failure, 'context') : 'This is no JSON object.'}
              placeholder='{"hour": 10}'
              spellCheck={false}
              className="font-mono text-[13px]"
              value={draft.context}
              onChange={({ target }) => change({ context: target.value })}
            />
          )}
        </div>
      )}
      {allowed.some(({ hasExpiration }) => hasExpiration) && (
        <Field
          label="Runs out"
          type="datetime-local"
          value={draft.expiresAt}
          error={faultOf(failure, 'expiresAt')}
          onChange={({ target }) => change({ expiresAt: target.value })}
        />
      )}
      {failure !== undefined && <ErrorCard failure={failureOf(failure)} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={isBusy} disabled={!relationship}>
          Add
        </Button>
      </div>
    </form>
  )
}

/** What the service found wrong with a part; its fields are such as `updates[0].relationship.subject.type`. */
function faultOf(failure: unknown, part: string): string | undefined {
  const errors = failure instanceof ApiError ? (failure.problem?.errors ?? []) : []
  return errors.find(({ field }) => field.split('.').includes(part))?.message
}

/** What the filter already says of it is filled in. */
function firstDraft(schema: KnownSchema, types: string[], filter: RelationshipFilter): RelationshipDraft {
  const { resourceType, resourceId = '', relation = '', subjectType = '', subjectId = '', subjectRelation } = filter
  const likely = likelyResource(schema)
  const type = [resourceType, likely, types[0]].find((one) => one !== undefined && types.includes(one)) ?? ''
  return {
    resource: { type, id: type === resourceType ? resourceId : '' },
    relation,
    subject: { type: subjectType, id: subjectId, ...(subjectRelation && { relation: subjectRelation }) },
    caveat: '',
    context: '',
    expiresAt: '',
  }
}

/** What does not fit any more is given up for the first that does. */
function settled(schema: KnownSchema, draft: RelationshipDraft): RelationshipDraft {
  const one = (names: string[], name: string) => (names.includes(name) ? name : (names[0] ?? ''))
  const relation = one(askable(schema, draft.resource.type).relations, draft.relation)
  const allowed = allowedIn(schema, draft.resource.type, relation)
  const types = allowed.map(({ type }) => type)
  const subject = types.includes(draft.subject.type) ? draft.subject : { type: types[0] ?? '', id: '' }
  const isSetOnly = !allowed.some(({ type, relation }) => type === subject.type && !relation)
  const sets = allowed.flatMap(({ type, relation }) => (type === subject.type && relation ? [relation] : []))
  const set = isSetOnly ? one(sets, subject.relation ?? '') : sets.find((name) => name === subject.relation)
  const whole = { ...draft, relation, subject: { type: subject.type, id: subject.id, ...(set && { relation: set }) } }
  return { ...whole, caveat: one(caveatsFor(schema, whole), draft.caveat) }
}
