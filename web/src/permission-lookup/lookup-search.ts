import type { PermissionSchema } from '@passport/contract/permission-schema'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { parseContext } from '../permissions/check-search.ts'
import { useWhatIf } from '../permissions/what-if.ts'
import type { Side } from './compare.ts'
import { parseSide } from './LookupResults.tsx'
import type { Terms } from './use-lookup-items.ts'

/** A lookup as search parameters. Without a type or a permission, it covers all. */
export interface LookupSearch {
  /** The subject, such as `user:ada`, and the one to compare with. */
  subject?: string
  /** The resource, such as `document:roadmap`, in a lookup of subjects. */
  resource?: string
  with?: string
  /** The token of an earlier revision to compare with. */
  since?: string
  type?: string
  permission?: string
  /** A JSON object. */
  context?: string
}

const names = ['subject', 'resource', 'with', 'since', 'type', 'permission', 'context'] as const

/** Returns the search parameters of a lookup; repeated ones count as absent. */
const parseLookupSearch = (params: Record<string, unknown>): LookupSearch =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = params[name]
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )

/** Returns the context for the request body, if any. */
function toContext({ context }: LookupSearch) {
  const values = parseContext(context)
  return values && Object.keys(values).length > 0 ? { context: values } : {}
}

/** Returns the consistency for the request body of the earlier lookup. */
const toConsistency = ({ since }: LookupSearch) =>
  since === undefined ? undefined : { consistency: { kind: 'atExactSnapshot' as const, token: since } }

/** The labels of a comparison's parts; items in both lists may have the same or differing answers. */
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

/** One question about a type: a permission, or a relation if named. */
export interface LookupTarget {
  type: string
  permission: string
}

/**
 * Returns the types and permissions to ask for such a subject. Without a given permission, these are the possible
 * permissions, or the relations of types without a possible permission.
 */
export function findLookupTargets(
  schema: PermissionSchema,
  subject: { type: string; relation?: string | undefined },
  { type, permission }: LookupSearch,
): LookupTarget[] {
  return schema.definitions
    .filter(({ name }) => type === undefined || name === type)
    .flatMap(({ name, permissions, relations }) => {
      const possiblePermissions = permissions.filter(({ subjects }) =>
        subjects.some((subjectType) => matchesSubject(subjectType, subject)),
      )
      const possibleRelations = relations.filter((relation) => canReach(schema, `${name}#${relation.name}`, subject))
      const candidates = possiblePermissions.length > 0 ? possiblePermissions : possibleRelations
      const targets =
        permission === undefined
          ? candidates
          : [...permissions, ...relations].filter((member) => member.name === permission)
      return targets.map((member) => ({ type: name, permission: member.name }))
    })
}

/** A permission may be held by a set itself or by its members. */
const matchesSubject = (candidate: { type: string; relation?: string | undefined }, subject: typeof candidate) =>
  candidate.type === subject.type && (subject.relation === undefined || candidate.relation === subject.relation)

/** Whether such a subject can be in a set such as `group#member`, directly or through other sets. */
function canReach(schema: PermissionSchema, start: string, subject: Parameters<typeof matchesSubject>[0]): boolean {
  const queue = new Set([start])
  for (const userset of queue) {
    const [type, name] = userset.split('#')
    const definition = schema.definitions.find((candidateDefinition) => candidateDefinition.name === type)
    const permission = definition?.permissions.find((one) => one.name === name)
    const relation = definition?.relations.find((one) => one.name === name)
    const all = permission?.subjects ?? relation?.allowed ?? []
    if (all.some((subjectType) => matchesSubject(subjectType, subject))) return true
    for (const { type, relation } of all) if (relation) queue.add(`${type}#${relation}`)
  }
  return false
}

/** A type of subject, or of a set: `group#member`. */
export interface SubjectType {
  type: string
  relation?: string
}
export const printSubjectType = ({ type, relation }: SubjectType) => (relation ? `${type}#${relation}` : type)

/** Returns the types that can have a permission or relation of a type, objects first. */
export function subjectTypesOf(schema: PermissionSchema, type: string, permission: string): SubjectType[] {
  const definition = schema.definitions.find(({ name }) => name === type)
  const permissionSubjects = definition?.permissions.find(({ name }) => name === permission)?.subjects
  const relationSubjects = definition?.relations.find(({ name }) => name === permission)?.allowed
  const all = (permissionSubjects ?? relationSubjects ?? []).map(({ type, relation }) =>
    relation ? { type, relation } : { type },
  )
  return [...new Map(all.map((subjectType) => [printSubjectType(subjectType), subjectType])).values()].toSorted(
    (a, b) => Number('relation' in a) - Number('relation' in b),
  )
}

/** Returns the unique names of all permissions and relations. */
export function allPermissionsAndRelations(
  { definitions }: PermissionSchema,
  type?: string,
): { permissions: string[]; relations: string[] } {
  const matchingTypes = definitions.filter(({ name }) => type === undefined || name === type)
  const unique = (names: string[]) => [...new Set(names)].toSorted()
  const permissions = unique(matchingTypes.flatMap(({ permissions }) => permissions.map(({ name }) => name)))
  const relations = unique(matchingTypes.flatMap(({ relations }) => relations.map(({ name }) => name)))
  return { permissions, relations: relations.filter((name) => !permissions.includes(name)) }
}

interface LookupAddress {
  search: LookupSearch
  /** The optional parts of the request body. */
  terms: Terms
  /** Those of the comparison with another moment or without the supposition; undefined without one. */
  comparedTerms: Terms | undefined
  side: Side | undefined
  /** Navigates to another lookup. */
  show: (next: LookupSearch) => void
}

/** Returns the lookup of the URL. */
export function useLookupAddress(): LookupAddress {
  const params = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const search = parseLookupSearch(params)
  const whatIf = useWhatIf()
  const context = toContext(search)
  const since = toConsistency(search)
  // Parts of a supposed schema cannot be asked of the stored one.
  const isComparable = since !== undefined || (whatIf !== undefined && whatIf.schema === undefined)
  return {
    search,
    terms: { ...context, ...(whatIf && { whatIf }) },
    comparedTerms: isComparable ? { ...context, ...since } : undefined,
    side: parseSide(params['side']),
    show: (next) => void navigate({ to: '.', search: next as never, resetScroll: false }),
  }
}
