import { collectFirstTraces, type Permissionship, type Trace, usersetOf } from './trace.ts'

/** All reasons, by the answer they explain. The words are a stable part of the API. */
export const reasons = {
  hasPermission: [
    /** Relationships lead from the subject to the resource. */
    'relationship',
    /** One of them is a wildcard. */
    'wildcard',
    /** One of them has a caveat, which holds. */
    'condition-holds',
    /** The subject is the resource itself, or a userset of it. */
    'itself',
  ],
  noPermission: [
    /** A path exists, but an exclusion removes it. */
    'excluded',
    /** The caveat of a relationship on the path fails. */
    'condition-fails',
    /** A relationship on the path has expired. */
    'expired',
    /** Evaluation met a cycle, which counted as no. */
    'circle',
    /** An operand of an intersection or of `.all` is not satisfied. */
    'not-all',
    /** No path exists. */
    'no-relationship',
  ],
  conditional: [
    /** A caveat needs missing values. */
    'context-missing',
  ],
} as const satisfies Record<Permissionship, readonly string[]>

export type Reason = (typeof reasons)[Permissionship][number]

/**
 * Returns the reason for the answer of a trace. For a no with several reasons, the first in `reasons` wins. For a yes,
 * the first path decides, and a condition precedes a wildcard and the rest. Returns undefined if it depends on a part
 * the trace omits.
 */
export function findReason(trace: Trace): Reason | undefined {
  if (trace.permissionship === 'conditional') return 'context-missing'
  const reader = new ReasonFinder(trace)
  return trace.permissionship === 'hasPermission' ? reader.findYes(trace) : reader.findNo(trace)
}

type Yes = (typeof reasons.hasPermission)[number]
type No = (typeof reasons.noPermission)[number]

class ReasonFinder {
  readonly #trace: Trace
  /** The full traces of nodes that are repeated elsewhere; built on demand. */
  #firstTraces: Map<string, Trace> | undefined
  readonly #reasons = new Map<Trace, Reason | undefined>()

  constructor(trace: Trace) {
    this.#trace = trace
  }

  findYes(repeated: Trace): Yes | undefined {
    return this.#memoize(repeated, (node) => this.#yes(node))
  }

  findNo(repeated: Trace): No | undefined {
    return this.#memoize(repeated, (node) => this.#no(node))
  }

  /** A node nested in itself, because it was visited on another branch first, has no reason on either. */
  #memoize<R extends Reason>(repeated: Trace, read: (node: Trace) => R | undefined): R | undefined {
    const node = this.#resolveRepeated(repeated)
    if (this.#reasons.has(node)) return this.#reasons.get(node) as R | undefined
    this.#reasons.set(node, undefined)
    const reason = read(node)
    this.#reasons.set(node, reason)
    return reason
  }

  #yes(node: Trace): Yes | undefined {
    const { step, children, caveat } = node
    if (step.kind === 'relationship' && caveat) return 'condition-holds'
    if (step.kind === 'relationship' && children.length === 0)
      return step.relationship.subject.id === '*' ? 'wildcard' : 'relationship'
    // The subtracted operand is a no.
    const [first] = children.filter(({ permissionship }) => permissionship === 'hasPermission')
    if (needsAllChildren(node) && !node.isCut) return strongestYes(children.map((child) => this.findYes(child)))
    if (first) return this.findYes(first)
    return node.isCut || node.isCycle || node.isRepeated ? undefined : 'itself'
  }

  #no(node: Trace): No | undefined {
    const { step, children, caveat } = node
    if (node.isCycle) return 'circle'
    if (step.kind === 'relationship' && children.length === 0 && !node.isCut)
      return caveat?.result === 'false' ? 'condition-fails' : 'expired'
    // Which operand was evaluated first depends on storage order, so the reason is only that one is missing.
    if (needsAllChildren(node) && children.length > 0) return 'not-all'
    const [base] = children
    if (step.kind === 'exclusion' && base && base.permissionship !== 'noPermission') return 'excluded'
    if (node.isCut || node.isRepeated) return undefined
    const deciding = step.kind === 'exclusion' ? children.slice(0, 1) : children
    return firstNo(deciding.map((child) => this.findNo(child)))
  }

  #resolveRepeated(node: Trace): Trace {
    if (!node.isRepeated) return node
    this.#firstTraces ??= collectFirstTraces(this.#trace)
    return this.#firstTraces.get(usersetOf(node)) ?? node
  }
}

const needsAllChildren = ({ step }: Trace) =>
  step.kind === 'intersection' || (step.kind === 'arrow' && step.of === 'all')

function strongestYes(candidates: (Yes | undefined)[]): Yes | undefined {
  if (candidates.includes(undefined)) return undefined
  return (
    (['condition-holds', 'wildcard', 'relationship'] as const).find((reason) => candidates.includes(reason)) ?? 'itself'
  )
}

function firstNo(candidates: (No | undefined)[]): No | undefined {
  if (candidates.includes(undefined)) return undefined
  return reasons.noPermission.find((reason) => candidates.includes(reason)) ?? 'no-relationship'
}
