import type { ExpandedSubject, ExpandRequest, PermissionTree } from '../engine.ts'
import { PermissionError } from '../error.ts'
import type { Graph } from '../graph/graph.ts'
import type { Schema } from '../schema/schema.ts'
import { defaultDepth } from './evaluator.ts'
import { getPlan, type PlanNode, type Rewrite } from './plan.ts'
import { validateResource } from './validate-request.ts'

/** The maximum number of subjects and nodes in one tree. */
const maxParts = 20_000

/**
 * Expands a permission of a resource, as SpiceDB's ExpandPermissionTree does. Throws as `check` does, with
 * `depth-exceeded` for cycles too, and `graph-too-large`.
 */
export function expand(
  schema: Schema,
  graph: Graph,
  { resource, permission }: ExpandRequest,
  { now, maxDepth = defaultDepth }: { now: number; maxDepth?: number },
): PermissionTree {
  const plan = getPlan(schema, graph.names)
  const node = validateResource(plan, resource, permission)
  return new Expansion(graph, resource.id, now).expand(node, graph.findObject(node.type, resource.id), maxDepth)
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

  expand(node: PlanNode, object: number, remaining: number): PermissionTree {
    if (remaining <= 0) throw new PermissionError('depth-exceeded', 'The tree exceeds the maximum depth.')
    if (node.rewrite) return this.#rewrite(node, node.rewrite, object, remaining, true)
    return this.#tree(node, object, { kind: 'leaf', subjects: this.#subjects(node, object) })
  }

  /** A permission that is a single reference or arrow is a union with one child. */
  #rewrite(node: PlanNode, rewrite: Rewrite, object: number, remaining: number, isRoot: boolean): PermissionTree {
    const children = (rewrites: Rewrite[]) =>
      rewrites.map((part) => this.#rewrite(node, part, object, remaining, false))
    if ('operands' in rewrite)
      return this.#tree(node, object, { kind: rewrite.kind, children: children(rewrite.operands) })
    if (rewrite.kind === 'exclusion')
      return this.#tree(node, object, { kind: 'exclusion', children: children([rewrite.base, rewrite.subtracted]) })
    const only = this.#operand(node, rewrite, object, remaining)
    return isRoot ? this.#tree(node, object, { kind: 'union', children: [only] }) : only
  }

  #operand(
    node: PlanNode,
    rewrite: Exclude<Rewrite, { operands: Rewrite[] } | { kind: 'exclusion' }>,
    object: number,
    remaining: number,
  ): PermissionTree {
    if (rewrite.kind === 'computedUserset') return this.expand(rewrite.node, object, remaining - 1)
    if (rewrite.kind === 'tupleToUserset') return this.#arrow(node, rewrite, object, remaining)
    const self = rewrite.kind === 'self' ? [{ subject: this.#object(node, object) }] : []
    return this.#tree(node, object, { kind: 'leaf', subjects: self })
  }

  #arrow(
    node: PlanNode,
    rewrite: Rewrite & { kind: 'tupleToUserset' },
    object: number,
    remaining: number,
  ): PermissionTree {
    const edges = this.#edges(object, rewrite.left).map((edge) => ({
      edge,
      subject: this.#graph.relationshipOf(edge).subject,
    }))
    const children = edges.sort(compareSubjects).map(({ edge }): PermissionTree => {
      const subject = this.#graph.objectOf(this.#graph.edgeSubject(edge))
      const right = rewrite.rights[this.#graph.objectType(subject)]
      // Like SpiceDB, returns a dead end as an empty leaf of the object where the arrow starts.
      const tree = right ? this.expand(right, subject, remaining - 1) : this.#tree(node, object, emptyLeaf)
      return { ...tree, ...this.#graph.conditionOf(edge) }
    })
    return this.#tree(node, object, { kind: rewrite.of === 'all' ? 'intersection' : 'union', children })
  }

  #subjects(node: PlanNode, object: number): ExpandedSubject[] {
    const subjects = this.#edges(object, node.relation).map((edge) => {
      const { subject, caveat, expiresAt } = this.#graph.relationshipOf(edge)
      return { subject, ...(caveat && { caveat }), ...(expiresAt !== undefined && { expiresAt }) }
    })
    this.#count(subjects.length)
    return subjects.sort(compareSubjects)
  }

  #edges(object: number, relation: number): number[] {
    const objectAndRelation = this.#graph.findObjectAndRelation(object, relation)
    const edges: number[] = []
    if (objectAndRelation < 0) return edges
    for (const first of [this.#graph.firstObject(objectAndRelation), this.#graph.firstUserset(objectAndRelation)]) {
      for (let edge = first; edge >= 0; edge = this.#graph.nextOut(edge)) {
        const expiresAt = this.#graph.conditionOf(edge)?.expiresAt
        if (expiresAt === undefined || expiresAt > this.#now) edges.push(edge)
        if (edges.length > maxParts) this.#count(edges.length)
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
    if (this.#parts > maxParts)
      throw new PermissionError('graph-too-large', `The tree has more than ${maxParts} nodes.`)
  }
}

const emptyLeaf: PermissionTree['node'] = { kind: 'leaf', subjects: [] }

type WithSubject = Pick<ExpandedSubject, 'subject'>

/** Relationships have no inherent order. */
const compareSubjects = (left: WithSubject, right: WithSubject) => (keyOf(left) < keyOf(right) ? -1 : 1)

const keyOf = ({ subject: { type, id, relation = '' } }: WithSubject) => `${type}:${id}#${relation}`
