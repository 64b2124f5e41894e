import { CycleError, PermissionError } from '../error.ts'
import type { ObjectReference, SubjectReference } from '../graph/relationship.ts'
import type { Evaluation } from './evaluation.ts'
import { Evaluator } from './evaluator.ts'
import { Memo } from './memo.ts'
import type { PlanNode, Rewrite } from './plan.ts'
import { findTraceCycle, type Trace } from './trace.ts'
import { Tracer } from './tracer.ts'
import { has, no, unknown, type Verdict, type Verdicts } from './verdicts.ts'

/** An `#identityObject` that equals no object, not even the missing -1. */
const noObject = -2

const sharedMemo = new Memo<Verdict>()

/** Evaluates checks of one subject. Later checks reuse the results of earlier ones. */
export class CheckEvaluator extends Evaluator<Verdict> {
  readonly #evaluation: Evaluation
  readonly #verdicts: Verdicts
  readonly #subject: SubjectReference
  readonly #relation: number
  readonly #subjectObject: number
  #identityObject: number
  readonly #subjectReference: number
  readonly #wildcard: number
  #tracer: Tracer | undefined
  #isTooDeepAnywhere = false

  /** Clears `memo`, which no other evaluator may use at the same time. */
  constructor(evaluation: Evaluation, subject: SubjectReference, memo = sharedMemo) {
    const { graph, verdicts } = evaluation
    memo.clear()
    super(evaluation, { algebra: verdicts, memo, subjectType: subject.type })
    this.#evaluation = evaluation
    this.#verdicts = verdicts
    this.#subject = subject
    this.#relation = graph.names.find(subject.relation ?? '')
    this.#subjectObject = graph.findObject(this.subjectType, subject.id)
    this.#identityObject = this.#subjectObject
    this.#subjectReference =
      this.#subjectObject < 0 ? -1 : graph.findObjectAndRelation(this.#subjectObject, this.#relation)
    const wildcard = graph.findObject(this.subjectType, '*')
    this.#wildcard = wildcard < 0 ? -1 : graph.findObjectAndRelation(wildcard, 0)
  }

  /** Evaluates a node of a resource. Throws if the result depends on a path that is too deep or on a cycle. */
  decide(node: PlanNode, resource: ObjectReference): Verdict {
    const object = this.graph.findObject(node.type, resource.id)
    const isSubject = this.#subject.id === resource.id && this.#subject.type === resource.type
    this.#identityObject = this.#subjectObject >= 0 || isSubject ? this.#subjectObject : noObject
    return this.#requireKnown(this.dispatchOnce(node, object, this.#evaluation.maxDepth))
  }

  /** Like `decide`, for an object in the graph. */
  decideObject(node: PlanNode, object: number): Verdict {
    this.#identityObject = this.#subjectObject >= 0 ? this.#subjectObject : noObject
    return this.#requireKnown(this.dispatchOnce(node, object, this.#evaluation.maxDepth))
  }

  #requireKnown(verdict: Verdict): Verdict {
    if (verdict === unknown) throw createUnresolvedError(this.#isTooDeepAnywhere, this.#tracer?.trace)
    return verdict
  }

  /** Records a trace of the next evaluation. */
  startTrace(resource: ObjectReference): Tracer {
    this.#tracer = new Tracer(this.#evaluation, resource, this.#subject)
    return this.#tracer
  }

  protected evaluateIdentity(node: PlanNode, object: number): Verdict {
    return node.relation === this.#relation && object === this.#identityObject && node.type === this.subjectType
      ? has
      : no
  }

  protected evaluateSelf(node: PlanNode, object: number): Verdict {
    return this.#relation === 0 && object === this.#identityObject && node.type === this.subjectType ? has : no
  }

  protected evaluateDirect(node: PlanNode, _object: number, objectAndRelation: number): Verdict {
    let verdict: Verdict = no
    if (objectAndRelation < 0) return no
    if (this.#subjectReference >= 0)
      verdict = this.#readEdge(this.graph.findEdge(objectAndRelation, this.#subjectReference))
    if (verdict === has || this.#wildcard < 0 || !node.allowsWildcard[this.subjectType]) return verdict
    return this.#verdicts.or(verdict, this.#readEdge(this.graph.findEdge(objectAndRelation, this.#wildcard)))
  }

  #readEdge(edge: number): Verdict {
    if (edge < 0) return no
    const verdict = this.conditions.evaluate(edge)
    this.#tracer?.recordEdge(edge, verdict)
    return verdict
  }

  protected handleExcessiveDepth(): Verdict {
    this.#isTooDeepAnywhere = true
    return unknown
  }

  protected handleCycle(): Verdict {
    return unknown
  }

  protected override enter(part: PlanNode | Rewrite | number, object: number): void {
    this.#tracer?.enter(part, object)
  }

  protected override leave(value: Verdict): Verdict {
    this.#tracer?.leave(value)
    return value
  }

  protected override mark(kind: 'cycle' | 'repeated'): void {
    this.#tracer?.mark(kind)
  }
}

/** Creates the error for a result that depends on a path that is too deep or on a cycle, which `trace` names. */
export function createUnresolvedError(isTooDeep: boolean, trace?: Trace): PermissionError {
  if (isTooDeep) return new PermissionError('depth-exceeded', 'The permission exceeds the maximum depth.')
  return new CycleError(
    'The permission is recursive and cannot be resolved (cycle).',
    trace ? findTraceCycle(trace) : [],
  )
}
