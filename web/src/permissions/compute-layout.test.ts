import { describe, expect, test } from 'vitest'
import { fitView, isVisible } from '../relations/graph-viewport.ts'
import { computeLayout } from './compute-layout.ts'
import { measureLabel, nodeHeight, nodeWidth, type Point } from './graph-layout.ts'

const edge = (source: string, target: string, ...lines: string[]) => ({ source, target, ...measureLabel(lines) })

/** Returns closely spaced points on a path of `M`, `C` and `L`. */
function pointsOn(path: string): Point[] {
  const points: Point[] = []
  let at: Point = { x: 0, y: 0 }
  for (const [, kind, text = ''] of path.matchAll(/([MCL]) ([^MCL]+)/g)) {
    const n = text.trim().split(' ').map(Number)
    const pair = (from: number): Point => ({ x: n[from] ?? 0, y: n[from + 1] ?? 0 })
    const [first, second, to] = kind === 'C' ? [pair(0), pair(2), pair(4)] : [at, pair(0), pair(0)]
    for (let t = 0; t <= 1 && kind !== 'M'; t += 0.02) {
      const mix = (a: number, b: number, c: number, d: number) =>
        a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t ** 2 * (1 - t) + d * t ** 3
      points.push({ x: mix(at.x, first.x, second.x, to.x), y: mix(at.y, first.y, second.y, to.y) })
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

describe('computeLayout', () => {
  const { positions, edges: edgePaths } = computeLayout({ ids, edges })

  test('places labels and objects without overlaps', () => {
    const boxes = [
      ...edgePaths.map(({ label }, index) => ({
        x: label.x - (edges[index]?.width ?? 0) / 2,
        y: label.y - (edges[index]?.height ?? 0) / 2,
        ...{ width: edges[index]?.width ?? 0, height: edges[index]?.height ?? 0 },
      })),
      ...positions.map((position) => ({ ...position, width: nodeWidth, height: nodeHeight })),
    ]
    const overlaps = boxes.flatMap((a, index) =>
      boxes
        .slice(index + 1)
        .filter((b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height),
    )
    expect(overlaps).toEqual([])
  })

  test('draws no edge through an object', () => {
    const within = edgePaths.flatMap(({ path }) =>
      pointsOn(path).filter(({ x, y }) =>
        positions.some(
          (position) =>
            x > position.x + 1 && x < position.x + nodeWidth - 1 && y > position.y && y < position.y + nodeHeight,
        ),
      ),
    )
    expect(within).toEqual([])
  })

  test('draws each edge through its label', () => {
    for (const { path, label } of edgePaths) {
      const distances = pointsOn(path).map(({ x, y }) => Math.hypot(x - label.x, y - label.y))
      expect(Math.min(...distances)).toBeLessThan(8)
    }
  })
})

test('computeLayout separates an edge, its reverse and a loop', () => {
  const { positions, edges: edgePaths } = computeLayout({
    ids: ['c1', 'c2'],
    edges: [edge('c1', 'c2', 'member'), edge('c2', 'c1', 'member'), edge('c2', 'c2', 'member')],
  })
  const heights = edgePaths.map(({ label }) => label.y)
  expect(Math.abs((heights[0] ?? 0) - (heights[1] ?? 0))).toBeGreaterThanOrEqual(19)
  expect(heights[2]).toBeGreaterThan((positions[1]?.y ?? 0) + nodeHeight)
})

describe('fitView', () => {
  const positions = Array.from({ length: 6 }, (_, index) => ({ x: index * 300, y: index * 60 }))
  const [first, last] = [positions[0] as Point, positions[5] as Point]

  test('shows everything if it is readable', () => {
    const size = { width: 1700, height: 600 }
    const view = fitView(positions, { centre: first, isSelected: true, size })
    expect(positions.every((position) => isVisible(position, view, size))).toBe(true)
  })

  test('shows the selected object in any size', () => {
    for (const width of [200, 356, 748, 1100])
      for (const middle of positions) {
        const size = { width, height: 400 }
        expect(isVisible(middle, fitView(positions, { centre: middle, isSelected: true, size }), size)).toBe(true)
      }
  })

  test('keeps text readable, and fits the width beside the details of an object', () => {
    const size = { width: 748, height: 500 }
    const view = fitView(positions, { centre: first, isSelected: false, size })
    expect([isVisible(first, view, size), view.zoom]).toEqual([true, 0.93])
    const narrow = { width: 500, height: 500 }
    expect(fitView(positions, { centre: first, isSelected: false, size: narrow }).zoom).toBe(0.93)
    expect(fitView(positions, { centre: first, isSelected: true, size: narrow }).zoom).toBe(0.75)
  })

  test('shows an object and its neighbours at once on a phone', () => {
    const [centre, neighbour] = [
      { x: 0, y: 0 },
      { x: 270, y: 200 },
    ]
    const size = { width: 356, height: 500 }
    const view = fitView([centre, neighbour], { centre, isSelected: false, size })
    expect([centre, neighbour].map((position) => isVisible(position, view, size))).toEqual([true, true])
    expect(view.zoom).toBeGreaterThan(0.7)
    expect(fitView(positions, { centre: first, isSelected: false, size }).zoom).toBe(0.7)
  })

  test('keeps the chosen zoom', () => {
    const size = { width: 356, height: 400 }
    const view = fitView(positions, { centre: last, isSelected: true, size, zoom: 1.5 })
    expect([view.zoom, isVisible(last, view, size)]).toEqual([1.5, true])
  })
})
