/** What the worker is told. */
export interface LayoutQuestion {
  ids: string[]
  edges: EdgeToPlace[]
}
export interface EdgeToPlace {
  source: string
  target: string
  /** The room that its label takes, in pixels. */
  width: number
  height: number
}

export interface Point {
  x: number
  y: number
}
/** An edge as a path of SVG, and where the middle of its label is. */
export interface PlacedEdge {
  path: string
  label: Point
}
/** The left upper corner of every object, and every edge, in the order in which they came. */
export interface LayoutAnswer {
  places: Point[]
  edges: PlacedEdge[]
}

/** In pixels. */
export const nodeWidth = 140
export const nodeHeight = 44
const lineHeight = 15

/** The room for a label of these lines, by the letters of the longest. */
export const labelSize = (lines: readonly string[]) => ({
  width: Math.min(220, 10 + Math.ceil(6.7 * Math.max(...lines.map(({ length }) => length)))),
  height: 4 + lineHeight * lines.length,
})

/** Lays a graph out beside the page: dagre takes a second for 500 objects, in which nothing else could be done. */
export function layOut(question: LayoutQuestion, signal: AbortSignal): Promise<LayoutAnswer> {
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' })
  return new Promise<LayoutAnswer>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<LayoutAnswer>) => resolve(data))
    worker.addEventListener('error', () => reject(new Error('The graph could not be laid out.')))
    signal.addEventListener('abort', () => reject(signal.reason as Error))
    worker.postMessage(question)
  }).finally(() => worker.terminate())
}
