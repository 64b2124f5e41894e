import { expect, test } from 'vitest'
import { findAxisEnd } from './axis-end.ts'

test.for([
  [0, 4],
  [3, 4],
  [37, 40],
  [401, 500],
  [620, 800],
  [801, 1000],
])('an axis of values up to %i ends at %i', ([max = 0, end]) => {
  expect(findAxisEnd(max)).toBe(end)
})
