import type { Budget } from './budget.ts'
import { circleOfTrace } from './circle-of-trace.ts'
import { Conditions } from './conditions.ts'
import { type Cycles, Evaluator } from './evaluator.ts'
import { CircleFault, PermissionFault } from './fault.ts'
import type { Graph } from './graph.ts'
import { Memo } from './memo.ts'
import type { Plan, PlanNode, Step } from './plan.ts'
import type { CaveatContext, ObjectReference, SubjectReference } from './relationship.ts'
import type { Trace } from './trace.ts'
import { Tracer } from './tracer.ts'
import { has, no, unknown, type Verdict, Verdicts } from './verdicts.ts'

/** In the place of an object that is not in the graph, and is not the one that is asked about. */
const nobody = -2

const shared = new Memo<Verdict>()

/** Answers questions about one subject; what was found for one is used for the next. */
export class CheckEvaluator extends Evaluator<Verdict> {
  readonly verdicts: Verdicts
  protected readonly none = no
  readonly #conditions: Conditions
  readonly #maxDepth: number
  readonly #subject: SubjectReference
  readonly #type: number
  readonly #relation: number
  readonly #found: number
  #object: number
  readonly #point: number
  readonly #everyone: number
  #tracer: Tracer | undefined
  #isTooDeepAnywhere = false

  /** `memo` is its own while it is used. */
  constructor(
    graph: Graph,
    plan: Plan,
    { subject, context }: { subject: SubjectReference; context?: CaveatContext | undefined },
    { now, cycles, maxDepth, budget }: { now: number; cycles: Cycles; maxDepth: number; budget: Budget },
    { memo = shared }: { memo?: Memo<Verdict> } = {},
  ) {
    memo.clear()
    super(graph, plan, memo, cycles, budget)
    this.verdicts = new Verdicts(budget)
    this.#conditions = new Conditions(graph, plan, this.verdicts, { now, budget }, context)
    this.#maxDepth = maxDepth
    this.#subject = subject
    this.#type = graph.names.find(subject.type)
    this.#relation = graph.names.find(subject.relation ?? '')
    this.#found = graph.findObject(this.#type, subject.id)
    this.#object = this.#found
    this.#point = this.#found < 0 ? -1 : graph.findPoint(this.#found, this.#relation)
    const everyone = graph.findObject(this.#type, '*')
    this.#everyone = everyone < 0 ? -1 : graph.findPoint(everyone, 0)
  }

  /** Throws where the way is too long or goes in a circle and nothing else decides. */
  decide(node: PlanNode, resource: ObjectReference): Verdict {
    return this.#sure(this.verdict(node, resource))
  }

  /** As `decide`, of an object of the graph. */
  decideObject(node: PlanNode, object: number): Verdict {
    this.#object = this.#found >= 0 ? this.#found : nobody
    return this.#sure(this.askOnce(node, object, this.#maxDepth))
  }

  /** As `decide`, with `unknown` for what that throws. */
  verdict(node: PlanNode, resource: ObjectReference): Verdict {
    const object = this.graph.findObject(node.type, resource.id)
    const isSubject = this.#subject.id === resource.id && this.#subject.type === resource.type
    this.#object = this.#found >= 0 || isSubject ? this.#found : nobody
    return this.askOnce(node, object, this.#maxDepth)
  }

  #sure(verdict: Verdict): Verdict {
    if (verdict === unknown) throw unreachable(this.#isTooDeepAnywhere, this.#tracer?.trace)
    return verdict
  }

  /** From now on a trace is gathered. */
  traced(resource: ObjectReference): Tracer {
    this.#tracer = new Tracer(this.graph, this.#conditions, this.verdicts, { resource, subject: this.#subject })
    return this.#tracer
  }

  protected itself(node: PlanNode, object: number): Verdict {
    return node.relation === this.#relation && object === this.#object && node.type === this.#type ? has : no
  }

  protected self(node: PlanNode, object: number): Verdict {
    return this.#relation === 0 && object === this.#object && node.type === this.#type ? has : no
  }

  protected direct(node: PlanNode, _object: number, point: number): Verdict {
    let verdict: Verdict = no
    if (point < 0) return no
    if (this.#point >= 0) verdict = this.#row(this.graph.findEdge(point, this.#point))
    if (verdict === has || this.#everyone < 0 || !node.allowsWildcard[this.#type]) return verdict
    return this.verdicts.or(verdict, this.#row(this.graph.findEdge(point, this.#everyone)))
  }

  #row(edge: number): Verdict {
    if (edge < 0) return no
    const verdict = this.condition(edge)
    this.#tracer?.row(edge, verdict)
    return verdict
  }

  protected condition(edge: number): Verdict {
    return this.#conditions.of(edge)
  }

  protected isExpired(edge: number): boolean {
    return this.#conditions.isExpired(edge)
  }

  protected under(value: Verdict, condition: Verdict): Verdict {
    return this.verdicts.and(value, condition)
  }

  protected or(one: Verdict, other: Verdict): Verdict {
    return this.verdicts.or(one, other)
  }

  protected gather(one: Verdict, other: Verdict): Verdict {
    return this.verdicts.or(one, other)
  }

  protected gathered(verdict: Verdict): Verdict {
    return verdict
  }

  protected and(one: Verdict, other: Verdict): Verdict {
    return this.verdicts.and(one, other)
  }

  protected minus(base: Verdict, subtracted: Verdict): Verdict {
    return this.verdicts.minus(base, subtracted)
  }

  protected equals(one: Verdict, other: Verdict): boolean {
    return one === other
  }

  protected isAll(value: Verdict): boolean {
    return value === has
  }

  protected isNone(value: Verdict): boolean {
    return value === no
  }

  protected isUnknown(value: Verdict): boolean {
    return value === unknown
  }

  protected tooDeep(): Verdict {
    this.#isTooDeepAnywhere = true
    return unknown
  }

  protected inCircle(): Verdict {
    return unknown
  }

  /** A set of the type could be asked for on the way, and must be found under its own name. */
  protected mayAlias(node: PlanNode): boolean {
    return node.type !== this.#type
  }

  protected enter(what: PlanNode | Step | number, object: number): void {
    this.#tracer?.enter(what, object)
  }

  protected leave(value: Verdict): Verdict {
    this.#tracer?.leave(value)
    return value
  }

  protected mark(what: 'cycle' | 'repeated'): void {
    if (what === 'cycle') this.#tracer?.markCycle()
    else this.#tracer?.markRepeated()
  }
}

/** For an answer that could not be reached; with its trace the fault tells by which sets the way goes round. */
export function unreachable(isTooDeep: boolean, trace?: Trace): PermissionFault {
  if (isTooDeep) return new PermissionFault('depth-exceeded', 'The way to the answer is longer than is allowed.')
  return new CircleFault('The way to the answer goes in a circle.', trace ? circleOfTrace(trace) : [])
}
