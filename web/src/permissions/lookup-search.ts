import type { PermissionSchema } from '@passport/contract/permission-schema'
import { readContext } from './check-search.ts'
import type { Side } from './compare.ts'

/** A lookup as it stands in the address. Without a type, or a permission, it is about any. */
export interface LookupSearch {
  /** Whose reach it is, such as `user:ada`, and the one to compare with. */
  subject?: string
  /** What is to be reached, such as `document:roadmap`, where subjects are looked for. */
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

/** The parts of an address that make a lookup; what comes twice counts as absent. */
export const lookupIn = (address: Record<string, unknown>): LookupSearch =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = address[name]
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )

/** What goes into the body of a lookup; nothing where no values are given. */
export function contextIn({ context }: LookupSearch) {
  const values = readContext(context)
  return values && Object.keys(values).length > 0 ? { context: values } : {}
}

/** What goes into the body of the lookup that is compared with now. */
export const sinceIn = ({ since }: LookupSearch) =>
  since === undefined ? undefined : { consistency: { kind: 'atExactSnapshot' as const, token: since } }

/** What the parts of a comparison are called; of what is in both, also whether the answer is the same, and whose the other is. */
export type Parts = Record<Side | 'same' | 'differing' | 'other', string>

/** Of a comparison with another one, with earlier, or of what is supposed with what is. */
export function partsOf({ with: other, since }: LookupSearch, about: string): Parts {
  if (other !== undefined)
    return { left: `Only ${about}`, right: `Only ${other}`, both: 'Both', same: 'Both', differing: 'Both', other }
  const ofBoth = { both: 'In both', same: 'Unchanged', differing: 'Changed' }
  return since === undefined
    ? { left: 'Gained if so', right: 'Lost if so', ...ofBoth, other: 'as it is' }
    : { left: 'Gained since', right: 'Lost since', ...ofBoth, other: 'before' }
}

/** One thing that is asked of a type: a permission, or where that is meant by name a relation. */
export interface Asked {
  type: string
  permission: string
}

/**
 * Every type of which the permission can be asked by such a subject; of any permission, those alone, and the relations of
 * types that have no permission for such a subject.
 */
export function askedOfResources(
  schema: PermissionSchema,
  subject: { type: string; relation?: string | undefined },
  { type, permission }: LookupSearch,
): Asked[] {
  return schema.definitions
    .filter(({ name }) => type === undefined || name === type)
    .flatMap(({ name, permissions, relations }) => {
      const possible = permissions.filter(({ subjects }) => subjects.some((one) => isReached(one, subject)))
      const related = relations.filter((relation) => canReach(schema, `${name}#${relation.name}`, subject))
      const ofAny = possible.length > 0 ? possible : related
      const asked =
        permission === undefined ? ofAny : [...permissions, ...relations].filter((one) => one.name === permission)
      return asked.map((one) => ({ type: name, permission: one.name }))
    })
}

/** A set may be had by as itself, or by those in it. */
const isReached = (by: { type: string; relation?: string | undefined }, subject: typeof by) =>
  by.type === subject.type && (subject.relation === undefined || by.relation === subject.relation)

/** Whether such a subject can be in what is named as `group#member`, or in a set that is in it. */
function canReach(schema: PermissionSchema, start: string, subject: Parameters<typeof isReached>[0]): boolean {
  const waiting = new Set([start])
  for (const set of waiting) {
    const [type, name] = set.split('#')
    const definition = schema.definitions.find((one) => one.name === type)
    const permission = definition?.permissions.find((one) => one.name === name)
    const relation = definition?.relations.find((one) => one.name === name)
    const all = permission?.subjects ?? relation?.allowed ?? []
    if (all.some((one) => isReached(one, subject))) return true
    for (const { type, relation } of all) if (relation) waiting.add(`${type}#${relation}`)
  }
  return false
}

/** A type of subject, or a kind of set: `group#member`. */
export interface SubjectType {
  type: string
  relation?: string
}
export const printSubjectType = ({ type, relation }: SubjectType) => (relation ? `${type}#${relation}` : type)

/** Who can have a permission, or stand in a relation, of a type: objects first. */
export function subjectTypesOf(schema: PermissionSchema, type: string, permission: string): SubjectType[] {
  const definition = schema.definitions.find(({ name }) => name === type)
  const ofPermission = definition?.permissions.find(({ name }) => name === permission)?.subjects
  const ofRelation = definition?.relations.find(({ name }) => name === permission)?.allowed
  const all = (ofPermission ?? ofRelation ?? []).map(({ type, relation }) => (relation ? { type, relation } : { type }))
  return [...new Map(all.map((one) => [printSubjectType(one), one])).values()].toSorted(
    (a, b) => Number('relation' in a) - Number('relation' in b),
  )
}

/** Every name of a permission or a relation that there is, each once. */
export function allAskable(
  { definitions }: PermissionSchema,
  type?: string,
): { permissions: string[]; relations: string[] } {
  const ofType = definitions.filter(({ name }) => type === undefined || name === type)
  const unique = (names: string[]) => [...new Set(names)].toSorted()
  const permissions = unique(ofType.flatMap(({ permissions }) => permissions.map(({ name }) => name)))
  const relations = unique(ofType.flatMap(({ relations }) => relations.map(({ name }) => name)))
  return { permissions, relations: relations.filter((name) => !permissions.includes(name)) }
}
