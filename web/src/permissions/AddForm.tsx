import { ApiError } from '@passport/contract/call'
import type { RelationshipFilter } from '@passport/contract/permission-terms'
import { printRelationship } from '@passport/permissions'
import { type FormEvent, useState } from 'react'
import { toFailure } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { undoToast } from '../ui/undo-toast.ts'
import { createRelationship, deleteRelationship } from './change-relationship.ts'
import { parseContext } from './check-search.ts'
import { findDefaultResourceType } from './default-types.ts'
import { findAllowedSubjects, findCaveats, type RelationshipDraft, toRelationship } from './new-relationship.ts'
import { ObjectPicker } from './ObjectPicker.tsx'
import { permissionsAndRelations, type SchemaWithETag } from './schema.ts'

interface AddFormProps {
  schema: SchemaWithETag
  /** The types with writable relationships. */
  types: string[]
  filter: RelationshipFilter
  onDone: () => void
}

/** The form of a new relationship; its options come from the schema. */
export function AddForm({ schema, types, filter, onDone }: AddFormProps) {
  const [draft, setDraft] = useState(() => fillDefaults(schema, createDraft(schema, types, filter)))
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const change = (changes: Partial<RelationshipDraft>) => setDraft(fillDefaults(schema, { ...draft, ...changes }))
  const relationship = toRelationship(draft)
  const allowed = findAllowedSubjects(schema, draft.resource.type, draft.relation)
  const caveats = findCaveats(schema, draft)
  const unique = (names: string[]) => [...new Set(names)]
  const usersetRelationNames = allowed.flatMap(({ type, relation }) =>
    type === draft.subject.type && relation ? [relation] : [],
  )

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
        `${printRelationship(relationship)} added`,
        () => deleteRelationship(stored),
        (error) => toFailure(error).detail,
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
          error={findFieldError(failure, 'resource')}
        />
      </div>
      <Select
        label="Relation"
        value={draft.relation}
        options={permissionsAndRelations(schema, draft.resource.type).relations.map((value) => ({
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
          types={unique(allowed.map(({ type }) => type))}
          relations={unique(usersetRelationNames)}
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
            <TextArea
              label="Caveat context"
              error={parseContext(draft.context) ? findFieldError(failure, 'context') : 'Must be a JSON object.'}
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
          label="Expires"
          type="datetime-local"
          value={draft.expiresAt}
          error={findFieldError(failure, 'expiresAt')}
          onChange={({ target }) => change({ expiresAt: target.value })}
        />
      )}
      {failure !== undefined && <ErrorCard failure={toFailure(failure)} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={!relationship}>
          Add
        </Button>
      </div>
    </form>
  )
}

/** Returns the service's error for a part; fields are such as `updates[0].relationship.subject.type`. */
function findFieldError(failure: unknown, part: string): string | undefined {
  const errors = failure instanceof ApiError ? (failure.problem?.errors ?? []) : []
  return errors.find(({ field }) => field.split('.').includes(part))?.message
}

/** Fills in what the filter specifies. */
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

/** Replaces parts that no longer fit with the first that do. */
function fillDefaults(schema: SchemaWithETag, draft: RelationshipDraft): RelationshipDraft {
  const pick = (names: string[], name: string) => (names.includes(name) ? name : (names[0] ?? ''))
  const relation = pick(permissionsAndRelations(schema, draft.resource.type).relations, draft.relation)
  const allowed = findAllowedSubjects(schema, draft.resource.type, relation)
  const types = allowed.map(({ type }) => type)
  const subject = types.includes(draft.subject.type) ? draft.subject : { type: types[0] ?? '', id: '' }
  const requiresUserset = !allowed.some(({ type, relation }) => type === subject.type && !relation)
  const usersetRelationNames = allowed.flatMap(({ type, relation }) =>
    type === subject.type && relation ? [relation] : [],
  )
  const usersetRelation = requiresUserset
    ? pick(usersetRelationNames, subject.relation ?? '')
    : usersetRelationNames.find((name) => name === subject.relation)
  const completed = {
    ...draft,
    relation,
    subject: { type: subject.type, id: subject.id, ...(usersetRelation && { relation: usersetRelation }) },
  }
  return { ...completed, caveat: pick(findCaveats(schema, completed), draft.caveat) }
}
