import { type FaultCode, PermissionFault } from '../fault.ts'
import { isCaveatName, isObjectId, isRelationName, isTypeName, nameRules, quoteName } from '../schema/names.ts'
import type { ObjectReference, Relationship, SubjectReference } from './relationship.ts'

/** Throws `malformed-…` for names that SpiceDB rejects. `field` is the path of the relationship. */
export function checkRelationshipNames({ resource, relation, subject, caveat }: Relationship, field: string): void {
  checkObject(resource, `${field}.resource`)
  if (!isRelationName(relation)) throw malformedName('relation', relation, `${field}.relation`)
  checkSubject(subject, `${field}.subject`)
  if (caveat && !isCaveatName(caveat.name)) throw malformedName('caveat', caveat.name, `${field}.caveat.name`)
}

function checkObject({ type, id }: ObjectReference, field: string): void {
  if (!isTypeName(type)) throw malformedName('type', type, `${field}.type`)
  if (!isObjectId(id)) throw malformedName('id', id, `${field}.id`)
}

/** The id may be `*`, but not with a relation. */
function checkSubject({ type, id, relation }: SubjectReference, field: string): void {
  checkObject({ type, id: id === '*' ? 'everyone' : id }, field)
  if (relation === undefined) return
  if (!isRelationName(relation)) throw malformedName('relation', relation, `${field}.relation`)
  if (id === '*') throw new PermissionFault('malformed-id', 'A wildcard cannot have a relation.', `${field}.id`)
}

const codes = {
  type: 'malformed-type',
  relation: 'malformed-relation',
  id: 'malformed-id',
  caveat: 'unknown-caveat',
} as const satisfies Record<keyof typeof nameRules, FaultCode>

/** The fault for a type that is not in the schema. */
export const unknownType = (type: string, field: string): PermissionFault =>
  new PermissionFault('unknown-type', `The type \`${type}\` does not exist.`, field)

/** The fault for an unknown permission or relation. */
export const unknownMember = (
  code: 'unknown-permission' | 'unknown-relation',
  { type, name }: { type: string; name: string },
  field: string,
): PermissionFault => new PermissionFault(code, `\`${type}\` has no permission or relation \`${name}\`.`, field)

/** The fault for a malformed name, with the syntax of valid ones. */
export const malformedName = (kind: keyof typeof codes, name: string, field: string): PermissionFault =>
  new PermissionFault(codes[kind], `${quoteName(name)} is not valid here: use ${nameRules[kind]}.`, field)
