import fc from 'fast-check'
import { test } from 'vitest'
import { arbitraryHistory, expectConvergence } from './test-histories.ts'

test('10,000 histories of a licence converge', () => {
  fc.assert(fc.property(arbitraryHistory, expectConvergence), { numRuns: 10_000 })
}, 120_000)
