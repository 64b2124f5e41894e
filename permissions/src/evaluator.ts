import type { Budget } from './budget.ts'
import type { Graph } from './graph.ts'
import { fresh, type Memo, open, provisional, settled } from './memo.ts'
import type { Plan, PlanNode, Step } from './plan.ts'
import { no, type Verdict } from './verdicts.ts'

/**
 * What SpiceDB does when a question comes up on the way to itself and nothing else decides is an `error`. With `visited`
 * it counts as no there, which is what it comes to; but never in what is subtracted, where no would let someone in.
 */
export type Cycles = 'error' | 'visited'

/** As many questions may follow from one another, the first among them. */
export const defaultDepth = 50

const nowhere = 2 ** 30

/**
 * Walks a schema over a graph from a resource down. What the answers are, and how they are put together, is said by who
 * extends it: one answer for one subject, or all subjects at once.
 *
 * Questions that come up on the way to themselves are worked out as the least answer that fits them all: each is first
 * taken as none, and the whole circle is gone over again until nothing changes.
 */
export abstract class Evaluator<V> {
  protected readonly graph: Graph
  protected readonly plan: Plan
  readonly #memo: Memo<V>
  readonly #cycles: Cycles
  readonly #budget: Budget
  /** Whether any question came up on the way to itself. */
  hasCycle = false
  /** How many nodes of objects were worked out. */
  visited = 0
  #opened = 0
  /** The lowest place among the open questions that was run into since the question at hand was opened. */
  #lowest = nowhere
  /** The fewest asks that were left below the question at hand. */
  #least = nowhere
  #isTooDeep = false
  #hasChanged = false
  readonly #provisional: number[] = []

  constructor(graph: Graph, plan: Plan, memo: Memo<V>, cycles: Cycles, budget: Budget) {
    this.graph = graph
    this.plan = plan
    this.#memo = memo
    this.#cycles = cycles
    this.#budget = budget
  }

  protected abstract readonly none: V
  /** What the object's own name as a set gives: that is in itself. */
  protected abstract itself(node: PlanNode, object: number): V
  protected abstract self(node: PlanNode, object: number): V
  /** By the relationships of a point that need no further asking. */
  protected abstract direct(node: PlanNode, object: number, point: number): V
  protected abstract condition(edge: number): Verdict
  protected abstract isExpired(edge: number): boolean
  protected abstract under(value: V, condition: Verdict): V
  protected abstract or(one: V, other: V): V
  protected abstract and(one: V, other: V): V
  /** As `or`, for one after another: may change the first if it made it. `gathered` ends that. */
  protected abstract gather(gathered: V, next: V): V
  protected abstract gathered(value: V): V
  protected abstract minus(base: V, subtracted: V): V
  protected abstract equals(one: V, other: V): boolean
  /** Whether nothing that is added can change it. */
  protected abstract isAll(value: V): boolean
  protected abstract isNone(value: V): boolean
  protected abstract isUnknown(value: V): boolean
  protected abstract tooDeep(): V
  protected abstract inCircle(): V
  /** Around each part, for a trace. */
  protected abstract enter(what: PlanNode | Step | number, object: number): void
  protected abstract leave(value: V): V
  protected abstract mark(what: 'cycle' | 'repeated'): void

