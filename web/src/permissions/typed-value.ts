/**
 * What somebody typed for a parameter of a type, as it is sent: as JSON where the type is written so, and `fri` of a
 * string without quotes. Where it can be none of the type, what the type wants, in the words of the service; of bytes,
 * instants, durations and addresses only the service can tell.
 */
export function typedValue(text: string, type: string | undefined): { value: unknown } | { wants: string } {
  const isText =
    type === 'string' || type === 'bytes' || type === 'timestamp' || type === 'duration' || type === 'ipaddress'
  if (isText) return { value: text }
  const value = jsonOr(text)
  const wants = type === undefined ? undefined : wanted(value, type)
  return wants === undefined ? { value } : { wants }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Numbers may also come as text, as those of 64 bits do. */
function wanted(value: unknown, type: string): string | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && isDecimal(value))
  if (type === 'bool') return typeof value === 'boolean' ? undefined : 'true or false'
  if (type === 'double') return isNumber || /^[-+]?inf$/i.test(String(value)) ? undefined : 'a number'
  if (type === 'list') return Array.isArray(value) ? undefined : 'a list'
  if (type === 'map') return isRecord(value) ? undefined : 'an object'
  if (type !== 'int' && type !== 'uint') return undefined
  if (!isNumber || !Number.isInteger(Number(value))) return 'a whole number'
  return type === 'uint' && Number(value) < 0 ? 'a whole number that is not negative' : undefined
}

const isDecimal = (text: string) => /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text)

const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
