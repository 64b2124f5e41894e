import type { Permissionship } from './engine.ts'
import type { CaveatContext, ObjectReference, Relationship, SubjectReference } from './relationship.ts'

/** How an answer came about: a tree from the question down to the relationships that it rests on. */
export interface Trace {
  resource: ObjectReference
  subject: SubjectReference
  /** What was asked of the resource at this node: a permission, a relation, or a part of an expression. */
  step:
    | { kind: 'permission' | 'relation'; name: string }
    | { kind: 'union' | 'intersection' | 'exclusion' | 'nil' | 'self' }
    | { kind: 'arrow'; left: string; right: string; of: 'any' | 'all' }
    /** A stored relationship; the last node of its branch, unless its subject is a set that was asked on. */
    | { kind: 'relationship'; relationship: Relationship }
  permissionship: Permissionship
  missing: string[]
  /** Where a caveat decided: its expression, the values that were known, and how it came out. */
  caveat?: {
    name: string
    expression: string
    context: CaveatContext
    result: 'true' | 'false' | 'missing'
    missing: string[]
    /** Of what is missing something: what is left of the expression with the values that are known put in, as CEL. */
    residual?: string
  }
  /** Of a relationship: that it is not stored, but was supposed with the question. */
  isSupposed?: true
  /** That this was asked on the way to itself, and counted as no. */
  isCycle?: true
  /** That it was answered before, on another way: what it rests on stands there. */
  isRepeated?: true
  /** That parts below it are left out, because there are too many to tell; the answer rests on them all the same. */
  isCut?: true
  /** In microseconds, with all below it. */
  duration: number
  children: Trace[]
}
