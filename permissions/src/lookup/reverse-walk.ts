import type { Budget } from '../evaluate/budget.ts'
import type { Conditions } from '../evaluate/conditions.ts'
import type { Evaluation } from '../evaluate/evaluation.ts'
import { type Contribution, listDispatchTargets, type Plan, type PlanNode } from '../evaluate/plan.ts'
import { has, no } from '../evaluate/verdicts.ts'
import { type Graph, iterateEdgesOut } from '../graph/graph.ts'
import { ensureCapacity, PairIndex } from '../graph/number-tables.ts'
import type { SubjectReference } from '../graph/relationship.ts'

/** A permission or relation that the subject may have on an object. */
export interface Reached {
  object: number
  node: PlanNode
  /**
   * Whether unconditional relationships and unions alone lead here, within the depth limit. If not, it must be checked.
   */
  isProven: boolean
}

/** Walks from a subject to every permission and relation that it may have on any object. */
export class ReverseWalk {
  readonly #graph: Graph
  readonly #plan: Plan
  readonly #conditions: Conditions
  readonly #provenDepth: number
  readonly #budget: Budget
  readonly #reached = new PairIndex()
  #isProven = new Uint8Array(64)
  #depth = new Int32Array(64)
  /** Unproved nodes, recorded only after all proved ones: a node may be reached in both ways. */
  readonly #unproven: { object: number; node: PlanNode; depth: number }[] = []

  constructor({ graph, plan, conditions, maxDepth, budget }: Evaluation) {
    this.#graph = graph
    this.#plan = plan
    this.#conditions = conditions
    this.#provenDepth = maxDepth - 2
    this.#budget = budget
  }

  /** Yields the reached nodes in the order of discovery, which is stable for the same graph. */
  *walkFrom(subject: SubjectReference): Iterable<Reached> {
    this.#start(subject)
    let followed = 0
    do {
      followed = this.#follow(followed)
      for (const { object, node, depth } of this.#unproven) this.#record(object, node, depth, false)
      this.#unproven.length = 0
    } while (followed < this.#reached.end)
    for (let entry = 0; entry < followed; entry++) {
      const object = this.#reached.first[entry] as number
      const node = this.#plan.nodes[this.#reached.second[entry] as number] as PlanNode
      yield { object, node, isProven: this.#isProven[entry] === 1 }
    }
  }

  #start({ type, id, relation = '' }: SubjectReference): void {
    const typeNumber = this.#graph.names.find(type)
    const object = this.#graph.findObject(typeNumber, id)
    const node = this.#plan.findNode(type, relation)
    if (object >= 0 && node) this.#reach(object, node, 0, true)
    if (object >= 0 && !node) {
      this.#followSubject(object, 0, 0, true)
      for (const self of this.#plan.selfNodes) if (self.type === typeNumber) this.#reach(object, self, 0, false)
    }
    const wildcard = this.#graph.findObject(typeNumber, '*')
    if (wildcard >= 0) this.#followSubject(wildcard, 0, 0, true)
  }

  /** Follows the reached nodes from an entry on, including those added. Returns their number. */
  #follow(from: number): number {
    let entry = from
    for (; entry < this.#reached.end; entry++) {
      const object = this.#reached.first[entry] as number
      const node = this.#plan.nodes[this.#reached.second[entry] as number] as PlanNode
      const depth = (this.#depth[entry] as number) + 1
      const isProven = this.#isProven[entry] === 1
      this.#budget.spend(node.contributions.length)
      for (const contribution of node.contributions) this.#followContribution(contribution, object, depth, isProven)
      this.#followSubject(object, node.relation, depth, isProven)
    }
    return entry
  }

  /** Follows the relationships whose subject is the object, or its userset with the relation. */
  #followSubject(object: number, relation: number, depth: number, isProven: boolean): void {
    this.#forEachResource(object, relation, (resource, relationNumber, isUnconditional) => {
      const node = this.#plan.getNode(this.#graph.objectType(resource), relationNumber)
      if (node) this.#reach(resource, node, depth, isProven && isUnconditional)
    })
  }

