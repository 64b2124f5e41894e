import type { CaveatContext, ObjectReference, Relationship, SubjectReference } from '../graph/relationship.ts'

/** `conditional` depends on missing values of caveat parameters. */
export type Permissionship = 'hasPermission' | 'noPermission' | 'conditional'

/** The derivation of a result: a tree from the check down to the relationships it depends on. */
export interface Trace<Instant = number> {
  resource: ObjectReference
  subject: SubjectReference
  /** The node evaluated on the resource: a permission, a relation, or a part of an expression. */
  step:
    | { kind: 'permission' | 'relation'; name: string }
    | { kind: 'union' | 'intersection' | 'exclusion' | 'nil' | 'self' }
    | { kind: 'arrow'; left: string; right: string; of: 'any' | 'all' }
    /** A stored relationship; a leaf, unless its subject is a userset that was evaluated. */
    | { kind: 'relationship'; relationship: Relationship<Instant> }
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
  /** The relationship is hypothetical. */
  isSupposed?: true
  /** Closes a cycle, which counted as no. */
  isCycle?: true
  /** Evaluated before, on another path, which has the children. */
  isRepeated?: true
  /** The children are omitted, because there are too many; the result depends on them nevertheless. */
  isCut?: true
  /** In microseconds, including all children. */
  duration: number
  children: Trace<Instant>[]
}

/**
 * Returns the usersets in the first cycle of a trace, such as `group:one#member`, in order. Returns an empty array if
 * there is no cycle, or if the trace omits that part.
 */
export function findTraceCycle(trace: Trace): string[] {
  const path: Trace[] = []
  const visit = (node: Trace): string[] => {
    const { step } = node
    if (node.isCycle) return cycleFrom(node, path)
    if ('name' in step) path.push(node)
    for (const child of node.children) {
      const cycle = visit(child)
      if (cycle.length > 0) return cycle
    }
    if ('name' in step) path.pop()
    return []
  }
  return visit(trace)
}

function cycleFrom(closing: Trace, path: readonly Trace[]): string[] {
  const sameUserset = path.findLastIndex((node) => usersetOf(node) === usersetOf(closing))
  // A permission that is an alias of another counts as that other.
  const start = sameUserset >= 0 ? sameUserset : path.findLastIndex((node) => objectOf(node) === objectOf(closing))
  return start < 0 ? [] : path.slice(start).map(usersetOf)
}

const objectOf = ({ resource: { type, id } }: Trace) => `${type}:${id}`
/** `group:one#member` for a relation or permission; for another part, only its object. */
export const usersetOf = (node: Trace): string =>
  'name' in node.step ? `${objectOf(node)}#${node.step.name}` : objectOf(node)

/** Maps each userset to its first node in the trace, which lists the children of the repeated ones. */
export function collectFirstTraces(trace: Trace, first = new Map<string, Trace>()): Map<string, Trace> {
  const userset = usersetOf(trace)
  if ('name' in trace.step && !trace.isRepeated && !trace.isCycle && !first.has(userset)) first.set(userset, trace)
  for (const child of trace.children) collectFirstTraces(child, first)
  return first
}
