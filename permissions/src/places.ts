import type { Budget } from './budget.ts'
import type { Conditions } from './conditions.ts'
import type { Graph } from './graph.ts'
import type { Plan, PlanNode, Step } from './plan.ts'
import type { ObjectReference } from './relationship.ts'
import { no } from './verdicts.ts'

/** A relation of an object that a permission rests on. */
export interface Place {
  resource: ObjectReference
  relation: PlanNode
}

const most = 1000

/**
 * The relations that a permission of an object rests on, nearest first: on the object itself, then on the sets and
 * objects that stand there. What is subtracted is left out.
 */
export function placesBelow(
  graph: Graph,
  plan: Plan,
  conditions: Conditions,
  root: PlanNode,
  resource: ObjectReference,
  { maxDepth, budget }: { maxDepth: number; budget: Budget },
): Place[] {
  const places: Place[] = []
  const seen = new Set<string>()
  let level: { node: PlanNode; object: number }[] = [{ node: root, object: graph.findObject(root.type, resource.id) }]
  for (let depth = 0; depth < maxDepth && level.length > 0 && places.length < most; depth++) {
    const next: typeof level = []
    for (const { node, object } of level) {
      const key = `${object} ${node.index}`
      if (seen.has(key)) continue
      seen.add(key)
      budget.spend()
      if (node.step) for (const found of below(node.step, object)) next.push(found)
      else {
        places.push({ resource: object < 0 ? resource : referenceTo(object), relation: node })
        const found = along(object, node.relation, (type, relation) => plan.node(type, relation))
        for (const one of found) next.push(one)
      }
    }
    level = next
  }
  return places

  function below(step: Step, object: number): { node: PlanNode; object: number }[] {
    if ('operands' in step) return step.operands.flatMap((operand) => below(operand, object))
    if (step.kind === 'exclusion') return below(step.base, object)
    if (step.kind === 'reference') return [{ node: step.node, object }]
    return step.kind === 'arrow' ? along(object, step.left, (type) => step.rights[type]) : []
  }

  function along(object: number, relation: number, nodeFor: (type: number, relation: number) => PlanNode | undefined) {
    const point = graph.findPoint(object, relation)
    const found: { node: PlanNode; object: number }[] = []
    if (point < 0) return found
    for (const first of [graph.firstObject(point), graph.firstSet(point)]) {
      for (let edge = first; edge >= 0 && found.length < most; edge = graph.nextOut(edge)) {
        budget.spend()
        if (conditions.of(edge) === no) continue
        const subject = graph.edgeSubject(edge)
        const next = graph.pointObject(subject)
        const node = nodeFor(graph.objectType(next), graph.pointRelation(subject))
        if (node) found.push({ node, object: next })
      }
    }
    return found
  }

  function referenceTo(object: number): ObjectReference {
    return { type: graph.names.nameOf(graph.objectType(object)), id: graph.objectId(object) }
  }
}
