import type { ReactNode } from 'react'

/** Tabs as pages: the children are links, and the router marks the current one. A `TabCount` follows the name of a tab. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav
      aria-label={label}
      className="mt-4 mb-6 flex gap-x-5.5 overflow-x-auto whitespace-nowrap shadow-[inset_0_-1px_0_var(--line)] [scrollbar-width:none] [&_a]:flex [&_a]:h-10 [&_a]:shrink-0 [&_a]:items-center [&_a]:gap-1.5 [&_a]:border-b-2 [&_a]:border-transparent [&_a]:font-[500] [&_a]:text-ink2 [&_a]:-outline-offset-2 [&_a:hover]:text-ink [&_a[aria-current]]:border-foil [&_a[aria-current]]:font-[620] [&_a[aria-current]]:text-ink pointer-coarse:[&_a]:h-11"
    >
      {children}
    </nav>
  )
}

/** The number of entries behind a tab; null while loading, with the width of one digit. */
export function TabCount({ children }: { children: number | null }) {
  return <span className="min-w-[1ch] text-[13px] font-[400] text-ink3">{children?.toLocaleString('en')}</span>
}
