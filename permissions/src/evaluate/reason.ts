import { collectFirstTraces, type Permissionship, type Trace, usersetOf } from './trace.ts'

/** All reasons, by the result that they explain. They are values of the API. */
export const reasons = {
  hasPermission: [
    /** Relationships without conditions lead from the subject to the resource. */
    'relationship',
    /** One of the relationships has a wildcard. */
    'wildcard',
    /** One of the relationships has a caveat, which holds. */
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
    /** The evaluation met a cycle and assumed that it grants nothing. */
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
 * Returns the reason for the result of a trace. Of several reasons for a denial, the first in `reasons` is returned. A
 * grant has the reason of its first granting path; an intersection the most specific one of its operands: a condition,
 * then a wildcard. Returns undefined if the reason depends on a part that the trace omits.
 */
export function findReason(trace: Trace): Reason | undefined {
  if (trace.permissionship === 'conditional') return 'context-missing'
  const reader = new ReasonFinder(trace)
  return trace.permissionship === 'hasPermission' ? reader.findGrantReason(trace) : reader.findDenialReason(trace)
}

type GrantReason = (typeof reasons.hasPermission)[number]
type DenialReason = (typeof reasons.noPermission)[number]

class ReasonFinder {
  readonly #trace: Trace
  /** The complete traces of repeated nodes, by userset; collected on demand. */
  #firstTraces: Map<string, Trace> | undefined
  readonly #reasons = new Map<Trace, Reason | undefined>()

  constructor(trace: Trace) {
    this.#trace = trace
  }

  findGrantReason(repeated: Trace): GrantReason | undefined {
    return this.#memoize(repeated, (node) => this.#computeGrantReason(node))
  }

  findDenialReason(repeated: Trace): DenialReason | undefined {
    return this.#memoize(repeated, (node) => this.#computeDenialReason(node))
  }

  /** A node that is repeated inside itself has no reason. */
  #memoize<R extends Reason>(repeated: Trace, read: (node: Trace) => R | undefined): R | undefined {
    const node = this.#resolveRepeated(repeated)
    if (this.#reasons.has(node)) return this.#reasons.get(node) as R | undefined
    this.#reasons.set(node, undefined)
    const reason = read(node)
    this.#reasons.set(node, reason)
    return reason
  }

  #computeGrantReason(node: Trace): GrantReason | undefined {
    const { step, children, caveat } = node
    if (step.kind === 'relationship' && caveat) return 'condition-holds'
    if (step.kind === 'relationship' && children.length === 0)
      return step.relationship.subject.id === '*' ? 'wildcard' : 'relationship'
    // The subtracted operand of a granting exclusion denies.
    const [first] = children.filter(({ permissionship }) => permissionship === 'hasPermission')
    if (needsAllChildren(node) && !node.isCut)
      return selectGrantReason(children.map((child) => this.findGrantReason(child)))
    if (first) return this.findGrantReason(first)
    return node.isCut || node.isCycle || node.isRepeated ? undefined : 'itself'
  }

  #computeDenialReason(node: Trace): DenialReason | undefined {
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
    return selectDenialReason(deciding.map((child) => this.findDenialReason(child)))
  }

  #resolveRepeated(node: Trace): Trace {
    if (!node.isRepeated) return node
    this.#firstTraces ??= collectFirstTraces(this.#trace)
    return this.#firstTraces.get(usersetOf(node)) ?? node
  }
}

const needsAllChildren = ({ step }: Trace) =>
  step.kind === 'intersection' || (step.kind === 'arrow' && step.of === 'all')

function selectGrantReason(candidates: (GrantReason | undefined)[]): GrantReason | undefined {
  if (candidates.includes(undefined)) return undefined
  return (
    (['condition-holds', 'wildcard', 'relationship'] as const).find((reason) => candidates.includes(reason)) ?? 'itself'
  )
}

function selectDenialReason(candidates: (DenialReason | undefined)[]): DenialReason | undefined {
  if (candidates.includes(undefined)) return undefined
  return reasons.noPermission.find((reason) => candidates.includes(reason)) ?? 'no-relationship'
}
