import { type RefObject, useEffect } from 'react'
import { areShortcutsEnabled, isTyping } from '../app/shortcut-keys.ts'

/** How long after `g` a second key completes a two-key shortcut. */
const sequenceTimeoutMs = 1200

interface ListShortcutOptions {
  search: RefObject<HTMLInputElement | null>
  create: RefObject<HTMLAnchorElement | null>
  /** Contains the rows; links to a row's page have `data-row` with its id. */
  rows: RefObject<HTMLElement | null>
  onSelect: ((id: string) => void) | undefined
  /** A list that is part of a page leaves `c` to the page. */
  isEmbedded: boolean
}

/**
 * Handles the keys of a list: `/` focuses the search, `c` creates, `j` and `k` move between rows, `x` selects. Enter
 * follows the focused link natively. This listener runs before the app's own shortcuts, which ignore handled events.
 */
export function useListShortcuts({ search, create, rows, onSelect, isEmbedded }: ListShortcutOptions): void {
  useEffect(() => {
    let sequenceStartedAt = Number.NEGATIVE_INFINITY

    function handleKeyDown(event: KeyboardEvent) {
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return
      if (handlesOwnKeys(event.target) || !areShortcutsEnabled() || document.querySelector('dialog[open]')) return
      const isSecondKey = event.timeStamp - sequenceStartedAt < sequenceTimeoutMs
      sequenceStartedAt = event.key === 'g' && !isSecondKey ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (!isSecondKey && runShortcut(event.key)) event.preventDefault()
    }

    function runShortcut(key: string): boolean {
      if (key === '/') search.current?.focus()
      else if (key === 'c' && !isEmbedded) create.current?.click()
      else if (key === 'j') move(1)
      else if (key === 'k') move(-1)
      else if (key === 'x') select()
      else return false
      return true
    }
    const findLinks = () => [...(rows.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const findCurrentLink = () => document.activeElement?.closest('tr')?.querySelector<HTMLElement>('[data-row]')
    function move(step: number) {
      const links = findLinks()
      const currentLink = findCurrentLink()
      const index = currentLink ? links.indexOf(currentLink) : step > 0 ? -1 : links.length
      const target = links[Math.max(0, Math.min(links.length - 1, index + step))]
      target?.focus()
      target?.scrollIntoView?.({ block: 'nearest' })
    }
    function select() {
      const id = findCurrentLink()?.dataset['row']
      if (id !== undefined) onSelect?.(id)
    }
    document.addEventListener('keydown', handleKeyDown)
    return () => document.removeEventListener('keydown', handleKeyDown)
  }, [search, create, rows, onSelect, isEmbedded])
}

/** Reports whether an element uses these keys itself. A checkbox does not: it uses only Space, and keeps the focus after a click. */
const handlesOwnKeys = (target: EventTarget | null) =>
  isTyping(target) && !(target instanceof HTMLInputElement && target.type === 'checkbox')
