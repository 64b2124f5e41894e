import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareLists, type Ordered } from './compare.ts'

const list = (ids: string[], isMore = false): Ordered<{ id: string }> => ({
  items: ids.map((id) => ({ id })),
  hasMore: isMore,
})
const format = (left: Ordered<{ id: string }>, right: Ordered<{ id: string }>) =>
  compareLists(left, right).rows.map(({ side, item }) => `${side} ${item.id}`)

describe('compareLists', () => {
  test('distinguishes left, right and both, with everyone first', () => {
    expect(format(list(['*', 'ada', 'bo']), list(['ada', 'cy']))).toEqual(['left *', 'both ada', 'left bo', 'right cy'])
  })

  test('compares only as far as both lists are known', () => {
    const compared = compareLists(list(['a', 'b'], true), list(['a', 'd'], true))
    expect(compared.rows.map(({ item }) => item.id)).toEqual(['a', 'b'])
    expect(compared.needs).toEqual({ left: true, right: false })
  })

  test('returns no rows if a list has only an empty page', () => {
    const compared = compareLists(list([], true), list(['*', 'a']))
    expect(compared).toEqual({ rows: [], needs: { left: true, right: false } })
  })

  const ids = fc.uniqueArray(fc.stringMatching(/^[a-zA-Z0-9/_|=+-]{1,4}$|^\*$/), { maxLength: 20 })
  const sortKey = (id: string) => (id === '*' ? ' ' : id)
  const sortIds = (all: string[]) => all.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))

  test('with pages as needed ends like whole lists, and never changes earlier rows', () => {
    fc.assert(
      fc.property(ids, ids, fc.integer({ min: 1, max: 5 }), (leftIds, rightIds, size) => {
        const [left, right] = [sortIds(leftIds), sortIds(rightIds)]
        const all = format(list(left), list(right))
        const read = { left: 0, right: 0 }
        for (let step = 0; step < 60; step++) {
          const part = (all: string[], count: number) => list(all.slice(0, count), count < all.length)
          const { rows, needs } = compareLists(part(left, read.left), part(right, read.right))
          expect(rows.map(({ side, item }) => `${side} ${item.id}`)).toEqual(all.slice(0, rows.length))
          if (!needs.left && !needs.right) break
          if (needs.left) read.left += size
          if (needs.right) read.right += size
        }
        expect(read.left >= left.length && read.right >= right.length).toBe(true)
      }),
    )
  })
})
