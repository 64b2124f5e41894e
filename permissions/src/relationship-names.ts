import { type FaultCode, PermissionFault } from './fault.ts'
import { isCaveatName, isObjectId, isRelationName, isTypeName, nameRules, quoted } from './names.ts'
import type { ObjectReference, Relationship, SubjectReference } from './relationship.ts'

/** Whether all names are such as SpiceDB takes; throws `malformed-…`. `field` is the place of the relationship. */
export function checkRelationshipNames({ resource, relation, subject, caveat }: Relationship, field: string): void {
  checkObject(resource, `${field}.resource`)
  if (!isRelationName(relation)) throw misnamed('relation', relation, `${field}.relation`)
  checkSubject(subject, `${field}.subject`)
  if (caveat && !isCaveatName(caveat.name)) throw misnamed('caveat', caveat.name, `${field}.caveat.name`)
}

function checkObject({ type, id }: ObjectReference, field: string): void {
  if (!isTypeName(type)) throw misnamed('type', type, `${field}.type`)
  if (!isObjectId(id)) throw misnamed('id', id, `${field}.id`)
}

/** `*` may stand as the id, but not with a relation. */
function checkSubject({ type, id, relation }: SubjectReference, field: string): void {
  checkObject({ type, id: id === '*' ? 'everyone' : id }, field)
  if (relation === undefined) return
  if (!isRelationName(relation)) throw misnamed('relation', relation, `${field}.relation`)
  if (id === '*') throw new PermissionFault('malformed-id', 'A wildcard cannot have a relation.', `${field}.id`)
}

const codes = {
  type: 'malformed-type',
  relation: 'malformed-relation',
  id: 'malformed-id',
  caveat: 'unknown-caveat',
} as const satisfies Record<keyof typeof nameRules, FaultCode>

/** What is told of a type that the schema does not have. */
export const unknownType = (type: string, field: string): PermissionFault =>
  new PermissionFault('unknown-type', `There is no type \`${type}\`.`, field)

/** What is told of a permission or relation that a type does not have. */
export const unknownMember = (
  code: 'unknown-permission' | 'unknown-relation',
  { type, name }: { type: string; name: string },
  field: string,
): PermissionFault => new PermissionFault(code, `\`${type}\` has no permission or relation \`${name}\`.`, field)

/** What is told of a name that can be none, with what it is made of. */
export const misnamed = (what: keyof typeof codes, name: string, field: string): PermissionFault =>
  new PermissionFault(codes[what], `${quoted(name)} cannot stand here: ${nameRules[what]}.`, field)
