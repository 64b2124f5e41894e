import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseRange } from './stored-file.ts'

it.for([
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=2-', { start: 2, end: 10 }],
  ['bytes=2-99', { start: 2, end: 10 }],
  ['bytes=-3', { start: 7, end: 10 }],
  ['bytes=-99', { start: 0, end: 10 }],
  ['bytes=3-2', undefined],
  ['bytes=0-1,3-4', undefined],
  ['bytes=-', undefined],
  ['items=0-1', undefined],
  [undefined, undefined],
] as const)('%s of 10 bytes is the range %j', ([header, range]) => {
  expect(parseRange(header, 10)).toEqual(range)
})

it.for(['bytes=10-', 'bytes=10-20', 'bytes=-0'])('%s of 10 bytes is not satisfiable', (header) => {
  expect(() => parseRange(header, 10)).toThrow('after the end')
})

it.for(['bytes=0-', 'bytes=-1'])('%s of an empty file is not satisfiable', (header) => {
  expect(() => parseRange(header, 0)).toThrow('after the end')
})

it('is within the file for any header', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^bytes=\d{0,17}-\d{0,17}$/), fc.nat(1e6), (header, size) => {
      let range: ReturnType<typeof parseRange>
      try {
        range = parseRange(header, size)
      } catch {
        return true
      }
      return range === undefined || (range.start >= 0 && range.start < range.end && range.end <= size)
    }),
  )
})
