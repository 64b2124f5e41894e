import { describe, expect, test } from 'vitest'
import { labelSize, nodeHeight, nodeWidth, type Point } from './graph-layout.ts'
import { placesOf } from './graph-places.ts'
import { isInSight, viewOf } from './graph-view.ts'

const edge = (source: string, target: string, ...lines: string[]) => ({ source, target, ...labelSize(lines) })

/** Points on a path of `M`, `C` and `L`, near to each other. */
function pointsOn(path: string): Point[] {
  const points: Point[] = []
  let at: Point = { x: 0, y: 0 }
  for (const [, kind, text = ''] of path.matchAll(/([MCL]) ([^MCL]+)/g)) {
    const n = text.trim().split(' ').map(Number)
    const pair = (from: number): Point => ({ x: n[from] ?? 0, y: n[from + 1] ?? 0 })
    const [one, two, to] = kind === 'C' ? [pair(0), pair(2), pair(4)] : [at, pair(0), pair(0)]
    for (let t = 0; t <= 1 && kind !== 'M'; t += 0.02) {
      const mix = (a: number, b: number, c: number, d: number) =>
        a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t ** 2 * (1 - t) + d * t ** 3
      points.push({ x: mix(at.x, one.x, two.x, to.x), y: mix(at.y, one.y, two.y, to.y) })
    }
    at = to
  }
  return points
}

const ids = ['roadmap', 'plans', 'company', 'staff', 'engineering', 'ada', 'mia', 'dev']
const edges = [
  edge('roadmap', 'plans', 'folder'),
  edge('roadmap', 'ada', 'reviewer'),
  edge('roadmap', 'engineering', 'editor', '#member'),
  edge('plans', 'company', 'parent'),
  edge('plans', 'mia', 'owner'),
  edge('company', 'staff', 'viewer', '#member'),
  edge('staff', 'engineering', 'member', '#member'),
  edge('staff', 'mia', 'member'),
  edge('staff', 'dev', 'member'),
  edge('engineering', 'ada', 'member'),
]

describe('a graph that is laid out', () => {
  const { places, edges: ways } = placesOf({ ids, edges })

  test('has no label on another, and none on an object', () => {
    const boxes = [
      ...ways.map(({ label }, at) => ({
        x: label.x - (edges[at]?.width ?? 0) / 2,
        y: label.y - (edges[at]?.height ?? 0) / 2,
        ...{ width: edges[at]?.width ?? 0, height: edges[at]?.height ?? 0 },
      })),
      ...places.map((place) => ({ ...place, width: nodeWidth, height: nodeHeight })),
    ]
    const overlaps = boxes.flatMap((a, at) =>
      boxes
        .slice(at + 1)
        .filter((b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height),
    )
    expect(overlaps).toEqual([])
  })

  test('has no edge through an object', () => {
    const within = ways.flatMap(({ path }) =>
      pointsOn(path).filter(({ x, y }) =>
        places.some((one) => x > one.x + 1 && x < one.x + nodeWidth - 1 && y > one.y && y < one.y + nodeHeight),
      ),
    )
    expect(within).toEqual([])
  })

  test('has edges through their labels', () => {
    for (const { path, label } of ways) {
      const far = pointsOn(path).map(({ x, y }) => Math.hypot(x - label.x, y - label.y))
      expect(Math.min(...far)).toBeLessThan(8)
    }
  })
})

test('an edge and the one back have ways of their own, and so has one to itself', () => {
  const { places, edges: ways } = placesOf({
    ids: ['c1', 'c2'],
    edges: [edge('c1', 'c2', 'member'), edge('c2', 'c1', 'member'), edge('c2', 'c2', 'member')],
  })
  const heights = ways.map(({ label }) => label.y)
  expect(Math.abs((heights[0] ?? 0) - (heights[1] ?? 0))).toBeGreaterThanOrEqual(19)
  expect(heights[2]).toBeGreaterThan((places[1]?.y ?? 0) + nodeHeight)
})

describe('what is seen of a graph', () => {
  const places = Array.from({ length: 6 }, (_, at) => ({ x: at * 300, y: at * 60 }))
  const [first, last] = [places[0] as Point, places[5] as Point]

  test('is all of it, where that can be read', () => {
    const room = { width: 1700, height: 600 }
    const view = viewOf(places, { middle: first, isAsked: true, room })
    expect(places.every((place) => isInSight(place, view, room))).toBe(true)
  })

  test('has in it what is looked at, whatever room there is', () => {
    for (const width of [200, 356, 748, 1100])
      for (const middle of places) {
        const room = { width, height: 400 }
        expect(isInSight(middle, viewOf(places, { middle, isAsked: true, room }), room)).toBe(true)
      }
  })

  test('is as wide as its frame, unless nothing could be told from each other then', () => {
    const room = { width: 748, height: 500 }
    const view = viewOf(places, { middle: first, isAsked: false, room })
    expect([isInSight(first, view, room), isInSight(last, view, room)]).toEqual([true, true])
    const phone = { width: 356, height: 500 }
    expect(viewOf(places, { middle: first, isAsked: false, room: phone }).zoom).toBe(0.4)
  })

  test('keeps the size that somebody chose', () => {
    const room = { width: 356, height: 400 }
    const view = viewOf(places, { middle: last, isAsked: true, room, zoom: 1.5 })
    expect([view.zoom, isInSight(last, view, room)]).toEqual([1.5, true])
  })
})