  /** Asks a node of an object; `isSubtracted` says that a no would let someone in. */
  protected ask(named: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    this.enter(named, object)
    return this.leave(this.#ask(named, object, remaining, isSubtracted))
  }

  /** Asks a node that is asked of this object once only; it is not worth remembering unless it could come up again. */
  protected askOnce(node: PlanNode, object: number, remaining: number): V {
    if (node.isRecursive || node.isLeaf || remaining <= 0) return this.ask(node, object, remaining, false)
    const own = this.itself(node, object)
    if (this.isAll(own)) return own
    this.enter(node, object)
    return this.leave(this.or(own, this.#evaluate(this.#meant(node), object, remaining, false)))
  }

  #ask(named: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    this.#budget.spend()
    const own = this.itself(named, object)
    if (this.isAll(own)) return own
    if (remaining < this.#least) this.#least = remaining
    if (remaining <= 0) {
      this.#isTooDeep = true
      return this.tooDeep()
    }
    const node = this.#meant(named)
    if (node.isLeaf) return this.or(own, this.#leaf(node, object))
    if (object < 0) return this.or(own, this.#evaluate(node, object, remaining, isSubtracted))
    const what = node.index * 2 + (isSubtracted ? 1 : 0)
    const known = this.#memo.find(object, what)
    if (known >= 0) {
      if (this.#memo.state[known] === open) return this.or(own, this.#circle(known, isSubtracted))
      if (this.#isUsable(known, remaining)) return this.or(own, this.#recall(known, remaining))
    }
    const entry = known >= 0 ? known : this.#memo.add(object, what, this.none)
    return this.or(own, this.#open(entry, node, object, remaining, isSubtracted))
  }

  /** An alias costs no ask, unless subject and object could be of one type. */
  #meant(node: PlanNode): PlanNode {
    let meant = node
    while (meant.alias && this.mayAlias(meant)) meant = meant.alias
    return meant
  }

  protected abstract mayAlias(node: PlanNode): boolean

  #circle(entry: number, isSubtracted: boolean): V {
    this.hasCycle = true
    this.mark('cycle')
    this.#lowest = Math.min(this.#lowest, this.#memo.place[entry] as number)
    return this.#readsNo(isSubtracted) ? (this.#memo.values[entry] as V) : this.inCircle()
  }

  #readsNo(isSubtracted: boolean): boolean {
    return this.#cycles === 'visited' && !isSubtracted
  }

  #isUsable(entry: number, remaining: number): boolean {
    const { state, height } = this.#memo
    if (state[entry] === fresh) return false
    if (height[entry] === -1) return remaining <= (this.#memo.remaining[entry] as number)
    return remaining >= (height[entry] as number)
  }

  #recall(entry: number, remaining: number): V {
    const { state, place, height, values } = this.#memo
    this.mark('repeated')
    if (state[entry] === provisional) this.#lowest = Math.min(this.#lowest, place[entry] as number)
    if (height[entry] === -1) this.#isTooDeep = true
    this.#least = Math.min(this.#least, height[entry] === -1 ? 0 : remaining - (height[entry] as number))
    return values[entry] as V
  }

  #open(entry: number, node: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    const memo = this.#memo
    if (memo.state[entry] !== fresh) memo.values[entry] = this.none
    const place = this.#opened++
    const before = { lowest: this.#lowest, least: this.#least, tooDeep: this.#isTooDeep, changed: this.#hasChanged }
    const since = this.#provisional.length
    const readsNo = this.#readsNo(isSubtracted)
    this.#least = remaining
    this.#isTooDeep = false
    for (;;) {
      memo.state[entry] = open
      memo.place[entry] = place
      this.#lowest = nowhere
      this.#hasChanged = false
      const value = this.#evaluate(node, object, remaining, isSubtracted)
      const isSure = readsNo ? this.isAll(value) : !this.isUnknown(value)
      const isHead = this.#lowest >= place
      const hasMoved = readsNo && !this.equals(value, memo.values[entry] as V)
      memo.values[entry] = value
      if (isHead && !isSure && this.#lowest === place && (hasMoved || this.#hasChanged)) {
        this.#release(since, fresh)
        continue
      }
      memo.state[entry] = isHead || isSure ? settled : provisional
      this.#measure(entry, remaining, value)
      if (isSure) this.#release(since, fresh)
      else if (isHead) this.#release(since, settled)
      else {
        memo.place[entry] = this.#lowest
        this.#provisional.push(entry)
      }
      this.#hasChanged ||= hasMoved
      this.#opened--
      this.#lowest = Math.min(before.lowest, isHead || isSure ? nowhere : this.#lowest)
      this.#hasChanged = before.changed || (!isHead && !isSure && this.#hasChanged)
      this.#least = Math.min(before.least, this.#least)
      this.#isTooDeep ||= before.tooDeep
      return value
    }
  }

  #measure(entry: number, remaining: number, value: V): void {
    const isCutOff = this.#isTooDeep && this.isUnknown(value)
    this.#memo.height[entry] = isCutOff ? -1 : remaining - this.#least
    this.#memo.remaining[entry] = remaining
  }

  /** What rested on assumptions is as good as they were. */
  #release(since: number, state: typeof fresh | typeof settled): void {
    while (this.#provisional.length > since) this.#memo.state[this.#provisional.pop() as number] = state
  }

  #evaluate(node: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    this.visited++
    if (node.step) return this.#step(node, node.step, object, remaining, isSubtracted)
    return this.#relation(node, object, remaining, isSubtracted)
  }

  #leaf(node: PlanNode, object: number): V {
    this.visited++
    const point = this.graph.findPoint(object, node.relation)
    return this.direct(node, object, point)
  }

  #relation(node: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    const point = this.graph.findPoint(object, node.relation)
    let value = this.direct(node, object, point)
    if (point < 0) return value
    for (let edge = this.graph.firstSet(point); edge >= 0 && !this.isAll(value); edge = this.graph.nextOut(edge)) {
      this.#budget.spend()
      const subject = this.graph.edgeSubject(edge)
      const type = this.graph.objectType(this.graph.pointObject(subject))
      const set = this.plan.node(type, this.graph.pointRelation(subject))
      if (set) value = this.gather(value, this.#through(edge, set, remaining, isSubtracted))
    }
    return this.gathered(value)
  }

  /** Along a relationship to a node of its subject. */
  #through(edge: number, right: PlanNode, remaining: number, isSubtracted: boolean): V {
    const condition = this.condition(edge)
    this.enter(edge, -1)
    if (condition === no) return this.leave(this.none)
    const object = this.graph.pointObject(this.graph.edgeSubject(edge))
    return this.leave(this.under(this.ask(right, object, remaining - 1, isSubtracted), condition))
  }

