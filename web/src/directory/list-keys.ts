import { type RefObject, useEffect } from 'react'
import { areShortcutsOn, isTyping } from '../app/shortcut-keys.ts'

/** After `g` a letter belongs to the pair that leads to a page. */
const pairMs = 1200

interface ListKeys {
  search: RefObject<HTMLInputElement | null>
  create: RefObject<HTMLAnchorElement | null>
  /** Holds the rows; what leads to a row's page is marked `data-row`, with its id. */
  rows: RefObject<HTMLElement | null>
  onSelect: ((id: string) => void) | undefined
  /** A list that is a part of a page leaves `c` to the page. */
  isPart: boolean
}

/**
 * The keys of a list: `/` to the search, `c` creates, `j` and `k` go from row to row, `x` chooses. Enter needs no care:
 * what has the focus is the link. They come before the app's own, which leaves alone what was taken here.
 */
export function useListKeys({ search, create, rows, onSelect, isPart }: ListKeys): void {
  useEffect(() => {
    let pairSince = Number.NEGATIVE_INFINITY

    function press(event: KeyboardEvent) {
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return
      if (isTaken(event.target) || !areShortcutsOn() || document.querySelector('dialog[open]')) return
      const isSecond = event.timeStamp - pairSince < pairMs
      pairSince = event.key === 'g' && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (!isSecond && act(event.key)) event.preventDefault()
    }

    function act(key: string): boolean {
      if (key === '/') search.current?.focus()
      else if (key === 'c' && !isPart) create.current?.click()
      else if (key === 'j') move(1)
      else if (key === 'k') move(-1)
      else if (key === 'x') select()
      else return false
      return true
    }
    const links = () => [...(rows.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const current = () => document.activeElement?.closest('tr')?.querySelector<HTMLElement>('[data-row]') ?? null
    function move(by: number) {
      const all = links()
      const now = current()
      const at = now ? all.indexOf(now) : by > 0 ? -1 : all.length
      const target = all[Math.max(0, Math.min(all.length - 1, at + by))]
      target?.focus()
      target?.scrollIntoView?.({ block: 'nearest' })
    }
    function select() {
      const id = current()?.dataset['row']
      if (id !== undefined) onSelect?.(id)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [search, create, rows, onSelect, isPart])
}

/** Whether a key belongs to something else. A box takes the blank only, and chosen rows are left by it as by any key. */
const isTaken = (target: EventTarget | null) =>
  isTyping(target) && !(target instanceof HTMLInputElement && target.type === 'checkbox')
