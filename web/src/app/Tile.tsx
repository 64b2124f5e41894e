import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { descriptions } from './descriptions.ts'
import type { Destination } from './destinations.ts'

export function TileGrid({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className="grid gap-3 sm:grid-cols-[repeat(auto-fill,minmax(220px,1fr))]">
      {children}
    </nav>
  )
}

/** A link to a page with a short description. */
export function Tile({ to, label, icon: Icon }: Destination) {
  return (
    <Link to={to} className="flex items-start gap-3 card p-4 transition-[border-color] hover:border-edge">
      <Icon size={18} strokeWidth={1.75} className="mt-0.5 shrink-0 text-stamp" />
      <span className="min-w-0">
        <span className="block font-[620]">{label}</span>
        <span className="block text-ink2">{descriptions[to]}</span>
      </span>
    </Link>
  )
}
