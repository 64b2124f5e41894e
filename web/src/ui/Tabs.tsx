import { type ReactNode, useEffect, useRef } from 'react'

/**
 * Tabs that are pages of their own: the children are links, of which the router marks the current one. In a small window
 * they are one row that scrolls, with the current one in view.
 */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const row = useRef<HTMLElement>(null)
  const shown = useRef<string>(undefined)
  useEffect(() => {
    const current = row.current?.querySelector<HTMLAnchorElement>('a[aria-current]')
    if (!row.current || !current || shown.current === current.href) return
    shown.current = current.href
    row.current.scrollLeft = current.offsetLeft - (row.current.clientWidth - current.offsetWidth) / 2
  })
  return (
    <nav
      ref={row}
      aria-label={label}
      className="relative mt-5 mb-6 flex flex-wrap gap-x-5 whitespace-nowrap border-b border-line max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:overflow-y-hidden max-sm:[scrollbar-width:thin] [&_a]:-mb-px [&_a]:flex [&_a]:h-11 [&_a]:shrink-0 [&_a]:items-center [&_a]:border-b-2 [&_a]:border-transparent [&_a]:text-ink2 max-sm:[&_a]:mb-0 max-sm:[&_a]:-outline-offset-2 [&_a[aria-current]]:border-stamp [&_a[aria-current]]:font-[600] [&_a[aria-current]]:text-ink"
    >
      {children}
    </nav>
  )
}