  #followContribution(
    { node, left, leftSubjects, isProven: isProvenContribution }: Contribution,
    object: number,
    depth: number,
    isProven: boolean,
  ): void {
    if (left === undefined) {
      this.#reach(object, node, depth, isProven && isProvenContribution)
      return
    }
    for (const relation of leftSubjects) {
      this.#forEachResource(object, relation, (resource, relationNumber, isUnconditional) => {
        if (relationNumber !== left || this.#graph.objectType(resource) !== node.type) return
        this.#reach(resource, node, depth, isProven && isProvenContribution && isUnconditional)
      })
    }
  }

  #forEachResource(
    object: number,
    relation: number,
    visit: (resource: number, relationNumber: number, isUnconditional: boolean) => void,
  ): void {
    const objectAndRelation = this.#graph.findObjectAndRelation(object, relation)
    if (objectAndRelation < 0) return
    for (let edge = this.#graph.firstInEdge(objectAndRelation); edge >= 0; edge = this.#graph.nextInEdge(edge)) {
      this.#budget.spend()
      const condition = this.#conditions.evaluate(edge)
      if (condition === no) continue
      const resource = this.#graph.edgeResource(edge)
      visit(this.#graph.objectOf(resource), this.#graph.relationOf(resource), condition === has)
    }
  }

  #reach(object: number, node: PlanNode, depth: number, isProven: boolean): void {
    this.#budget.spend()
    if (isProven && depth < this.#provenDepth) this.#record(object, node, depth, true)
    else if (this.#reached.find(object, node.index) < 0) this.#unproven.push({ object, node, depth })
  }

  #record(object: number, node: PlanNode, depth: number, isProven: boolean): void {
    if (this.#reached.find(object, node.index) >= 0) return
    const entry = this.#reached.insert(object, node.index)
    this.#isProven = ensureCapacity(this.#isProven, entry + 1)
    this.#depth = ensureCapacity(this.#depth, entry + 1)
    this.#isProven[entry] = isProven ? 1 : 0
    this.#depth[entry] = depth
  }
}

/**
 * Reports whether the reached nodes contain a cycle. Searches depth first, only through reached nodes that are
 * recursive.
 */
export function hasCycle(evaluation: Evaluation, reached: readonly Reached[]): boolean {
  const recursive = reached.filter(({ node }) => node.isRecursive)
  const candidates = new PairIndex()
  for (const { object, node } of recursive) candidates.insert(object, node.index)
  const state = new Uint8Array(candidates.end)
  const openState = 1
  const doneState = 2
  const search = (start: number): boolean => {
    const path: { entry: number; successors: Iterator<number, undefined> }[] = []
    const enter = (entry: number) => {
      state[entry] = openState
      path.push({ entry, successors: successorsOf(evaluation, candidates, entry) })
    }
    enter(start)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { value: next } = top.successors.next()
      if (next === undefined) {
        state[top.entry] = doneState
        path.pop()
      } else if (state[next] === openState) return true
      else if (next >= 0 && state[next] !== doneState) enter(next)
    }
    return false
  }
  for (let entry = 0; entry < candidates.end; entry++) if (state[entry] === 0 && search(entry)) return true
  return false
}

/** Yields the candidates that a candidate dispatches to, and -1 for other targets. */
function* successorsOf(
  { graph, plan, budget }: Evaluation,
  candidates: PairIndex,
  entry: number,
): Generator<number, undefined> {
  const object = candidates.first[entry] as number
  const node = plan.nodes[candidates.second[entry] as number] as PlanNode
  const objectAndRelation = node.rewrite ? -1 : graph.findObjectAndRelation(object, node.relation)
  if (objectAndRelation >= 0) {
    for (let edge = graph.firstUsersetEdge(objectAndRelation); edge >= 0; edge = graph.nextOutEdge(edge)) {
      budget.spend()
      const subject = graph.edgeSubject(edge)
      const target = graph.objectOf(subject)
      const userset = plan.getNode(graph.objectType(target), graph.relationOf(subject))
      if (userset) yield candidates.find(target, userset.index)
    }
  }
  if (!node.rewrite) return
  for (const { node: next, left } of listDispatchTargets(plan, node)) {
    budget.spend()
    if (left === undefined) yield candidates.find(object, next.index)
    else {
      for (const edge of iterateEdgesOut(graph, object, left)) {
        budget.spend()
        const target = graph.objectOf(graph.edgeSubject(edge))
        if (graph.objectType(target) === next.type) yield candidates.find(target, next.index)
      }
    }
  }
}
