import { ApiError } from '@passport/contract/call'
import { QueryClient } from '@tanstack/react-query'

/** Failures that may be temporary: those of the network and the server, not of the request. */
const isRetryable = (error: Error) => !(error instanceof ApiError) || error.status >= 500

/** Reports being offline at once: nothing waits invisibly for the network. */
const networkMode = 'always'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, retry: (count, error) => count < 1 && isRetryable(error), networkMode },
    mutations: { networkMode },
  },
})
