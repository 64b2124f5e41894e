import { nodeHeight, nodeWidth, type Point } from './graph-layout.ts'

/** A point on the path of an edge, and the distance to both sides for which the edge stays level. */
export interface Waypoint extends Point {
  half: number
}

/** Returns an SVG path from the side of one object to that of another, level at each stop. */
export function edgePath(source: Point, target: Point, waypoints: readonly Waypoint[]): string {
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

/** Returns the path from an object to itself: below it, down to its label. */
export function loopPath({ x, y }: Point, label: Point): string {
  const [bottom, offset] = [y + nodeHeight / 2, nodeWidth / 4]
  const controlY = bottom + ((label.y - bottom) * 4) / 3
  return `M ${x + offset} ${bottom} C ${x + offset} ${controlY} ${x - offset} ${controlY} ${x - offset} ${bottom}`
}
