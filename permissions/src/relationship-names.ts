import { type FaultCode, PermissionFault } from './fault.ts'
import { isCaveatName, isObjectId, isRelationName, isTypeName, nameRules, quoted } from './names.ts'
import type { ObjectReference, Relationship, SubjectReference } from './relationship.ts'

/** Whether all names are such as SpiceDB takes; throws `malformed-…`. `field` is the place of the relationship. */
export function checkRelationshipNames({ resource, relation, subject, caveat }: Relationship, field: string): void {
  checkObject(resource, `${field}.resource`)
  if (!isRelationName(relation)) fail('malformed-relation', relation, 'relation', `${field}.relation`)
  checkSubject(subject, `${field}.subject`)
  if (caveat && !isCaveatName(caveat.name)) fail('unknown-caveat', caveat.name, 'caveat', `${field}.caveat.name`)
}

function checkObject({ type, id }: ObjectReference, field: string): void {
  if (!isTypeName(type)) fail('malformed-type', type, 'type', `${field}.type`)
  if (!isObjectId(id)) fail('malformed-id', id, 'id', `${field}.id`)
}

/** `*` may stand as the id, but not with a relation. */
function checkSubject({ type, id, relation }: SubjectReference, field: string): void {
  checkObject({ type, id: id === '*' ? 'everyone' : id }, field)
  if (relation === undefined) return
  if (!isRelationName(relation)) fail('malformed-relation', relation, 'relation', `${field}.relation`)
  if (id === '*') throw new PermissionFault('malformed-id', 'A wildcard cannot have a relation.', `${field}.id`)
}

function fail(code: FaultCode, name: string, what: keyof typeof nameRules, field: string): never {
  throw new PermissionFault(code, `${quoted(name)} cannot stand here: ${nameRules[what]}.`, field)
}
