import { nodeHeight, nodeWidth, type Point } from './graph-layout.ts'

/** What an edge passes, and how far to both sides of it the edge keeps its height. */
export interface Stop extends Point {
  half: number
}

/** A path of SVG from the side of one object to that of the other, through the stops, level at each. */
export function pathBetween(source: Point, target: Point, stops: readonly Stop[]): string {
  const way = target.x > source.x ? 1 : -1
  const ends = [source, target].map((end) => ({ ...end, half: nodeWidth / 2 })) as [Stop, Stop]
  const all = [ends[0], ...stops, ends[1]]
  const parts = all.flatMap((stop, at) => {
    const before = all[at - 1]
    if (before === undefined) return [`M ${stop.x + way * stop.half} ${stop.y}`]
    const [from, to] = [before.x + way * before.half, stop.x - way * stop.half]
    const middle = (from + to) / 2
    const curve = `C ${middle} ${before.y} ${middle} ${stop.y} ${to} ${stop.y}`
    return stop.half > 0 && at < all.length - 1 ? [curve, `L ${stop.x + way * stop.half} ${stop.y}`] : [curve]
  })
  return parts.join(' ')
}

/** From an object to itself: below it, as far as its label. */
export function loopPath({ x, y }: Point, label: Point): string {
  const [bottom, aside] = [y + nodeHeight / 2, nodeWidth / 4]
  const deep = bottom + ((label.y - bottom) * 4) / 3
  return `M ${x + aside} ${bottom} C ${x + aside} ${deep} ${x - aside} ${deep} ${x - aside} ${bottom}`
}
