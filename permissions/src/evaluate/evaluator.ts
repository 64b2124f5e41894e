import type { Graph } from '../graph/graph.ts'
import type { Budget } from './budget.ts'
import type { Conditions } from './conditions.ts'
import type { Cycles, Evaluation } from './evaluation.ts'
import { fresh, type Memo, open, provisional, settled } from './memo.ts'
import type { Plan, PlanNode, Rewrite } from './plan.ts'
import { type Algebra, no } from './verdicts.ts'

const unset = 2 ** 30

/**
 * Evaluates userset rewrites over a graph, from a resource down. An algebra combines the values. Subclasses find the
 * value of an object's own relationships: for one subject, or for all subjects at once.
 *
 * Example: `document` has `permission view = viewer + folder->view`, `folder` has `permission view = viewer`, and the
 * relationships are
 *
 *     document:plan#folder@folder:all
 *     folder:all#viewer@group:staff#member
 *     group:staff#member@user:ada
 *
 * `document:plan#view` for `user:ada` dispatches to the operands of the union. `document:plan#viewer` has no
 * relationships, so it is `none`. The arrow is a tuple-to-userset: for each object in `document:plan#folder` it
 * dispatches `view`, here `folder:all#view`. That dispatches its computed userset `folder:all#viewer`, whose only
 * subject is the userset `group:staff#member`, and `group:staff#member` has `user:ada` directly. The verdict `has`
 * returns through each `or` to the top.
 *
 * If `group:staff#member` also contained `group:all#member` and the reverse, each would depend on the other. Such
 * goals form a strongly connected component, found as Tarjan does by the lowest open goal reached (`lowlink`).
 * They are evaluated to their least fixed point: each starts as `none`, and the first of them to be opened, the root of
 * the component, repeats the evaluation until no value grows.
 */
export abstract class Evaluator<V> {
  protected readonly graph: Graph
  protected readonly plan: Plan
  protected readonly conditions: Conditions
  protected readonly algebra: Algebra<V>
  /** The type of the subject, by number. */
  protected readonly subjectType: number
  readonly #memo: Memo<V>
  readonly #cycles: Cycles
  readonly #budget: Budget
  /** Whether the evaluation of any goal met a cycle. */
  hasCycle = false
  /** The number of evaluations of a node on an object. */
  visited = 0
  #openCount = 0
  /** The lowlink of the current goal: the lowest open goal reached since it was opened. */
  #lowlink = unset
  /** The least remaining depth below the current goal. */
  #leastRemaining = unset
  #isTooDeep = false
  #hasChanged = false
  readonly #provisional: number[] = []

  constructor(
    { graph, plan, conditions, cycles, budget }: Evaluation,
    { algebra, memo, subjectType }: { algebra: Algebra<V>; memo: Memo<V>; subjectType: string },
  ) {
    this.graph = graph
    this.plan = plan
    this.conditions = conditions
    this.algebra = algebra
    this.subjectType = graph.names.find(subjectType)
    this.#memo = memo
    this.#cycles = cycles
    this.#budget = budget
  }

  /** Evaluates the identity rule: a userset contains itself. */
  protected abstract evaluateIdentity(node: PlanNode, object: number): V
  /** Evaluates `self`: the object itself as a subject. */
  protected abstract evaluateSelf(node: PlanNode, object: number): V
  /** Evaluates the relationships of an object and relation that need no further dispatch. */
  protected abstract evaluateDirect(node: PlanNode, object: number, objectAndRelation: number): V
  protected abstract handleExcessiveDepth(): V
  protected abstract handleCycle(): V

  /** Like `or`, for a sequence that `finishAccumulation` ends: may mutate the first value if it created it. */
  protected accumulate(accumulated: V, next: V): V {
    return this.algebra.or(accumulated, next)
  }

  protected finishAccumulation(value: V): V {
    return value
  }

