import { Graph, layout } from '@dagrejs/dagre'
import { type LayoutRequest, type LayoutResult, nodeHeight, nodeWidth, type Point } from './graph-layout.ts'
import { edgePath, loopPath, type Waypoint } from './graph-path.ts'

/** dagre's best ranking takes seconds for a graph that the next best ranks in half a second. */
const isSmall = (count: number) => count <= 100

/** In pixels: twice the distance between a column of objects and the labels beside it. */
const rankGap = 28

/** Places objects, labels and edges without overlaps; reverse edges get separate paths. */
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
 * Returns the points of an edge between its ends. Ranks of labels and of objects alternate, starting with labels;
 * dagre's end points are on the borders of the objects.
 */
const findWaypoints = (points: readonly Point[], label: Point, width: number): Waypoint[] =>
  points.slice(1, -1).map((point, index) => {
    const isLabel = Math.abs(point.x - label.x) < 1 && Math.abs(point.y - label.y) < 1
    return { ...point, half: isLabel ? width / 2 : index % 2 === 1 ? nodeWidth / 2 : 0 }
  })
