import type { ObjectReference, SubjectReference } from '../graph/relationship.ts'
import type { Evaluation } from './evaluation.ts'
import type { PlanNode, Rewrite } from './plan.ts'
import type { Trace } from './trace.ts'
import type { Verdict } from './verdicts.ts'

/** The maximum number of nodes and the maximum depth of a trace. Further nodes are evaluated but not recorded. */
const [maxNodes, maxDepth] = [10_000, 500]
/** The number of characters in the texts of a node that count as an additional node. */
const charactersPerNode = 200

/** Records a trace during evaluation. */
export class Tracer {
  readonly #evaluation: Evaluation
  readonly #resource: ObjectReference
  readonly #subject: SubjectReference
  readonly #open: { trace: Trace; startedAt: number }[] = []
  #remaining = maxNodes
  /** The number of open nodes without a record. */
  #hidden = 0
  /** The trace of the root, once `leave` has been called for it. */
  trace: Trace | undefined

  constructor(evaluation: Evaluation, resource: ObjectReference, subject: SubjectReference) {
    this.#evaluation = evaluation
    this.#resource = resource
    this.#subject = subject
  }

  /** Opens a node for a plan node, a part of its expression, or the number of an edge. */
  enter(part: PlanNode | Rewrite | number, object: number): void {
    if (this.#hidden > 0 || this.#remaining <= 0 || this.#open.length >= maxDepth) {
      this.#hide()
      return
    }
    this.#remaining--
    const trace: Trace = {
      resource: typeof part === 'number' ? this.#toResource(part) : this.#toReference(object),
      subject: this.#subject,
      step: this.#toTraceStep(part),
      permissionship: 'noPermission',
      missing: [],
      duration: 0,
      children: [],
    }
    const caveat = typeof part === 'number' ? this.#evaluation.conditions.explain(part) : undefined
    if (caveat) {
      trace.caveat = caveat
      this.#remaining -= Math.ceil(
        (caveat.expression.length + JSON.stringify(caveat.context).length) / charactersPerNode,
      )
    }
    if (typeof part === 'number' && this.#evaluation.graph.isHypothetical?.(part)) trace.isSupposed = true
    this.#open.push({ trace, startedAt: performance.now() })
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
    const { trace, startedAt } = closed
    Object.assign(trace, this.#evaluation.verdicts.toTraceVerdict(verdict))
    this.#remaining -= Math.floor(trace.missing.join().length / charactersPerNode)
    trace.duration = Math.round((performance.now() - startedAt) * 1000)
    const parent = this.#open.at(-1)?.trace
    if (parent) parent.children.push(trace)
    else this.trace = trace
  }

  /** Records an edge whose subject needs no evaluation. */
  recordEdge(edge: number, verdict: Verdict): void {
    this.enter(edge, -1)
    this.leave(verdict)
  }

  /** Marks the current node. */
  mark(kind: 'cycle' | 'repeated'): void {
    const current = this.#hidden > 0 ? undefined : this.#open.at(-1)?.trace
    if (current) current[kind === 'cycle' ? 'isCycle' : 'isRepeated'] = true
  }

  #toTraceStep(part: PlanNode | Rewrite | number): Trace['step'] {
    if (typeof part === 'number')
      return { kind: 'relationship', relationship: this.#evaluation.graph.relationshipOf(part) }
    if (!('kind' in part)) return { kind: part.rewrite ? 'permission' : 'relation', name: part.name }
    if (part.kind === 'tupleToUserset') return { kind: 'arrow', ...part.names, of: part.of }
    return part.kind === 'computedUserset' ? { kind: 'union' } : { kind: part.kind }
  }

  #toReference(object: number): ObjectReference {
    const { graph } = this.#evaluation
    if (object < 0) return this.#resource
    return { type: graph.names.nameOf(graph.objectType(object)), id: graph.objectId(object) }
  }

  #toResource(edge: number): ObjectReference {
    const { graph } = this.#evaluation
    return this.#toReference(graph.objectOf(graph.edgeResource(edge)))
  }
}
