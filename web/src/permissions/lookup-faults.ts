import type { PermissionSchema } from '@passport/contract/permission-schema'
import type { ObjectReference, SubjectReference } from '@passport/contract/permission-terms'
import { isRelationName, isTypeName } from '@passport/permissions/names'
import { misnamed, unknownMember, unknownType } from '@passport/permissions/relationship-names'
import { idFault } from './id-fault.ts'
import type { LookupDraft } from './lookup-draft.ts'
import { printSubjectType, subjectTypesOf } from './lookup-search.ts'
import { askable } from './schema.ts'

/** What is wrong with a lookup, by its fields, in the words of the service. */
export interface LookupFaults {
  about?: string | undefined
  with?: string | undefined
  permission?: string | undefined
  type?: string | undefined
}

/** Why it cannot be asked what a subject reaches. */
export const faultsOfResources = (
  schema: PermissionSchema,
  { about, with: other, permission, type }: LookupDraft,
): LookupFaults => ({
  about: subjectFault(schema, about),
  with: other && subjectFault(schema, other),
  permission: permission === '' ? undefined : permissionFault(schema, type, permission),
  type: type === '' ? undefined : typeFault(schema, type),
})

/** Why it cannot be asked who reaches something. */
export function faultsOfSubjects(
  schema: PermissionSchema,
  { about, with: other, permission, type }: LookupDraft,
): LookupFaults {
  const ofPermission = permission === '' ? undefined : permissionFault(schema, about.type, permission)
  const ofOther = permission === '' || !other ? undefined : permissionFault(schema, other.type, permission)
  return {
    about: objectFault(schema, about),
    with: other && (objectFault(schema, other) ?? (ofPermission ? undefined : ofOther)),
    permission: ofPermission,
    type: type === '' || ofPermission ? undefined : finderFault(schema, { about, permission, type }),
  }
}

/** Of several faults that which the service tells first. */
function subjectFault(schema: PermissionSchema, { type, id, relation }: SubjectReference): string | undefined {
  const ofRelation = relation === undefined ? undefined : permissionFault(schema, type, relation)
  const ofWildcard = id === '*' ? 'One subject has to be named, not all.' : undefined
  return idFault(id.trim()) ?? typeFault(schema, type) ?? ofRelation ?? ofWildcard
}

const objectFault = (schema: PermissionSchema, { type, id }: ObjectReference): string | undefined =>
  (id === '*' ? misnamed('id', id, '').message : idFault(id.trim())) ?? typeFault(schema, type)

function typeFault({ definitions }: PermissionSchema, type: string): string | undefined {
  if (definitions.some(({ name }) => name === type)) return undefined
  return (isTypeName(type) ? unknownType(type, '') : misnamed('type', type, '')).message
}

/** Of a type, or where it is empty of any; of one that is not there it says nothing. */
function permissionFault(schema: PermissionSchema, type: string, name: string): string | undefined {
  const types = schema.definitions.filter((definition) => type === '' || definition.name === type)
  const all = types.map((definition) => askable(schema, definition.name))
  if (all.some(({ permissions, relations }) => [...permissions, ...relations].includes(name))) return undefined
  if (!isRelationName(name)) return misnamed('relation', name, '').message
  if (type === '') return `No type has a permission or relation \`${name}\`.`
  return types.length === 0 ? undefined : unknownMember('unknown-permission', { type, name }, '').message
}

/** A type of subject as it is chosen: `user`, or `group#member`. */
function finderFault(
  schema: PermissionSchema,
  { about, permission, type }: Pick<LookupDraft, 'about' | 'permission' | 'type'>,
): string | undefined {
  const possible = subjectTypesOf(schema, about.type, permission)
  if (possible.some((one) => printSubjectType(one) === type)) return undefined
  const [name = '', relation] = type.split('#')
  const ofName =
    typeFault(schema, name) ?? (relation === undefined ? undefined : permissionFault(schema, name, relation))
  return ofName ?? `By the schema no \`${type}\` can have it.`
}
