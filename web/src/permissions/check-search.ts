import type {
  Consistency,
  ObjectReference,
  Question,
  SubjectReference,
  WhatIf,
} from '@passport/contract/permission-terms'
import { printReference, readObject, readReference } from './reference.ts'

/** Values of the parameters of caveats. */
export type Context = NonNullable<Question['context']>

/** A question as it stands in the address: `?subject=user:ada&permission=view&resource=document:roadmap`. */
export interface CheckSearch {
  subject?: string
  permission?: string
  resource?: string
  /** A JSON object. */
  context?: string
  consistency?: string
  /** What the two kinds of consistency are about that need one. */
  token?: string
  /** How the trace is shown: as a tree unless it is `path`. */
  view?: string
}

const names = ['subject', 'permission', 'resource', 'context', 'consistency', 'token', 'view'] as const

/** The parts of an address that make a question; what comes twice counts as absent. */
export function searchOf(address: Record<string, unknown>): CheckSearch {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = address[name]
      return typeof value === 'string' && value !== '' ? [[name, value]] : []
    }),
  )
}

/**
 * What is asked, or undefined while it is not whole. Without a context that cannot be read, or a revision that is not
 * told, it would be another question.
 */
export function questionOf(search: CheckSearch): TimedQuestion | undefined {
  const [subject, resource] = [readReference(search.subject), readObject(search.resource)]
  const context = readContext(search.context)
  if (!subject || !resource || !search.permission || !context || lacksToken(search)) return undefined
  const consistency = consistencyOf(search)
  return {
    resource,
    permission: search.permission,
    subject,
    ...(Object.keys(context).length > 0 && { context }),
    ...(consistency && { consistency }),
  }
}

/** Whether an address means to ask, be it wrongly. */
export const isMeant = ({ subject, permission, resource }: CheckSearch): boolean =>
  subject !== undefined && permission !== undefined && resource !== undefined

/** An object as somebody wrote it, so that what is wrong with it can be mended: `user:al:ice` has the id `al:ice`. */
export function writtenObject(text: string | undefined, likelyType: string): ObjectReference {
  const [, type = '', id = ''] = /^([^:]*):(.*)$/s.exec(text ?? '') ?? []
  return type === '' ? { type: likelyType, id: text ?? '' } : { type, id }
}

/** The same, or a set of it. */
export function writtenReference(text: string | undefined, likelyType: string): SubjectReference {
  const { type, id } = writtenObject(text, likelyType)
  const [, own = id, relation] = /^(.*)#([^:#@\s]+)$/s.exec(id) ?? []
  return relation === undefined ? { type, id } : { type, id: own, relation }
}

/** A question, how old its answer may be, and what is supposed. */
export type TimedQuestion = Question & { consistency?: Consistency; whatIf?: WhatIf }

/** The address of a question. */
export const searchFor = ({ subject, permission, resource, context, consistency }: TimedQuestion): CheckSearch => ({
  subject: printReference(subject),
  permission,
  resource: printReference(resource),
  ...(context && Object.keys(context).length > 0 && { context: JSON.stringify(context) }),
  ...(consistency && { consistency: consistency.kind }),
  ...(consistency && 'token' in consistency && { token: consistency.token }),
})

/** Values for caveats; undefined where the text is no JSON object. No text is none of them. */
export function readContext(text: string | undefined): Context | undefined {
  if (!text?.trim()) return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Context) : undefined
  } catch {
    return undefined
  }
}

/** How old an answer may be, in words. */
export const consistencies = [
  { value: '', label: 'As fast as possible' },
  { value: 'fullyConsistent', label: 'Fully consistent' },
  { value: 'atLeastAsFresh', label: 'At least as fresh as a revision' },
  { value: 'atExactSnapshot', label: 'Exactly at a revision' },
] as const

/** Whether the consistency is about a revision. */
export const needsToken = (consistency: string | undefined): consistency is 'atLeastAsFresh' | 'atExactSnapshot' =>
  consistency === 'atLeastAsFresh' || consistency === 'atExactSnapshot'

/** Whether a revision is asked for and not told yet. */
export const lacksToken = ({ consistency, token }: CheckSearch) => needsToken(consistency) && !token?.trim()

function consistencyOf({ consistency, token }: CheckSearch): Consistency | undefined {
  if (consistency === 'fullyConsistent') return { kind: consistency }
  return needsToken(consistency) && token ? { kind: consistency, token } : undefined
}
