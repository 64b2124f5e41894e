import { Graph, layout } from '@dagrejs/dagre'
import { type LayoutRequest, type LayoutResult, nodeHeight, nodeWidth, type Point } from './graph-layout.ts'

/** For larger graphs, dagre's best ranker takes seconds and the next best half a second. */
const isSmall = (count: number) => count <= 100

/** Twice the distance between a column of objects and the labels beside it, in pixels. */
const rankGap = 28

/** Places objects, labels and edges without overlaps; an edge and its reverse get separate paths. */
export function computeLayout({ ids, edges }: LayoutRequest): LayoutResult {
  const graph = new Graph()
  const ranker = isSmall(ids.length) ? 'network-simplex' : 'tight-tree'
  graph.setGraph({ rankdir: 'LR', ranker, nodesep: 20, edgesep: 12, ranksep: rankGap })
  for (const id of ids) graph.setNode(id, { width: nodeWidth, height: nodeHeight })
  for (const { source, target, width, height } of edges) graph.setEdge(source, target, { width, height, labelpos: 'c' })
  layout(graph, { disableOptimalOrderHeuristic: !isSmall(ids.length) })
  const centreOf = (id: string): Point => {
    const { x = 0, y = 0 } = graph.node(id) as Partial<Point>
    return { x, y }
  }
  return {
    positions: ids.map(centreOf).map(({ x, y }) => ({ x: x - nodeWidth / 2, y: y - nodeHeight / 2 })),
    edges: edges.map(({ source, target, width }) => {
      const { points = [], x = 0, y = 0 } = graph.edge(source, target) as { points?: Point[] } & Partial<Point>
      const label = { x, y }
      const path =
        source === target
          ? loopPath(centreOf(source), label)
          : edgePath(centreOf(source), centreOf(target), findWaypoints(points, label, width))
      return { path, label }
    }),
  }
}

/**
 * Returns the points of an edge between its ends, which dagre puts on the borders of the objects. The ranks that the edge
 * crosses alternate between labels and objects, starting with labels.
 */
const findWaypoints = (points: readonly Point[], label: Point, width: number): Waypoint[] =>
  points.slice(1, -1).map((point, index) => {
    const isLabel = Math.abs(point.x - label.x) < 1 && Math.abs(point.y - label.y) < 1
    return { ...point, half: isLabel ? width / 2 : index % 2 === 1 ? nodeWidth / 2 : 0 }
  })

/** A point on the path of an edge; the edge is level for `half` pixels on both sides. */
export interface Waypoint extends Point {
  half: number
}

/** Returns an SVG path from the side of one object to the side of another, level at each waypoint. */
function edgePath(source: Point, target: Point, waypoints: readonly Waypoint[]): string {
  const direction = target.x > source.x ? 1 : -1
  const ends = [source, target].map((end) => ({ ...end, half: nodeWidth / 2 })) as [Waypoint, Waypoint]
  const points = [ends[0], ...waypoints, ends[1]]
  const parts = points.flatMap((waypoint, index) => {
    const previous = points[index - 1]
    if (previous === undefined) return [`M ${waypoint.x + direction * waypoint.half} ${waypoint.y}`]
    const [from, to] = [previous.x + direction * previous.half, waypoint.x - direction * waypoint.half]
    const middle = (from + to) / 2
    const curve = `C ${middle} ${previous.y} ${middle} ${waypoint.y} ${to} ${waypoint.y}`
    return waypoint.half > 0 && index < points.length - 1
      ? [curve, `L ${waypoint.x + direction * waypoint.half} ${waypoint.y}`]
      : [curve]
  })
  return parts.join(' ')
}

/** Returns the SVG path of a loop: out of the bottom of an object, down to the label and back. */
function loopPath({ x, y }: Point, label: Point): string {
  const [bottom, offset] = [y + nodeHeight / 2, nodeWidth / 4]
  const controlY = bottom + ((label.y - bottom) * 4) / 3
  return `M ${x + offset} ${bottom} C ${x + offset} ${controlY} ${x - offset} ${controlY} ${x - offset} ${bottom}`
}
