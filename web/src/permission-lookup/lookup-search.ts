import type { PermissionSchema } from '@passport/contract/permission-schema'
import type { SubjectReference } from '@passport/contract/permission-terms'
import { parseObjectDraft, parseReferenceDraft } from '../permissions/check-search.ts'
import { permissionsAndRelations } from '../permissions/schema.ts'

const names = ['subject', 'resource', 'with', 'since', 'type', 'permission', 'context'] as const

/**
 * A lookup as search parameters: of a subject such as `user:ada`, or of a resource such as `document:roadmap`. Without
 * a type or a permission, it covers all. `with` is another object to compare with, `since` the token of an earlier
 * revision, and `context` a JSON object.
 */
export type LookupSearch = Partial<Record<(typeof names)[number], string>>

/** Returns the search parameters of a lookup; repeated ones count as absent. */
export const parseLookupSearch = (params: Record<string, unknown>): LookupSearch =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = params[name]
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )

/** The form's values: the object, the one to compare with, and the question. */
export interface LookupDraft {
  object: SubjectReference
  with: SubjectReference | undefined
  /** The token of the moment to compare with; empty while it is being picked. */
  since: string | undefined
  type: string
  permission: string
  context: string
}

/** Returns the draft of a URL, valid or not. */
export function parseDraft(search: LookupSearch, name: 'subject' | 'resource', defaultType: string): LookupDraft {
  // Invalid references are kept as written, so that they can be corrected.
  const parse = name === 'subject' ? parseReferenceDraft : parseObjectDraft
  return {
    object: parse(search[name], defaultType),
    with: search.with === undefined ? undefined : parse(search.with, defaultType),
    since: search.with ? undefined : search.since,
    type: search.type ?? '',
    permission: search.permission ?? '',
    context: search.context ?? '',
  }
}

/** Which of two compared lookups have a result. */
export type Side = 'left' | 'right' | 'both'
export const sides: Side[] = ['left', 'right', 'both']

/** The labels of a comparison's parts; results of both may have the same or differing answers. */
export type PartLabels = Record<Side | 'same' | 'differing' | 'other', string>

/** Labels a comparison with another object, with an earlier moment, or of supposed with stored. */
export function getPartLabels({ with: other, since }: LookupSearch, object: string): PartLabels {
  if (other !== undefined)
    return { left: `Only ${object}`, right: `Only ${other}`, both: 'Both', same: 'Both', differing: 'Both', other }
  const bothLabels = { both: 'In both', same: 'Unchanged', differing: 'Changed' }
  return since === undefined
    ? { left: 'Would gain', right: 'Would lose', ...bothLabels, other: 'stored' }
    : { left: 'Gained since', right: 'Lost since', ...bothLabels, other: 'before' }
}

/** A type of subject, or of a set: `group#member`. */
export interface SubjectType {
  type: string
  relation?: string | undefined
}
export const printSubjectType = ({ type, relation }: SubjectType) => (relation ? `${type}#${relation}` : type)

/** The type of a table of results, and its columns. */
interface Target {
  resultType: SubjectType
  permissions: string[]
}

/**
 * Returns the types of resources that such a subject can access. Without a given permission, the columns are the
 * possible permissions, or the relations of types without a possible permission.
 */
export const findResourceTargets = (
  schema: PermissionSchema,
  subject: SubjectType,
  { type, permission }: LookupSearch,
): Target[] =>
  schema.definitions
    .filter(({ name }) => type === undefined || name === type)
    .map(({ name, permissions, relations }) => {
      const possiblePermissions = permissions.filter(({ subjects }) =>
        subjects.some((subjectType) => matchesSubject(subjectType, subject)),
      )
      const possibleRelations = relations.filter((relation) => canReach(schema, `${name}#${relation.name}`, subject))
      const members =
        permission !== undefined
          ? [...permissions, ...relations].filter((member) => member.name === permission)
          : possiblePermissions.length > 0
            ? possiblePermissions
            : possibleRelations
      return { resultType: { type: name }, permissions: members.map((member) => member.name) }
    })
    .filter(({ permissions }) => permissions.length > 0)

/** Returns the types of subjects that can access resources of a type; the columns are as for resources. */
export const findSubjectTargets = (
  schema: PermissionSchema,
  resourceType: string,
  { type, permission = '' }: LookupSearch,
): Target[] =>
  listSubjectTypes(schema, resourceType, permission)
    .filter((subjectType) => type === undefined || printSubjectType(subjectType) === type)
    .map((resultType) => {
      const columns = listColumns(schema, resourceType, permission).filter((name) =>
        listSubjectTypes(schema, resourceType, name).some(
          (possible) => printSubjectType(possible) === printSubjectType(resultType),
        ),
      )
      return { resultType, permissions: columns }
    })

function listColumns(schema: PermissionSchema, type: string, permission: string): string[] {
  if (permission !== '') return [permission]
  const { permissions, relations } = permissionsAndRelations(schema, type)
  return permissions.length > 0 ? permissions : relations
}

/** A permission may be held by a set itself or by its members. */
const matchesSubject = (candidate: SubjectType, subject: SubjectType) =>
  candidate.type === subject.type && (subject.relation === undefined || candidate.relation === subject.relation)

/** Whether such a subject can be in a set such as `group#member`, directly or through other sets. */
function canReach(schema: PermissionSchema, start: string, subject: SubjectType): boolean {
  const queue = new Set([start])
  for (const userset of queue) {
    const [type = '', name = ''] = userset.split('#')
    const all = listSubjectTypes(schema, type, name)
    if (all.some((subjectType) => matchesSubject(subjectType, subject))) return true
    for (const { type, relation } of all) if (relation) queue.add(`${type}#${relation}`)
  }
  return false
}

/** Returns the types that can have a permission or relation of a type, objects first; of any column if it is empty. */
export function listSubjectTypes(schema: PermissionSchema, type: string, permission: string): SubjectType[] {
  const definition = schema.definitions.find(({ name }) => name === type)
  const all = listColumns(schema, type, permission).flatMap((column) => {
    const subjects = definition?.permissions.find(({ name }) => name === column)?.subjects
    return subjects ?? definition?.relations.find(({ name }) => name === column)?.allowed ?? []
  })
  const types = all.map(({ type, relation }) => (relation ? { type, relation } : { type }))
  return [...new Map(types.map((subjectType) => [printSubjectType(subjectType), subjectType])).values()].toSorted(
    (a, b) => Number('relation' in a) - Number('relation' in b),
  )
}
