import type { NewRelationship, WhatIf } from '@passport/contract/permission-terms'
import { getPermissionSchema } from '@passport/contract/permissions'
import { PermissionError, parseRelationship, printRelationship } from '@passport/permissions'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { toRelationshipKey } from './reference.ts'
import { readSchema, type SchemaWithETag } from './schema.ts'

/** What the questions assume instead of what is stored. */
export type WhatIfState = WhatIf

/** In the storage of this tab only; it ends with the tab. */
const storageKey = 'permissions supposed'
const listeners = new Set<() => void>()
let current = loadStored()

function loadStored(): WhatIfState | undefined {
  try {
    const text = sessionStorage.getItem(storageKey)
    return text === null ? undefined : (JSON.parse(text) as WhatIfState)
  } catch {
    return undefined
  }
}

/** Sets the supposition; an empty one ends it. Writes nothing to the service. */
export function setWhatIf(next: WhatIfState | undefined): void {
  const cleaned = next && { ...next, add: uniqueByKey(next.add), remove: uniqueByKey(next.remove) }
  const isEmpty = !cleaned || (cleaned.add.length === 0 && cleaned.remove.length === 0 && cleaned.schema === undefined)
  current = isEmpty ? undefined : cleaned
  try {
    if (current) sessionStorage.setItem(storageKey, JSON.stringify(current))
    else sessionStorage.removeItem(storageKey)
  } catch {
    // Without storage it lasts until the page is left.
  }
  for (const listener of listeners) listener()
}

/** Adds to the supposition; the newer part wins a contradiction. */
export const extendWhatIf = (changes: Partial<WhatIfState>): void => setWhatIf(combineWhatIf(current, changes))

/** Adds to a supposition, without contradictions and duplicates: the service refuses both. */
export function combineWhatIf(before: WhatIfState | undefined, changes: Partial<WhatIfState>): WhatIfState {
  const { add = [], remove = [], schema = before?.schema } = changes
  return {
    add: uniqueByKey([...exclude(before?.add ?? [], remove), ...add]),
    remove: uniqueByKey([...exclude(before?.remove ?? [], add), ...remove]),
    ...(schema !== undefined && { schema }),
  }
}

const keyOf = (relationship: NewRelationship) => printRelationship(toRelationshipKey(relationship))

/** The service refuses duplicates; the last one wins. */
const uniqueByKey = (relationships: NewRelationship[]) => [
  ...new Map(relationships.map((relationship) => [keyOf(relationship), relationship])).values(),
]

function exclude(relationships: NewRelationship[], excluded: NewRelationship[]): NewRelationship[] {
  const keys = new Set(excluded.map(keyOf))
  return relationships.filter((relationship) => !keys.has(keyOf(relationship)))
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Returns the supposition; undefined if none. */
export const useWhatIf = (): WhatIfState | undefined => useSyncExternalStore(subscribe, () => current)

/** Formats “2 relationships added, 1 relationship deleted, draft schema”. */
export function describeWhatIf({ add, remove, schema }: WhatIfState): string {
  const formatCount = (count: number, word: string) =>
    count > 0 && `${count.toLocaleString('en')} ${count === 1 ? 'relationship' : 'relationships'} ${word}`
  return [
    formatCount(add.length, 'added'),
    formatCount(remove.length, 'deleted'),
    schema !== undefined && 'draft schema',
  ]
    .filter(Boolean)
    .join(', ')
}

/** Formats one relationship per line, as in a validation file. */
export const printRelationshipLines = (relationships: readonly NewRelationship[]): string =>
  relationships.map(printRelationship).join('\n')

/** Parses such lines; empty lines and `//` comments are ignored. `error` describes the first invalid line. */
export function parseRelationshipLines(text: string): { relationships: NewRelationship[]; error?: string } {
  const relationships: NewRelationship[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.trim().startsWith('//')) continue
    try {
      const { expiresAt, ...rest } = parseRelationship(line)
      relationships.push({
        ...(rest as NewRelationship),
        ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
      })
    } catch (error) {
      if (!(error instanceof PermissionError)) throw error
      return { relationships, error: `Line ${index + 1}: ${error.message}` }
    }
  }
  return { relationships }
}

/** Returns the schema of the questions: the supposed one, if any. */
export function useQuestionSchema(): UseQueryResult<SchemaWithETag> {
  const text = useWhatIf()?.schema
  return useQuery({
    queryKey: [getPermissionSchema.path, ...(text === undefined ? [] : ['supposed', text])],
    queryFn: async ({ signal }) => {
      const stored = await readSchema(signal)
      if (text === undefined) return stored
      const { reflectSchemaText } = await import('./schema-text.ts')
      return { ...stored, ...reflectSchemaText(text, stored.text) } as SchemaWithETag
    },
  })
}
