/** Which of two lists contains an item. */
export type Side = 'left' | 'right' | 'both'

/** A paged list, ordered by id with `*` first; `isMore` if pages follow. */
export interface Ordered<T> {
  items: readonly T[]
  hasMore: boolean
}

interface Comparison<T> {
  /** `other` is the right list's version of an item in both. */
  rows: { side: Side; item: T; other?: T }[]
  /** The lists whose next page is needed: those known the least far. */
  needs: { left: boolean; right: boolean }
}

/** Compares two lists as far as both are known: beyond the last row of an unfinished list, its contents are unknown. */
export function compareLists<T extends { id: string }>(left: Ordered<T>, right: Ordered<T>): Comparison<T> {
  const [leftEnd, rightEnd] = [lastKnownKey(left), lastKnownKey(right)]
  const end = leftEnd < rightEnd ? leftEnd : rightEnd
  const [leftById, rightById] = [byId(left), byId(right)]
  const rows: Comparison<T>['rows'] = [
    ...left.items.map((item) => {
      const other = rightById.get(item.id)
      return other ? { side: 'both' as const, item, other } : { side: 'left' as const, item }
    }),
    ...right.items.filter(({ id }) => !leftById.has(id)).map((item) => ({ side: 'right' as const, item })),
  ]
    .filter(({ item }) => sortKey(item.id) <= end)
    .toSorted((a, b) => (sortKey(a.item.id) < sortKey(b.item.id) ? -1 : 1))
  return { rows, needs: { left: left.hasMore && leftEnd === end, right: right.hasMore && rightEnd === end } }
}

const byId = <T extends { id: string }>({ items }: Ordered<T>) => new Map(items.map((item) => [item.id, item]))

/** Sorts like ids, with `*` first: no id contains a space or anything after `~`. */
const sortKey = (id: string) => (id === '*' ? ' ' : id)
const endKey = '\u{7f}'

/** Returns how far a list is known. A page may be empty although more follow. */
function lastKnownKey({ items, hasMore }: Ordered<{ id: string }>): string {
  if (!hasMore) return endKey
  const last = items.at(-1)
  return last ? sortKey(last.id) : ''
}
