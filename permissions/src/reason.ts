import type { Permissionship } from './engine.ts'
import type { Trace } from './trace.ts'

/** Every reason there is, by the answer that it is one for. The words are stable: programs may go by them. */
export const reasons = {
  hasPermission: [
    /** Relationships lead from the subject to it. */
    'relationship',
    /** One of them is of everyone of the type. */
    'wildcard',
    /** One of them stands under a condition, which holds. */
    'condition-holds',
    /** The subject is what was asked about, or its set. */
    'itself',
  ],
  noPermission: [
    /** A way leads there, and an exclusion takes it away. */
    'excluded',
    /** A relationship on the way stands under a condition, which fails. */
    'condition-fails',
    /** A relationship on the way has run out. */
    'expired',
    /** The question came up on the way to itself, which counted as no. */
    'circle',
    /** Of what is needed together, or of all on the left of an arrow, something says no. */
    'not-all',
    /** Nothing leads there. */
    'no-relationship',
  ],
  conditional: [
    /** Values are missing that a condition needs. */
    'context-missing',
  ],
} as const satisfies Record<Permissionship, readonly string[]>

export type Reason = (typeof reasons)[Permissionship][number]

/**
 * Why the answer of a trace is what it is, as one word. Where several things are reasons, the one that stands first in
 * `reasons` for a no, and for a yes that of the first way, a condition before a wildcard before the rest. Undefined where
 * it stands in what the trace leaves out.
 */
export function reasonOf(trace: Trace): Reason | undefined {
  if (trace.permissionship === 'conditional') return 'context-missing'
  const reader = new Reader(trace)
  return trace.permissionship === 'hasPermission' ? reader.ofYes(trace) : reader.ofNo(trace)
}

type Yes = (typeof reasons.hasPermission)[number]
type No = (typeof reasons.noPermission)[number]

class Reader {
  readonly #trace: Trace
  /** Where what was answered again on another way stands in full; looked for when something was. */
  #firsts: Map<string, Trace> | undefined
  readonly #known = new Map<Trace, Reason | undefined>()

  constructor(trace: Trace) {
    this.#trace = trace
  }

  ofYes(named: Trace): Yes | undefined {
    return this.#once(named, (node) => this.#yes(node))
  }

  ofNo(named: Trace): No | undefined {
    return this.#once(named, (node) => this.#no(node))
  }

  /** What stands in itself, because it was asked of another side before, is told by neither. */
  #once<R extends Reason>(named: Trace, read: (node: Trace) => R | undefined): R | undefined {
    const node = this.#whole(named)
    if (this.#known.has(node)) return this.#known.get(node) as R | undefined
    this.#known.set(node, undefined)
    const reason = read(node)
    this.#known.set(node, reason)
    return reason
  }

  #yes(node: Trace): Yes | undefined {
    const { step, children, caveat } = node
    if (step.kind === 'relationship' && caveat) return 'condition-holds'
    if (step.kind === 'relationship' && children.length === 0)
      return step.relationship.subject.id === '*' ? 'wildcard' : 'relationship'
    // What is subtracted says no.
    const [first] = children.filter(({ permissionship }) => permissionship === 'hasPermission')
    if (isOfAll(node) && !node.isCut) return strongest(children.map((child) => this.ofYes(child)))
    if (first) return this.ofYes(first)
    return node.isCut || node.isCycle || node.isRepeated ? undefined : 'itself'
  }

  #no(node: Trace): No | undefined {
    const { step, children, caveat } = node
    if (node.isCycle) return 'circle'
    if (step.kind === 'relationship' && children.length === 0 && !node.isCut)
      return caveat?.result === 'false' ? 'condition-fails' : 'expired'
    // Which side was looked at first depends on the order of what is stored; that one is missing does not.
    if (isOfAll(node) && children.length > 0) return 'not-all'
    const [base] = children
    if (step.kind === 'exclusion' && base && base.permissionship !== 'noPermission') return 'excluded'
    if (node.isCut || node.isRepeated) return undefined
    const deciding = step.kind === 'exclusion' ? children.slice(0, 1) : children
    return firstOf(deciding.map((child) => this.ofNo(child)))
  }

  #whole(node: Trace): Trace {
    const key = node.isRepeated ? keyOf(node) : undefined
    if (key === undefined) return node
    this.#firsts ??= firstsIn(this.#trace)
    return this.#firsts.get(key) ?? node
  }
}

function firstsIn(trace: Trace, firsts = new Map<string, Trace>()): Map<string, Trace> {
  const key = keyOf(trace)
  if (key !== undefined && !trace.isRepeated && !trace.isCycle && !firsts.has(key)) firsts.set(key, trace)
  for (const child of trace.children) firstsIn(child, firsts)
  return firsts
}

const isOfAll = ({ step }: Trace) => step.kind === 'intersection' || (step.kind === 'arrow' && step.of === 'all')

function keyOf({ resource, step }: Trace): string | undefined {
  return 'name' in step ? `${resource.type}:${resource.id}#${step.name}` : undefined
}

function strongest(all: (Yes | undefined)[]): Yes | undefined {
  if (all.includes(undefined)) return undefined
  return (['condition-holds', 'wildcard', 'relationship'] as const).find((one) => all.includes(one)) ?? 'itself'
}

function firstOf(all: (No | undefined)[]): No | undefined {
  if (all.includes(undefined)) return undefined
  return reasons.noPermission.find((one) => all.includes(one)) ?? 'no-relationship'
}
