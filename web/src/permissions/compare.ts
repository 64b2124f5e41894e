/** Which of two has something: the left one, the right one, or both. */
export type Side = 'left' | 'right' | 'both'

/** A list that comes in pages, ordered by id with `*` first; `isMore` tells that pages follow. */
export interface Ordered<T> {
  items: readonly T[]
  isMore: boolean
}

interface Compared<T> {
  /** `other` is what the right list has of something that is in both. */
  rows: { side: Side; item: T; other?: T }[]
  /** Of which lists the next page is needed to go on: those that are known the least far. */
  needs: { left: boolean; right: boolean }
}

/**
 * Tells two lists apart as far as both are known: past the last row of a list that goes on, nobody can say yet whether
 * it has what the other one has.
 */
export function compareLists<T extends { id: string }>(left: Ordered<T>, right: Ordered<T>): Compared<T> {
  const [leftEnd, rightEnd] = [endOf(left), endOf(right)]
  const end = leftEnd < rightEnd ? leftEnd : rightEnd
  const [ofLeft, ofRight] = [byId(left), byId(right)]
  const rows: Compared<T>['rows'] = [
    ...left.items.map((item) => {
      const other = ofRight.get(item.id)
      return other ? { side: 'both' as const, item, other } : { side: 'left' as const, item }
    }),
    ...right.items.filter(({ id }) => !ofLeft.has(id)).map((item) => ({ side: 'right' as const, item })),
  ]
    .filter(({ item }) => placeOf(item.id) <= end)
    .toSorted((a, b) => (placeOf(a.item.id) < placeOf(b.item.id) ? -1 : 1))
  return { rows, needs: { left: left.isMore && leftEnd === end, right: right.isMore && rightEnd === end } }
}

const byId = <T extends { id: string }>({ items }: Ordered<T>) => new Map(items.map((item) => [item.id, item]))

/** Sorts as ids do, and `*` before all of them: no id has a blank, or anything past `~`. */
const placeOf = (id: string) => (id === '*' ? ' ' : id)
const pastAll = '\u{7f}'

/** How far a list is known. A page may be empty though others follow. */
function endOf({ items, isMore }: Ordered<{ id: string }>): string {
  if (!isMore) return pastAll
  const last = items.at(-1)
  return last ? placeOf(last.id) : ''
}
