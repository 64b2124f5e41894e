import type { ReactNode } from 'react'

/** Tabs as pages: the children are links, and the router marks the current one. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav
      aria-label={label}
      className="mt-5 mb-6 flex flex-wrap gap-x-5 whitespace-nowrap border-b border-line [&_a]:-mb-px [&_a]:flex [&_a]:h-11 [&_a]:shrink-0 [&_a]:items-center [&_a]:border-b-2 [&_a]:border-transparent [&_a]:text-ink2 [&_a[aria-current]]:border-stamp [&_a[aria-current]]:font-[600] [&_a[aria-current]]:text-ink"
    >
      {children}
    </nav>
  )
}
