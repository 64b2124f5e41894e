import { PermissionError } from '../error.ts'
import type { CaveatContext } from './relationship.ts'

/** In bytes, as SpiceDB counts them: the size of the context as a protobuf `Struct`. */
const maxSizes = { request: 4096, relationship: 25_000 }

/** Throws `context-too-large` above 4 kB for a request, or 25 kB for a relationship (including the caveat's name). */
export function checkContextSize(
  context: CaveatContext,
  field: string,
  source: 'request' | 'relationship',
  caveatName = '',
): void {
  const name = source === 'relationship' ? partSize(textSize(caveatName)) : 0
  const size = source === 'relationship' ? name + partSize(structSize(context)) : structSize(context)
  if (size <= maxSizes[source]) return
  throw new PermissionError(
    'context-too-large',
    `The context must have at most ${maxSizes[source]} bytes; it has ${size}.`,
    field,
  )
}

function structSize(struct: Readonly<Record<string, unknown>>): number {
  const entries = Object.entries(struct)
  return entries.reduce(
    (size, [key, value]) => size + partSize(partSize(textSize(key)) + partSize(valueSize(value))),
    0,
  )
}

function valueSize(value: unknown): number {
  if (typeof value === 'string') return partSize(textSize(value))
  if (typeof value === 'number') return 9
  if (Array.isArray(value)) return partSize(value.reduce<number>((size, item) => size + partSize(valueSize(item)), 0))
  return isRecord(value) ? partSize(structSize(value)) : 2
}

/** The size of a protobuf field: a tag of one byte, the length, and the value. */
function partSize(length: number): number {
  return 1 + Math.max(1, Math.ceil(Math.log2(length + 1) / 7)) + length
}

function textSize(text: string): number {
  return new TextEncoder().encode(text).length
}

/** Reports whether a JSON value is an object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Deeper than any useful value; keeps recursive readers from overflowing the stack. */
const maxDepth = 64

/** Parses a JSON object. Returns undefined for other values, and for nesting deeper than 64 levels. */
export function readContextText(json: string): CaveatContext | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isRecord(value) && isShallow(value, maxDepth) ? value : undefined
  } catch {
    return undefined
  }
}

function isShallow(value: unknown, remainingDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return remainingDepth > 0 && Object.values(value).every((part) => isShallow(part, remainingDepth - 1))
}
