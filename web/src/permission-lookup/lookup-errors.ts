import type { PermissionSchema } from '@passport/contract/permission-schema'
import type { ObjectReference, SubjectReference } from '@passport/contract/permission-terms'
import { isRelationName, isTypeName, malformedName, unknownMember, unknownType } from '@passport/permissions'
import { findIdError } from '../permissions/check-search.ts'
import { listPermissionsAndRelations } from '../permissions/schema.ts'
import { type LookupDraft, listPossibleSubjectTypes, printSubjectType } from './lookup-search.ts'

/** The errors of a lookup by field, in the service's words. */
export interface LookupErrors {
  object?: string | undefined
  with?: string | undefined
  permission?: string | undefined
  type?: string | undefined
}

export const findResourceLookupErrors = (
  schema: PermissionSchema,
  { object, with: other, permission, type }: LookupDraft,
): LookupErrors => ({
  object: findSubjectError(schema, object),
  with: other && findSubjectError(schema, other),
  permission: permission === '' ? undefined : findPermissionError(schema, type, permission),
  type: type === '' ? undefined : findTypeError(schema, type),
})

export function findSubjectLookupErrors(
  schema: PermissionSchema,
  { object, with: other, permission, type }: LookupDraft,
): LookupErrors {
  const permissionError = permission === '' ? undefined : findPermissionError(schema, object.type, permission)
  const otherError = permission === '' || !other ? undefined : findPermissionError(schema, other.type, permission)
  return {
    object: findObjectError(schema, object),
    with: other && (findObjectError(schema, other) ?? (permissionError ? undefined : otherError)),
    permission: permissionError,
    type: type === '' || permissionError ? undefined : findSubjectTypeError(schema, { object, permission, type }),
  }
}

/** Returns the error that the service would report first. */
function findSubjectError(schema: PermissionSchema, { type, id, relation }: SubjectReference): string | undefined {
  const relationError = relation === undefined ? undefined : findPermissionError(schema, type, relation)
  const wildcardError = id === '*' ? 'The subject must not be a wildcard.' : undefined
  return findIdError(id.trim()) ?? findTypeError(schema, type) ?? relationError ?? wildcardError
}

const findObjectError = (schema: PermissionSchema, { type, id }: ObjectReference): string | undefined =>
  (id === '*' ? malformedName('id', id, '').message : findIdError(id.trim())) ?? findTypeError(schema, type)

function findTypeError({ definitions }: PermissionSchema, type: string): string | undefined {
  if (definitions.some(({ name }) => name === type)) return undefined
  return (isTypeName(type) ? unknownType(type, '') : malformedName('type', type, '')).message
}

/** Returns the error of a permission of a type, or of any type if `type` is empty; ignores unknown types. */
function findPermissionError(schema: PermissionSchema, type: string, name: string): string | undefined {
  const types = schema.definitions.filter((definition) => type === '' || definition.name === type)
  const all = types.map((definition) => listPermissionsAndRelations(schema, definition.name))
  if (all.some(({ permissions, relations }) => [...permissions, ...relations].includes(name))) return undefined
  if (!isRelationName(name)) return malformedName('relation', name, '').message
  if (type === '') return `No type has a permission or relation \`${name}\`.`
  return types.length === 0 ? undefined : unknownMember('unknown-permission', { type, name }, '').message
}

/** Returns the error of a type of subjects, such as `user` or `group#member`. */
function findSubjectTypeError(
  schema: PermissionSchema,
  { object, permission, type }: Pick<LookupDraft, 'object' | 'permission' | 'type'>,
): string | undefined {
  const possibleTypes = listPossibleSubjectTypes(schema, object.type, permission)
  if (possibleTypes.some((subjectType) => printSubjectType(subjectType) === type)) return undefined
  const [name = '', relation] = type.split('#')
  const nameError =
    findTypeError(schema, name) ?? (relation === undefined ? undefined : findPermissionError(schema, name, relation))
  return nameError ?? `The schema does not allow \`${type}\` here.`
}
