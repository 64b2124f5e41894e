import type {
  NewRelationship,
  ObjectReference,
  RelationshipKey,
  SubjectReference,
} from '@passport/contract/permission-terms'
import { capitalize } from '../ui/capitalize.ts'

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

/** Formats a type in words: “User” for `passport/user`, “Order item (shop)” for `shop/order_item`, “Group members” for a userset. */
export function describeType({ type, relation }: { type: string; relation?: string | undefined }): string {
  const [name = '', ...prefixes] = type.split('/').toReversed()
  const prefix = prefixes.length > 0 ? ` (${prefixes.toReversed().join('/')})` : ''
  const text = directoryTypes[type] ?? `${capitalize(name.replaceAll('_', ' '))}${prefix}`
  if (!relation) return text
  return isHolder.test(relation) ? `${text} ${relation}s` : `${text}, ${relation}`
}

/** Relations whose name is a noun for their subjects: “member”, “owner”, “parent”, “admin”. */
const isHolder = /(er|or|ent|ant|admin|guest)$/

/** Formats the relation of a userset, to precede the name of its object: “members of”. */
export const describeUserset = (relation: string): string =>
  isHolder.test(relation) ? `${relation}s of` : `subjects with ${relation} on`

/** Reports whether the directory manages the relationships of a type. */
export const isDirectoryType = (type: string): boolean => type.startsWith('passport/')
