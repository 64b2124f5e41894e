import type { CaveatContext } from './relationship.ts'

/** Deeper than any useful value; keeps recursive readers from overflowing the stack. */
const maxDepth = 64

/** Parses a JSON object. Returns undefined for other values, and for nesting deeper than 64 levels. */
export function readContextText(json: string): CaveatContext | undefined {
  try {
    const value: unknown = JSON.parse(json)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && isShallow(value, maxDepth) ? (value as CaveatContext) : undefined
  } catch {
    return undefined
  }
}

function isShallow(value: unknown, remainingDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return remainingDepth > 0 && Object.values(value).every((part) => isShallow(part, remainingDepth - 1))
}
