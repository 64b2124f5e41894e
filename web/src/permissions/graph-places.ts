import { Graph, layout } from '@dagrejs/dagre'
import { type LayoutAnswer, type LayoutQuestion, nodeHeight, nodeWidth, type Point } from './graph-layout.ts'
import { loopPath, pathBetween, type Stop } from './graph-path.ts'

/** The finest ranking of dagre takes seconds for a graph that the next best one takes half of one for. */
const isSmall = (count: number) => count <= 100

/** In pixels: between a column of objects and the labels beside it, twice. */
const gap = 28

/** Where objects, labels and edges are, so that none lies on another; edges against the direction have a way of their own. */
export function placesOf({ ids, edges }: LayoutQuestion): LayoutAnswer {
  const graph = new Graph()
  const ranker = isSmall(ids.length) ? 'network-simplex' : 'tight-tree'
  graph.setGraph({ rankdir: 'LR', ranker, nodesep: 20, edgesep: 12, ranksep: gap })
  for (const id of ids) graph.setNode(id, { width: nodeWidth, height: nodeHeight })
  for (const { source, target, width, height } of edges) graph.setEdge(source, target, { width, height, labelpos: 'c' })
  layout(graph, { disableOptimalOrderHeuristic: !isSmall(ids.length) })
  const middleOf = (id: string): Point => {
    const { x = 0, y = 0 } = graph.node(id) as Partial<Point>
    return { x, y }
  }
  return {
    places: ids.map(middleOf).map(({ x, y }) => ({ x: x - nodeWidth / 2, y: y - nodeHeight / 2 })),
    edges: edges.map(({ source, target, width }) => {
      const { points = [], x = 0, y = 0 } = graph.edge(source, target) as { points?: Point[] } & Partial<Point>
      const label = { x, y }
      const path =
        source === target
          ? loopPath(middleOf(source), label)
          : pathBetween(middleOf(source), middleOf(target), stopsOf(points, label, width))
      return { path, label }
    }),
  }
}

/**
 * What an edge passes between its ends. Ranks of labels and of objects take turns, and the first is one of labels; the
 * ends that dagre gives are on the borders of the objects.
 */
const stopsOf = (points: readonly Point[], label: Point, width: number): Stop[] =>
  points.slice(1, -1).map((point, at) => {
    const isLabel = Math.abs(point.x - label.x) < 1 && Math.abs(point.y - label.y) < 1
    return { ...point, half: isLabel ? width / 2 : at % 2 === 1 ? nodeWidth / 2 : 0 }
  })
