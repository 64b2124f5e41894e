import type {
  CheckRequest,
  Consistency,
  ObjectReference,
  SubjectReference,
  WhatIf,
} from '@passport/contract/permission-terms'
import { isObjectId, malformedName } from '@passport/permissions'
import { parseObject, parseReference, printReference } from './reference.ts'

/** Caveat values by parameter. */
export type Context = NonNullable<CheckRequest['context']>

/** A question as search parameters: `?subject=user:ada&permission=view&resource=document:roadmap`. */
export interface CheckSearch {
  subject?: string
  permission?: string
  resource?: string
  /** A JSON object. */
  context?: string
  consistency?: string
  /** The revision for `atLeastAsFresh` and `atExactSnapshot`. */
  token?: string
  /** `tree` to show the evaluation as well as the path. */
  view?: string
}

const names = ['subject', 'permission', 'resource', 'context', 'consistency', 'token', 'view'] as const

/** Returns the search parameters of a question; repeated and empty ones count as absent. */
export const parseCheckSearch = (params: Record<string, unknown>): CheckSearch => pickTexts(params, names)

/** Returns the search parameters with one of these names and a single value that is not empty. */
export const pickTexts = <Name extends string>(
  params: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = params[name]
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  ) as Partial<Record<Name, string>>

/**
 * Returns the question; undefined if a part is missing or invalid. An invalid context or a missing revision is not
 * omitted, as that would be another question.
 */
export function toQuestion(search: CheckSearch): CheckQuestion | undefined {
  const [subject, resource] = [parseReference(search.subject), parseObject(search.resource)]
  const context = parseContext(search.context)
  if (!subject || !resource || !search.permission || !context || lacksToken(search)) return undefined
  const consistency = parseConsistency(search)
  return {
    resource,
    permission: search.permission,
    subject,
    ...(Object.keys(context).length > 0 && { context }),
    ...(consistency && { consistency }),
  }
}

/** Reports whether the URL has all parts of a question, valid or not. */
export const hasQuestion = ({ subject, permission, resource }: CheckSearch): boolean =>
  subject !== undefined && permission !== undefined && resource !== undefined

/** Parses an object leniently, so that mistakes can be corrected: `user:al:ice` has the id `al:ice`. */
export function parseObjectDraft(text: string | undefined, likelyType: string): ObjectReference {
  const [, type = '', id = ''] = /^([^:]*):(.*)$/s.exec(text ?? '') ?? []
  return type === '' ? { type: likelyType, id: text ?? '' } : { type, id }
}

/** Like `parseObjectDraft`, but also parses usersets. */
export function parseReferenceDraft(text: string | undefined, likelyType: string): SubjectReference {
  const { type, id } = parseObjectDraft(text, likelyType)
  const [, idPart = id, relation] = /^(.*)#([^:#@\s]+)$/s.exec(id) ?? []
  return relation === undefined ? { type, id } : { type, id: idPart, relation }
}

/** A check request with its consistency and the applied what-if changes. */
export type CheckQuestion = CheckRequest & { consistency?: Consistency; whatIf?: WhatIf }

/** Returns the search parameters of a question, without what-if changes. */
export const toCheckSearch = ({ subject, permission, resource, context, consistency }: CheckQuestion): CheckSearch => ({
  subject: printReference(subject),
  permission,
  resource: printReference(resource),
  ...(context && Object.keys(context).length > 0 && { context: JSON.stringify(context) }),
  ...(consistency && { consistency: consistency.kind }),
  ...(consistency && 'token' in consistency && { token: consistency.token }),
})

/** Parses caveat values; undefined if the text is not a JSON object. An empty text means no values. */
export function parseContext(text: string | undefined): Context | undefined {
  if (!text?.trim()) return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Context) : undefined
  } catch {
    return undefined
  }
}

export const consistencyOptions = [
  { value: '', label: 'Lowest latency' },
  { value: 'fullyConsistent', label: 'Fully consistent' },
  { value: 'atLeastAsFresh', label: 'At least as fresh as a revision' },
  { value: 'atExactSnapshot', label: 'At an exact revision' },
] as const

/** Reports whether a kind of consistency needs a revision. */
export const needsToken = (consistency: string | undefined): consistency is 'atLeastAsFresh' | 'atExactSnapshot' =>
  consistency === 'atLeastAsFresh' || consistency === 'atExactSnapshot'

/** Reports whether a required revision is missing. */
export const lacksToken = ({ consistency, token }: CheckSearch) => needsToken(consistency) && !token?.trim()

function parseConsistency({ consistency, token }: CheckSearch): Consistency | undefined {
  if (consistency === 'fullyConsistent') return { kind: consistency }
  return needsToken(consistency) && token ? { kind: consistency, token } : undefined
}

/** Returns the error of an object id, in the service's words; undefined if the id is valid, `*` or empty. */
export const findIdError = (id: string): string | undefined =>
  id === '' || id === '*' || isObjectId(id) ? undefined : malformedName('id', id, 'id').message
