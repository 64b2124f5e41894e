import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import type { LinkTo } from './list-page.ts'

/** The link above a page's title that returns to its list. */
export function BackLink({ to, params, label }: LinkTo & { label: string }) {
  return (
    <Link to={to} params={params as never} className="mb-3 inline-flex items-center gap-1 text-ink2 hover:text-ink">
      <ChevronLeft size={15} />
      {label}
    </Link>
  )
}
