import type { PermissionSchema } from '@passport/contract/permission-schema'
import type { ObjectReference, SubjectReference } from '@passport/contract/permission-terms'
import { isRelationName, isTypeName, malformedName, unknownMember, unknownType } from '@passport/permissions'
import { idFault } from '../permissions/check-search.ts'
import { permissionsAndRelations } from '../permissions/schema.ts'
import { type LookupDraft, listSubjectTypes, printSubjectType } from './lookup-search.ts'

/** The faults of a lookup by field, in the service's words. */
export interface LookupFaults {
  object?: string | undefined
  with?: string | undefined
  permission?: string | undefined
  type?: string | undefined
}

/** Returns the faults of a lookup of resources. */
export const findResourceFaults = (
  schema: PermissionSchema,
  { object, with: other, permission, type }: LookupDraft,
): LookupFaults => ({
  object: subjectFault(schema, object),
  with: other && subjectFault(schema, other),
  permission: permission === '' ? undefined : permissionFault(schema, type, permission),
  type: type === '' ? undefined : typeFault(schema, type),
})

/** Returns the faults of a lookup of subjects. */
export function findSubjectFaults(
  schema: PermissionSchema,
  { object, with: other, permission, type }: LookupDraft,
): LookupFaults {
  const permissionProblem = permission === '' ? undefined : permissionFault(schema, object.type, permission)
  const otherProblem = permission === '' || !other ? undefined : permissionFault(schema, other.type, permission)
  return {
    object: objectFault(schema, object),
    with: other && (objectFault(schema, other) ?? (permissionProblem ? undefined : otherProblem)),
    permission: permissionProblem,
    type: type === '' || permissionProblem ? undefined : subjectTypeFault(schema, { object, permission, type }),
  }
}

/** Returns the fault that the service would report first. */
function subjectFault(schema: PermissionSchema, { type, id, relation }: SubjectReference): string | undefined {
  const relationProblem = relation === undefined ? undefined : permissionFault(schema, type, relation)
  const wildcardProblem = id === '*' ? 'The subject must not be a wildcard.' : undefined
  return idFault(id.trim()) ?? typeFault(schema, type) ?? relationProblem ?? wildcardProblem
}

const objectFault = (schema: PermissionSchema, { type, id }: ObjectReference): string | undefined =>
  (id === '*' ? malformedName('id', id, '').message : idFault(id.trim())) ?? typeFault(schema, type)

function typeFault({ definitions }: PermissionSchema, type: string): string | undefined {
  if (definitions.some(({ name }) => name === type)) return undefined
  return (isTypeName(type) ? unknownType(type, '') : malformedName('type', type, '')).message
}

/** Checks a permission of one type, or of any if empty; ignores unknown types. */
function permissionFault(schema: PermissionSchema, type: string, name: string): string | undefined {
  const types = schema.definitions.filter((definition) => type === '' || definition.name === type)
  const all = types.map((definition) => permissionsAndRelations(schema, definition.name))
  if (all.some(({ permissions, relations }) => [...permissions, ...relations].includes(name))) return undefined
  if (!isRelationName(name)) return malformedName('relation', name, '').message
  if (type === '') return `No type has a permission or relation \`${name}\`.`
  return types.length === 0 ? undefined : unknownMember('unknown-permission', { type, name }, '').message
}

/** Checks a type of subject: `user`, or `group#member`. */
function subjectTypeFault(
  schema: PermissionSchema,
  { object, permission, type }: Pick<LookupDraft, 'object' | 'permission' | 'type'>,
): string | undefined {
  const possibleTypes = listSubjectTypes(schema, object.type, permission)
  if (possibleTypes.some((subjectType) => printSubjectType(subjectType) === type)) return undefined
  const [name = '', relation] = type.split('#')
  const nameProblem =
    typeFault(schema, name) ?? (relation === undefined ? undefined : permissionFault(schema, name, relation))
  return nameProblem ?? `The schema does not allow \`${type}\` here.`
}
