import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Side } from './compare.ts'
import { sideIn } from './LookupResults.tsx'
import { contextIn, type LookupSearch, lookupIn } from './lookup-search.ts'

interface LookupAddress {
  search: LookupSearch
  /** What goes into the body of a lookup. */
  context: ReturnType<typeof contextIn>
  side: Side | undefined
  /** Goes to the address of another lookup. */
  show: (next: LookupSearch) => void
}

/** The lookup that stands in the address. */
export function useLookupAddress(): LookupAddress {
  const address = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const search = lookupIn(address)
  return {
    search,
    context: contextIn(search),
    side: sideIn(address['side']),
    show: (next) => void navigate({ to: '.', search: next as never, resetScroll: false }),
  }
}
