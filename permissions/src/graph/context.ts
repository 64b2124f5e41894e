import { PermissionError } from '../error.ts'
import type { CaveatContext } from './relationship.ts'

/** In bytes, as SpiceDB measures a context: as a protobuf `Struct`. */
const maxSizes = { request: 4096, relationship: 25_000 }

/** Throws `context-too-large` above 4,096 bytes for a request, or 25,000 with the caveat's name for a relationship. */
export function checkContextSize(
  context: CaveatContext,
  field: string,
  source: 'request' | 'relationship',
  caveatName = '',
): void {
  const name = source === 'relationship' ? measureField(measureText(caveatName)) : 0
  const size = source === 'relationship' ? name + measureField(measureStruct(context)) : measureStruct(context)
  if (size <= maxSizes[source]) return
  throw new PermissionError(
    'context-too-large',
    `The context must have at most ${maxSizes[source]} bytes; it has ${size}.`,
    field,
  )
}

function measureStruct(struct: Readonly<Record<string, unknown>>): number {
  const entries = Object.entries(struct)
  return entries.reduce(
    (size, [key, value]) => size + measureField(measureField(measureText(key)) + measureField(measureValue(value))),
    0,
  )
}

function measureValue(value: unknown): number {
  if (typeof value === 'string') return measureField(measureText(value))
  if (typeof value === 'number') return 9
  if (Array.isArray(value))
    return measureField(value.reduce<number>((size, item) => size + measureField(measureValue(item)), 0))
  return isRecord(value) ? measureField(measureStruct(value)) : 2
}

/** Returns the size of a protobuf field: a tag of one byte, the length as a varint, and the value. */
function measureField(length: number): number {
  return 1 + Math.max(1, Math.ceil(Math.log2(length + 1) / 7)) + length
}

function measureText(text: string): number {
  return new TextEncoder().encode(text).length
}

/** Reports whether a JSON value is an object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Limits the nesting of values, so that recursive functions do not overflow the stack. */
const maxDepth = 64

/**
 * Parses a JSON object. Returns undefined for other values, for nesting deeper than 64 levels, and for texts and numbers that
 * cannot be stored.
 */
export function parseContext(json: string): CaveatContext | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isRecord(value) && isStorable(value, maxDepth) ? value : undefined
  } catch {
    return undefined
  }
}

function isStorable(value: unknown, remainingDepth: number): boolean {
  // NUL and unpaired surrogates are no text of a database, and a number such as 1e400 would become null.
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return (
    remainingDepth > 0 &&
    Object.entries(value)
      .flat()
      .every((part) => isStorable(part, remainingDepth - 1))
  )
}
