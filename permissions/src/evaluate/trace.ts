import type { Permissionship } from '../engine.ts'
import type { CaveatContext, ObjectReference, Relationship, SubjectReference } from '../graph/relationship.ts'

/** The derivation of an answer: a tree from the question down to the relationships it depends on. */
export interface Trace {
  resource: ObjectReference
  subject: SubjectReference
  /** The node evaluated on the resource: a permission, a relation, or a part of an expression. */
  step:
    | { kind: 'permission' | 'relation'; name: string }
    | { kind: 'union' | 'intersection' | 'exclusion' | 'nil' | 'self' }
    | { kind: 'arrow'; left: string; right: string; of: 'any' | 'all' }
    /** A stored relationship; a leaf, unless its subject is a userset that was evaluated. */
    | { kind: 'relationship'; relationship: Relationship }
  permissionship: Permissionship
  missing: string[]
  /** If a caveat was evaluated: its expression, the known values, and the result. */
  caveat?: {
    name: string
    expression: string
    context: CaveatContext
    result: 'true' | 'false' | 'missing'
    missing: string[]
    /** For a missing result: the residual expression in CEL, with the known values substituted. */
    residual?: string
  }
  /** The relationship is not stored, but was assumed by the question. */
  isSupposed?: true
  /** This node closes a cycle and counted as no. */
  isCycle?: true
  /** This node was evaluated before, on another path; its children are listed there. */
  isRepeated?: true
  /** Nodes below it are omitted because there are too many; the answer depends on them nevertheless. */
  isCut?: true
  /** In microseconds, including all children. */
  duration: number
  children: Trace[]
}
