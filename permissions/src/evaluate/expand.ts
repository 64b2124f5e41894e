import type { ExpandedSubject, ExpandRequest, PermissionTree } from '../engine.ts'
import { PermissionError } from '../error.ts'
import { type Condition, type Graph, iterateEdgesOut } from '../graph/graph.ts'
import type { Schema } from '../schema/schema.ts'
import { defaultDepth } from './evaluation.ts'
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
  let partCount = 0
  const root = validateResource(getPlan(schema, graph.names), resource, permission)
  return expandNode(root, graph.findObject(root.type, resource.id), maxDepth)

  function expandNode(node: PlanNode, object: number, remaining: number): PermissionTree {
    if (remaining <= 0) throw new PermissionError('depth-exceeded', 'The tree exceeds the maximum depth.')
    if (node.rewrite) return expandRewrite(node, node.rewrite, object, remaining, true)
    const subjects = listEdges(object, node.relation).map(({ subject, conditions }) => ({ subject, ...conditions }))
    count(subjects.length)
    return createTree(node, object, { kind: 'leaf', subjects })
  }

  /** A permission that is a single reference or arrow is a union with one child. */
  function expandRewrite(
    node: PlanNode,
    rewrite: Rewrite,
    object: number,
    remaining: number,
    isRoot: boolean,
  ): PermissionTree {
    const expandAll = (parts: Rewrite[]) => parts.map((part) => expandRewrite(node, part, object, remaining, false))
    if ('operands' in rewrite)
      return createTree(node, object, { kind: rewrite.kind, children: expandAll(rewrite.operands) })
    if (rewrite.kind === 'exclusion')
      return createTree(node, object, { kind: 'exclusion', children: expandAll([rewrite.base, rewrite.subtracted]) })
    const only = expandOperand(node, rewrite, object, remaining)
    return isRoot ? createTree(node, object, { kind: 'union', children: [only] }) : only
  }

  function expandOperand(
    node: PlanNode,
    rewrite: Exclude<Rewrite, { operands: Rewrite[] } | { kind: 'exclusion' }>,
    object: number,
    remaining: number,
  ): PermissionTree {
    if (rewrite.kind === 'computedUserset') return expandNode(rewrite.node, object, remaining - 1)
    if (rewrite.kind !== 'tupleToUserset') {
      const subjects = rewrite.kind === 'self' ? [{ subject: toReference(node, object) }] : []
      return createTree(node, object, { kind: 'leaf', subjects })
    }
    const children = listEdges(object, rewrite.left).map(({ target, conditions }): PermissionTree => {
      const right = rewrite.rights[graph.objectType(target)]
      // Like SpiceDB, returns a dead end as an empty leaf of the object where the arrow starts.
      const tree = right ? expandNode(right, target, remaining - 1) : createTree(node, object, emptyLeaf)
      return { ...tree, ...conditions }
    })
    return createTree(node, object, { kind: rewrite.of === 'all' ? 'intersection' : 'union', children })
  }

  /** Sorted by subject, because relationships have no inherent order; without expired ones. */
  function listEdges(object: number, relation: number) {
    const edges: (Pick<ExpandedSubject, 'subject'> & { target: number; conditions: Condition | undefined })[] = []
    for (const edge of iterateEdgesOut(graph, object, relation)) {
      const conditions = graph.conditionOf(edge)
      if (conditions?.expiresAt !== undefined && conditions.expiresAt <= now) continue
      const { subject } = graph.relationshipOf(edge)
      edges.push({ subject, target: graph.objectOf(graph.edgeSubject(edge)), conditions })
      if (edges.length > maxParts) count(edges.length)
    }
    return edges.sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1))
  }

  function createTree(node: PlanNode, object: number, tree: PermissionTree['node']): PermissionTree {
    count(1)
    return { resource: toReference(node, object), permission: node.name, node: tree }
  }

  function toReference({ typeName: type }: PlanNode, object: number) {
    return { type, id: object < 0 ? resource.id : graph.objectId(object) }
  }

  function count(parts: number): void {
    partCount += parts
    if (partCount > maxParts) throw new PermissionError('graph-too-large', `The tree has more than ${maxParts} nodes.`)
  }
}

const emptyLeaf: PermissionTree['node'] = { kind: 'leaf', subjects: [] }

const sortKey = ({ subject: { type, id, relation = '' } }: Pick<ExpandedSubject, 'subject'>) =>
  `${type}:${id}#${relation}`
