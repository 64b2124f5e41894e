import type { NewRelationship, SubjectReference } from '@passport/contract/permission-terms'
import { parseContext } from './check-search.ts'
import type { SchemaWithETag } from './schema.ts'

/** The form's values of a new relationship. */
export interface RelationshipDraft {
  resource: SubjectReference
  relation: string
  subject: SubjectReference
  caveat: string
  /** A JSON object. */
  context: string
  /** The value of a `datetime-local` control, in local time; empty for none. */
  expiresAt: string
}

/** Returns the allowed subjects of a relation. */
export const findAllowedSubjects = ({ definitions }: SchemaWithETag, type: string, relation: string) =>
  definitions.find(({ name }) => name === type)?.relations.find(({ name }) => name === relation)?.allowed ?? []

/** Returns the caveats with which such a subject is allowed; the empty string for none. */
export function findCaveats(schema: SchemaWithETag, { resource, relation, subject }: RelationshipDraft): string[] {
  const matching = findAllowedSubjects(schema, resource.type, relation).filter(
    (allowed) =>
      allowed.type === subject.type &&
      (subject.id === '*'
        ? allowed.isWildcard === true
        : !allowed.isWildcard && (allowed.relation ?? '') === (subject.relation ?? '')),
  )
  return [...new Set(matching.map(({ caveat }) => caveat ?? ''))].toSorted()
}

/** Returns the relationship to write; undefined if incomplete or invalid. */
export function toRelationship(draft: RelationshipDraft): NewRelationship | undefined {
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
