import type { Span } from './schema.ts'

/** What can be wrong with a question or a write; each is one `code` of the API. */
export type FaultCode =
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
  /** More would have to be looked at than is for one question. */
  | 'too-much-work'
  | 'filter-invalid'
  | 'cursor-mismatch'
  | 'token-invalid'
  | 'snapshot-gone'
  | 'not-caught-up'
  /** More is needed for the answer than is fetched at once. */
  | 'graph-too-large'
  /** What would be is not asked of what was. */
  | 'what-if-past'
  /** Of what the directory keeps itself: it is changed there. */
  | 'directory-owned'
  /** No validation file. */
  | 'file-invalid'

/** Thrown by the engine for what its caller can mend. */
export class PermissionFault extends Error {
  override name = 'PermissionFault'
  readonly code: FaultCode
  /** Where it is, as a path in the request such as `resource.id` or `updates.3.relationship.subject`. */
  readonly field: string | undefined

  constructor(code: FaultCode, message: string, field?: string) {
    super(message)
    this.code = code
    this.field = field
  }
}

/** The way to an answer goes in a circle by these sets, such as `group:one#member`, the last of which leads to the first. */
export class CircleFault extends PermissionFault {
  override name = 'CircleFault'
  readonly circle: readonly string[]

  constructor(message: string, circle: readonly string[]) {
    super('cycle', message)
    this.circle = circle
  }
}

/** One thing that is wrong with a schema, and where in its text. */
export interface SchemaProblem {
  message: string
  span: Span
}

/** A schema that was refused. `problems` is never empty; its message is the first of them with its place. */
export class SchemaFault extends PermissionFault {
  override name = 'SchemaFault'
  readonly problems: readonly SchemaProblem[]

  constructor(problems: [SchemaProblem, ...SchemaProblem[]]) {
    const [{ message, span }] = problems
    super('schema-invalid', `Line ${span.start.line}, column ${span.start.column}: ${message}`, 'schema')
    this.problems = problems
  }
}
