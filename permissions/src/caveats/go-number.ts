const minInt = -(2n ** 63n)

/** Parses an int as Go's `strconv.ParseInt` does. Throws on a syntax error. */
export function parseInt64(text: string): bigint {
  return /^[-+]?\d+$/.test(text) ? requireRange(BigInt(text.replace('+', '')), minInt, -minInt) : fail(text)
}

/** Parses a uint as Go's `strconv.ParseUint` does: without a sign. */
export function parseUint64(text: string): bigint {
  return /^\d+$/.test(text) ? requireRange(BigInt(text), 0n, 2n ** 64n) : fail(text)
}

/** Parses a double as Go's `strconv.ParseFloat` does, but rejects its hexadecimal form. */
export function parseDouble(text: string): number {
  const [, sign, word] = /^([-+]?)(inf|infinity|nan)$/i.exec(text) ?? []
  if (word?.toLowerCase() === 'nan') return sign ? fail(text) : Number.NaN
  if (word) return sign === '-' ? -Infinity : Infinity
  const number = Number(text)
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) && Number.isFinite(number) ? number : fail(text)
}

/** Parses a bool as Go's `strconv.ParseBool` does. */
export function parseBool(text: string): boolean {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : fail(text)
}

/** Formats a double as Go's shortest format `g` does: `1e+06`, `0.5`, `1e-07`. */
export function printDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  const [digits = '0', exponent = 0] = scientific(value)
  if (exponent >= -4 && exponent < 6) return printFixed(value)
  const [first, ...rest] = digits
  const sign = exponent < 0 ? '-' : '+'
  const mantissa = rest.length > 0 ? `${first}.${rest.join('')}` : first
  return `${isNegative(value) ? '-' : ''}${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** Formats a double without an exponent, as Go's shortest format `f` does. */
export function printFixed(value: number): string {
  const [digits, exponent] = scientific(value)
  const sign = isNegative(value) ? '-' : ''
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const rest = digits.slice(exponent + 1)
  return sign + (rest ? `${whole}.${rest}` : whole)
}

function scientific(value: number): [digits: string, exponent: number] {
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toExponential().split('e')
  return [mantissa.replace('.', ''), Number(exponent)]
}

function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0)
}

function requireRange(value: bigint, min: bigint, max: bigint): bigint {
  return value >= min && value < max ? value : fail(String(value))
}

function fail(text: string): never {
  throw new Error(`\`${text}\` cannot be converted`)
}
