/** A paged list, ordered by id with `*` first; `hasMore` if pages follow. */
export interface Ordered<T> {
  items: readonly T[]
  hasMore: boolean
}

export interface Merged<T> {
  /** For each id, the item of each list. */
  rows: { id: string; items: (T | undefined)[] }[]
  /** The lists whose next page is needed: those known the least far. */
  needs: boolean[]
}

/** Merges lists as far as all are known: beyond the last item of an unfinished list, its contents are unknown. */
export function mergeLists<T extends { id: string }>(lists: readonly Ordered<T>[]): Merged<T> {
  const ends = lists.map(findEnd)
  const end = ends.reduce((least, one) => (one < least ? one : least), lastKey)
  const rows = new Map<string, Merged<T>['rows'][number]>()
  for (const [index, { items }] of lists.entries())
    for (const item of items) {
      if (toSortKey(item.id) > end) continue
      const row = rows.get(item.id) ?? { id: item.id, items: lists.map(() => undefined) }
      row.items[index] = item
      rows.set(item.id, row)
    }
  return {
    rows: [...rows.values()].toSorted((a, b) => (toSortKey(a.id) < toSortKey(b.id) ? -1 : 1)),
    needs: lists.map(({ hasMore }, index) => hasMore && ends[index] === end),
  }
}

/** Sorts like ids, with `*` first: no id contains a space or anything after `~`. */
const toSortKey = (id: string) => (id === '*' ? ' ' : id)
const lastKey = '\u{7f}'

/** Returns how far a list is known. A page may be empty although more follow. */
function findEnd({ items, hasMore }: Ordered<{ id: string }>): string {
  if (!hasMore) return lastKey
  const last = items.at(-1)
  return last ? toSortKey(last.id) : ''
}
