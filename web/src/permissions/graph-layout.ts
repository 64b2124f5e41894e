/** The message to the worker. */
export interface LayoutRequest {
  ids: string[]
  edges: EdgeToLayOut[]
}
export interface EdgeToLayOut {
  source: string
  target: string
  /** The size of its label, in pixels. */
  width: number
  height: number
}

export interface Point {
  x: number
  y: number
}
/** An edge as an SVG path, and the centre of its label. */
export interface PlacedEdge {
  path: string
  label: Point
}
/** The upper left corners of the objects, and the edges, in the order of the request. */
export interface LayoutResult {
  positions: Point[]
  edges: PlacedEdge[]
}

/** The size of an object, in pixels. */
export const nodeWidth = 168
export const nodeHeight = 44
const lineHeight = 15

/** Estimates the size of a label by its longest line, in pixels. */
export const measureLabel = (lines: readonly string[]) => ({
  width: Math.min(220, 10 + Math.ceil(7.9 * Math.max(...lines.map(({ length }) => length)))),
  height: 4 + lineHeight * lines.length,
})

/** Lays out a graph in a worker: dagre needs a second for 500 objects and would block the page. */
export function layOut(request: LayoutRequest, signal: AbortSignal): Promise<LayoutResult> {
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' })
  return new Promise<LayoutResult>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<LayoutResult>) => resolve(data))
    worker.addEventListener('error', () => reject(new Error('The graph could not be laid out.')))
    signal.addEventListener('abort', () => reject(signal.reason as Error))
    worker.postMessage(request)
  }).finally(() => worker.terminate())
}
