import type { LayoutQuestion } from './graph-layout.ts'
import { placesOf } from './graph-places.ts'

addEventListener('message', ({ data }: MessageEvent<LayoutQuestion>) => postMessage(placesOf(data)))
