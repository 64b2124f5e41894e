import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendNumber, deriveSlug } from './slug.ts'

test('every name gives a valid slug', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 99 }), (name, number) => {
      for (const slug of [deriveSlug(name, 'org'), appendNumber(deriveSlug(name, 'org'), number)])
        expect(slug).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/)
    }),
  )
})
