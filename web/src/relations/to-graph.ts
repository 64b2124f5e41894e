import type { ObjectReference } from '@passport/contract/permission-terms'
import { printReference } from '../permissions/reference.ts'
import type { ShownRelationship } from './use-relations.ts'

/** An object in the graph. */
export interface GraphObject {
  id: string
  object: ObjectReference
  /** Set for a box that stands for further subjects of one object, all by the same relation. */
  more?: { count: number; relation: string }
}

/** All relationships between two objects: the resource, and the subject. */
export interface GraphEdge {
  id: string
  source: string
  target: string
  /** The lines of the label: relations such as `viewer`, each followed by `#member` for a userset. */
  labels: string[]
}

interface Graph {
  objects: GraphObject[]
  edges: GraphEdge[]
  /** The number of omitted objects. */
  omittedCount: number
}

interface GraphLimits {
  objects: number
  /** New subjects to the right of one object. */
  subjectsPerObject: number
}

/** A graph that can be read without scrolling far: a group with a hundred members shows the first of them. */
export const overviewLimits: GraphLimits = { objects: 24, subjectsPerObject: 4 }
/** More objects would be slow to lay out. */
export const detailLimits: GraphLimits = { objects: 500, subjectsPerObject: Number.POSITIVE_INFINITY }

/**
 * Converts relationships to a graph of the first objects, up to the limits. The further subjects of one object are a box
 * with their number.
 */
export function toGraph(rows: readonly ShownRelationship[], limits: GraphLimits): Graph {
  const objects = new Map<string, GraphObject>()
  const edges = new Map<string, GraphEdge>()
  const subjectCounts = new Map<string, number>()
  const omitted = new Set<string>()
  /** The subjects beyond the limit of an object, by object and relation. */
  const further = new Map<string, { source: string; relation: string; subject: ObjectReference; names: Set<string> }>()
  /** `resourceId` is the object on the left of a subject. */
  const addObject = ({ type, id }: ObjectReference, resourceId?: string): string | undefined => {
    const name = printReference({ type, id })
    if (objects.has(name)) return name
    const count = resourceId === undefined ? 0 : (subjectCounts.get(resourceId) ?? 0)
    if (objects.size < limits.objects && count >= limits.subjectsPerObject) return undefined
    if (objects.size >= limits.objects) {
      omitted.add(name)
      return undefined
    }
    if (resourceId !== undefined) subjectCounts.set(resourceId, count + 1)
    objects.set(name, { id: name, object: { type, id } })
    omitted.delete(name)
    return name
  }
  for (const { relationship } of rows) {
    const { resource, relation, subject } = relationship
    const source = addObject(resource)
    const target = source === undefined ? undefined : addObject(subject, source)
    if (source !== undefined && target === undefined) {
      const key = `${source} ${relation}`
      const entry = further.get(key) ?? { source, relation, subject, names: new Set<string>() }
      further.set(key, entry)
      const name = printReference({ type: subject.type, id: subject.id })
      if (!omitted.has(name)) entry.names.add(name)
    }
    if (source === undefined || target === undefined) continue
    const id = `${source} ${target}`
    const lines = subject.relation ? [relation, `#${subject.relation}`] : [relation]
    const edge = edges.get(id)
    if (edge) edge.labels.push(...lines)
    else edges.set(id, { id, source, target, labels: lines })
  }
  for (const [key, { source, relation, subject, names }] of further) {
    if (names.size === 0) continue
    const id = `${key} +`
    const more = { count: names.size, relation }
    objects.set(id, { id, object: { type: subject.type, id: '*' }, more })
    edges.set(id, { id, source, target: id, labels: [relation] })
  }
  return { objects: [...objects.values()], edges: [...edges.values()], omittedCount: omitted.size }
}

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown'

interface Placed {
  id: string
  x: number
  y: number
}

/**
 * Returns the object that an arrow key leads to: right and left follow an edge to the object nearest in height, up and
 * down lead to the next object in the column.
 */
export function findNeighbour(
  from: Placed,
  direction: Direction,
  nodes: readonly Placed[],
  edges: readonly Pick<GraphEdge, 'source' | 'target'>[],
): string | undefined {
  const nearestOf = (ids: string[]) =>
    findNearest(
      from,
      nodes.filter(({ id }) => ids.includes(id)),
    )
  if (direction === 'ArrowRight')
    return nearestOf(edges.flatMap(({ source, target }) => (source === from.id ? [target] : [])))
  if (direction === 'ArrowLeft')
    return nearestOf(edges.flatMap(({ source, target }) => (target === from.id ? [source] : [])))
  const isPast = direction === 'ArrowDown' ? (y: number) => y > from.y : (y: number) => y < from.y
  return findNearest(
    from,
    nodes.filter(({ x, y }) => Math.abs(x - from.x) < 1 && isPast(y)),
  )
}

function findNearest(from: Placed, nodes: readonly Placed[]): string | undefined {
  const distance = ({ x, y }: Placed) => Math.hypot((x - from.x) / 4, y - from.y)
  return nodes.filter(({ id }) => id !== from.id).toSorted((a, b) => distance(a) - distance(b))[0]?.id
}
