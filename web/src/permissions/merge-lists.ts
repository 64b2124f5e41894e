/** The loaded items of a list, sorted by id with `*` first. */
export interface PagedList<T> {
  items: readonly T[]
  /** Whether further pages can be loaded. */
  hasMore: boolean
}

export interface MergedLists<T> {
  /** An id with its item in each list, sorted like the lists. */
  rows: { id: string; items: (T | undefined)[] }[]
  /** Whether the next page of each list is needed for further rows. */
  needsPage: boolean[]
}

/** Merges lists up to the first id after which an incomplete list may have further items. */
export function mergeLists<T extends { id: string }>(lists: readonly PagedList<T>[]): MergedLists<T> {
  const lastKeys = lists.map(findLastKey)
  const end = lastKeys.reduce((least, key) => (key < least ? key : least), maxKey)
  const rows = new Map<string, MergedLists<T>['rows'][number]>()
  for (const [index, { items }] of lists.entries())
    for (const item of items) {
      if (toSortKey(item.id) > end) continue
      const row = rows.get(item.id) ?? { id: item.id, items: lists.map(() => undefined) }
      row.items[index] = item
      rows.set(item.id, row)
    }
  return {
    rows: [...rows.values()].toSorted((a, b) => (toSortKey(a.id) < toSortKey(b.id) ? -1 : 1)),
    needsPage: lists.map(({ hasMore }, index) => hasMore && lastKeys[index] === end),
  }
}

/** Returns a key that sorts like the id, with `*` first: the characters of ids sort between the space and DEL. */
const toSortKey = (id: string) => (id === '*' ? ' ' : id)
const maxKey = '\u{7f}'

/** Returns the key up to which a list is complete. A page may be empty although more follow. */
function findLastKey({ items, hasMore }: PagedList<{ id: string }>): string {
  if (!hasMore) return maxKey
  const last = items.at(-1)
  return last ? toSortKey(last.id) : ''
}
