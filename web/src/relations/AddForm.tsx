import { ApiError } from '@passport/contract/call'
import type { NewRelationship, RelationshipFilter, SubjectReference } from '@passport/contract/permission-terms'
import { printRelationship } from '@passport/permissions'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { toFailure } from '../app/api.ts'
import { reportWithUndo } from '../app/messages.ts'
import { ContextField } from '../permissions/ContextField.tsx'
import { parseContext } from '../permissions/check-search.ts'
import { ObjectPicker } from '../permissions/ObjectPicker.tsx'
import { findDefaultResourceType, listPermissionsAndRelations, type SchemaWithETag } from '../permissions/schema.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { createRelationship, deleteRelationship } from './change-relationship.ts'

interface AddFormProps {
  schema: SchemaWithETag
  /** The types with writable relationships. */
  types: string[]
  filter: RelationshipFilter
  onDone: () => void
}

/** The form for a new relationship; its options come from the schema. */
export function AddForm({ schema, types, filter, onDone }: AddFormProps) {
  const [draft, setDraft] = useState(() => replaceDisallowed(schema, createDraft(schema, types, filter)))
  const change = (changes: Partial<RelationshipDraft>) => setDraft(replaceDisallowed(schema, { ...draft, ...changes }))
  const relationship = toRelationship(draft)
  const allowed = findAllowedSubjects(schema, draft.resource.type, draft.relation)
  const caveats = listCaveats(schema, draft)

  const mutation = useMutation({
    mutationFn: createRelationship,
    onSuccess: (_, relationship) => {
      onDone()
      reportWithUndo(`${printRelationship(relationship)} added`, () => deleteRelationship(relationship))
    },
  })
  const failure = mutation.error
  function submit(event: FormEvent) {
    event.preventDefault()
    if (relationship) mutation.mutate(relationship)
  }

  return (
    <form onSubmit={submit} className="mt-4 grid gap-4">
      <div>
        <p aria-hidden="true" className="mb-1.5 font-[560]">
          Resource
        </p>
        <ObjectPicker
          label="Resource"
          types={types}
          value={draft.resource}
          onChange={(resource) => change({ resource })}
          error={findFieldError(failure, 'resource')}
        />
      </div>
      <Select
        label="Relation"
        value={draft.relation}
        options={listPermissionsAndRelations(schema, draft.resource.type).relations.map((value) => ({
          value,
          label: value,
        }))}
        error={findFieldError(failure, 'relation')}
        onChange={({ target }) => change({ relation: target.value })}
      />
      <div>
        <p aria-hidden="true" className="mb-1.5 font-[560]">
          Subject
        </p>
        <ObjectPicker
          label="Subject"
          types={[...new Set(allowed.map(({ type }) => type))]}
          relations={listUsersetRelations(allowed, draft.subject.type)}
          value={draft.subject}
          onChange={(subject) => change({ subject })}
          error={findFieldError(failure, 'subject')}
        />
        {allowed.some(({ type, isWildcard }) => isWildcard && type === draft.subject.type) && (
          <p className="mt-1 text-[13px] text-ink3">
            <code className="font-mono">*</code> matches every subject of this type.
          </p>
        )}
      </div>
      {caveats.some((name) => name !== '') && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Select
            label="Caveat"
            value={draft.caveat}
            options={caveats.map((value) => ({ value, label: value || 'None' }))}
            error={findFieldError(failure, 'caveat')}
            onChange={({ target }) => change({ caveat: target.value })}
          />
          {draft.caveat && (
            <ContextField
              label="Caveat context"
              error={findFieldError(failure, 'context')}
              value={draft.context}
              onChange={(context) => change({ context })}
            />
          )}
        </div>
      )}
      {allowed.some(({ hasExpiration }) => hasExpiration) && (
        <Field
          label="Expires"
          type="datetime-local"
          value={draft.expiresAt}
          error={findFieldError(failure, 'expiresAt')}
          onChange={({ target }) => change({ expiresAt: target.value })}
        />
      )}
      {failure && <ErrorCard failure={toFailure(failure)} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={mutation.isPending} disabled={!relationship}>
          Add
        </Button>
      </div>
    </form>
  )
}

/**
 * Returns the server's error for a part of the relationship, at a path such as `updates[0].relationship.subject.type`.
 */
