/**
 * Converts text typed for a parameter to its value: JSON for JSON types, and unquoted text for strings. If it is not of
 * the type, returns the expectation in the service's words; bytes, instants, durations and addresses are validated only
 * by the service.
 */
export function parseTypedValue(text: string, type: string | undefined): { value: unknown } | { wants: string } {
  const isText =
    type === 'string' || type === 'bytes' || type === 'timestamp' || type === 'duration' || type === 'ipaddress'
  if (isText) return { value: text }
  const value = parseJsonOrText(text)
  const wants = type === undefined ? undefined : findMismatch(value, type)
  return wants === undefined ? { value } : { wants }
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Numbers may also be text, like 64-bit ones. */
function findMismatch(value: unknown, type: string): string | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && isDecimal(value))
  if (type === 'bool') return typeof value === 'boolean' ? undefined : 'a boolean'
  if (type === 'double') return isNumber || /^[-+]?inf$/i.test(String(value)) ? undefined : 'a number'
  if (type === 'list') return Array.isArray(value) ? undefined : 'a list'
  if (type === 'map') return isRecord(value) ? undefined : 'an object'
  if (type !== 'int' && type !== 'uint') return undefined
  if (!isNumber || !Number.isInteger(Number(value))) return 'an integer'
  return type === 'uint' && Number(value) < 0 ? 'a non-negative integer' : undefined
}

const isDecimal = (text: string) => /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text)

const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
