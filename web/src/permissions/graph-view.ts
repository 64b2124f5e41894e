import { nodeHeight, nodeWidth, type Point } from './graph-layout.ts'

/** In pixels. */
export interface Room {
  width: number
  height: number
}
/** Where the drawing begins in its frame, and how large it is. */
export interface View extends Point {
  zoom: number
}

/** At which scale the text can be read. */
const readable = 0.75
/** Down to which scale it shrinks to be as wide as its frame: of what is asked for the text shall still be made out. */
const smallest = { asked: 0.55, any: 0.4 }
/** Around what is drawn. */
const margin = 20

/**
 * All of it, where it can be read then. Else as wide as the frame as far as that goes, and `middle` as near to the middle
 * as the ends of the drawing allow; where that is what is asked for, it is larger.
 * A `zoom` that somebody chose is kept.
 */
export function viewOf(
  places: readonly Point[],
  { middle, isAsked, room, zoom: chosen }: { middle: Point; isAsked: boolean; room: Room; zoom?: number },
): View {
  const across = extentOf(
    places.map(({ x }) => x),
    nodeWidth,
  )
  const down = extentOf(
    places.map(({ y }) => y),
    nodeHeight,
  )
  const [wide, high] = [scaleFor(across, room.width), scaleFor(down, room.height)]
  const all = Math.min(wide, high)
  const fitting = all >= readable ? all : Math.max(Math.min(wide, readable), isAsked ? smallest.asked : smallest.any)
  const zoom = chosen ?? fitting
  return {
    zoom,
    x: offsetOf(middle.x + nodeWidth / 2, { ...across, room: room.width, zoom }),
    y: offsetOf(middle.y + nodeHeight / 2, { ...down, room: room.height, zoom }),
  }
}

/** Whether an object is seen whole. */
export function isInSight(place: Point, { x, y, zoom }: View, room: Room): boolean {
  const isWithin = (from: number, length: number, all: number) => from >= 0 && from + length <= all
  return (
    isWithin(place.x * zoom + x, nodeWidth * zoom, room.width) &&
    isWithin(place.y * zoom + y, nodeHeight * zoom, room.height)
  )
}

interface Extent {
  from: number
  to: number
}
const extentOf = (all: number[], length: number): Extent => ({ from: Math.min(...all), to: Math.max(...all) + length })
const scaleFor = ({ from, to }: Extent, room: number) => Math.min(1, Math.max(0, room - 2 * margin) / (to - from))

/** Where a drawing begins along one side, so that what is at `at` is in the middle, or nearly where the drawing ends there. */
function offsetOf(at: number, { from, to, room, zoom }: Extent & { room: number; zoom: number }): number {
  const [first, last] = [from * zoom, to * zoom]
  if (last - first + 2 * margin <= room + 1) return (room - last - first) / 2
  return Math.max(room - margin - last, Math.min(margin - first, room / 2 - at * zoom))
}
