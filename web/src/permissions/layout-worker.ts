import { Graph, layout } from '@dagrejs/dagre'
import { type LayoutAnswer, type LayoutQuestion, nodeHeight, nodeWidth } from './graph-layout.ts'

addEventListener('message', ({ data }: MessageEvent<LayoutQuestion>) => postMessage(placesOf(data)))

/** The finest ranking of dagre takes seconds for a graph that the next best one takes half of one for. */
const isSmall = (count: number) => count <= 100

function placesOf({ ids, edges, gap }: LayoutQuestion): LayoutAnswer {
  const graph = new Graph()
  const ranker = isSmall(ids.length) ? 'network-simplex' : 'tight-tree'
  graph.setGraph({ rankdir: 'LR', ranker, nodesep: 20, ranksep: gap })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const id of ids) graph.setNode(id, { width: nodeWidth, height: nodeHeight })
  for (const { source, target } of edges) graph.setEdge(source, target)
  layout(graph, { disableOptimalOrderHeuristic: !isSmall(ids.length) })
  return ids.map((id) => {
    const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number }
    return { x: x - nodeWidth / 2, y: y - nodeHeight / 2 }
  })
}
