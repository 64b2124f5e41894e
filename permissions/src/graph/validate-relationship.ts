import { compileCaveatOnce } from '../caveats/compiled-caveats.ts'
import { type FaultCode, PermissionFault } from '../fault.ts'
import { printAllowed } from '../schema/allowed-subject.ts'
import type { AllowedSubject, CompiledDefinition, Relation, Schema } from '../schema/schema.ts'
import type { Relationship, RelationshipCaveat } from './relationship.ts'
import { checkRelationshipNames, unknownMember, unknownType } from './relationship-names.ts'

/**
 * Validates a relationship to be written. Throws `malformed-…`, `unknown-type`, `unknown-relation`, `unknown-caveat`,
 * `write-to-permission`, `subject-not-allowed`, `caveat-required`, `expiration-required`, `context-type` or
 * `context-too-large`. `field` is the path of the relationship in the request. `isDeletion` requires no caveat or
 * expiration, and ignores the context.
 */
export function validateRelationship(
  schema: Schema,
  relationship: Relationship,
  field: string,
  { isDeletion = false }: { isDeletion?: boolean } = {},
): void {
  checkRelationshipNames(relationship, field)
  const relation = findRelation(schema, relationship, field)
  checkSubjectKnown(schema, relationship, field)
  const { caveat } = relationship
  if (caveat) checkCaveatKnown(schema, caveat, `${field}.caveat`)
  const matching = relation.allowed.filter((allowed) => matchesSubject(allowed, relationship))
  if (matching.length === 0) failSubject(relation, relationship, field)
  if (isDeletion && !caveat) return
  if (!matching.some((allowed) => matchesTraits(allowed, relationship))) failTraits(matching, relationship, field)
  if (caveat && !isDeletion) checkContext(schema, caveat, `${field}.caveat.context`)
}

function checkContext(schema: Schema, { name, context }: RelationshipCaveat, field: string): void {
  const declaration = schema.caveats.get(name)
  if (declaration && context) compileCaveatOnce(declaration).check(context, field, 'relationship')
}

function findRelation(schema: Schema, { resource, relation }: Relationship, field: string): Relation {
  const definition = findDefinition(schema, resource.type, `${field}.resource.type`)
  const storedRelation = definition.relations.get(relation)
  if (storedRelation) return storedRelation
  if (!definition.permissions.has(relation))
    throw unknownMember('unknown-relation', { type: resource.type, name: relation }, `${field}.relation`)
  return fail(
    'write-to-permission',
    `\`${resource.type}#${relation}\` is a permission; relationships require a relation.`,
    `${field}.relation`,
  )
}

function checkSubjectKnown(schema: Schema, { subject }: Relationship, field: string): void {
  const definition = findDefinition(schema, subject.type, `${field}.subject.type`)
  const { relation } = subject
  if (relation === undefined || definition.relations.has(relation) || definition.permissions.has(relation)) return
  throw unknownMember('unknown-relation', { type: subject.type, name: relation }, `${field}.subject.relation`)
}

function findDefinition(schema: Schema, type: string, field: string): CompiledDefinition {
  const definition = schema.definitions.get(type)
  if (!definition) throw unknownType(type, field)
  return definition
}

function checkCaveatKnown(schema: Schema, { name }: RelationshipCaveat, field: string): void {
  if (!schema.caveats.has(name)) fail('unknown-caveat', `The caveat \`${name}\` does not exist.`, `${field}.name`)
}

/** Whether a schema allows a relationship. */
export function isAllowedBySchema(schema: Schema, relationship: Relationship): boolean {
  try {
    validateRelationship(schema, relationship, '')
    return true
  } catch (error) {
    if (error instanceof PermissionFault) return false
    throw error
  }
}

function matchesSubject({ type, relation, isWildcard }: AllowedSubject, { subject }: Relationship): boolean {
  return type === subject.type && relation === subject.relation && (isWildcard ?? false) === (subject.id === '*')
}

function matchesTraits({ caveat, hasExpiration }: AllowedSubject, relationship: Relationship): boolean {
  return caveat === relationship.caveat?.name && (hasExpiration ?? false) === (relationship.expiresAt !== undefined)
}

function failSubject({ name, allowed }: Relation, { resource, subject }: Relationship, field: string): never {
  const kind = { ...subject, ...(subject.id === '*' ? { isWildcard: true as const } : {}) }
  const list = allowed.map((allowedSubject) => `\`${printAllowed(allowedSubject)}\``).join(', ')
  const message = `\`${printAllowed(kind)}\` is not allowed in \`${resource.type}#${name}\`; allowed: ${list}.`
  return fail('subject-not-allowed', message, `${field}.subject`)
}

function failTraits(matching: AllowedSubject[], relationship: Relationship, field: string): never {
  const { resource, relation, caveat, expiresAt } = relationship
  const list = matching.map((allowedSubject) => `\`${printAllowed(allowedSubject)}\``).join(', ')
  const message = `\`${resource.type}#${relation}\` allows this subject only as ${list}.`
  if (!caveat && matching.every((allowedSubject) => allowedSubject.caveat))
    fail('caveat-required', message, `${field}.caveat`)
  const sameCaveat = matching.filter((allowedSubject) => allowedSubject.caveat === caveat?.name)
  if (sameCaveat.length === 0) fail('subject-not-allowed', message, `${field}.caveat`)
  const code = expiresAt === undefined ? 'expiration-required' : 'subject-not-allowed'
  return fail(code, message, `${field}.expiresAt`)
}

function fail(code: FaultCode, message: string, field: string): never {
  throw new PermissionFault(code, message, field)
}