  /** For traces: called before each part, and `leave` after it. */
  protected enter(_part: PlanNode | Rewrite | number, _object: number): void {}

  protected leave(value: V): V {
    return value
  }

  protected mark(_kind: 'cycle' | 'repeated'): void {}

  /** Evaluates a node of an object. `isSubtracted` is true inside a subtracted operand. */
  protected dispatch(node: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    this.enter(node, object)
    return this.leave(this.#dispatchGoal(node, object, remaining, isSubtracted))
  }

  /**
   * Like `dispatch`, for a node that is evaluated on this object only once. Memoises the result only if the node may
   * recur.
   */
  protected dispatchOnce(node: PlanNode, object: number, remaining: number): V {
    if (node.isRecursive || node.isLeaf || remaining <= 0) return this.dispatch(node, object, remaining, false)
    const own = this.evaluateIdentity(node, object)
    if (this.algebra.isAll(own)) return own
    this.enter(node, object)
    return this.leave(this.algebra.or(own, this.#evaluate(this.#resolveAlias(node), object, remaining, false)))
  }

  #dispatchGoal(named: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    this.#budget.spend()
    const own = this.evaluateIdentity(named, object)
    if (this.algebra.isAll(own)) return own
    if (remaining < this.#leastRemaining) this.#leastRemaining = remaining
    if (remaining <= 0) {
      this.#isTooDeep = true
      return this.handleExcessiveDepth()
    }
    const node = this.#resolveAlias(named)
    if (node.isLeaf) return this.algebra.or(own, this.#evaluateLeaf(node, object))
    if (object < 0) return this.algebra.or(own, this.#evaluate(node, object, remaining, isSubtracted))
    const goal = node.index * 2 + (isSubtracted ? 1 : 0)
    const known = this.#memo.find(object, goal)
    if (known >= 0) {
      if (this.#memo.state[known] === open) return this.algebra.or(own, this.#readCycle(known, isSubtracted))
      if (this.#isUsable(known, remaining)) return this.algebra.or(own, this.#readMemo(known, remaining))
    }
    const entry = known >= 0 ? known : this.#memo.add(object, goal, this.algebra.none)
    return this.algebra.or(own, this.#evaluateGoal(entry, node, object, remaining, isSubtracted))
  }

  /** Follows aliases, which cost no depth. A node of the subject's type keeps its name, for the identity rule. */
  #resolveAlias(node: PlanNode): PlanNode {
    let target = node
    while (target.alias && target.type !== this.subjectType) target = target.alias
    return target
  }

  #readCycle(entry: number, isSubtracted: boolean): V {
    this.hasCycle = true
    this.mark('cycle')
    this.#lowlink = Math.min(this.#lowlink, this.#memo.lowlink[entry] as number)
    return this.#assumesNo(isSubtracted) ? (this.#memo.values[entry] as V) : this.handleCycle()
  }

  #assumesNo(isSubtracted: boolean): boolean {
    return this.#cycles === 'visited' && !isSubtracted
  }

  #isUsable(entry: number, remaining: number): boolean {
    const { state, height } = this.#memo
    if (state[entry] === fresh) return false
    if (height[entry] === -1) return remaining <= (this.#memo.remaining[entry] as number)
    return remaining >= (height[entry] as number)
  }

  #readMemo(entry: number, remaining: number): V {
    const { state, lowlink, height, values } = this.#memo
    this.mark('repeated')
    if (state[entry] === provisional) this.#lowlink = Math.min(this.#lowlink, lowlink[entry] as number)
    if (height[entry] === -1) this.#isTooDeep = true
    this.#leastRemaining = Math.min(
      this.#leastRemaining,
      height[entry] === -1 ? 0 : remaining - (height[entry] as number),
    )
    return values[entry] as V
  }

  #evaluateGoal(entry: number, node: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    const memo = this.#memo
    if (memo.state[entry] !== fresh) memo.values[entry] = this.algebra.none
    const index = this.#openCount++
    const outer = {
      lowlink: this.#lowlink,
      leastRemaining: this.#leastRemaining,
      tooDeep: this.#isTooDeep,
      changed: this.#hasChanged,
    }
    const firstProvisional = this.#provisional.length
    const assumesNo = this.#assumesNo(isSubtracted)
    this.#leastRemaining = remaining
    this.#isTooDeep = false
    for (;;) {
      memo.state[entry] = open
      memo.lowlink[entry] = index
      this.#lowlink = unset
      this.#hasChanged = false
      const value = this.#evaluate(node, object, remaining, isSubtracted)
      const isFinal = assumesNo ? this.algebra.isAll(value) : !this.algebra.isUnknown(value)
      const isSccRoot = this.#lowlink >= index
      const hasGrown = assumesNo && !this.algebra.equals(value, memo.values[entry] as V)
      memo.values[entry] = value
      if (isSccRoot && !isFinal && this.#lowlink === index && (hasGrown || this.#hasChanged)) {
        this.#release(firstProvisional, fresh)
        continue
      }
      memo.state[entry] = isSccRoot || isFinal ? settled : provisional
      this.#recordDepth(entry, remaining, value)
      if (isFinal) this.#release(firstProvisional, fresh)
      else if (isSccRoot) this.#release(firstProvisional, settled)
      else {
        memo.lowlink[entry] = this.#lowlink
        this.#provisional.push(entry)
      }
      this.#hasChanged ||= hasGrown
      this.#openCount--
      this.#lowlink = Math.min(outer.lowlink, isSccRoot || isFinal ? unset : this.#lowlink)
      this.#hasChanged = outer.changed || (!isSccRoot && !isFinal && this.#hasChanged)
      this.#leastRemaining = Math.min(outer.leastRemaining, this.#leastRemaining)
      this.#isTooDeep ||= outer.tooDeep
      return value
    }
  }

  #recordDepth(entry: number, remaining: number, value: V): void {
    const isCutOff = this.#isTooDeep && this.algebra.isUnknown(value)
    this.#memo.height[entry] = isCutOff ? -1 : remaining - this.#leastRemaining
    this.#memo.remaining[entry] = remaining
  }

  /**
   * Sets the state of the provisional goals from an index on: settled with their root, or fresh to be evaluated again.
   */
  #release(firstProvisional: number, state: typeof fresh | typeof settled): void {
    while (this.#provisional.length > firstProvisional) this.#memo.state[this.#provisional.pop() as number] = state
  }

  #evaluate(node: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    this.visited++
    if (node.rewrite) return this.#evaluateRewrite(node, node.rewrite, object, remaining, isSubtracted)
    return this.#evaluateRelation(node, object, remaining, isSubtracted)
  }

