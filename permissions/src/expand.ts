import type { ExpandedSubject, ExpandQuestion, PermissionTree } from './engine.ts'
import { defaultDepth } from './evaluator.ts'
import { PermissionFault } from './fault.ts'
import type { Graph } from './graph.ts'
import { type PlanNode, planOf, type Step } from './plan.ts'
import type { Schema } from './schema.ts'
import { validateResource } from './validate-question.ts'

/** So many subjects and nodes are told in one tree. */
const mostParts = 20_000

/**
 * What a permission of a resource is made of, as SpiceDB's ExpandPermissionTree tells it. Throws as `check` does,
 * `depth-exceeded` also for a circle, and `graph-too-large`.
 */
export function expand(
  schema: Schema,
  graph: Graph,
  { resource, permission }: ExpandQuestion,
  { now, maxDepth = defaultDepth }: { now: number; maxDepth?: number },
): PermissionTree {
  const plan = planOf(schema, graph.names)
  const node = validateResource(plan, resource, permission)
  return new Expansion(graph, resource.id, now).of(node, graph.findObject(node.type, resource.id), maxDepth)
}

class Expansion {
  readonly #graph: Graph
  readonly #rootId: string
  readonly #now: number
  #parts = 0

  constructor(graph: Graph, rootId: string, now: number) {
    this.#graph = graph
    this.#rootId = rootId
    this.#now = now
  }

  of(node: PlanNode, object: number, remaining: number): PermissionTree {
    if (remaining <= 0) throw new PermissionFault('depth-exceeded', 'The tree is deeper than is allowed.')
    if (node.step) return this.#step(node, node.step, object, remaining, true)
    return this.#tree(node, object, { kind: 'leaf', subjects: this.#subjects(node, object) })
  }

  /** A permission that is one reference or arrow is a union of it alone. */
  #step(node: PlanNode, step: Step, object: number, remaining: number, isWhole: boolean): PermissionTree {
    const children = (steps: Step[]) => steps.map((part) => this.#step(node, part, object, remaining, false))
    if ('operands' in step) return this.#tree(node, object, { kind: step.kind, children: children(step.operands) })
    if (step.kind === 'exclusion')
      return this.#tree(node, object, { kind: 'exclusion', children: children([step.base, step.subtracted]) })
    const only = this.#operand(node, step, object, remaining)
    return isWhole ? this.#tree(node, object, { kind: 'union', children: [only] }) : only
  }

  #operand(
    node: PlanNode,
    step: Exclude<Step, { operands: Step[] } | { kind: 'exclusion' }>,
    object: number,
    remaining: number,
  ): PermissionTree {
    if (step.kind === 'reference') return this.of(step.node, object, remaining - 1)
    if (step.kind === 'arrow') return this.#arrow(node, step, object, remaining)
    const self = step.kind === 'self' ? [{ subject: this.#object(node, object) }] : []
    return this.#tree(node, object, { kind: 'leaf', subjects: self })
  }

  #arrow(node: PlanNode, step: Step & { kind: 'arrow' }, object: number, remaining: number): PermissionTree {
    const told = this.#edges(object, step.left).map((edge) => ({
      edge,
      subject: this.#graph.relationshipOf(edge).subject,
    }))
    const children = told.sort(bySubject).map(({ edge }): PermissionTree => {
      const subject = this.#graph.pointObject(this.#graph.edgeSubject(edge))
      const right = step.rights[this.#graph.objectType(subject)]
      // As SpiceDB tells it, what is no way on is an empty leaf of where the arrow starts.
      const tree = right ? this.of(right, subject, remaining - 1) : this.#tree(node, object, none)
      return { ...tree, ...this.#graph.conditionOf(edge) }
    })
    return this.#tree(node, object, { kind: step.of === 'all' ? 'intersection' : 'union', children })
  }

  #subjects(node: PlanNode, object: number): ExpandedSubject[] {
    const subjects = this.#edges(object, node.relation).map((edge) => {
      const { subject, caveat, expiresAt } = this.#graph.relationshipOf(edge)
      return { subject, ...(caveat && { caveat }), ...(expiresAt !== undefined && { expiresAt }) }
    })
    this.#count(subjects.length)
    return subjects.sort(bySubject)
  }

  #edges(object: number, relation: number): number[] {
    const point = this.#graph.findPoint(object, relation)
    const edges: number[] = []
    if (point < 0) return edges
    for (const first of [this.#graph.firstObject(point), this.#graph.firstSet(point)]) {
      for (let edge = first; edge >= 0; edge = this.#graph.nextOut(edge)) {
        const expiresAt = this.#graph.conditionOf(edge)?.expiresAt
        if (expiresAt === undefined || expiresAt > this.#now) edges.push(edge)
        if (edges.length > mostParts) this.#count(edges.length)
      }
    }
    return edges
  }

  #tree(node: PlanNode, object: number, tree: PermissionTree['node']): PermissionTree {
    this.#count(1)
    return { resource: this.#object(node, object), permission: node.name, node: tree }
  }

  #object({ typeName: type }: PlanNode, object: number) {
    return { type, id: object < 0 ? this.#rootId : this.#graph.objectId(object) }
  }

  #count(parts: number): void {
    this.#parts += parts
    if (this.#parts > mostParts)
      throw new PermissionFault('graph-too-large', `The tree has more than ${mostParts} parts.`)
  }
}

const none: PermissionTree['node'] = { kind: 'leaf', subjects: [] }

type WithSubject = Pick<ExpandedSubject, 'subject'>

/** Relationships have no order of their own. */
const bySubject = (one: WithSubject, other: WithSubject) => (keyOf(one) < keyOf(other) ? -1 : 1)

const keyOf = ({ subject: { type, id, relation = '' } }: WithSubject) => `${type}:${id}#${relation}`
