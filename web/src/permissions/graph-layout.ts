/** What the worker is told, and what it answers: the left upper corner of every object, in the order in which they came. */
export interface LayoutQuestion {
  ids: string[]
  edges: { source: string; target: string }[]
  /** Between what stands beside each other: room for the longest label. */
  gap: number
}
export type LayoutAnswer = { x: number; y: number }[]

/** In pixels. */
export const nodeWidth = 140
export const nodeHeight = 44

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
