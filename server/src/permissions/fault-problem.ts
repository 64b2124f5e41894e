import type { Endpoint } from '@passport/contract/endpoint'
import type { Fault } from '@passport/contract/problem'
import { CycleFault, type FaultCode, PermissionFault } from '@passport/permissions'
import type { Problem } from '../http/problem.ts'
import type { Serve } from '../http/serve.ts'
import { faults } from './problems.ts'

/** Maps the engine's name of a field to that in the request: `{ questions: 'items' }`. */
export type Fields = Readonly<Record<string, string>>

interface LocatedProblem {
  message: string
  code?: FaultCode
  span: { start: { line: number; column: number } }
}

/** Converts an engine fault to an API problem, with its code and field. */
export function toProblem(fault: PermissionFault, fields: Fields = {}): Problem {
  const { status, code } = faults[fault.code]
  const errors = status < 410 ? { errors: toErrors(fault, code, fields) } : {}
  return faults[fault.code]({ detail: fault.message, ...errors })
}

/** Converts the fault of one item in a list, with the field relative to it. */
export function toItemProblem(
  { code, message, field }: { code: string; message: string; field?: string | undefined },
  prefix = '',
) {
  const at = field?.startsWith(prefix) ? field.slice(prefix.length) : field
  return { code: faults[code as FaultCode].code, message, ...(at && { field: toBracketNotation(at) }) }
}

/** Runs the work and converts an engine fault to a problem. */
export async function withProblems<T>(work: () => Promise<T>, fields?: Fields): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof PermissionFault ? toProblem(error, fields) : error
  }
}

export type ServeTool = ReturnType<typeof serveWithProblems>

/** Serves endpoints like `serve`, and converts the engine's faults to problems. */
export const serveWithProblems =
  (serve: Serve) =>
  <E extends Endpoint>(endpoint: E, handle: Parameters<typeof serve<E>>[1], fields?: Fields): void =>
    serve(endpoint, (request) => withProblems(async () => handle(request), fields))

/** Each problem of a schema or a file has its position in the text. */
function toErrors(fault: PermissionFault, code: string, fields: Fields): Fault[] {
  const field = fieldOf(fault.field, fields)
  const problems = 'problems' in fault && Array.isArray(fault.problems) ? (fault.problems as LocatedProblem[]) : []
  const cycle = fault instanceof CycleFault ? fault.circle : []
  if (problems.length === 0)
    return [{ field, code, message: fault.message, ...(cycle.length > 0 && { circle: [...cycle] }) }]
  return problems.map(({ message, code: problemCode, span: { start } }) => ({
    field,
    code: problemCode ? faults[problemCode].code : code,
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
