import type { CheckRequest } from '../engine.ts'
import { PermissionError } from '../error.ts'
import { checkContextSize } from '../graph/context.ts'
import type { CaveatContext, ObjectReference, SubjectReference } from '../graph/relationship.ts'
import { malformedName, unknownMember, unknownType } from '../graph/validate.ts'
import { isObjectId, isRelationName, isTypeName } from '../schema/names.ts'
import type { Plan, PlanNode } from './plan.ts'

/** Throws `context-too-large`. Caveats check the values when they read them. */
export function validateContext(context: CaveatContext | undefined): void {
  if (context) checkContextSize(context, 'context', 'request')
}

/**
 * Returns the node of a check. Throws for an invalid request; of several errors, the one that SpiceDB reports first.
 */
export function validateCheck(plan: Plan, { resource, permission, subject, context }: CheckRequest): PlanNode {
  validateId(resource.id, 'resource.id')
  validateContext(context)
  const node = validateNode(plan, resource.type, permission, 'resource.type')
  validateSubject(plan, subject)
  return node
}

export function validateNode(plan: Plan, type: string, permission: string, typeField: string): PlanNode {
  validateType(plan, type, typeField)
  const node = plan.findNode(type, permission)
  if (node) return node
  if (!isRelationName(permission)) throw malformedName('relation', permission, 'permission')
  throw unknownMember('unknown-permission', { type, name: permission }, 'permission')
}

export function validateSubject(plan: Plan, { type, id, relation }: SubjectReference): void {
  if (id !== '*') validateId(id, 'subject.id')
  validateType(plan, type, 'subject.type')
  if (relation) validateRelation(plan, type, relation, 'subject.relation')
  if (id === '*') throw new PermissionError('wildcard-subject', 'The subject must not be a wildcard.', 'subject.id')
}

export function validateResource(plan: Plan, { type, id }: ObjectReference, permission: string): PlanNode {
  validateId(id, 'resource.id')
  return validateNode(plan, type, permission, 'resource.type')
}

export function validateType(plan: Plan, type: string, field: string): void {
  if (plan.schema.definitions.has(type)) return
  if (!isTypeName(type)) throw malformedName('type', type, field)
  throw unknownType(type, field)
}

export function validateRelation(plan: Plan, type: string, relation: string, field: string): void {
  if (plan.findNode(type, relation)) return
  if (!isRelationName(relation)) throw malformedName('relation', relation, field)
  throw unknownMember('unknown-relation', { type, name: relation }, field)
}

function validateId(id: string, field: string): void {
  if (!isObjectId(id)) throw malformedName('id', id, field)
}
