import { ApiError } from '@passport/contract/call'
import { focusManager, QueryClient } from '@tanstack/react-query'

/** Reports whether a failure may be temporary: of the network or the server, not of the request. */
export const isRetryable = (error: Error) => !(error instanceof ApiError) || error.status >= 500

/** Requests fail at once while offline, instead of waiting for the network. */
const networkMode = 'always'

// Windows side by side stay visible: the library's default notices only tabs that were hidden.
focusManager.setEventListener((onFocus) => {
  const handleFocus = () => onFocus()
  const events = [
    [window, 'focus'],
    [document, 'visibilitychange'],
  ] as const
  for (const [target, event] of events) target.addEventListener(event, handleFocus)
  return () => {
    for (const [target, event] of events) target.removeEventListener(event, handleFocus)
  }
})

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => count < 1 && isRetryable(error),
      networkMode,
      // Another tab may have saved a moment ago.
      refetchOnWindowFocus: 'always',
    },
    mutations: { networkMode },
  },
})
