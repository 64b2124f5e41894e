/** Calls back whenever the page may have missed the time: it is seen again, restored, or the network is back. */
export function onWake(wake: () => void): () => void {
  const seen = () => document.visibilityState === 'visible' && wake()
  const end = new AbortController()
  document.addEventListener('visibilitychange', seen, end)
  window.addEventListener('pageshow', wake, end)
  window.addEventListener('online', wake, end)
  return () => end.abort()
}

/** Whether browsers give the page little time, or it has no network. */
export const isAway = (): boolean => document.visibilityState === 'hidden' || !navigator.onLine
