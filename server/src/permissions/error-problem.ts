import type { Endpoint } from '@passport/contract/endpoint'
import type { FieldError } from '@passport/contract/problem'
import { CycleError, type ErrorCode, PermissionError } from '@passport/permissions'
import type { Problem } from '../http/problem.ts'
import type { Serve } from '../http/serve.ts'
import { engineErrors } from './problems.ts'

/** Maps the engine's names of fields to those in the HTTP request: `{ requests: 'items' }`. */
export type Fields = Readonly<Record<string, string>>

/** A problem in a schema or in a validation file. */
interface LocatedProblem {
  message: string
  code?: ErrorCode
  span: { start: { line: number; column: number } }
}

/** Converts an engine error to an API problem, with its code and field. */
export function toProblem(error: PermissionError, fields: Fields = {}): Problem {
  const { status, code } = engineErrors[error.code]
  const errors = status < 410 ? { errors: toErrors(error, code, fields) } : {}
  return engineErrors[error.code]({ detail: error.message, ...errors })
}

/** Converts the error of an item in a list; removes the prefix, which is the path of the item, from its field. */
export function toItemProblem(
  { code, message, field }: { code: string; message: string; field?: string | undefined },
  prefix = '',
) {
  const at = field?.startsWith(prefix) ? field.slice(prefix.length) : field
  return { code: engineErrors[code as ErrorCode].code, message, ...(at && { field: toBracketNotation(at) }) }
}

/** Runs the work and converts an engine error to a problem. */
export async function withProblems<T>(work: () => Promise<T>, fields?: Fields): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof PermissionError ? toProblem(error, fields) : error
  }
}

export type ServeTool = ReturnType<typeof serveWithProblems>

/** Serves endpoints like `serve`, and converts the engine's errors to problems. */
export const serveWithProblems =
  (serve: Serve) =>
  <E extends Endpoint>(endpoint: E, handle: Parameters<typeof serve<E>>[1], fields?: Fields): void =>
    serve(endpoint, (request) => withProblems(async () => handle(request), fields))

/** Returns the `errors` of a problem: one for each position in a schema or file, otherwise one for the field. */
function toErrors(error: PermissionError, code: string, fields: Fields): FieldError[] {
  const field = fieldOf(error.field, fields)
  const problems = 'problems' in error && Array.isArray(error.problems) ? (error.problems as LocatedProblem[]) : []
  const cycle = error instanceof CycleError ? error.cycle : []
  if (problems.length === 0)
    return [{ field, code, message: error.message, ...(cycle.length > 0 && { circle: [...cycle] }) }]
  return problems.map(({ message, code: problemCode, span: { start } }) => ({
    field,
    code: problemCode ? engineErrors[problemCode].code : code,
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
