import type { CaveatContext, ObjectReference, Relationship, SubjectReference } from '../graph/relationship.ts'

/** The result of a check. `conditional` depends on missing values of caveat parameters. */
export type Permissionship = 'hasPermission' | 'noPermission' | 'conditional'

/** The derivation of a result: a tree from the request down to the relationships that decide it. */
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
  /** The node closes a cycle, and was assumed to grant nothing. */
  isCycle?: true
  /** The node was evaluated on another path, where the trace has its children. */
  isRepeated?: true
  /** Some children are omitted because the trace is too large. The result depends on them nevertheless. */
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
    if (node.isCycle) return sliceCycle(node, path)
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

function sliceCycle(closing: Trace, path: readonly Trace[]): string[] {
  const sameUserset = path.findLastIndex((node) => usersetOf(node) === usersetOf(closing))
  // The userset may be on the path under the name of an alias.
  const start = sameUserset >= 0 ? sameUserset : path.findLastIndex((node) => objectOf(node) === objectOf(closing))
  return start < 0 ? [] : path.slice(start).map(usersetOf)
}

const objectOf = ({ resource: { type, id } }: Trace) => `${type}:${id}`

/** Returns `group:one#member` for a relation or permission, and only the object for other steps. */
export const usersetOf = (node: Trace): string =>
  'name' in node.step ? `${objectOf(node)}#${node.step.name}` : objectOf(node)

/** Maps each userset to its first complete node in the trace, which has the children that repeated nodes lack. */
export function collectFirstTraces(trace: Trace, first = new Map<string, Trace>()): Map<string, Trace> {
  const userset = usersetOf(trace)
  if ('name' in trace.step && !trace.isRepeated && !trace.isCycle && !first.has(userset)) first.set(userset, trace)
  for (const child of trace.children) collectFirstTraces(child, first)
  return first
}
