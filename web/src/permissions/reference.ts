import type {
  NewRelationship,
  ObjectReference,
  RelationshipKey,
  SubjectReference,
} from '@passport/contract/permission-terms'

const referencePattern = /^(?<type>[^:#@\s]+):(?<id>[^:#@\s]+)(?:#(?<relation>[^:#@\s]+))?$/

/** Formats `document:handbook`, or a set: `group:staff#member`. */
export const printReference = ({ type, id, relation }: ObjectReference & { relation?: string | undefined }): string =>
  relation ? `${type}:${id}#${relation}` : `${type}:${id}`

/** Parses the format of `printReference`; undefined otherwise. Names are validated by the service. */
export function parseReference(text: unknown): SubjectReference | undefined {
  const groups = typeof text === 'string' ? referencePattern.exec(text)?.groups : undefined
  if (!groups) return undefined
  const { type = '', id = '', relation } = groups
  return relation === undefined ? { type, id } : { type, id, relation }
}

/** Like `readReference`, but rejects sets. */
export function parseObject(text: unknown): ObjectReference | undefined {
  const reference = parseReference(text)
  return reference && !reference.relation ? { type: reference.type, id: reference.id } : undefined
}

/** Returns the identifying parts of a relationship, without condition and expiry. */
export const toRelationshipKey = ({ resource, relation, subject }: NewRelationship): RelationshipKey => ({
  resource,
  relation,
  subject,
})

/** Whether a type is managed by the directory. */
export const isDirectoryType = (type: string): boolean => type.startsWith('passport/')
