import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeLists, type Ordered } from './merge-lists.ts'

const list = (ids: string[], hasMore = false): Ordered<{ id: string }> => ({
  items: ids.map((id) => ({ id })),
  hasMore,
})
/** Formats each row as its id and the lists that have it: `ada 01`. */
const format = ({ rows }: ReturnType<typeof mergeLists>) =>
  rows.map(({ id, items }) => `${id} ${items.map((item, index) => (item ? index : '')).join('')}`)

describe('mergeLists', () => {
  test('has each id once, with everyone first', () => {
    const merged = mergeLists([list(['*', 'ada', 'bo']), list(['ada', 'cy']), list(['bo'])])
    expect(format(merged)).toEqual(['* 0', 'ada 01', 'bo 02', 'cy 1'])
  })

  test('merges only as far as all lists are known', () => {
    const merged = mergeLists([list(['a', 'b'], true), list(['a', 'd'], true), list(['b', 'c'])])
    expect(format(merged)).toEqual(['a 01', 'b 02'])
    expect(merged.needs).toEqual([true, false, false])
  })

  test('returns no rows if a list has only an empty page', () => {
    expect(mergeLists([list([], true), list(['*', 'a'])])).toEqual({ rows: [], needs: [true, false] })
  })

  const ids = fc.uniqueArray(fc.stringMatching(/^[a-zA-Z0-9/_|=+-]{1,4}$|^\*$/), { maxLength: 20 })
  const sortKey = (id: string) => (id === '*' ? ' ' : id)
  const sortIds = (all: string[]) => all.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))

  test('with pages as needed ends like whole lists, and never changes earlier rows', () => {
    const someLists = fc.array(ids, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(someLists, fc.integer({ min: 1, max: 5 }), (unsorted, size) => {
        const lists = unsorted.map(sortIds)
        const all = format(mergeLists(lists.map((ids) => list(ids))))
        const counts = lists.map(() => 0)
        for (let step = 0; step < 100; step++) {
          const merged = mergeLists(
            lists.map((ids, at) => list(ids.slice(0, counts[at]), (counts[at] ?? 0) < ids.length)),
          )
          expect(format(merged)).toEqual(all.slice(0, merged.rows.length))
          if (!merged.needs.includes(true)) break
          for (const [at, isNeeded] of merged.needs.entries()) if (isNeeded) counts[at] = (counts[at] ?? 0) + size
        }
        expect(lists.every((ids, at) => (counts[at] ?? 0) >= ids.length)).toBe(true)
      }),
    )
  })
})
