import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nameSide, normaliseAngle } from './turntable-angle.ts'

test.for([
  [0, 'Front'],
  [22, 'Front'],
  [23, 'Front right'],
  [90, 'Right'],
  [-90, 'Left'],
  [179, 'Back'],
  [-179, 'Back'],
  [-30, 'Front left'],
  [450, 'Right'],
] as const)('at %i degrees a model shows its side “%s”', ([degrees, side]) => {
  expect(nameSide(degrees)).toBe(side)
})

test('any number of turns gives an angle of the slider, in the same direction', () => {
  fc.assert(
    fc.property(fc.integer({ min: -10_000, max: 10_000 }), (degrees) => {
      const angle = normaliseAngle(degrees)
      expect(angle).toBeGreaterThanOrEqual(-180)
      expect(angle).toBeLessThan(180)
      expect(Math.abs(angle - degrees) % 360).toBe(0)
      expect(nameSide(angle)).toBe(nameSide(degrees))
    }),
  )
})
