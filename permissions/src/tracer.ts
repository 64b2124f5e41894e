import type { Conditions } from './conditions.ts'
import type { Graph } from './graph.ts'
import type { PlanNode, Step } from './plan.ts'
import type { ObjectReference, SubjectReference } from './relationship.ts'
import type { Trace } from './trace.ts'
import type { Verdict, Verdicts } from './verdicts.ts'

/** Gathers a trace while a question is worked out. */
export class Tracer {
  readonly #graph: Graph
  readonly #conditions: Conditions
  readonly #verdicts: Verdicts
  readonly #root: ObjectReference
  readonly #subject: SubjectReference
  readonly #open: { trace: Trace; since: number }[] = []
  /** The whole of it, when the last part was left. */
  trace: Trace | undefined

  constructor(
    graph: Graph,
    conditions: Conditions,
    verdicts: Verdicts,
    question: { resource: ObjectReference; subject: SubjectReference },
  ) {
    this.#graph = graph
    this.#conditions = conditions
    this.#verdicts = verdicts
    this.#root = question.resource
    this.#subject = question.subject
  }

  /** A node, a part of an expression, or an edge by its number. */
  enter(what: PlanNode | Step | number, object: number): void {
    const trace: Trace = {
      resource: typeof what === 'number' ? this.#resourceOf(what) : this.#reference(object),
      subject: this.#subject,
      step: this.#told(what),
      permissionship: 'noPermission',
      missing: [],
      duration: 0,
      children: [],
    }
    const caveat = typeof what === 'number' ? this.#conditions.explain(what) : undefined
    if (caveat) trace.caveat = caveat
    if (typeof what === 'number' && this.#graph.isSupposed?.(what)) trace.isSupposed = true
    this.#open.push({ trace, since: performance.now() })
  }

  leave(verdict: Verdict): void {
    const closed = this.#open.pop()
    if (!closed) return
    const { trace, since } = closed
    Object.assign(trace, this.#verdicts.shown(verdict))
    trace.duration = Math.round((performance.now() - since) * 1000)
    const parent = this.#open.at(-1)?.trace
    if (parent) parent.children.push(trace)
    else this.trace = trace
  }

  /** A relationship that says it itself. */
  row(edge: number, verdict: Verdict): void {
    this.enter(edge, -1)
    this.leave(verdict)
  }

  markCycle(): void {
    const current = this.#open.at(-1)?.trace
    if (current) current.isCycle = true
  }

  markRepeated(): void {
    const current = this.#open.at(-1)?.trace
    if (current) current.isRepeated = true
  }

  #told(what: PlanNode | Step | number): Trace['step'] {
    if (typeof what === 'number') return { kind: 'relationship', relationship: this.#graph.relationshipOf(what) }
    if (!('kind' in what)) return { kind: what.step ? 'permission' : 'relation', name: what.name }
    if (what.kind === 'arrow') return { kind: 'arrow', ...what.names, of: what.of }
    return what.kind === 'reference' ? { kind: 'union' } : { kind: what.kind }
  }

  #reference(object: number): ObjectReference {
    if (object < 0) return this.#root
    return { type: this.#graph.names.nameOf(this.#graph.objectType(object)), id: this.#graph.objectId(object) }
  }

  #resourceOf(edge: number): ObjectReference {
    return this.#reference(this.#graph.pointObject(this.#graph.edgeResource(edge)))
  }
}
