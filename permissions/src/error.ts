import type { Span } from './schema/schema.ts'

/** The errors of a request; each is a `code` of the API. */
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
  /** The answer needs more data than is fetched at once. */
  | 'graph-too-large'
  /** Hypothetical changes to past revisions are not supported. */
  | 'what-if-past'
  /** The directory owns these relationships; they are changed there. */
  | 'directory-owned'
  /** Not a valid validation file. */
  | 'file-invalid'

/** Thrown by the engine for errors the caller can fix. */
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

/** Evaluation met a cycle of these usersets, such as `group:one#member`; the last leads to the first. */
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

/** The maximum number of problems in a `SchemaError`, and about how many are searched for. */
export const maxSchemaProblems = 100

/** An invalid schema. `problems` is never empty; the message is that of the first problem with its position. */
export class SchemaError extends PermissionError {
  override name = 'SchemaError'
  readonly problems: readonly SchemaProblem[]

  constructor(problems: [SchemaProblem, ...SchemaProblem[]]) {
    const [{ message, span }] = problems
    super('schema-invalid', `Line ${span.start.line}, column ${span.start.column}: ${message}`, 'schema')
    this.problems = problems
  }
}