function findFieldError(failure: unknown, part: string): string | undefined {
  const errors = failure instanceof ApiError ? (failure.problem?.errors ?? []) : []
  return errors.find(({ field }) => field.split('.').includes(part))?.message
}

/** Returns the initial values of the form, taken from the page's filter. */
function createDraft(schema: SchemaWithETag, types: string[], filter: RelationshipFilter): RelationshipDraft {
  const { resourceType, resourceId = '', relation = '', subjectType = '', subjectId = '', subjectRelation } = filter
  const defaultType = findDefaultResourceType(schema)
  const type =
    [resourceType, defaultType, types[0]].find((candidate) => candidate !== undefined && types.includes(candidate)) ??
    ''
  return {
    resource: { type, id: type === resourceType ? resourceId : '' },
    relation,
    subject: { type: subjectType, id: subjectId, ...(subjectRelation && { relation: subjectRelation }) },
    caveat: '',
    context: '',
    expiresAt: '',
  }
}

/** Replaces each value that the schema does not allow with the first allowed one. */
function replaceDisallowed(schema: SchemaWithETag, draft: RelationshipDraft): RelationshipDraft {
  const pick = (names: string[], name: string) => (names.includes(name) ? name : (names[0] ?? ''))
  const relation = pick(listPermissionsAndRelations(schema, draft.resource.type).relations, draft.relation)
  const allowed = findAllowedSubjects(schema, draft.resource.type, relation)
  const types = allowed.map(({ type }) => type)
  const subject = types.includes(draft.subject.type) ? draft.subject : { type: types[0] ?? '', id: '' }
  const requiresUserset = !allowed.some(({ type, relation }) => type === subject.type && !relation)
  const usersetRelations = listUsersetRelations(allowed, subject.type)
  const usersetRelation = requiresUserset
    ? pick(usersetRelations, subject.relation ?? '')
    : usersetRelations.find((name) => name === subject.relation)
  const corrected = {
    ...draft,
    relation,
    subject: { type: subject.type, id: subject.id, ...(usersetRelation && { relation: usersetRelation }) },
  }
  return { ...corrected, caveat: pick(listCaveats(schema, corrected), draft.caveat) }
}

/** The values of the form. */
interface RelationshipDraft {
  resource: SubjectReference
  relation: string
  subject: SubjectReference
  caveat: string
  /** A JSON object, as text. */
  context: string
  /** The value of a `datetime-local` control, in local time; empty for none. */
  expiresAt: string
}

/** Returns the subjects that the schema allows for a relation. */
const findAllowedSubjects = ({ definitions }: SchemaWithETag, type: string, relation: string) =>
  definitions.find(({ name }) => name === type)?.relations.find(({ name }) => name === relation)?.allowed ?? []

/** Returns the relations of a subject type whose usersets are allowed as subjects. */
const listUsersetRelations = (allowed: ReturnType<typeof findAllowedSubjects>, subjectType: string): string[] => [
  ...new Set(allowed.flatMap(({ type, relation }) => (type === subjectType && relation ? [relation] : []))),
]

/** Returns the caveats that the schema allows for the subject; the empty string means none. */
function listCaveats(schema: SchemaWithETag, { resource, relation, subject }: RelationshipDraft): string[] {
  const matching = findAllowedSubjects(schema, resource.type, relation).filter(
    (allowed) =>
      allowed.type === subject.type &&
      (subject.id === '*'
        ? allowed.isWildcard === true
        : !allowed.isWildcard && (allowed.relation ?? '') === (subject.relation ?? '')),
  )
  return [...new Set(matching.map(({ caveat }) => caveat ?? ''))].toSorted()
}

/** Converts the values of the form to a relationship; undefined if a part is missing or invalid. */
function toRelationship(draft: RelationshipDraft): NewRelationship | undefined {
  const { relation, caveat, expiresAt } = draft
  const [resourceId, subjectId] = [draft.resource.id.trim(), draft.subject.id.trim()]
  const context = parseContext(draft.context)
  if (!draft.resource.type || !resourceId || !relation || !draft.subject.type || !subjectId || !context)
    return undefined
  return {
    resource: { type: draft.resource.type, id: resourceId },
    relation,
    subject: { ...draft.subject, id: subjectId },
    ...(caveat && { caveat: { name: caveat, ...(Object.keys(context).length > 0 && { context }) } }),
    ...(expiresAt && { expiresAt: new Date(expiresAt).toISOString() }),
  }
}
