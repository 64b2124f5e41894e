import type { Budget } from './budget.ts'
import { grown } from './columns.ts'
import type { Conditions } from './conditions.ts'
import type { Graph } from './graph.ts'
import { PairIndex } from './pair-index.ts'
import type { Gain, Plan, PlanNode } from './plan.ts'
import type { SubjectReference } from './relationship.ts'
import { has, no } from './verdicts.ts'

/** A node of an object that the subject may have. */
export interface Reached {
  object: number
  node: PlanNode
  /** Reached without conditions, by unions alone, in few enough steps. Otherwise it has to be checked. */
  isSure: boolean
}

/** Walks from one subject up to all that it may have, each node of an object once. */
export class ReverseWalk {
  readonly #graph: Graph
  readonly #plan: Plan
  readonly #conditions: Conditions
  readonly #sureDepth: number
  readonly #budget: Budget
  readonly #found = new PairIndex()
  #isSure = new Uint8Array(64)
  #depth = new Int32Array(64)
  /** Found on the way to what is sure, to be followed when all of that is known. */
  readonly #unsure: { object: number; node: PlanNode; depth: number }[] = []

  constructor(
    graph: Graph,
    plan: Plan,
    conditions: Conditions,
    { maxDepth, budget }: { maxDepth: number; budget: Budget },
  ) {
    this.#graph = graph
    this.#plan = plan
    this.#conditions = conditions
    this.#sureDepth = maxDepth - 2
    this.#budget = budget
  }

  /** All of it; in the order of its finding, which is stable for the same graph. */
  *from(subject: SubjectReference): Iterable<Reached> {
    this.#start(subject)
    let followed = 0
    do {
      followed = this.#follow(followed)
      for (const { object, node, depth } of this.#unsure) this.#note(object, node, depth, false)
      this.#unsure.length = 0
    } while (followed < this.#found.end)
    for (let entry = 0; entry < followed; entry++) {
      const object = this.#found.first[entry] as number
      const node = this.#plan.nodes[this.#found.second[entry] as number] as PlanNode
      yield { object, node, isSure: this.#isSure[entry] === 1 }
    }
  }

  #start({ type, id, relation = '' }: SubjectReference): void {
    const typeNumber = this.#graph.names.find(type)
    const object = this.#graph.findObject(typeNumber, id)
    const node = this.#plan.nodeOf(type, relation)
    if (object >= 0 && node) this.#reach(object, node, 0, true)
    if (object >= 0 && !node) {
      this.#followSubject(object, 0, 0, true)
      for (const self of this.#plan.selves) if (self.type === typeNumber) this.#reach(object, self, 0, false)
    }
    const everyone = this.#graph.findObject(typeNumber, '*')
    if (everyone >= 0) this.#followSubject(everyone, 0, 0, true)
  }

  /** From an entry on until nothing is found any more. */
  #follow(from: number): number {
    let entry = from
    for (; entry < this.#found.end; entry++) {
      const object = this.#found.first[entry] as number
      const node = this.#plan.nodes[this.#found.second[entry] as number] as PlanNode
      const depth = (this.#depth[entry] as number) + 1
      const isSure = this.#isSure[entry] === 1
      this.#budget.spend(node.gains.length)
      for (const gain of node.gains) this.#gain(gain, object, depth, isSure)
      this.#followSubject(object, node.relation, depth, isSure)
    }
    return entry
  }

  /** Where the object stands, itself or as a set. */
  #followSubject(object: number, relation: number, depth: number, isSure: boolean): void {
    this.#eachHolder(object, relation, (resource, held, isAlways) => {
      const node = this.#plan.node(this.#graph.objectType(resource), held)
      if (node) this.#reach(resource, node, depth, isSure && isAlways)
    })
  }

  #gain({ node, left, leftSubjects, isSure: isSureGain }: Gain, object: number, depth: number, isSure: boolean): void {
    if (left === undefined) {
      this.#reach(object, node, depth, isSure && isSureGain)
      return
    }
    for (const relation of leftSubjects) {
      this.#eachHolder(object, relation, (resource, held, isAlways) => {
        if (held !== left || this.#graph.objectType(resource) !== node.type) return
        this.#reach(resource, node, depth, isSure && isSureGain && isAlways)
      })
    }
  }

  #eachHolder(
    object: number,
    relation: number,
    visit: (resource: number, held: number, isAlways: boolean) => void,
  ): void {
    const point = this.#graph.findPoint(object, relation)
    if (point < 0) return
    for (let edge = this.#graph.firstIn(point); edge >= 0; edge = this.#graph.nextIn(edge)) {
      this.#budget.spend()
      const condition = this.#conditions.of(edge)
      if (condition === no) continue
      const resource = this.#graph.edgeResource(edge)
      visit(this.#graph.pointObject(resource), this.#graph.pointRelation(resource), condition === has)
    }
  }

  #reach(object: number, node: PlanNode, depth: number, isSure: boolean): void {
    this.#budget.spend()
    if (isSure && depth < this.#sureDepth) this.#note(object, node, depth, true)
    else if (this.#found.find(object, node.index) < 0) this.#unsure.push({ object, node, depth })
  }

  #note(object: number, node: PlanNode, depth: number, isSure: boolean): void {
    if (this.#found.find(object, node.index) >= 0) return
    const entry = this.#found.insert(object, node.index)
    this.#isSure = grown(this.#isSure, entry + 1)
    this.#depth = grown(this.#depth, entry + 1)
    this.#isSure[entry] = isSure ? 1 : 0
    this.#depth[entry] = depth
  }
}
