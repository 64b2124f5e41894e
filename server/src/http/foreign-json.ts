import { isValidText } from './storable-text.ts'

/* JSON that another system wrote. Whatever is stored of it, in text or in jsonb, was checked here. */

/** More levels than any meaningful JSON has; recursion over a value must not exhaust the stack. */
export const maxDepth = 64
/** More values than a thousand relationships with their contexts have, and a tenth of a second to parse. */
export const maxValues = 200_000
/** The most bytes, unless an entry says otherwise. */
const defaultMaxBytes = 1024 * 1024

export interface JsonLimits {
  maxBytes?: number
  maxValues?: number
  maxDepth?: number
  /** Most of the JSON is ignored, and the caller checks what it takes from it. */
  isPartlyRead?: true
}

/** The limits of a file whose size is limited elsewhere, or not: an operator may import a million users. */
export const fileLimits: JsonLimits = { maxBytes: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY }

export type JsonFlaw =
  | 'invalid-encoding'
  | 'invalid-json'
  | 'too-large'
  | 'too-deep'
  | 'invalid-text'
  | 'invalid-number'

/** Thrown for JSON that cannot be used. The message is a clause about the JSON, such as “is nested too deep”. */
export class UnusableJson extends Error {
  readonly flaw: JsonFlaw
  constructor(flaw: JsonFlaw, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnusableJson'
    this.flaw = flaw
  }
}

/**
 * Parses JSON of another system. Throws `UnusableJson` if it is none, exceeds a limit, or has a text or a number that
 * cannot be stored. Costs no more than its size: levels and values are counted before it is parsed.
 */
export function parseForeignJson(source: string | Uint8Array, limits: JsonLimits = {}): unknown {
  const bytes = typeof source === 'string' ? Buffer.from(source) : source
  const { maxBytes = defaultMaxBytes } = limits
  if (bytes.length > maxBytes) throw new UnusableJson('too-large', `has more than ${maxBytes} bytes`)
  const meter = new JsonMeter()
  meter.add(bytes)
  if (meter.values > (limits.maxValues ?? maxValues))
    throw new UnusableJson('too-large', `has more than ${limits.maxValues ?? maxValues} values`)
  if (meter.depth > (limits.maxDepth ?? maxDepth))
    throw new UnusableJson('too-deep', `is nested deeper than ${limits.maxDepth ?? maxDepth} levels`)
  const value = parse(typeof source === 'string' ? source : decode(source))
  return limits.isPartlyRead ? value : requireStorable(value)
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new UnusableJson('invalid-encoding', 'is not UTF-8', { cause })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UnusableJson('invalid-json', `is not valid JSON: ${(cause as Error).message}`, { cause })
  }
}

/**
 * Returns a value that a library has parsed, such as the claims of a token. Throws `UnusableJson` if it cannot be stored,
 * or is nested too deep.
 */
export function requireStorable<T>(value: T): T {
  findUnstorable(value, [], ({ code, message, path }) => {
    const place = path.length > 0 ? ` at ${path.map(String).join('.').slice(0, 200)}` : ''
    throw new UnusableJson(code, `${message}${place}`)
  })
  return value
}

/** A part of a value that cannot be stored. `path` is shared by the whole walk. */
interface Unstorable {
  code: 'too-deep' | 'invalid-text' | 'invalid-number'
  message: string
  path: readonly PropertyKey[]
}

/**
 * Reports the parts of a value that PostgreSQL cannot store, in the order of the document, until `report` returns false.
 * `path` leads to the value. Returns whether all parts were visited. `mayEnter` is asked before the elements of a list.
 */
export function findUnstorable(
  value: unknown,
  path: PropertyKey[],
  report: (part: Unstorable) => boolean,
  mayEnter: (list: unknown[], path: readonly PropertyKey[]) => boolean = () => true,
): boolean {
  if (typeof value === 'string')
    return isValidText(value) || report({ code: 'invalid-text', message: 'has a NUL or an unpaired surrogate', path })
  if (path.length > maxDepth)
    return report({ code: 'too-deep', message: `is nested deeper than ${maxDepth} levels`, path })
  // JSON has numbers beyond the range of a double, such as 1e400, which would be stored as null.
  if (typeof value === 'number')
    return Number.isFinite(value) || report({ code: 'invalid-number', message: 'has a number out of range', path })
  if (typeof value !== 'object' || value === null || value instanceof Date) return true
  if (value instanceof Blob || value instanceof Uint8Array) return true
  const visit = (step: PropertyKey, inner: unknown) => {
    path.push(step)
    const isOpen = findUnstorable(inner, path, report, mayEnter)
    path.pop()
    return isOpen
  }
  if (Array.isArray(value)) return !mayEnter(value, path) || value.every((element, index) => visit(index, element))
  for (const key in value)
    if (!(findUnstorable(key, path, report) && visit(key, (value as Record<string, unknown>)[key]))) return false
  return true
}

const [quote, backslash, comma] = [...'"\\,'].map((sign) => sign.charCodeAt(0))
const [openList, closeList, openObject, closeObject] = [...'[]{}'].map((sign) => sign.charCodeAt(0))

/**
 * Counts the levels and the values of JSON in UTF-8 before it is parsed: four megabytes of `{}` would take the parser a
 * third of a second. The bytes can come in parts.
 */
export class JsonMeter {
  depth = 0
  values = 0
  #level = 0
  #isInText = false
  #isEscaped = false

  add(bytes: Uint8Array, start = 0, end = bytes.length): void {
    let { depth, values } = this
    let [level, isInText, isEscaped] = [this.#level, this.#isInText, this.#isEscaped]
    for (let index = start; index < end; index++) {
      const byte = bytes[index]
      if (isEscaped) isEscaped = false
      else if (byte === quote) isInText = !isInText
      else if (isInText) isEscaped = byte === backslash
      else if (byte === comma) values++
      else if (byte === openList || byte === openObject) {
        values++
        if (++level > depth) depth = level
      } else if (byte === closeList || byte === closeObject) level--
    }
    Object.assign(this, { depth, values })
    this.#level = level
    this.#isInText = isInText
    this.#isEscaped = isEscaped
  }
}
