import type { PermissionSchema } from '@passport/contract/permission-schema'
import type { SubjectReference } from '@passport/contract/permission-terms'
import { parseObjectDraft, parseReferenceDraft, pickTexts } from '../permissions/check-search.ts'
import { listPermissionsAndRelations } from '../permissions/schema.ts'

const names = ['subject', 'resource', 'with', 'since', 'type', 'permission', 'context'] as const

/**
 * A lookup as search parameters: of a subject such as `user:ada`, or of a resource such as `document:roadmap`. Without
 * a type or a permission, it covers all. `with` is another object to compare with, `since` the token of an earlier
 * revision, and `context` a JSON object.
 */
export type LookupSearch = Partial<Record<(typeof names)[number], string>>

/** Returns the search parameters of a lookup; repeated and empty ones count as absent. */
export const parseLookupSearch = (params: Record<string, unknown>): LookupSearch => pickTexts(params, names)

/** The values of the form of a lookup. */
export interface LookupDraft {
  object: SubjectReference
  /** The object to compare with. */
  with: SubjectReference | undefined
  /** The token of the revision to compare with; empty until one is picked. */
  since: string | undefined
  type: string
  permission: string
  context: string
}

/** Returns the form's values for a URL, valid or not. */
export function parseDraft(search: LookupSearch, name: 'subject' | 'resource', defaultType: string): LookupDraft {
  // Invalid references are kept, so that they can be corrected.
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

/** The lookups of a comparison that have a result. */
export type Side = 'left' | 'right' | 'both'
export const sides: Side[] = ['left', 'right', 'both']

/** The labels of a comparison: by side, for equal and different verdicts of both, and for the other object or revision. */
export type PartLabels = Record<Side | 'same' | 'differing' | 'other', string>

/** Returns the labels for a comparison with another object, an earlier revision, or the data without what-if changes. */
export function getPartLabels({ with: other, since }: LookupSearch, object: string): PartLabels {
  if (other !== undefined)
    return { left: `Only ${object}`, right: `Only ${other}`, both: 'Both', same: 'Both', differing: 'Both', other }
  const bothLabels = { both: 'In both', same: 'Unchanged', differing: 'Changed' }
  return since === undefined
    ? { left: 'Would gain', right: 'Would lose', ...bothLabels, other: 'stored' }
    : { left: 'Gained since', right: 'Lost since', ...bothLabels, other: 'before' }
}

/** A type of subjects: `user`, or usersets such as `group#member`. */
export interface SubjectType {
  type: string
  relation?: string | undefined
}
export const printSubjectType = ({ type, relation }: SubjectType) => (relation ? `${type}#${relation}` : type)

/** The type of the results in a table, and the permissions in its columns. */
interface Target {
  resultType: SubjectType
  permissions: string[]
}

/**
 * Returns the types of resources that subjects of a type can access. If no permission is given, the columns are the
 * possible permissions, or else the possible relations.
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

/** Returns the types of subjects that can access resources of a type, with the same rule for the columns. */
export const findSubjectTargets = (
  schema: PermissionSchema,
  resourceType: string,
  { type, permission = '' }: LookupSearch,
): Target[] =>
  listPossibleSubjectTypes(schema, resourceType, permission)
    .filter((subjectType) => type === undefined || printSubjectType(subjectType) === type)
    .map((resultType) => {
      const columns = listColumns(schema, resourceType, permission).filter((name) =>
        listPossibleSubjectTypes(schema, resourceType, name).some(
          (possible) => printSubjectType(possible) === printSubjectType(resultType),
        ),
      )
      return { resultType, permissions: columns }
    })

function listColumns(schema: PermissionSchema, type: string, permission: string): string[] {
  if (permission !== '') return [permission]
  const { permissions, relations } = listPermissionsAndRelations(schema, type)
  return permissions.length > 0 ? permissions : relations
}

/** Reports whether a candidate is the subject's type, or usersets of objects of that type. */
const matchesSubject = (candidate: SubjectType, subject: SubjectType) =>
  candidate.type === subject.type && (subject.relation === undefined || candidate.relation === subject.relation)

/** Reports whether subjects of a type can be members of a userset, directly or through other usersets. */
function canReach(schema: PermissionSchema, start: string, subject: SubjectType): boolean {
  const queue = new Set([start])
  for (const userset of queue) {
    const [type = '', name = ''] = userset.split('#')
    const all = listPossibleSubjectTypes(schema, type, name)
    if (all.some((subjectType) => matchesSubject(subjectType, subject))) return true
    for (const { type, relation } of all) if (relation) queue.add(`${type}#${relation}`)
  }
  return false
}

/** Returns the types of subjects that can have a permission or relation, or any if it is empty; objects before usersets. */
export function listPossibleSubjectTypes(schema: PermissionSchema, type: string, permission: string): SubjectType[] {
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
