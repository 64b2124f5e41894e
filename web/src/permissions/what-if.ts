import type { NewRelationship, WhatIf } from '@passport/contract/permission-terms'
import { getPermissionSchema } from '@passport/contract/permissions'
import { PermissionError, parseRelationship, printRelationship } from '@passport/permissions'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { formatCount } from '../directory/total.ts'
import { toRelationshipKey } from './reference.ts'
import { readSchema, type SchemaWithETag } from './schema.ts'

/** What-if changes are in the session storage, so each tab has its own. */
const storageKey = 'permissions supposed'
const listeners = new Set<() => void>()
let current = loadStored()

function loadStored(): WhatIf | undefined {
  try {
    const text = sessionStorage.getItem(storageKey)
    return text === null ? undefined : (JSON.parse(text) as WhatIf)
  } catch {
    return undefined
  }
}

/** Applies what-if changes in place of the current ones; without changes, clears them. Sends nothing to the service. */
export function setWhatIf(next: WhatIf | undefined): void {
  const cleaned = next && { ...next, add: uniqueByKey(next.add), remove: uniqueByKey(next.remove) }
  const isEmpty = !cleaned || (cleaned.add.length === 0 && cleaned.remove.length === 0 && cleaned.schema === undefined)
  current = isEmpty ? undefined : cleaned
  try {
    if (current) sessionStorage.setItem(storageKey, JSON.stringify(current))
    else sessionStorage.removeItem(storageKey)
  } catch {
    // Without storage, the changes last until the page is reloaded.
  }
  for (const listener of listeners) listener()
}

/** Adds what-if changes to the current ones. */
export const extendWhatIf = (changes: Partial<WhatIf>): void => setWhatIf(combineWhatIf(current, changes))

/** Combines what-if changes; later ones replace earlier ones for the same relationship. */
export function combineWhatIf(before: WhatIf | undefined, changes: Partial<WhatIf>): WhatIf {
  const { add = [], remove = [], schema = before?.schema } = changes
  return {
    add: uniqueByKey([...exclude(before?.add ?? [], remove), ...add]),
    remove: uniqueByKey([...exclude(before?.remove ?? [], add), ...remove]),
    ...(schema !== undefined && { schema }),
  }
}

const keyOf = (relationship: NewRelationship) => printRelationship(toRelationshipKey(relationship))

/** Keeps the last of equal relationships: the service rejects duplicates. */
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

/** Returns the applied what-if changes; undefined if there are none. */
export const useWhatIf = (): WhatIf | undefined => useSyncExternalStore(subscribe, () => current)

/** Formats “2 relationships added, 1 relationship deleted, draft schema”. */
export function describeWhatIf({ add, remove, schema }: WhatIf): string {
  return [
    add.length > 0 && `${formatCount(add.length, ['relationship', 'relationships'])} added`,
    remove.length > 0 && `${formatCount(remove.length, ['relationship', 'relationships'])} deleted`,
    schema !== undefined && 'draft schema',
  ]
    .filter(Boolean)
    .join(', ')
}

/** Formats one relationship per line, as in a validation file. */
export const printRelationshipLines = (relationships: readonly NewRelationship[]): string =>
  relationships.map(printRelationship).join('\n')

/** Parses one relationship per line; skips empty lines and `//` comments. `error` describes the first invalid line. */
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

/** Queries the schema for questions: the draft of the what-if changes, or else the stored one. */
export function useQuestionSchema(): UseQueryResult<SchemaWithETag> {
  const text = useWhatIf()?.schema
  return useQuery({
    queryKey: [getPermissionSchema.path, ...(text === undefined ? [] : ['draft', text])],
    queryFn: async ({ signal }) => {
      const stored = await readSchema(signal)
      if (text === undefined) return stored
      const { reflectSchemaText } = await import('./schema-text.ts')
      return { ...stored, ...reflectSchemaText(text, stored.text) } as SchemaWithETag
    },
  })
}
