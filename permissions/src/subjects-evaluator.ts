import type { Budget } from './budget.ts'
import { unreachable } from './check-evaluator.ts'
import type { Conditions } from './conditions.ts'
import { type Cycles, Evaluator } from './evaluator.ts'
import type { Graph } from './graph.ts'
import { Memo } from './memo.ts'
import type { Plan, PlanNode } from './plan.ts'
import type { ObjectReference } from './relationship.ts'
import { emptySet, isEmpty, type SubjectSet, SubjectSets, sameSets, sizeOf } from './subject-set.ts'
import { has, no, type Verdict, type Verdicts } from './verdicts.ts'

/** Finds all subjects of one kind at once. What is too deep or goes in a circle, where that matters, is thrown. */
export class SubjectsEvaluator extends Evaluator<SubjectSet> {
  protected readonly none = emptySet
  readonly #conditions: Conditions
  readonly #sets: SubjectSets
  readonly #verdicts: Verdicts
  readonly #budget: Budget
  readonly #maxDepth: number
  readonly #type: number
  readonly #relation: number
  #root = ''
  /** Sets that are still being gathered, which nobody else has yet. */
  readonly #growing = new Map<SubjectSet, Map<string, Verdict>>()

  constructor(
    graph: Graph,
    plan: Plan,
    conditions: Conditions,
    verdicts: Verdicts,
    { subjectType, subjectRelation = '' }: { subjectType: string; subjectRelation?: string },
    { cycles, maxDepth, budget }: { cycles: Cycles; maxDepth: number; budget: Budget },
  ) {
    super(graph, plan, new Memo<SubjectSet>(), cycles, budget)
    this.#conditions = conditions
    this.#verdicts = verdicts
    this.#sets = new SubjectSets(verdicts, budget)
    this.#budget = budget
    this.#maxDepth = maxDepth
    this.#type = graph.names.find(subjectType)
    this.#relation = graph.names.find(subjectRelation)
  }

  find(node: PlanNode, resource: ObjectReference): SubjectSet {
    this.#root = resource.id
    return this.ask(node, this.graph.findObject(node.type, resource.id), this.#maxDepth, false)
  }

  protected itself(node: PlanNode, object: number): SubjectSet {
    return node.relation === this.#relation && node.type === this.#type ? this.#only(object) : emptySet
  }

  protected self(node: PlanNode, object: number): SubjectSet {
    return this.#relation === 0 && node.type === this.#type ? this.#only(object) : emptySet
  }

  #only(object: number): SubjectSet {
    const id = object < 0 ? this.#root : this.graph.objectId(object)
    return { ...emptySet, found: new Map([[id, has]]) }
  }

  protected direct(_node: PlanNode, _object: number, point: number): SubjectSet {
    if (point < 0) return emptySet
    const found = new Map<string, Verdict>()
    let everyone: Verdict = no
    for (let edge = this.graph.firstObject(point); edge >= 0; edge = this.graph.nextOut(edge)) {
      const object = this.#subjectOf(edge)
      if (object < 0) continue
      const id = this.graph.objectId(object)
      if (id === '*') everyone = this.condition(edge)
      else if (this.#relation === 0) this.#put(found, id, edge)
    }
    if (this.#relation !== 0) {
      for (let edge = this.graph.firstSet(point); edge >= 0; edge = this.graph.nextOut(edge)) {
        const object = this.#subjectOf(edge)
        const relation = this.graph.pointRelation(this.graph.edgeSubject(edge))
        if (object >= 0 && relation === this.#relation) this.#put(found, this.graph.objectId(object), edge)
      }
    }
    return { found, everyone, excluded: emptySet.excluded }
  }

  /** -1 where it is of another type. */
  #subjectOf(edge: number): number {
    this.#budget.spend()
    const object = this.graph.pointObject(this.graph.edgeSubject(edge))
    return this.graph.objectType(object) === this.#type ? object : -1
  }

  #put(found: Map<string, Verdict>, id: string, edge: number): void {
    const condition = this.condition(edge)
    if (condition !== no) found.set(id, this.#verdicts.or(found.get(id) ?? no, condition))
  }

  protected condition(edge: number): Verdict {
    return this.#conditions.of(edge)
  }

  protected isExpired(edge: number): boolean {
    return this.#conditions.isExpired(edge)
  }

  protected under(set: SubjectSet, condition: Verdict): SubjectSet {
    return this.#sets.under(set, condition)
  }

  protected or(one: SubjectSet, other: SubjectSet): SubjectSet {
    return this.#sets.or(one, other)
  }

  /** Many small sets one after another, without copying what is there for each. */
  protected gather(set: SubjectSet, next: SubjectSet): SubjectSet {
    if (set.everyone !== no || next.everyone !== no) return this.#sets.or(set, next)
    const grown = this.#growing.get(set) ?? this.#copied(set)
    this.#budget.spend(next.found.size)
    for (const [id, verdict] of next.found) grown.set(id, this.#verdicts.or(grown.get(id) ?? no, verdict))
    if (grown === set.found) return set
    const gathered = { ...emptySet, found: grown }
    this.#growing.set(gathered, grown)
    return gathered
  }

  #copied({ found }: SubjectSet): Map<string, Verdict> {
    this.#budget.spend(found.size)
    return new Map(found)
  }

  protected gathered(set: SubjectSet): SubjectSet {
    this.#growing.delete(set)
    return set
  }

  protected and(one: SubjectSet, other: SubjectSet): SubjectSet {
    return this.#sets.and(one, other)
  }

  protected minus(base: SubjectSet, subtracted: SubjectSet): SubjectSet {
    return this.#sets.minus(base, subtracted)
  }

  protected equals(one: SubjectSet, other: SubjectSet): boolean {
    this.#budget.spend(sizeOf(one))
    return sameSets(one, other)
  }

  protected isAll(): boolean {
    return false
  }

  protected isNone(set: SubjectSet): boolean {
    return isEmpty(set)
  }

  protected isUnknown(): boolean {
    return false
  }

  protected tooDeep(): SubjectSet {
    throw unreachable(true)
  }

  protected inCircle(): SubjectSet {
    throw unreachable(false)
  }

  protected mayAlias(node: PlanNode): boolean {
    return node.type !== this.#type
  }

  protected enter(): void {}

  protected leave(set: SubjectSet): SubjectSet {
    return set
  }

  protected mark(): void {}
}
