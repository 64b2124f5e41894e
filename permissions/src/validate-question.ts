import type { CheckQuestion } from './engine.ts'
import { PermissionFault } from './fault.ts'
import { isObjectId, isRelationName, isTypeName } from './names.ts'
import type { Plan, PlanNode } from './plan.ts'
import type { ObjectReference, SubjectReference } from './relationship.ts'

/** Throws for a question that cannot be asked of the schema. */
export function validateCheck(plan: Plan, { resource, permission, subject }: CheckQuestion): PlanNode {
  validateId(resource.id, 'resource.id')
  validateSubject(plan, subject)
  return validateNode(plan, resource.type, permission, 'resource.type')
}

export function validateNode(plan: Plan, type: string, permission: string, typeField: string): PlanNode {
  validateType(plan, type, typeField)
  const node = plan.nodeOf(type, permission)
  if (node) return node
  if (!isRelationName(permission)) throw malformed('malformed-relation', permission, 'permission')
  throw new PermissionFault('unknown-permission', `There is no ${permission} of ${type}.`, 'permission')
}

export function validateSubject(plan: Plan, { type, id, relation }: SubjectReference): void {
  if (id === '*') throw new PermissionFault('wildcard-subject', 'One subject has to be named, not all.', 'subject.id')
  validateId(id, 'subject.id')
  validateType(plan, type, 'subject.type')
  if (relation) validateRelation(plan, type, relation, 'subject.relation')
}

export function validateResource(plan: Plan, { type, id }: ObjectReference, permission: string): PlanNode {
  validateId(id, 'resource.id')
  return validateNode(plan, type, permission, 'resource.type')
}

export function validateType(plan: Plan, type: string, field: string): void {
  if (plan.schema.definitions.has(type)) return
  if (!isTypeName(type)) throw malformed('malformed-type', type, field)
  throw new PermissionFault('unknown-type', `There is no type ${type}.`, field)
}

export function validateRelation(plan: Plan, type: string, relation: string, field: string): void {
  if (plan.nodeOf(type, relation)) return
  if (!isRelationName(relation)) throw malformed('malformed-relation', relation, field)
  throw new PermissionFault('unknown-relation', `There is no ${relation} of ${type}.`, field)
}

function validateId(id: string, field: string): void {
  if (!isObjectId(id)) throw malformed('malformed-id', id, field)
}

function malformed(code: 'malformed-type' | 'malformed-relation' | 'malformed-id', value: string, field: string) {
  return new PermissionFault(code, `${JSON.stringify(value.slice(0, 64))} cannot be a name here.`, field)
}
