import { useRef, useState } from 'react'

/** Rows that were chosen: these, or all that the list has under its word and filters. */
export type Selected = { ids: string[] } | { all: true }

export interface Selection {
  count: number
  isAll: boolean
  has: (id: string) => boolean
  /** Changes one row; with `isRange` all between it and the one before as well. */
  toggle: (id: string, isRange?: boolean) => void
  /** Chooses every row of the page, or none of them where all are chosen. */
  togglePage: () => void
  /** `all` of the page, `some`, or `none`. */
  ofPage: 'all' | 'some' | 'none'
  selectAll: () => void
  clear: () => void
  selected: Selected
}

interface Chosen {
  of: string
  ids: ReadonlySet<string>
  isAll: boolean
}

/**
 * The chosen rows of a list, which stay chosen from page to page. Another word or filter, `listed`, is another list:
 * nothing of it is chosen.
 */
export function useSelection(listed: string, pageIds: string[], total: number): Selection {
  const [state, setState] = useState<Chosen>({ of: listed, ids: new Set(), isAll: false })
  const last = useRef<string>(undefined)
  const { ids, isAll } = state.of === listed ? state : { ids: new Set<string>(), isAll: false }
  const set = (ids: Iterable<string>) => setState({ of: listed, ids: new Set(ids), isAll: false })
  const has = (id: string) => isAll || ids.has(id)
  const chosen = pageIds.filter(has).length

  return {
    count: isAll ? total : ids.size,
    isAll,
    has,
    toggle: (id, isRange = false) => {
      const isOn = !has(id)
      const start = isRange && last.current !== undefined ? pageIds.indexOf(last.current) : -1
      const changed = start < 0 ? [id] : between(pageIds, start, pageIds.indexOf(id))
      last.current = id
      // Of “all that match” the rows of this page are left: the others are not known by their ids.
      const now = new Set(isAll ? pageIds : ids)
      for (const one of changed) isOn ? now.add(one) : now.delete(one)
      set(now)
    },
    togglePage: () => {
      const isWhole = chosen === pageIds.length
      set(isWhole ? [...ids].filter((id) => !pageIds.includes(id)) : [...ids, ...pageIds])
    },
    ofPage: chosen === 0 ? 'none' : chosen === pageIds.length ? 'all' : 'some',
    selectAll: () => setState({ of: listed, ids: new Set(), isAll: true }),
    clear: () => set([]),
    selected: isAll ? { all: true } : { ids: [...ids] },
  }
}

const between = (ids: string[], one: number, other: number) => ids.slice(Math.min(one, other), Math.max(one, other) + 1)