  #step(node: PlanNode, step: Step, object: number, remaining: number, isSubtracted: boolean): V {
    this.#budget.spend()
    if (step.kind === 'reference') return this.ask(step.node, object, remaining - 1, isSubtracted)
    this.enter(step, object)
    return this.leave(this.#compound(node, step, object, remaining, isSubtracted))
  }

  #compound(node: PlanNode, step: Step, object: number, remaining: number, isSubtracted: boolean): V {
    switch (step.kind) {
      case 'union': {
        let value = this.none
        for (const operand of step.operands) {
          value = this.or(value, this.#step(node, operand, object, remaining, isSubtracted))
          if (this.isAll(value)) break
        }
        return value
      }
      case 'intersection': {
        let value: V | undefined
        for (const operand of step.operands) {
          const next = this.#step(node, operand, object, remaining, isSubtracted)
          value = value === undefined ? next : this.and(value, next)
          if (this.isNone(value)) break
        }
        return value ?? this.none
      }
      case 'exclusion': {
        const base = this.#step(node, step.base, object, remaining, isSubtracted)
        return this.isNone(base) ? base : this.minus(base, this.#step(node, step.subtracted, object, remaining, true))
      }
      case 'arrow':
        return this.#arrow(step, object, remaining, isSubtracted)
      case 'self':
        return this.self(node, object)
      default:
        return this.none
    }
  }

  /** Goes by the objects on the left alone, whether they stand there themselves or as a set. */
  #arrow(step: Step & { kind: 'arrow' }, object: number, remaining: number, isSubtracted: boolean): V {
    const point = this.graph.findPoint(object, step.left)
    if (point < 0) return this.none
    let value: V | undefined
    for (let edge = this.#firstOut(point); edge >= 0; edge = this.#nextOut(point, edge)) {
      this.#budget.spend()
      if (this.isExpired(edge)) continue
      const type = this.graph.objectType(this.graph.pointObject(this.graph.edgeSubject(edge)))
      const right = step.rights[type]
      const next = right ? this.#through(edge, right, remaining, isSubtracted) : this.none
      if (value === undefined) value = next
      else value = step.of === 'all' ? this.and(value, next) : this.or(value, next)
      if (step.of === 'all' ? this.isNone(value) : this.isAll(value)) break
    }
    return value ?? this.none
  }

  #firstOut(point: number): number {
    const edge = this.graph.firstObject(point)
    return edge >= 0 ? edge : this.graph.firstSet(point)
  }

  #nextOut(point: number, edge: number): number {
    const next = this.graph.nextOut(edge)
    if (next >= 0 || this.graph.pointRelation(this.graph.edgeSubject(edge)) !== 0) return next
    return this.graph.firstSet(point)
  }
}
