import { type ReactNode, useEffect, useRef } from 'react'

/** Tabs as pages: the children are links, and the router marks the current one. A `TabCount` follows the name of a tab. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const strip = useRef<HTMLElement>(null)
  const shown = useRef(0)
  // On narrow screens the tabs scroll: the current one must be visible, also after counts before it have loaded.
  useEffect(() => {
    const left = strip.current?.querySelector<HTMLElement>('[aria-current]')?.offsetLeft ?? 0
    if (left !== shown.current) strip.current?.scrollTo(left - 96, 0)
    shown.current = left
  })
  return (
    <nav ref={strip} aria-label={label} className="tabs">
      {children}
    </nav>
  )
}

/** The number of entries behind a tab; null while loading, with the width of one digit. */
export function TabCount({ children }: { children: number | null }) {
  return <span className="min-w-[1ch] text-[13px] font-[400] text-ink3">{children?.toLocaleString('en')}</span>
}
