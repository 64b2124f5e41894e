import type { Fault } from '@passport/contract/problem'
import { CircleFault, type FaultCode, PermissionFault } from '@passport/permissions/fault'
import { Problem } from '../http/problem.ts'

/** Anything else is a fault of the question: 400. */
const statuses: Partial<Record<FaultCode, number>> = {
  'already-exists': 409,
  'precondition-failed': 409,
  'schema-in-use': 409,
  'directory-owned': 409,
  // The question is right; what is stored goes deeper than can be followed.
  'depth-exceeded': 409,
  cycle: 409,
  'too-much-work': 409,
  'graph-too-large': 409,
  'snapshot-gone': 410,
  'not-caught-up': 503,
}

/** `token-invalid` is what the API says of a token that somebody presents. */
const codes: Partial<Record<FaultCode, string>> = { 'token-invalid': 'zedtoken-invalid' }

/** What the parts of a question are called in a call, by what the engine calls them: `{ questions: 'items' }`. */
export type Fields = Readonly<Record<string, string>>

interface Place {
  message: string
  code?: FaultCode
  span: { start: { line: number; column: number } }
}

/** A fault of the engine as the API tells it: one code, and the field where it is. */
export function problemOf(fault: PermissionFault, fields: Fields = {}): Problem {
  const status = statuses[fault.code] ?? 400
  const code = codeOf(fault.code)
  return new Problem(status, code, fault.message, {
    ...(status < 410 && { errors: errorsOf(fault, code, fields) }),
    ...(status === 503 && { headers: { 'Retry-After': '1' } }),
  })
}

/** The same for one of many, told in its place. */
export function toldInPlace({ code, message, field }: { code: string; message: string; field?: string }, prefix = '') {
  const at = field?.startsWith(prefix) ? field.slice(prefix.length) : field
  return { code: codeOf(code as FaultCode), message, ...(at && { field: bracketed(at) }) }
}

/** Does the work; a fault of the engine becomes a problem. */
export async function told<T>(work: () => Promise<T>, fields?: Fields): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof PermissionFault ? problemOf(error, fields) : error
  }
}

const codeOf = (code: FaultCode): string => codes[code] ?? code

/** Each thing that is wrong with a schema or a file has its place in the text. */
function errorsOf(fault: PermissionFault, code: string, fields: Fields): Fault[] {
  const field = fieldOf(fault.field, fields)
  const problems = 'problems' in fault && Array.isArray(fault.problems) ? (fault.problems as Place[]) : []
  const circle = fault instanceof CircleFault ? fault.circle : []
  if (problems.length === 0)
    return [{ field, code, message: fault.message, ...(circle.length > 0 && { circle: [...circle] }) }]
  return problems.map(({ message, code: own, span: { start } }) => ({
    field,
    code: own ? codeOf(own) : code,
    message,
    line: start.line,
    column: start.column,
  }))
}

function fieldOf(field: string | undefined, fields: Fields): string {
  if (field === undefined) return 'body'
  const [first = '', ...rest] = field.split('.')
  const called = fields[first] ?? first
  return bracketed([called, ...rest].filter(Boolean).join('.'))
}

/** `updates.3.relationship` → `updates[3].relationship`, as all of the API tells places. */
const bracketed = (field: string) => field.replace(/\.(\d+)(?=\.|$)/g, '[$1]')
