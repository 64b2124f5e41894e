import type { Budget } from './budget.ts'
import type { Graph } from './graph.ts'
import { PairIndex } from './pair-index.ts'
import { asked, type Plan, type PlanNode } from './plan.ts'
import type { Reached } from './reverse-walk.ts'

/**
 * Whether any of what was reached is asked on the way to itself. Goes down from each, through what was reached as well,
 * by those nodes only that can be asked on the way to themselves.
 */
export function findsCircle(graph: Graph, plan: Plan, reached: readonly Reached[], budget: Budget): boolean {
  const recursive = reached.filter(({ node }) => node.isRecursive)
  if (recursive.length === 0) return false
  const among = new PairIndex()
  for (const { object, node } of recursive) among.insert(object, node.index)
  const state = new Uint8Array(among.end)
  const isOpen = 1
  const isDone = 2
  const search = (start: number): boolean => {
    const path: { entry: number; further: Iterator<number> }[] = []
    const enter = (entry: number) => {
      state[entry] = isOpen
      path.push({ entry, further: nextOf(graph, plan, { among, entry, budget }) })
    }
    enter(start)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { value: next, done } = top.further.next()
      if (done) {
        state[top.entry] = isDone
        path.pop()
      } else if (state[next] === isOpen) return true
      else if (state[next] !== isDone) enter(next)
    }
    return false
  }
  for (let entry = 0; entry < among.end; entry++) if (state[entry] === 0 && search(entry)) return true
  return false
}

function* nextOf(
  graph: Graph,
  plan: Plan,
  { among, entry, budget }: { among: PairIndex; entry: number; budget: Budget },
): Iterator<number> {
  const object = among.first[entry] as number
  const node = plan.nodes[among.second[entry] as number] as PlanNode
  for (const next of node.step
    ? ofPermission(graph, plan, node, object, budget)
    : ofRelation(graph, plan, node, object, budget)) {
    const found = among.find(next.object, next.node.index)
    if (found >= 0) yield found
  }
}

function* ofRelation(graph: Graph, plan: Plan, node: PlanNode, object: number, budget: Budget) {
  const point = graph.findPoint(object, node.relation)
  if (point < 0) return
  for (let edge = graph.firstSet(point); edge >= 0; edge = graph.nextOut(edge)) {
    budget.spend()
    const subject = graph.edgeSubject(edge)
    const next = graph.pointObject(subject)
    const set = plan.node(graph.objectType(next), graph.pointRelation(subject))
    if (set) yield { object: next, node: set }
  }
}

function* ofPermission(graph: Graph, plan: Plan, node: PlanNode, object: number, budget: Budget) {
  for (const { node: next, left } of asked(plan, node)) {
    budget.spend()
    if (left === undefined) yield { object, node: next }
    else {
      const point = graph.findPoint(object, left)
      if (point < 0) continue
      for (const first of [graph.firstObject(point), graph.firstSet(point)]) {
        for (let edge = first; edge >= 0; edge = graph.nextOut(edge)) {
          budget.spend()
          const subject = graph.pointObject(graph.edgeSubject(edge))
          if (graph.objectType(subject) === next.type) yield { object: subject, node: next }
        }
      }
    }
  }
}
