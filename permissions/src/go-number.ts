const minInt = -(2n ** 63n)

/** Reads an int as Go's `strconv.ParseInt` does; throws where it is none. */
export function parseInt64(text: string): bigint {
  return /^[-+]?\d+$/.test(text) ? within(BigInt(text.replace('+', '')), minInt, -minInt) : refuse(text)
}

/** Reads a uint as Go's `strconv.ParseUint` does: without a sign. */
export function parseUint64(text: string): bigint {
  return /^\d+$/.test(text) ? within(BigInt(text), 0n, 2n ** 64n) : refuse(text)
}

/** Reads a double as Go's `strconv.ParseFloat` does, but for its hexadecimal form, which is refused. */
export function parseDouble(text: string): number {
  const [, sign, word] = /^([-+]?)(inf|infinity|nan)$/i.exec(text) ?? []
  if (word?.toLowerCase() === 'nan') return sign ? refuse(text) : Number.NaN
  if (word) return sign === '-' ? -Infinity : Infinity
  const number = Number(text)
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) && Number.isFinite(number) ? number : refuse(text)
}

/** Reads a bool as Go's `strconv.ParseBool` does. */
export function parseBool(text: string): boolean {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : refuse(text)
}

/** Go's shortest text of a double, its format `g`: `1e+06`, `0.5`, `1e-07`. */
export function printDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  const [digits = '0', exponent = 0] = scientific(value)
  if (exponent >= -4 && exponent < 6) return printFixed(value)
  const [first, ...rest] = digits
  const sign = exponent < 0 ? '-' : '+'
  const mantissa = rest.length > 0 ? `${first}.${rest.join('')}` : first
  return `${isNegative(value) ? '-' : ''}${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** Go's shortest text of a double without an exponent, its format `f`. */
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

function within(value: bigint, from: bigint, below: bigint): bigint {
  return value >= from && value < below ? value : refuse(String(value))
}

function refuse(text: string): never {
  throw new Error(`\`${text}\` cannot be converted`)
}
