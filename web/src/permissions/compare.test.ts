import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareLists, type Ordered } from './compare.ts'

const list = (ids: string[], isMore = false): Ordered<{ id: string }> => ({ items: ids.map((id) => ({ id })), isMore })
const told = (left: Ordered<{ id: string }>, right: Ordered<{ id: string }>) =>
  compareLists(left, right).rows.map(({ side, item }) => `${side} ${item.id}`)

describe('two lists', () => {
  test('are told apart, everyone first', () => {
    expect(told(list(['*', 'ada', 'bo']), list(['ada', 'cy']))).toEqual(['left *', 'both ada', 'left bo', 'right cy'])
  })

  test('are told apart only as far as both are known', () => {
    const compared = compareLists(list(['a', 'b'], true), list(['a', 'd'], true))
    expect(compared.rows.map(({ item }) => item.id)).toEqual(['a', 'b'])
    expect(compared.needs).toEqual({ left: true, right: false })
  })

  test('of which one had an empty page say nothing yet', () => {
    const compared = compareLists(list([], true), list(['*', 'a']))
    expect(compared).toEqual({ rows: [], needs: { left: true, right: false } })
  })

  const ids = fc.uniqueArray(fc.stringMatching(/^[a-zA-Z0-9/_|=+-]{1,4}$|^\*$/), { maxLength: 20 })
  const place = (id: string) => (id === '*' ? ' ' : id)
  const sorted = (all: string[]) => all.toSorted((a, b) => (place(a) < place(b) ? -1 : 1))

  test('read on where it says so end in the same as whole ones, and never take anything back', () => {
    fc.assert(
      fc.property(ids, ids, fc.integer({ min: 1, max: 5 }), (one, other, size) => {
        const [left, right] = [sorted(one), sorted(other)]
        const whole = told(list(left), list(right))
        const read = { left: 0, right: 0 }
        for (let step = 0; step < 60; step++) {
          const part = (all: string[], count: number) => list(all.slice(0, count), count < all.length)
          const { rows, needs } = compareLists(part(left, read.left), part(right, read.right))
          expect(rows.map(({ side, item }) => `${side} ${item.id}`)).toEqual(whole.slice(0, rows.length))
          if (!needs.left && !needs.right) break
          if (needs.left) read.left += size
          if (needs.right) read.right += size
        }
        expect(read.left >= left.length && read.right >= right.length).toBe(true)
      }),
    )
  })
})
