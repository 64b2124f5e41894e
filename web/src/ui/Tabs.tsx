import type { ReactNode } from 'react'

/** Tabs as pages: the children are links, and the router marks the current one. A `TabCount` follows the name of a tab. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className="tabs">
      {children}
    </nav>
  )
}

/** The number of entries behind a tab; null while loading, with the width of one digit. */
export function TabCount({ children }: { children: number | null }) {
  return <span className="min-w-[1ch] text-[13px] font-[400] text-ink3">{children?.toLocaleString('en')}</span>
}
