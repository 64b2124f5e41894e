import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Crop, centreCrop, maxZoom, moveCrop, toSquare, zoomCrop } from './crop.ts'

const size = { width: 400, height: 300 }

test('a new crop is the largest square in the middle', () => {
  expect(toSquare(size, centreCrop(size))).toEqual({ x: 50, y: 0, side: 300 })
})

test('the picture follows the pointer, up to its edge', () => {
  const moved = moveCrop(size, centreCrop(size), 0.1, 0.1)
  expect(toSquare(size, moved)).toEqual({ x: 20, y: 0, side: 300 })
  expect(toSquare(size, moveCrop(size, moved, -2, 0))).toEqual({ x: 100, y: 0, side: 300 })
})

test('zooming keeps the point below the pointer', () => {
  expect(toSquare(size, zoomCrop(size, centreCrop(size), 2))).toEqual({ x: 125, y: 75, side: 150 })
  const corner = { x: -0.5, y: -0.5 }
  expect(toSquare(size, zoomCrop(size, centreCrop(size), 2, corner))).toEqual({ x: 50, y: 0, side: 150 })
})

const fraction = fc.double({ min: -2, max: 2, noNaN: true })
const step = fc.oneof(
  fc.record({ right: fraction, down: fraction }),
  fc.record({ zoom: fc.double({ min: 0.1, max: 20, noNaN: true }), point: fc.record({ x: fraction, y: fraction }) }),
)

test('the square stays in the picture, whatever the gestures', () => {
  const side = fc.integer({ min: 1, max: 20_000 })
  fc.assert(
    fc.property(fc.record({ width: side, height: side }), fc.array(step, { maxLength: 20 }), (size, steps) => {
      const crop = steps.reduce<Crop>(
        (crop, step) =>
          'zoom' in step ? zoomCrop(size, crop, step.zoom, step.point) : moveCrop(size, crop, step.right, step.down),
        centreCrop(size),
      )
      const { x, y, side } = toSquare(size, crop)
      const rounding = 1e-6 * side
      expect(crop.zoom).toBeGreaterThanOrEqual(1)
      expect(crop.zoom).toBeLessThanOrEqual(maxZoom)
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(-rounding)
      expect(x + side).toBeLessThanOrEqual(size.width + rounding)
      expect(y + side).toBeLessThanOrEqual(size.height + rounding)
    }),
  )
})
