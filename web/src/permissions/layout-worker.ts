import { computeLayout } from './compute-layout.ts'
import type { LayoutRequest } from './graph-layout.ts'

addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => postMessage(computeLayout(data)))