  #evaluateLeaf(node: PlanNode, object: number): V {
    this.visited++
    const objectAndRelation = this.graph.findObjectAndRelation(object, node.relation)
    return this.evaluateDirect(node, object, objectAndRelation)
  }

  #evaluateRelation(node: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    const objectAndRelation = this.graph.findObjectAndRelation(object, node.relation)
    let value = this.evaluateDirect(node, object, objectAndRelation)
    if (objectAndRelation < 0) return value
    for (
      let edge = this.graph.firstUsersetEdge(objectAndRelation);
      edge >= 0 && !this.algebra.isAll(value);
      edge = this.graph.nextOutEdge(edge)
    ) {
      this.#budget.spend()
      const subject = this.graph.edgeSubject(edge)
      const type = this.graph.objectType(this.graph.objectOf(subject))
      const userset = this.plan.getNode(type, this.graph.relationOf(subject))
      if (userset) value = this.accumulate(value, this.#followEdge(edge, userset, remaining, isSubtracted))
    }
    return this.finishAccumulation(value)
  }

  /** Evaluates a node on the object of an edge's subject, under the condition of the edge. */
  #followEdge(edge: number, right: PlanNode, remaining: number, isSubtracted: boolean): V {
    const condition = this.conditions.evaluate(edge)
    this.enter(edge, -1)
    if (condition === no) return this.leave(this.algebra.none)
    const object = this.graph.objectOf(this.graph.edgeSubject(edge))
    return this.leave(this.algebra.applyCondition(this.dispatch(right, object, remaining - 1, isSubtracted), condition))
  }

  #evaluateRewrite(node: PlanNode, rewrite: Rewrite, object: number, remaining: number, isSubtracted: boolean): V {
    this.#budget.spend()
    if (rewrite.kind === 'computedUserset') return this.dispatch(rewrite.node, object, remaining - 1, isSubtracted)
    this.enter(rewrite, object)
    return this.leave(this.#evaluateCompound(node, rewrite, object, remaining, isSubtracted))
  }

  #evaluateCompound(node: PlanNode, rewrite: Rewrite, object: number, remaining: number, isSubtracted: boolean): V {
    switch (rewrite.kind) {
      case 'union': {
        let value = this.algebra.none
        for (const operand of rewrite.operands) {
          value = this.algebra.or(value, this.#evaluateRewrite(node, operand, object, remaining, isSubtracted))
          if (this.algebra.isAll(value)) break
        }
        return value
      }
      case 'intersection': {
        let value: V | undefined
        for (const operand of rewrite.operands) {
          const next = this.#evaluateRewrite(node, operand, object, remaining, isSubtracted)
          value = value === undefined ? next : this.algebra.and(value, next)
          if (this.algebra.isNone(value)) break
        }
        return value ?? this.algebra.none
      }
      case 'exclusion': {
        const base = this.#evaluateRewrite(node, rewrite.base, object, remaining, isSubtracted)
        return this.algebra.isNone(base)
          ? base
          : this.algebra.minus(base, this.#evaluateRewrite(node, rewrite.subtracted, object, remaining, true))
      }
      case 'tupleToUserset':
        return this.#evaluateTupleToUserset(rewrite, object, remaining, isSubtracted)
      case 'self':
        return this.evaluateSelf(node, object)
      default:
        return this.algebra.none
    }
  }

  /** Evaluates an arrow. Its left relation leads to objects: for a userset as subject, to the object of the userset. */
  #evaluateTupleToUserset(
    rewrite: Rewrite & { kind: 'tupleToUserset' },
    object: number,
    remaining: number,
    isSubtracted: boolean,
  ): V {
    const objectAndRelation = this.graph.findObjectAndRelation(object, rewrite.left)
    if (objectAndRelation < 0) return this.algebra.none
    let value: V | undefined
    for (let edge = this.#firstOut(objectAndRelation); edge >= 0; edge = this.#nextOut(objectAndRelation, edge)) {
      this.#budget.spend()
      if (this.conditions.isExpired(edge)) continue
      const type = this.graph.objectType(this.graph.objectOf(this.graph.edgeSubject(edge)))
      const right = rewrite.rights[type]
      const next = right ? this.#followEdge(edge, right, remaining, isSubtracted) : this.algebra.none
      if (value === undefined) value = next
      else value = rewrite.of === 'all' ? this.algebra.and(value, next) : this.algebra.or(value, next)
      if (rewrite.of === 'all' ? this.algebra.isNone(value) : this.algebra.isAll(value)) break
    }
    return value ?? this.algebra.none
  }

  #firstOut(objectAndRelation: number): number {
    const edge = this.graph.firstObjectEdge(objectAndRelation)
    return edge >= 0 ? edge : this.graph.firstUsersetEdge(objectAndRelation)
  }

  #nextOut(objectAndRelation: number, edge: number): number {
    const next = this.graph.nextOutEdge(edge)
    if (next >= 0 || this.graph.relationOf(this.graph.edgeSubject(edge)) !== 0) return next
    return this.graph.firstUsersetEdge(objectAndRelation)
  }
}
