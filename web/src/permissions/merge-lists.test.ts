import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeLists, type PagedList } from './merge-lists.ts'

const list = (ids: string[], hasMore = false): PagedList<{ id: string }> => ({
  items: ids.map((id) => ({ id })),
  hasMore,
})
/** Formats each row as its id and the lists that have it: `ada 01`. */
const format = ({ rows }: ReturnType<typeof mergeLists>) =>
  rows.map(({ id, items }) => `${id} ${items.map((item, index) => (item ? index : '')).join('')}`)

describe('mergeLists', () => {
  test('returns a row for each id, with the wildcard first', () => {
    const merged = mergeLists([list(['*', 'ada', 'bo']), list(['ada', 'cy']), list(['bo'])])
    expect(format(merged)).toEqual(['* 0', 'ada 01', 'bo 02', 'cy 1'])
  })

  test('returns no rows after the last loaded id of an incomplete list', () => {
    const merged = mergeLists([list(['a', 'b'], true), list(['a', 'd'], true), list(['b', 'c'])])
    expect(format(merged)).toEqual(['a 01', 'b 02'])
    expect(merged.needsPage).toEqual([true, false, false])
  })

  test('returns no rows while an incomplete list has only an empty page', () => {
    expect(mergeLists([list([], true), list(['*', 'a'])])).toEqual({ rows: [], needsPage: [true, false] })
  })

  const ids = fc.uniqueArray(fc.stringMatching(/^[a-zA-Z0-9/_|=+-]{1,4}$|^\*$/), { maxLength: 20 })
  const sortKey = (id: string) => (id === '*' ? ' ' : id)
  const sortIds = (all: string[]) => all.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))

  test('returns the rows of whole lists once the needed pages are loaded, and never changes earlier rows', () => {
    const someLists = fc.array(ids, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(someLists, fc.integer({ min: 1, max: 5 }), (unsorted, size) => {
        const lists = unsorted.map(sortIds)
        const all = format(mergeLists(lists.map((ids) => list(ids))))
        const counts = lists.map(() => 0)
        for (let step = 0; step < 100; step++) {
          const merged = mergeLists(
            lists.map((ids, index) => list(ids.slice(0, counts[index]), (counts[index] ?? 0) < ids.length)),
          )
          expect(format(merged)).toEqual(all.slice(0, merged.rows.length))
          if (!merged.needsPage.includes(true)) break
          for (const [index, isNeeded] of merged.needsPage.entries())
            if (isNeeded) counts[index] = (counts[index] ?? 0) + size
        }
        expect(lists.every((ids, index) => (counts[index] ?? 0) >= ids.length)).toBe(true)
      }),
    )
  })
})
