import type { Conditions } from './conditions.ts'
import type { Graph } from './graph.ts'
import type { PlanNode, Step } from './plan.ts'
import type { ObjectReference, SubjectReference } from './relationship.ts'
import type { Trace } from './trace.ts'
import type { Verdict, Verdicts } from './verdicts.ts'

/** So many nodes are kept, so deep; what lies below is worked out without being told. */
const [maxNodes, maxDepth] = [10_000, 500]
/** What is told of a caveat counts as one more node for each so many characters. */
const charactersOfNode = 200

/** Gathers a trace while a question is worked out. */
export class Tracer {
  readonly #graph: Graph
  readonly #conditions: Conditions
  readonly #verdicts: Verdicts
  readonly #root: ObjectReference
  readonly #subject: SubjectReference
  readonly #open: { trace: Trace; since: number }[] = []
  #left = maxNodes
  /** How many parts are open that are not kept. */
  #hidden = 0
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
    if (this.#hidden > 0 || this.#left <= 0 || this.#open.length >= maxDepth) {
      this.#hide()
      return
    }
    this.#left--
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
    if (caveat) {
      trace.caveat = caveat
      this.#left -= Math.ceil((caveat.expression.length + JSON.stringify(caveat.context).length) / charactersOfNode)
    }
    if (typeof what === 'number' && this.#graph.isSupposed?.(what)) trace.isSupposed = true
    this.#open.push({ trace, since: performance.now() })
  }

  #hide(): void {
    this.#hidden++
    const current = this.#open.at(-1)?.trace
    if (current) current.isCut = true
  }

  leave(verdict: Verdict): void {
    if (this.#hidden > 0) {
      this.#hidden--
      return
    }
    const closed = this.#open.pop()
    if (!closed) return
    const { trace, since } = closed
    Object.assign(trace, this.#verdicts.shown(verdict))
    this.#left -= Math.floor(trace.missing.join().length / charactersOfNode)
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
    if (this.#hidden > 0) return
    const current = this.#open.at(-1)?.trace
    if (current) current.isCycle = true
  }

  markRepeated(): void {
    if (this.#hidden > 0) return
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
