import type {
  NewRelationship,
  ObjectReference,
  RelationshipKey,
  SubjectReference,
} from '@passport/contract/permission-terms'

const referencePattern = /^(?<type>[^:#@\s]+):(?<id>[^:#@\s]+)(?:#(?<relation>[^:#@\s]+))?$/

/** Formats an object, `document:handbook`, or a userset, `group:staff#member`. */
export const printReference = ({ type, id, relation }: ObjectReference & { relation?: string | undefined }): string =>
  relation ? `${type}:${id}#${relation}` : `${type}:${id}`

/** Parses an object or a userset; undefined if malformed. The service validates the names. */
export function parseReference(text: unknown): SubjectReference | undefined {
  const groups = typeof text === 'string' ? referencePattern.exec(text)?.groups : undefined
  if (!groups) return undefined
  const { type = '', id = '', relation } = groups
  return relation === undefined ? { type, id } : { type, id, relation }
}

/** Parses an object; undefined if malformed or a userset. */
export function parseObject(text: unknown): ObjectReference | undefined {
  const reference = parseReference(text)
  return reference && !reference.relation ? { type: reference.type, id: reference.id } : undefined
}

/** Returns a relationship without its condition and expiry. */
export const toRelationshipKey = ({ resource, relation, subject }: NewRelationship): RelationshipKey => ({
  resource,
  relation,
  subject,
})

/** The types of the directory in words. */
const directoryTypes: Record<string, string> = {
  'passport/user': 'User',
  'passport/group': 'Group',
  'passport/org': 'Organisation',
  'passport/role': 'Role',
}

/** Formats a type beside a name: “User” for `passport/user`, “Group#member” for its usersets. Other types are as stored. */
export const describeType = ({ type, relation }: { type: string; relation?: string | undefined }): string =>
  `${directoryTypes[type] ?? type}${relation ? `#${relation}` : ''}`

/** Reports whether the directory manages the relationships of a type. */
export const isDirectoryType = (type: string): boolean => type.startsWith('passport/')
