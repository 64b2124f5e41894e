/** Reports whether there is a page; server rendering has none. */
export const isBrowser = (): boolean => typeof window === 'object'

/** Calls back when timers may have been delayed: the page becomes visible, is restored, or is back online. */
export function onWake(wake: () => void): () => void {
  const onVisible = () => document.visibilityState === 'visible' && wake()
  const controller = new AbortController()
  document.addEventListener('visibilitychange', onVisible, controller)
  window.addEventListener('pageshow', wake, controller)
  window.addEventListener('online', wake, controller)
  return () => controller.abort()
}

/** Reports whether the page is throttled by the browser or offline. */
export const isPageInactive = (): boolean => document.visibilityState === 'hidden' || !navigator.onLine
