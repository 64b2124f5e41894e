import type { Budget } from '../evaluate/budget.ts'
import { dispatchTargets, type Plan, type PlanNode } from '../evaluate/plan.ts'
import type { Graph } from '../graph/graph.ts'
import { PairIndex } from '../graph/pair-index.ts'
import type { Reached } from './reverse-walk.ts'

/**
 * Reports whether the reached nodes contain a cycle. Runs a depth-first search from each, through reached nodes only,
 * restricted to nodes that can be recursive.
 */
export function hasCycle(graph: Graph, plan: Plan, reached: readonly Reached[], budget: Budget): boolean {
  const recursive = reached.filter(({ node }) => node.isRecursive)
  if (recursive.length === 0) return false
  const candidates = new PairIndex()
  for (const { object, node } of recursive) candidates.insert(object, node.index)
  const state = new Uint8Array(candidates.end)
  const openState = 1
  const doneState = 2
  const search = (start: number): boolean => {
    const path: { entry: number; successors: Iterator<number> }[] = []
    const enter = (entry: number) => {
      state[entry] = openState
      path.push({ entry, successors: successorsOf(graph, plan, { candidates, entry, budget }) })
    }
    enter(start)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { value: next, done } = top.successors.next()
      if (done) {
        state[top.entry] = doneState
        path.pop()
      } else if (state[next] === openState) return true
      else if (state[next] !== doneState) enter(next)
    }
    return false
  }
  for (let entry = 0; entry < candidates.end; entry++) if (state[entry] === 0 && search(entry)) return true
  return false
}

function* successorsOf(
  graph: Graph,
  plan: Plan,
  { candidates, entry, budget }: { candidates: PairIndex; entry: number; budget: Budget },
): Iterator<number> {
  const object = candidates.first[entry] as number
  const node = plan.nodes[candidates.second[entry] as number] as PlanNode
  for (const next of node.step
    ? successorsOfPermission(graph, plan, node, object, budget)
    : successorsOfRelation(graph, plan, node, object, budget)) {
    const successor = candidates.find(next.object, next.node.index)
    if (successor >= 0) yield successor
  }
}

function* successorsOfRelation(graph: Graph, plan: Plan, node: PlanNode, object: number, budget: Budget) {
  const objectAndRelation = graph.findObjectAndRelation(object, node.relation)
  if (objectAndRelation < 0) return
  for (let edge = graph.firstUserset(objectAndRelation); edge >= 0; edge = graph.nextOut(edge)) {
    budget.spend()
    const subject = graph.edgeSubject(edge)
    const next = graph.objectOf(subject)
    const userset = plan.node(graph.objectType(next), graph.relationOf(subject))
    if (userset) yield { object: next, node: userset }
  }
}

function* successorsOfPermission(graph: Graph, plan: Plan, node: PlanNode, object: number, budget: Budget) {
  for (const { node: next, left } of dispatchTargets(plan, node)) {
    budget.spend()
    if (left === undefined) yield { object, node: next }
    else {
      const objectAndRelation = graph.findObjectAndRelation(object, left)
      if (objectAndRelation < 0) continue
      for (const first of [graph.firstObject(objectAndRelation), graph.firstUserset(objectAndRelation)]) {
        for (let edge = first; edge >= 0; edge = graph.nextOut(edge)) {
          budget.spend()
          const subject = graph.objectOf(graph.edgeSubject(edge))
          if (graph.objectType(subject) === next.type) yield { object: subject, node: next }
        }
      }
    }
  }
}
