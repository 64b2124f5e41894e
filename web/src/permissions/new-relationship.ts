import type { NewRelationship, SubjectReference } from '@passport/contract/permission-terms'
import { readContext } from './check-search.ts'
import type { KnownSchema } from './schema.ts'

/** A relationship while it is being filled in. */
export interface RelationshipDraft {
  resource: SubjectReference
  relation: string
  subject: SubjectReference
  caveat: string
  /** A JSON object. */
  context: string
  /** As a control for a time has it, in the time of whoever looks; empty for no end. */
  expiresAt: string
}

/** Who may stand in a relation, as the schema has it. */
export const allowedIn = ({ definitions }: KnownSchema, type: string, relation: string) =>
  definitions.find(({ name }) => name === type)?.relations.find(({ name }) => name === relation)?.allowed ?? []

/** The caveats under which such a subject may stand there; the empty text for none. */
export function caveatsFor(schema: KnownSchema, { resource, relation, subject }: RelationshipDraft): string[] {
  const fitting = allowedIn(schema, resource.type, relation).filter(
    (one) =>
      one.type === subject.type &&
      (subject.id === '*'
        ? one.isWildcard === true
        : !one.isWildcard && (one.relation ?? '') === (subject.relation ?? '')),
  )
  return [...new Set(fitting.map(({ caveat }) => caveat ?? ''))].toSorted()
}

/** What is to be written, or undefined while something is missing or wrong. */
export function relationshipOf(draft: RelationshipDraft): NewRelationship | undefined {
  const { relation, caveat, expiresAt } = draft
  const [resourceId, subjectId] = [draft.resource.id.trim(), draft.subject.id.trim()]
  const context = readContext(draft.context)
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
