import { isCelList, isCelMap } from '@bufbuild/cel'
import { isReflectMessage } from '@bufbuild/protobuf/reflect'
import { DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { nanosOf } from './cel-values.ts'

/**
 * Formats a value as a CEL literal. Returns undefined for values that would change type or meaning: a uint, which
 * SpiceDB checks as an int, and text that is not valid Unicode.
 */
export function printLiteral(value: unknown): string | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return printDouble(value)
  if (typeof value === 'string') return value.isWellFormed() ? JSON.stringify(value) : undefined
  if (value instanceof Uint8Array) return `b"${[...value].map(printByte).join('')}"`
  if (isCelList(value)) return joinEnclosed('[', [...value].map(printLiteral), ']')
  if (isCelMap(value)) return joinEnclosed('{', [...value].map(printEntry), '}')
  return isReflectMessage(value) ? printTime(value) : undefined
}

function printEntry([key, value]: readonly [unknown, unknown]): string | undefined {
  const [name, text] = [printLiteral(key), printLiteral(value)]
  return name === undefined || text === undefined ? undefined : `${name}: ${text}`
}

function joinEnclosed(open: string, parts: (string | undefined)[], close: string): string | undefined {
  return parts.includes(undefined) ? undefined : `${open}${parts.join(', ')}${close}`
}

function printDouble(value: number): string {
  if (!Number.isFinite(value)) return `double("${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}")`
  const text = Object.is(value, -0) ? '-0' : String(value)
  return /[.e]/.test(text) ? text : `${text}.0`
}

const printByte = (byte: number) => `\\x${byte.toString(16).padStart(2, '0')}`

function printTime({ desc, message }: { desc: { typeName: string }; message: unknown }): string | undefined {
  const time = message as { seconds: bigint; nanos: number }
  if (desc.typeName === TimestampSchema.typeName) {
    const [day = '', clock = ''] = new Date(Number(time.seconds) * 1000).toISOString().slice(0, 19).split('T')
    const fraction = time.nanos === 0 ? '' : `.${String(time.nanos).padStart(9, '0').replace(/0+$/, '')}`
    return `timestamp("${day}T${clock}${fraction}Z")`
  }
  if (desc.typeName !== DurationSchema.typeName) return undefined
  const nanos = nanosOf(time)
  if (BigInt.asIntN(64, nanos) !== nanos) return undefined
  return nanos % 1_000_000_000n === 0n ? `duration("${nanos / 1_000_000_000n}s")` : `duration("${nanos}ns")`
}
