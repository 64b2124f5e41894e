import type { ReactNode } from 'react'

/**
 * Tabs that are pages of their own: the children are links, of which the router marks the current one. In a small window
 * they are one row that scrolls, and begins with the current one in view.
 */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav ref={showCurrent} aria-label={label} className="tabs">
      {children}
    </nav>
  )
}

function showCurrent(row: HTMLElement | null) {
  const current = row?.querySelector<HTMLElement>('[aria-current]')
  if (row && current) row.scrollLeft = current.offsetLeft - row.clientWidth / 2
}
