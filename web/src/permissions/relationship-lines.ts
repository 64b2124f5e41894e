import type { NewRelationship } from '@passport/contract/permission-terms'
import { PermissionFault, parseRelationship, printRelationship } from '@passport/permissions'

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
      if (!(error instanceof PermissionFault)) throw error
      return { relationships, error: `Line ${index + 1}: ${error.message}` }
    }
  }
  return { relationships }
}
