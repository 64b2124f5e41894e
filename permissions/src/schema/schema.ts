/** A position in the text of a schema: 1-based lines and columns, and a 0-based offset in UTF-16 code units. */
export interface Position {
  line: number
  column: number
  offset: number
}

/** A range of the text of a schema; the end is exclusive. */
export interface Span {
  start: Position
  end: Position
}

/** A parsed schema with its partials inlined: read by `parseSchema` and written by `printSchema`. */
export interface SchemaText {
  /** The features enabled by `use`: `expiration`, `self`, `typechecking`, `import`. */
  uses: string[]
  caveats: CaveatDeclaration[]
  definitions: Definition[]
}

/** An object type. */
export interface Definition {
  name: string
  /** The preceding comment, without its delimiters. */
  comment?: string
  relations: Relation[]
  permissions: Permission[]
  span: Span
}

/** A relation, whose relationships lead from objects of this type to subjects. */
export interface Relation {
  name: string
  comment?: string
  allowed: AllowedSubject[]
  span: Span
}

/**
 * A subject type allowed in a relation: `user`, `user:*`, `group#member`, each `with` a caveat, an expiration or both.
 */
export interface AllowedSubject {
  type: string
  /** The relation or permission of a userset; omitted for the object itself. */
  relation?: string
  isWildcard?: true
  caveat?: string
  hasExpiration?: true
  span: Span
}

/** A permission computed from relations. */
export interface Permission {
  name: string
  comment?: string
  /** The declared subject types, checked only with `use typechecking`. */
  annotation?: string[]
  expression: Expression
  span: Span
}

/** `+` binds tightest, then `&`, then `-`, all left-associative, as in SpiceDB. */
export type Expression =
  | { kind: 'union' | 'intersection'; operands: Expression[]; span: Span }
  | { kind: 'exclusion'; base: Expression; subtracted: Expression; span: Span }
  /** A relation or a permission of the same object. */
  | { kind: 'reference'; name: string; span: Span }
  /**
   * `left->right` and `left.any(right)` require the permission on one object in `left`; `left.all(right)` requires it
   * on all of them, and at least one object.
   */
  | { kind: 'arrow'; left: string; right: string; of: 'any' | 'all'; span: Span }
  | { kind: 'nil'; span: Span }
  /** The object itself as a subject. */
  | { kind: 'self'; span: Span }

/** A named condition in CEL. */
export interface CaveatDeclaration {
  name: string
  comment?: string
  parameters: CaveatParameter[]
  /** The expression as written, between the braces. */
  expression: string
  span: Span
}

export interface CaveatParameter {
  name: string
  type: CaveatType
}

export const caveatTypeNames = [
  'any',
  'bool',
  'string',
  'int',
  'uint',
  'double',
  'bytes',
  'duration',
  'timestamp',
  'list',
  'map',
  'ipaddress',
] as const

/** `list<string>` is `{ name: 'list', of: { name: 'string' } }`; the keys of a map are strings. */
export interface CaveatType {
  name: (typeof caveatTypeNames)[number]
  of?: CaveatType
}

/** A valid schema with its parts by name; created by `compileSchema`. */
export interface Schema {
  /** The source text. */
  text: string
  definitions: ReadonlyMap<string, CompiledDefinition>
  caveats: ReadonlyMap<string, CaveatDeclaration>
}

export interface CompiledDefinition {
  name: string
  comment?: string
  relations: ReadonlyMap<string, Relation>
  permissions: ReadonlyMap<string, Permission>
}

export type Leaf = Exclude<Expression, { kind: 'union' | 'intersection' | 'exclusion' }>

/** Returns the leaves of an expression from left to right, without operators. */
export function collectLeaves(expression: Expression): Leaf[] {
  const result: Leaf[] = []
  appendLeaves(expression, result)
  return result
}

function appendLeaves(expression: Expression, result: Leaf[]): void {
  if (expression.kind === 'exclusion') {
    appendLeaves(expression.base, result)
    appendLeaves(expression.subtracted, result)
  } else if ('operands' in expression) {
    for (const operand of expression.operands) appendLeaves(operand, result)
  } else {
    result.push(expression)
  }
}
