import { expect, test } from 'vitest'
import { centreZoomed, frameModel, framePortrait, maxZoom } from './frame-model.ts'

const figure = { min: { x: -0.9, y: 0, z: -0.2 }, max: { x: 0.9, y: 1.8, z: 0.2 } }

test('the turntable shows the whole model at any angle, on its ring', () => {
  for (const aspect of [0.5, 0.8, 2]) {
    const { centreY, height } = frameModel(figure, aspect)
    expect(height * aspect).toBeGreaterThan(Math.hypot(1.8, 0.4))
    expect(centreY + height / 2).toBeGreaterThan(1.8)
    expect((0 - (centreY - height / 2)) / height).toBeCloseTo(0.12)
  }
})

test('the portrait of a figure is its head and shoulders', () => {
  const { centreY, height } = framePortrait({ ...figure, headY: 1.56 })
  expect(height).toBeLessThan(0.8)
  expect(centreY + height / 2).toBeGreaterThan(1.8)
  expect(centreY - height / 2).toBeLessThan(1.4)
})

test('zooming goes from the whole model to the middle of its portrait', () => {
  const bounds = { ...figure, headY: 1.56 }
  const centres = [1, 2, maxZoom].map((zoom) => centreZoomed(bounds, 0.8, zoom))
  expect(centres[0]).toBe(frameModel(bounds, 0.8).centreY)
  expect(centres[2]).toBeCloseTo(framePortrait(bounds).centreY)
  expect(centres).toEqual(centres.toSorted((a, b) => a - b))
})

test.for([undefined, 1.8, 2, 0.1])('the portrait is the whole model with a head bone at %s', (headY) => {
  const { centreY, height } = framePortrait({ ...figure, ...(headY !== undefined && { headY }) })
  expect(centreY).toBe(0.9)
  expect(height).toBeGreaterThan(1.8)
})

test('a flat or empty model still has a view', () => {
  const point = { min: { x: 0, y: 0, z: 0 }, max: { x: 0, y: 0, z: 0 } }
  expect(frameModel(point, 0.8).height).toBeGreaterThan(0)
  expect(framePortrait(point).height).toBeGreaterThan(0)
})
