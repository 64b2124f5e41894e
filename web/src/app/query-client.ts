import { ApiError } from '@passport/contract/call'
import { QueryClient } from '@tanstack/react-query'

/** Failures that a second try may not have: the network's and the server's own, not those of the request. */
const isWorthARetry = (error: Error) => !(error instanceof ApiError) || error.status >= 500

/** Whoever is offline is told so at once: nothing waits, unseen, for the network to come back. */
const networkMode = 'always'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, retry: (count, error) => count < 1 && isWorthARetry(error), networkMode },
    mutations: { networkMode },
  },
})
