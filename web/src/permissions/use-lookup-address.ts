import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Side } from './compare.ts'
import { sideIn } from './LookupResults.tsx'
import { contextIn, type LookupSearch, lookupIn, sinceIn } from './lookup-search.ts'
import { useSupposition } from './supposition.ts'
import type { Terms } from './use-found.ts'

interface LookupAddress {
  search: LookupSearch
  /** What goes into the body of a lookup. */
  terms: Terms
  /** And into that of the one that is compared with it, where nobody else is; undefined where nothing is compared. */
  before: Terms | undefined
  side: Side | undefined
  /** Goes to the address of another lookup. */
  show: (next: LookupSearch) => void
}

/** The lookup that stands in the address. */
export function useLookupAddress(): LookupAddress {
  const address = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const search = lookupIn(address)
  const whatIf = useSupposition()
  const context = contextIn(search)
  const since = sinceIn(search)
  // What another schema has cannot be asked of the one that is stored.
  const isComparable = since !== undefined || (whatIf !== undefined && whatIf.schema === undefined)
  return {
    search,
    terms: { ...context, ...(whatIf && { whatIf }) },
    before: isComparable ? { ...context, ...since } : undefined,
    side: sideIn(address['side']),
    show: (next) => void navigate({ to: '.', search: next as never, resetScroll: false }),
  }
}
