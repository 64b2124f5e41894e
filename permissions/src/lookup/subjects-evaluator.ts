import type { Budget } from '../evaluate/budget.ts'
import { createUnresolvedError } from '../evaluate/check-evaluator.ts'
import type { Evaluation } from '../evaluate/evaluation.ts'
import { Evaluator } from '../evaluate/evaluator.ts'
import { Memo } from '../evaluate/memo.ts'
import type { PlanNode } from '../evaluate/plan.ts'
import { has, no, type Verdict, type Verdicts } from '../evaluate/verdicts.ts'
import type { ObjectReference } from '../graph/relationship.ts'
import { emptySet, type SubjectSet, SubjectSets } from './subject-set.ts'

/**
 * Finds all subjects of one type in one evaluation. Throws if it meets a path that is too deep, or a cycle that is an
 * error.
 */
export class SubjectsEvaluator extends Evaluator<SubjectSet> {
  readonly #verdicts: Verdicts
  readonly #budget: Budget
  readonly #maxDepth: number
  readonly #relation: number
  #root = ''
  /** The accumulated sets, each with its map of subjects. No other value has these sets yet, so they may be mutated. */
  readonly #growing = new Map<SubjectSet, Map<string, Verdict>>()

  constructor(
    evaluation: Evaluation,
    { subjectType, subjectRelation = '' }: { subjectType: string; subjectRelation?: string },
  ) {
    const { graph, verdicts, budget } = evaluation
    super(evaluation, { algebra: new SubjectSets(verdicts, budget), memo: new Memo<SubjectSet>(), subjectType })
    this.#verdicts = verdicts
    this.#budget = budget
    this.#maxDepth = evaluation.maxDepth
    this.#relation = graph.names.find(subjectRelation)
  }

  find(node: PlanNode, resource: ObjectReference): SubjectSet {
    this.#root = resource.id
    return this.dispatch(node, this.graph.findObject(node.type, resource.id), this.#maxDepth, false)
  }

  protected evaluateIdentity(node: PlanNode, object: number): SubjectSet {
    return node.relation === this.#relation && node.type === this.subjectType ? this.#singleton(object) : emptySet
  }

  protected evaluateSelf(node: PlanNode, object: number): SubjectSet {
    return this.#relation === 0 && node.type === this.subjectType ? this.#singleton(object) : emptySet
  }

  #singleton(object: number): SubjectSet {
    const id = object < 0 ? this.#root : this.graph.objectId(object)
    return { ...emptySet, found: new Map([[id, has]]) }
  }

  protected evaluateDirect(_node: PlanNode, _object: number, objectAndRelation: number): SubjectSet {
    if (objectAndRelation < 0) return emptySet
    const found = new Map<string, Verdict>()
    let wildcard: Verdict = no
    for (let edge = this.graph.firstObjectEdge(objectAndRelation); edge >= 0; edge = this.graph.nextOutEdge(edge)) {
      const object = this.#subjectOf(edge)
      if (object < 0) continue
      const id = this.graph.objectId(object)
      if (id === '*') wildcard = this.conditions.evaluate(edge)
      else if (this.#relation === 0) this.#put(found, id, edge)
    }
    if (this.#relation !== 0) {
      for (let edge = this.graph.firstUsersetEdge(objectAndRelation); edge >= 0; edge = this.graph.nextOutEdge(edge)) {
        const object = this.#subjectOf(edge)
        const relation = this.graph.relationOf(this.graph.edgeSubject(edge))
        if (object >= 0 && relation === this.#relation) this.#put(found, this.graph.objectId(object), edge)
      }
    }
    return { found, wildcard, excluded: emptySet.excluded }
  }

  /** Returns the object of an edge's subject, or -1 if it has another type. */
  #subjectOf(edge: number): number {
    this.#budget.spend()
    const object = this.graph.objectOf(this.graph.edgeSubject(edge))
    return this.graph.objectType(object) === this.subjectType ? object : -1
  }

  #put(found: Map<string, Verdict>, id: string, edge: number): void {
    const condition = this.conditions.evaluate(edge)
    if (condition !== no) found.set(id, this.#verdicts.or(found.get(id) ?? no, condition))
  }

  /** Merges many small sets without a copy of the accumulated set for each. */
  protected override accumulate(set: SubjectSet, next: SubjectSet): SubjectSet {
    if (set.wildcard !== no || next.wildcard !== no) return this.algebra.or(set, next)
    const growing = this.#growing.get(set) ?? this.#copyIndividuals(set)
    this.#budget.spend(next.found.size)
    for (const [id, verdict] of next.found) growing.set(id, this.#verdicts.or(growing.get(id) ?? no, verdict))
    if (growing === set.found) return set
    const accumulated = { ...emptySet, found: growing }
    this.#growing.set(accumulated, growing)
    return accumulated
  }

  #copyIndividuals({ found }: SubjectSet): Map<string, Verdict> {
    this.#budget.spend(found.size)
    return new Map(found)
  }

  protected override finishAccumulation(set: SubjectSet): SubjectSet {
    this.#growing.delete(set)
    return set
  }

  protected handleExcessiveDepth(): SubjectSet {
    throw createUnresolvedError(true)
  }

  protected handleCycle(): SubjectSet {
    throw createUnresolvedError(false)
  }
}
