import type { Fault } from '@passport/contract/problem'
import { CycleFault, type FaultCode, PermissionFault } from '@passport/permissions'
import { Problem } from '../http/problem.ts'

/** All other codes are errors in the request: 400. */
const statuses: Partial<Record<FaultCode, number>> = {
  'already-exists': 409,
  'precondition-failed': 409,
  'schema-in-use': 409,
  'directory-owned': 409,
  // The question is valid, but the stored data exceeds the limits.
  'depth-exceeded': 409,
  cycle: 409,
  'too-much-work': 409,
  'graph-too-large': 409,
  'snapshot-gone': 410,
  'not-caught-up': 503,
}

/** The API uses `token-invalid` for access tokens, so this one is renamed. */
const codes: Partial<Record<FaultCode, string>> = { 'token-invalid': 'zedtoken-invalid' }

/** Maps the engine's name of a field to that in the request: `{ questions: 'items' }`. */
export type Fields = Readonly<Record<string, string>>

interface LocatedProblem {
  message: string
  code?: FaultCode
  span: { start: { line: number; column: number } }
}

/** Converts an engine fault to an API problem, with its code and field. */
export function toProblem(fault: PermissionFault, fields: Fields = {}): Problem {
  const status = statuses[fault.code] ?? 400
  const code = toApiCode(fault.code)
  return new Problem(status, code, fault.message, {
    ...(status < 410 && { errors: toErrors(fault, code, fields) }),
    ...(status === 503 && { headers: { 'Retry-After': '1' } }),
  })
}

/** Converts the fault of one item in a list, with the field relative to it. */
export function toItemProblem(
  { code, message, field }: { code: string; message: string; field?: string },
  prefix = '',
) {
  const at = field?.startsWith(prefix) ? field.slice(prefix.length) : field
  return { code: toApiCode(code as FaultCode), message, ...(at && { field: toBracketNotation(at) }) }
}

/** Runs the work and converts an engine fault to a problem. */
export async function withProblems<T>(work: () => Promise<T>, fields?: Fields): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof PermissionFault ? toProblem(error, fields) : error
  }
}

const toApiCode = (code: FaultCode): string => codes[code] ?? code

/** Each problem of a schema or a file has its position in the text. */
function toErrors(fault: PermissionFault, code: string, fields: Fields): Fault[] {
  const field = fieldOf(fault.field, fields)
  const problems = 'problems' in fault && Array.isArray(fault.problems) ? (fault.problems as LocatedProblem[]) : []
  const cycle = fault instanceof CycleFault ? fault.circle : []
  if (problems.length === 0)
    return [{ field, code, message: fault.message, ...(cycle.length > 0 && { circle: [...cycle] }) }]
  return problems.map(({ message, code: problemCode, span: { start } }) => ({
    field,
    code: problemCode ? toApiCode(problemCode) : code,
    message,
    line: start.line,
    column: start.column,
  }))
}

function fieldOf(field: string | undefined, fields: Fields): string {
  if (field === undefined) return 'body'
  const [first = '', ...rest] = field.split('.')
  const name = fields[first] ?? first
  return toBracketNotation([name, ...rest].filter(Boolean).join('.'))
}

/** Converts `updates.3.relationship` to `updates[3].relationship`, the notation of the API. */
const toBracketNotation = (field: string) => field.replace(/\.(\d+)(?=\.|$)/g, '[$1]')

/** The engine does not support the operation; the request itself is valid. */
export const notSupported = () =>
  new Problem(501, 'not-of-this-engine', 'The permission engine of this installation does not support this.')
