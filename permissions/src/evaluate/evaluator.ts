import type { Graph } from '../graph/graph.ts'
import type { Budget } from './budget.ts'
import type { Conditions } from './conditions.ts'
import { fresh, type Memo, open, provisional, settled } from './memo.ts'
import type { Plan, PlanNode, Rewrite } from './plan.ts'
import { no, type Verdict } from './verdicts.ts'

/**
 * The result of a cycle if nothing else decides. `error` is SpiceDB's behaviour. With `visited` a cycle counts as
 * no, its least fixed point, but never in a subtracted operand, where no would grant access.
 */
export type Cycles = 'error' | 'visited'

/** The maximum depth of nested goals, including the first. */
export const defaultDepth = 50

const unset = 2 ** 30

interface EvaluatorOptions<V> {
  conditions: Conditions
  subjectType: string
  memo: Memo<V>
  cycles: Cycles
  budget: Budget
}

/**
 * Evaluates userset rewrites over a graph, from a resource down. Subclasses define the values and how they combine: one
 * verdict for one subject, or all subjects at once.
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
  /** The type of the subject, by number. */
  protected readonly subjectType: number
  readonly #memo: Memo<V>
  readonly #cycles: Cycles
  readonly #budget: Budget
  /** Whether any goal met a cycle. */
  hasCycle = false
  /** The number of nodes of objects evaluated. */
  visited = 0
  #openCount = 0
  /** The lowlink of the current goal: the lowest open goal reached since it was opened. */
  #lowlink = unset
  /** The least remaining depth below the current goal. */
  #leastRemaining = unset
  #isTooDeep = false
  #hasChanged = false
  readonly #provisional: number[] = []

  constructor(graph: Graph, plan: Plan, { conditions, subjectType, memo, cycles, budget }: EvaluatorOptions<V>) {
    this.graph = graph
    this.plan = plan
    this.conditions = conditions
    this.subjectType = graph.names.find(subjectType)
    this.#memo = memo
    this.#cycles = cycles
    this.#budget = budget
  }

  protected abstract readonly none: V
  /** The identity rule: the object's own userset contains itself. */
  protected abstract identity(node: PlanNode, object: number): V
  protected abstract self(node: PlanNode, object: number): V
  /** The relationships of an object and relation that need no further dispatch. */
  protected abstract direct(node: PlanNode, object: number, objectAndRelation: number): V
  protected abstract applyCondition(value: V, condition: Verdict): V
  protected abstract or(left: V, right: V): V
  protected abstract and(left: V, right: V): V
  /** Like `or`, for a sequence that `finishAccumulation` ends: may mutate the first value if it created it. */
  protected abstract accumulate(accumulated: V, next: V): V
  protected abstract finishAccumulation(value: V): V
  protected abstract minus(base: V, subtracted: V): V
  protected abstract equals(left: V, right: V): boolean
  /** Whether a union with any other value leaves it unchanged. */
  protected abstract isAll(value: V): boolean
  protected abstract isNone(value: V): boolean
  protected abstract isUnknown(value: V): boolean
  protected abstract tooDeep(): V
  protected abstract cycleValue(): V

  /** Called around each part, for a trace. */
  protected enter(_part: PlanNode | Rewrite | number, _object: number): void {}

  protected leave(value: V): V {
    return value
  }

  protected mark(_kind: 'cycle' | 'repeated'): void {}

  /** Dispatches a node of an object; `isSubtracted` means that no would grant access. */
  protected dispatch(node: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    this.enter(node, object)
    return this.leave(this.#dispatch(node, object, remaining, isSubtracted))
  }

  /** Dispatches a node that is asked of this object only once. It is memoised only if it could recur. */
  protected dispatchOnce(node: PlanNode, object: number, remaining: number): V {
    if (node.isRecursive || node.isLeaf || remaining <= 0) return this.dispatch(node, object, remaining, false)
    const own = this.identity(node, object)
    if (this.isAll(own)) return own
    this.enter(node, object)
    return this.leave(this.or(own, this.#evaluate(this.#resolveAlias(node), object, remaining, false)))
  }

  #dispatch(named: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    this.#budget.spend()
    const own = this.identity(named, object)
    if (this.isAll(own)) return own
    if (remaining < this.#leastRemaining) this.#leastRemaining = remaining
    if (remaining <= 0) {
      this.#isTooDeep = true
      return this.tooDeep()
    }
    const node = this.#resolveAlias(named)
    if (node.isLeaf) return this.or(own, this.#leaf(node, object))
    if (object < 0) return this.or(own, this.#evaluate(node, object, remaining, isSubtracted))
    const goal = node.index * 2 + (isSubtracted ? 1 : 0)
    const known = this.#memo.find(object, goal)
    if (known >= 0) {
      if (this.#memo.state[known] === open) return this.or(own, this.#readCycle(known, isSubtracted))
      if (this.#isUsable(known, remaining)) return this.or(own, this.#readMemo(known, remaining))
    }
    const entry = known >= 0 ? known : this.#memo.add(object, goal, this.none)
    return this.or(own, this.#open(entry, node, object, remaining, isSubtracted))
  }

  /** Following an alias costs no depth. A userset of the subject's type must be found under its own name. */
  #resolveAlias(node: PlanNode): PlanNode {
    let target = node
    while (target.alias && target.type !== this.subjectType) target = target.alias
    return target
  }

  #readCycle(entry: number, isSubtracted: boolean): V {
    this.hasCycle = true
    this.mark('cycle')
    this.#lowlink = Math.min(this.#lowlink, this.#memo.lowlink[entry] as number)
    return this.#assumesNo(isSubtracted) ? (this.#memo.values[entry] as V) : this.cycleValue()
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

  #open(entry: number, node: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    const memo = this.#memo
    if (memo.state[entry] !== fresh) memo.values[entry] = this.none
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
      const isFinal = assumesNo ? this.isAll(value) : !this.isUnknown(value)
      const isSccRoot = this.#lowlink >= index
      const hasGrown = assumesNo && !this.equals(value, memo.values[entry] as V)
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
    const isCutOff = this.#isTooDeep && this.isUnknown(value)
    this.#memo.height[entry] = isCutOff ? -1 : remaining - this.#leastRemaining
    this.#memo.remaining[entry] = remaining
  }

  /** Provisional results become as valid as the assumptions they depend on. */
  #release(firstProvisional: number, state: typeof fresh | typeof settled): void {
    while (this.#provisional.length > firstProvisional) this.#memo.state[this.#provisional.pop() as number] = state
  }

  #evaluate(node: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    this.visited++
    if (node.rewrite) return this.#rewrite(node, node.rewrite, object, remaining, isSubtracted)
    return this.#relation(node, object, remaining, isSubtracted)
  }

  #leaf(node: PlanNode, object: number): V {
    this.visited++
    const objectAndRelation = this.graph.findObjectAndRelation(object, node.relation)
    return this.direct(node, object, objectAndRelation)
  }

  #relation(node: PlanNode, object: number, remaining: number, isSubtracted: boolean): V {
    const objectAndRelation = this.graph.findObjectAndRelation(object, node.relation)
    let value = this.direct(node, object, objectAndRelation)
    if (objectAndRelation < 0) return value
    for (
      let edge = this.graph.firstUserset(objectAndRelation);
      edge >= 0 && !this.isAll(value);
      edge = this.graph.nextOut(edge)
    ) {
      this.#budget.spend()
      const subject = this.graph.edgeSubject(edge)
      const type = this.graph.objectType(this.graph.objectOf(subject))
      const userset = this.plan.node(type, this.graph.relationOf(subject))
      if (userset) value = this.accumulate(value, this.#follow(edge, userset, remaining, isSubtracted))
    }
    return this.finishAccumulation(value)
  }

  /** Follows a relationship to a node of its subject. */
  #follow(edge: number, right: PlanNode, remaining: number, isSubtracted: boolean): V {
    const condition = this.conditions.evaluate(edge)
    this.enter(edge, -1)
    if (condition === no) return this.leave(this.none)
    const object = this.graph.objectOf(this.graph.edgeSubject(edge))
    return this.leave(this.applyCondition(this.dispatch(right, object, remaining - 1, isSubtracted), condition))
  }

  #rewrite(node: PlanNode, rewrite: Rewrite, object: number, remaining: number, isSubtracted: boolean): V {
    this.#budget.spend()
    if (rewrite.kind === 'computedUserset') return this.dispatch(rewrite.node, object, remaining - 1, isSubtracted)
    this.enter(rewrite, object)
    return this.leave(this.#compound(node, rewrite, object, remaining, isSubtracted))
  }

  #compound(node: PlanNode, rewrite: Rewrite, object: number, remaining: number, isSubtracted: boolean): V {
    switch (rewrite.kind) {
      case 'union': {
        let value = this.none
        for (const operand of rewrite.operands) {
          value = this.or(value, this.#rewrite(node, operand, object, remaining, isSubtracted))
          if (this.isAll(value)) break
        }
        return value
      }
      case 'intersection': {
        let value: V | undefined
        for (const operand of rewrite.operands) {
          const next = this.#rewrite(node, operand, object, remaining, isSubtracted)
          value = value === undefined ? next : this.and(value, next)
          if (this.isNone(value)) break
        }
        return value ?? this.none
      }
      case 'exclusion': {
        const base = this.#rewrite(node, rewrite.base, object, remaining, isSubtracted)
        return this.isNone(base)
          ? base
          : this.minus(base, this.#rewrite(node, rewrite.subtracted, object, remaining, true))
      }
      case 'tupleToUserset':
        return this.#tupleToUserset(rewrite, object, remaining, isSubtracted)
      case 'self':
        return this.self(node, object)
      default:
        return this.none
    }
  }

  /** An arrow. Follows only the objects on the left, whether the subject is the object itself or a userset of it. */
  #tupleToUserset(
    rewrite: Rewrite & { kind: 'tupleToUserset' },
    object: number,
    remaining: number,
    isSubtracted: boolean,
  ): V {
    const objectAndRelation = this.graph.findObjectAndRelation(object, rewrite.left)
    if (objectAndRelation < 0) return this.none
    let value: V | undefined
    for (let edge = this.#firstOut(objectAndRelation); edge >= 0; edge = this.#nextOut(objectAndRelation, edge)) {
      this.#budget.spend()
      if (this.conditions.isExpired(edge)) continue
      const type = this.graph.objectType(this.graph.objectOf(this.graph.edgeSubject(edge)))
      const right = rewrite.rights[type]
      const next = right ? this.#follow(edge, right, remaining, isSubtracted) : this.none
      if (value === undefined) value = next
      else value = rewrite.of === 'all' ? this.and(value, next) : this.or(value, next)
      if (rewrite.of === 'all' ? this.isNone(value) : this.isAll(value)) break
    }
    return value ?? this.none
  }

  #firstOut(objectAndRelation: number): number {
    const edge = this.graph.firstObject(objectAndRelation)
    return edge >= 0 ? edge : this.graph.firstUserset(objectAndRelation)
  }

  #nextOut(objectAndRelation: number, edge: number): number {
    const next = this.graph.nextOut(edge)
    if (next >= 0 || this.graph.relationOf(this.graph.edgeSubject(edge)) !== 0) return next
    return this.graph.firstUserset(objectAndRelation)
  }
}
