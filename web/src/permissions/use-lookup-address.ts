import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Side } from './compare.ts'
import { parseSide } from './LookupResults.tsx'
import { type LookupSearch, parseLookupSearch, toConsistency, toContext } from './lookup-search.ts'
import type { Terms } from './use-lookup-items.ts'
import { useWhatIf } from './what-if.ts'

interface LookupAddress {
  search: LookupSearch
  /** The optional parts of the request body. */
  terms: Terms
  /** Those of the comparison with another moment or without the supposition; undefined without one. */
  comparedTerms: Terms | undefined
  side: Side | undefined
  /** Navigates to another lookup. */
  show: (next: LookupSearch) => void
}

/** Returns the lookup of the URL. */
export function useLookupAddress(): LookupAddress {
  const params = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const search = parseLookupSearch(params)
  const whatIf = useWhatIf()
  const context = toContext(search)
  const since = toConsistency(search)
  // Parts of a supposed schema cannot be asked of the stored one.
  const isComparable = since !== undefined || (whatIf !== undefined && whatIf.schema === undefined)
  return {
    search,
    terms: { ...context, ...(whatIf && { whatIf }) },
    comparedTerms: isComparable ? { ...context, ...since } : undefined,
    side: parseSide(params['side']),
    show: (next) => void navigate({ to: '.', search: next as never, resetScroll: false }),
  }
}
