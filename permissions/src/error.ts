import type { Span } from './schema/schema.ts'

/** The error codes of requests, which the API returns as `code`. */
export type ErrorCode =
  | 'schema-invalid'
  | 'schema-in-use'
  | 'unknown-type'
  | 'unknown-relation'
  | 'unknown-permission'
  | 'unknown-caveat'
  | 'malformed-type'
  | 'malformed-relation'
  | 'malformed-id'
  | 'malformed-relationship'
  | 'wildcard-subject'
  | 'context-type'
  | 'context-too-large'
  | 'caveat-failed'
  | 'caveat-required'
  | 'expiration-required'
  | 'subject-not-allowed'
  | 'write-to-permission'
  | 'already-exists'
  | 'duplicate-update'
  | 'too-many'
  | 'precondition-failed'
  | 'depth-exceeded'
  | 'cycle'
  /** The request exceeded its work budget. */
  | 'too-much-work'
  | 'filter-invalid'
  | 'cursor-mismatch'
  | 'token-invalid'
  | 'snapshot-gone'
  | 'not-caught-up'
  /** The result depends on more data than is fetched for one request. */
  | 'graph-too-large'
  /** Hypothetical changes to a past revision are not supported. */
  | 'what-if-past'
  /** The relationships come from the directory and can be changed only there. */
  | 'directory-owned'
  /** Not a valid validation file. */
  | 'file-invalid'

/** An error that the caller of an engine can fix. */
export class PermissionError extends Error {
  override name = 'PermissionError'
  readonly code: ErrorCode
  /** The path in the request, such as `resource.id` or `updates.3.relationship.subject`. */
  readonly field: string | undefined

  constructor(code: ErrorCode, message: string, field?: string) {
    super(message)
    this.code = code
    this.field = field
  }
}

/** An evaluation met a cycle. `cycle` has its usersets, such as `group:one#member`; the last contains the first. */
export class CycleError extends PermissionError {
  override name = 'CycleError'
  readonly cycle: readonly string[]

  constructor(message: string, cycle: readonly string[]) {
    super('cycle', message)
    this.cycle = cycle
  }
}

/** A problem in a schema, and its position in the text. */
export interface SchemaProblem {
  message: string
  span: Span
}

/** The maximum number of problems in a `SchemaError`. A search ends soon after finding that many. */
export const maxSchemaProblems = 100

/** An invalid schema. The message is that of the first problem, with its position. */
export class SchemaError extends PermissionError {
  override name = 'SchemaError'
  readonly problems: readonly SchemaProblem[]

  constructor(problems: [SchemaProblem, ...SchemaProblem[]]) {
    const [{ message, span }] = problems
    super('schema-invalid', `Line ${span.start.line}, column ${span.start.column}: ${message}`, 'schema')
    this.problems = problems
  }
}
