import type { NewRelationship } from '@passport/contract/permission-terms'
import { PermissionFault } from '@passport/permissions/fault'
import { parseRelationship, printRelationship } from '@passport/permissions/relationship-text'

/** One relationship a line, as in a validation file. */
export const printLines = (relationships: readonly NewRelationship[]): string =>
  relationships.map(printRelationship).join('\n')

/** Reads such lines; empty ones and those that begin with `//` say nothing. `error` tells the first that is none. */
export function readLines(text: string): { relationships: NewRelationship[]; error?: string } {
  const relationships: NewRelationship[] = []
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.trim().startsWith('//')) continue
    try {
      const { expiresAt, ...rest } = parseRelationship(line)
      relationships.push({
        ...(rest as NewRelationship),
        ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
      })
    } catch (error) {
      if (!(error instanceof PermissionFault)) throw error
      return { relationships, error: `Line ${at + 1}: ${error.message}` }
    }
  }
  return { relationships }
}
