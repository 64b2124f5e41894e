import type { CaveatContext } from './relationship.ts'

/** Deeper than any value that means something; what looks into one must not run out of stack. */
const maxDepth = 64

/** Reads a JSON object; undefined for what is none, or has more than 64 values within each other. */
export function readContextText(json: string): CaveatContext | undefined {
  try {
    const value: unknown = JSON.parse(json)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && isShallow(value, maxDepth) ? (value as CaveatContext) : undefined
  } catch {
    return undefined
  }
}

function isShallow(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return left > 0 && Object.values(value).every((part) => isShallow(part, left - 1))
}
