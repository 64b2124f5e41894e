import type { ObjectReference } from '@passport/contract/permission-terms'
import { printReference } from './reference.ts'
import type { ShownRelationship } from './use-relations.ts'

/** An object in the graph, and how many relationships of it are there. */
export interface GraphObject {
  id: string
  object: ObjectReference
}

/** Every relationship between two objects: the resource, and who stands in which of its relations. */
export interface GraphEdge {
  id: string
  source: string
  target: string
  /** Line by line: `viewer`, and for a set `#member` below it. */
  labels: string[]
}

export interface GraphParts {
  objects: GraphObject[]
  edges: GraphEdge[]
  /** How many objects there was no room for. */
  left: number
}

/** More objects than this no eye takes in, and no layout is quick with. */
const mostObjects = 500

/** The objects of the relationships and the edges between them, as many as there is room for, the first ones first. */
export function graphParts(rows: readonly ShownRelationship[], most = mostObjects): GraphParts {
  const objects = new Map<string, GraphObject>()
  const edges = new Map<string, GraphEdge>()
  const left = new Set<string>()
  const take = ({ type, id }: ObjectReference): string | undefined => {
    const name = printReference({ type, id })
    if (!objects.has(name) && objects.size >= most) {
      left.add(name)
      return undefined
    }
    objects.set(name, { id: name, object: { type, id } })
    return name
  }
  for (const { relationship } of rows) {
    const { resource, relation, subject } = relationship
    const [source, target] = [take(resource), take(subject)]
    if (source === undefined || target === undefined) continue
    const id = `${source} ${target}`
    const lines = subject.relation ? [relation, `#${subject.relation}`] : [relation]
    const edge = edges.get(id)
    if (edge) edge.labels.push(...lines)
    else edges.set(id, { id, source, target, labels: lines })
  }
  return { objects: [...objects.values()], edges: [...edges.values()], left: left.size }
}

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown'

interface Placed {
  id: string
  x: number
  y: number
}

/** Where an arrow key leads: right and left along the edges, to the nearest in height; up and down to the next beside it. */
export function neighbour(
  at: Placed,
  direction: Direction,
  nodes: readonly Placed[],
  edges: readonly Pick<GraphEdge, 'source' | 'target'>[],
): string | undefined {
  const along = (ids: string[]) =>
    nearest(
      at,
      nodes.filter(({ id }) => ids.includes(id)),
    )
  if (direction === 'ArrowRight')
    return along(edges.flatMap(({ source, target }) => (source === at.id ? [target] : [])))
  if (direction === 'ArrowLeft') return along(edges.flatMap(({ source, target }) => (target === at.id ? [source] : [])))
  const isPast = direction === 'ArrowDown' ? (y: number) => y > at.y : (y: number) => y < at.y
  return nearest(
    at,
    nodes.filter(({ x, y }) => Math.abs(x - at.x) < 1 && isPast(y)),
  )
}

function nearest(at: Placed, nodes: readonly Placed[]): string | undefined {
  const far = ({ x, y }: Placed) => Math.hypot((x - at.x) / 4, y - at.y)
  return nodes.filter(({ id }) => id !== at.id).toSorted((a, b) => far(a) - far(b))[0]?.id
}
