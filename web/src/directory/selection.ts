import { useRef, useState } from 'react'

/** The selected rows: by id, or all that match the search and filters. */
export type Selected = { ids: string[] } | { all: true }

export interface Selection {
  count: number
  isAll: boolean
  has: (id: string) => boolean
  /** Toggles one row; with `isRange`, all rows between it and the previous one. */
  toggle: (id: string, isRange?: boolean) => void
  /** Selects every row of the page, or none if all are selected. */
  togglePage: () => void
  /** Whether `all`, `some` or none of the page's rows are selected. */
  pageState: 'all' | 'some' | 'none'
  selectAll: () => void
  clear: () => void
  selected: Selected
}

interface SelectionState {
  listKey: string
  ids: ReadonlySet<string>
  isAll: boolean
}

/**
 * Returns the selected rows of a list, which persist across pages. A new `listKey`, such as after a search, clears them.
 */
export function useSelection(listKey: string, pageIds: string[], total: number): Selection {
  const [state, setState] = useState<SelectionState>({ listKey, ids: new Set(), isAll: false })
  const lastId = useRef<string>(undefined)
  const { ids, isAll } = state.listKey === listKey ? state : { ids: new Set<string>(), isAll: false }
  const set = (ids: Iterable<string>) => setState({ listKey, ids: new Set(ids), isAll: false })
  const has = (id: string) => isAll || ids.has(id)
  const selectedCount = pageIds.filter(has).length

  return {
    count: isAll ? total : ids.size,
    isAll,
    has,
    toggle: (id, isRange = false) => {
      const isOn = !has(id)
      const start = isRange && lastId.current !== undefined ? pageIds.indexOf(lastId.current) : -1
      const toggled = start < 0 ? [id] : between(pageIds, start, pageIds.indexOf(id))
      lastId.current = id
      // “All that match” becomes the rows of this page: the ids of others are unknown.
      const next = new Set(isAll ? pageIds : ids)
      for (const rowId of toggled) isOn ? next.add(rowId) : next.delete(rowId)
      set(next)
    },
    togglePage: () => {
      const isAllSelected = selectedCount === pageIds.length
      set(isAllSelected ? [...ids].filter((id) => !pageIds.includes(id)) : [...ids, ...pageIds])
    },
    pageState: selectedCount === 0 ? 'none' : selectedCount === pageIds.length ? 'all' : 'some',
    selectAll: () => setState({ listKey, ids: new Set(), isAll: true }),
    clear: () => set([]),
    selected: isAll ? { all: true } : { ids: [...ids] },
  }
}

const between = (ids: string[], from: number, to: number) => ids.slice(Math.min(from, to), Math.max(from, to) + 1)
