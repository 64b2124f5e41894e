import { compileCaveatOnce } from '../caveats/compiled-caveats.ts'
import { type ErrorCode, PermissionError } from '../error.ts'
import { isCaveatName, isObjectId, isRelationName, isTypeName, nameRules, quoteName } from '../schema/names.ts'
import { printAllowed } from '../schema/print.ts'
import type { AllowedSubject, CompiledDefinition, Relation, Schema } from '../schema/schema.ts'
import type {
  ObjectReference,
  Precondition,
  Relationship,
  RelationshipCaveat,
  RelationshipFilter,
  SubjectReference,
} from './relationship.ts'

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
  checkMember(definition, relation, `${field}.relation`)
  return fail(
    'write-to-permission',
    `\`${resource.type}#${relation}\` is a permission; relationships require a relation.`,
    `${field}.relation`,
  )
}

function checkSubjectKnown(schema: Schema, { subject }: Relationship, field: string): void {
  const definition = findDefinition(schema, subject.type, `${field}.subject.type`)
  if (subject.relation !== undefined) checkMember(definition, subject.relation, `${field}.subject.relation`)
}

function findDefinition(schema: Schema, type: string, field: string): CompiledDefinition {
  const definition = schema.definitions.get(type)
  if (!definition) throw unknownType(type, field)
  return definition
}

function checkMember({ name: type, relations, permissions }: CompiledDefinition, name: string, field: string): void {
  if (!relations.has(name) && !permissions.has(name)) throw unknownMember('unknown-relation', { type, name }, field)
}

function checkCaveatKnown(schema: Schema, { name }: RelationshipCaveat, field: string): void {
  if (!schema.caveats.has(name)) fail('unknown-caveat', `The caveat \`${name}\` does not exist.`, `${field}.name`)
}

/** Reports whether a schema allows a relationship. */
export function isAllowedBySchema(schema: Schema, relationship: Relationship): boolean {
  try {
    validateRelationship(schema, relationship, '')
    return true
  } catch (error) {
    if (error instanceof PermissionError) return false
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

function fail(code: ErrorCode, message: string, field: string): never {
  throw new PermissionError(code, message, field)
}

/**
 * Throws `unknown-type` or `unknown-relation` for a name that the schema lacks, and `malformed-id` for an invalid id or
 * id prefix. `field` is the path of the filter in the request.
 */
export function validateFilter(schema: Schema, filter: RelationshipFilter, field = 'filter'): void {
  const { resourceType, relation, subjectType, subjectRelation, subjectId } = filter
  checkId(filter.resourceId, `${field}.resourceId`)
  checkId(filter.resourceIdPrefix, `${field}.resourceIdPrefix`)
  if (subjectId !== '*') checkId(subjectId, `${field}.subjectId`)
  checkKnown(schema, resourceType, relation, `${field}.resourceType`, `${field}.relation`)
  checkKnown(schema, subjectType, subjectRelation, `${field}.subjectType`, `${field}.subjectRelation`)
}

/**
 * Throws `filter-invalid` for an empty filter, as SpiceDB does for writes: it would match every relationship and is
 * probably a mistake.
 */
export function checkFilterNotEmpty(filter: RelationshipFilter, field = 'filter'): void {
  if (Object.values(filter).some(Boolean)) return
  const message = 'The filter must not be empty: set a field such as `resourceType`.'
  throw new PermissionError('filter-invalid', message, field)
}

/** Validates the filters of preconditions. Otherwise, `mustNotMatch` would succeed with a misspelt name. */
export function validatePreconditions(schema: Schema, preconditions: Precondition[]): void {
  checkPreconditionsNotEmpty(preconditions)
  for (const [at, { filter }] of preconditions.entries()) validateFilter(schema, filter, preconditionField(at))
}

/** Throws `filter-invalid` for the first empty filter. */
export function checkPreconditionsNotEmpty(preconditions: Precondition[]): void {
  for (const [at, { filter }] of preconditions.entries()) checkFilterNotEmpty(filter, preconditionField(at))
}

const preconditionField = (at: number) => `preconditions.${at}.filter`

function checkId(id: string | undefined, field: string): void {
  if (id && !isObjectId(id)) throw malformedName('id', id, field)
}

function checkKnown(
  schema: Schema,
  type: string | undefined,
  name: string | undefined,
  typeField: string,
  nameField: string,
): void {
  const definition = type === undefined ? undefined : findDefinition(schema, type, typeField)
  if (definition && name) checkMember(definition, name, nameField)
}

/**
 * Throws `malformed-…` for a name that SpiceDB rejects, and `unknown-caveat` for the name of a caveat. `field` is the
 * path of the relationship.
 */
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
  if (id === '*') throw new PermissionError('malformed-id', 'A wildcard cannot have a relation.', `${field}.id`)
}

const codes = {
  type: 'malformed-type',
  relation: 'malformed-relation',
  id: 'malformed-id',
  caveat: 'unknown-caveat',
} as const satisfies Record<keyof typeof nameRules, ErrorCode>

/** Creates the error for a type that the schema lacks. */
export const unknownType = (type: string, field: string): PermissionError =>
  new PermissionError('unknown-type', `The type \`${type}\` does not exist.`, field)

/** Creates the error for a permission or relation that the type lacks. */
export const unknownMember = (
  code: 'unknown-permission' | 'unknown-relation',
  { type, name }: { type: string; name: string },
  field: string,
): PermissionError => new PermissionError(code, `\`${type}\` has no permission or relation \`${name}\`.`, field)

/** Creates the error for a malformed name, with the syntax of valid ones. */
export const malformedName = (kind: keyof typeof codes, name: string, field: string): PermissionError =>
  new PermissionError(codes[kind], `${quoteName(name)} is not valid here: use ${nameRules[kind]}.`, field)
