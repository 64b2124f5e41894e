/** A place in the text of a schema: lines and columns from 1, the offset from 0 in UTF-16 units. */
export interface Position {
  line: number
  column: number
  offset: number
}

/** From the first character to the one after the last. */
export interface Span {
  start: Position
  end: Position
}

/** A schema as it is written, with its partials put in: what `parseSchema` reads and `printSchema` writes. */
export interface SchemaText {
  /** The features that `use` switches on: `expiration`, `self`, `typechecking`, `import`. */
  uses: string[]
  caveats: CaveatDeclaration[]
  definitions: Definition[]
}

/** A type of object. */
export interface Definition {
  name: string
  /** The comment that stands before it, without its signs. */
  comment?: string
  relations: Relation[]
  permissions: Permission[]
  span: Span
}

/** What is stored between objects of this type and subjects. */
export interface Relation {
  name: string
  comment?: string
  allowed: AllowedSubject[]
  span: Span
}

/** Who may stand in a relation: `user`, `user:*`, `group#member`, each `with` a caveat, an expiration or both. */
export interface AllowedSubject {
  type: string
  /** Whoever has this relation or permission of the object; left out for the object itself. */
  relation?: string
  isWildcard?: true
  caveat?: string
  hasExpiration?: true
  span: Span
}

/** What is worked out from relations. */
export interface Permission {
  name: string
  comment?: string
  /** The types of subject that it is said to be had by, checked with `use typechecking` only. */
  annotation?: string[]
  expression: Expression
  span: Span
}

/** `+` binds tightest, then `&`, then `-`, each from the left, as in SpiceDB. */
export type Expression =
  | { kind: 'union' | 'intersection'; operands: Expression[]; span: Span }
  | { kind: 'exclusion'; base: Expression; subtracted: Expression; span: Span }
  /** A relation or a permission of the same object. */
  | { kind: 'reference'; name: string; span: Span }
  /** `left->right` and `left.any(right)`: of one object in `left`; `left.all(right)`: of all of them, and of at least one. */
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

/** `list<string>` is `{ name: 'list', of: { name: 'string' } }`; the keys of a map are strings. */
export interface CaveatType {
  name:
    | 'any'
    | 'bool'
    | 'string'
    | 'int'
    | 'uint'
    | 'double'
    | 'bytes'
    | 'duration'
    | 'timestamp'
    | 'list'
    | 'map'
    | 'ipaddress'
  of?: CaveatType
}

/** A schema that was found sound, made for looking up; `compileSchema` makes it. */
export interface Schema {
  /** As it was written. */
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
